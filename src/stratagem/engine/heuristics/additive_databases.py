"""Additive pattern databases of a finite-domain game: a table for each pattern, and the bound that they give together.

The symmetries of the rules give every state a second look-up in the same tables; the greatest sum counts.

The bound may fall by more than one in a move, since the context is not in the tables. Cost: one byte for each arrangement; while a
table is made, seven bytes where there are 16 places.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import perm
from typing import TYPE_CHECKING, Final

import numpy as np

from stratagem.engine.heuristics.additive_kernels import (
    AdditiveTables,
    look_up_states,
)
from stratagem.engine.heuristics.domain_symmetries import DomainSymmetry, domain_symmetries
from stratagem.engine.heuristics.pattern_choice import choose_patterns, largest_pattern
from stratagem.engine.heuristics.pattern_space import KERNELS, fill_table
from stratagem.engine.heuristics.pattern_tables import HOPELESS
from stratagem.errors import UnsuitableGame
from stratagem.kernels import Array, int16, uint64
from stratagem.native.jit.kernel_families import compiled_family

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stratagem.engine.heuristics.finite_domain import FiniteDomain
    from stratagem.executor.interface import Executor
    from stratagem.limit import Limit, Started

MOST_IMAGES: Final = 3
"""Symmetries that are looked up."""


@dataclass(frozen=True, slots=True, eq=False)
class AdditiveDatabases:
    """Databases of one finite-domain game, valid for all its states."""

    domain: FiniteDomain
    patterns: tuple[tuple[int, ...], ...]
    """The variables of each pattern (rows of `FiniteDomain.facts`)."""
    symmetries: tuple[DomainSymmetry, ...]
    tables: AdditiveTables
    states: int
    """Abstract states that were looked at."""
    additive: bool = True

    def bounds(self, states: NDArray[np.uint64]) -> NDArray[np.int16]:
        """For every state a number of moves that the goal is away at least; `HOPELESS` where it is out of reach."""
        found = np.empty(len(states), np.int16)
        compiled_family(KERNELS)[look_up_states](
            self.tables,
            Array(uint64, states.reshape(-1)),
            len(states),
            Array(uint64, np.empty(self.tables.views, np.uint64)),
            Array(int, np.empty(self.tables.partitions, np.int64)),
            Array(int16, found),
            HOPELESS,
        )
        return found

    def __str__(self) -> str:
        if len(self.patterns) == 1:
            return f"a pattern database with {self.states:,} abstract states"
        sizes = "-".join(str(len(pattern)) for pattern in self.patterns)
        images = ["", ", maximum over the state and its image", ", maximum over the state and its images"]
        which = images[min(2, len(self.symmetries))]
        return f"additive pattern databases {sizes} with {self.states:,} abstract states{which}"


def additive_databases(
    domain: FiniteDomain, entries: int, memory: int, started: Started, on: Executor | None = None
) -> AdditiveDatabases:
    """Databases of at most *entries* each, and of so many bytes of *memory* while they are made."""
    largest = largest_pattern(domain, entries, memory)
    if not largest:
        raise UnsuitableGame(
            "no closed part of this game is small enough for a database", hint="allow more entries"
        )
    symmetries = domain_symmetries(domain)
    patterns = choose_patterns(domain, largest, started)
    sizes = [perm(domain.places, len(pattern)) for pattern in patterns]
    starts = np.cumsum([0, *sizes])
    moves = np.empty(int(starts[-1]), np.uint8)
    states = 0
    if on is None:
        for number, pattern in enumerate(patterns):
            states += fill_table(domain, pattern, moves[starts[number] : starts[number + 1]], started)
    else:
        tasks = [(domain, pattern, started.rest()) for pattern in patterns]
        for number, (table, seen) in on.map(_table_within, tasks, stop=lambda: started.reached() is not None):
            moves[starts[number] : starts[number + 1]] = table
            states += seen
    used = _new_images(patterns, symmetries)[:MOST_IMAGES]
    return AdditiveDatabases(domain, patterns, used, _tables(domain, patterns, used, moves, starts), states)


def _table_within(
    domain: FiniteDomain, pattern: tuple[int, ...], limit: Limit
) -> tuple[NDArray[np.uint8], int]:
    """The table of one pattern in another process, where the limit begins anew."""
    table = np.empty(perm(domain.places, len(pattern)), np.uint8)
    return table, fill_table(domain, pattern, table, limit.start())


def _new_images(
    patterns: Sequence[tuple[int, ...]], symmetries: Sequence[DomainSymmetry]
) -> tuple[DomainSymmetry, ...]:
    """The symmetries under which the partition is not its own image: the others add nothing."""
    plain = {frozenset(pattern) for pattern in patterns}
    return tuple(
        symmetry
        for symmetry in symmetries
        if {frozenset(symmetry.variables[list(pattern)].tolist()) for pattern in patterns} != plain
    )


def _tables(
    domain: FiniteDomain,
    patterns: Sequence[tuple[int, ...]],
    symmetries: Sequence[DomainSymmetry],
    moves: NDArray[np.uint8],
    starts: NDArray[np.int64],
) -> AdditiveTables:
    count = len(patterns)
    identity = DomainSymmetry(np.arange(domain.places), np.arange(domain.variables))
    facts = 64 * domain.goals.shape[1]
    partitions = [identity, *symmetries]
    view = np.full((len(partitions), facts), -1, np.int8)
    weight = np.zeros((len(partitions), facts), np.uint64)
    for partition, symmetry in enumerate(partitions):
        before = np.argsort(symmetry.variables)
        for number, pattern in enumerate(patterns):
            for slot, variable in enumerate(pattern):
                row = domain.facts[before[variable]]
                view[partition, row] = partition * count + number
                weight[partition, row] = symmetry.places.astype(np.uint64) << np.uint64(8 * slot)
    return AdditiveTables(
        view=view,
        weight=weight,
        owner=np.repeat(np.arange(len(partitions)), count).astype(np.int32),
        slots=np.array([len(pattern) for pattern in patterns] * len(partitions), np.int32),
        start=np.tile(starts[:-1], len(partitions)).astype(np.int64),
        moves=moves,
        places=domain.places,
    )

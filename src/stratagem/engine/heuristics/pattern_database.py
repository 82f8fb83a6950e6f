"""Lower bounds on the moves to the goal, made from the rules: pattern databases (Culberson and Schaeffer, 1998).

For every pattern the abstract game is played out from the state asked about, and the distance of every abstract state to
the nearest goal is found backward over its edges (a bound of 0 or 1 per move: a breadth-first search with two levels). The
distance of what a state looks like in the abstract game never exceeds its own, and never falls by more than one in
one move: A* with such a bound opens no state twice. Cost: one abstract expansion per entry; a look-up per state and
pattern.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol

import numpy as np

from stratagem.engine.heuristics.abstract_distances import AbstractSpace, measure_distances
from stratagem.engine.heuristics.abstraction import project
from stratagem.engine.heuristics.additive_databases import AdditiveDatabases, additive_databases
from stratagem.engine.heuristics.finite_domain import finite_domain
from stratagem.engine.heuristics.pattern_tables import (
    NEVER,
    PatternIndex,
    PatternTables,
    index_states,
    look_up,
)
from stratagem.engine.heuristics.patterns import Pattern, PatternFinder
from stratagem.engine.space.explore import Space, explore
from stratagem.engine.space.state_graph import graph_of
from stratagem.errors import UnsuitableGame, require_whole
from stratagem.executor.interface import require_executor
from stratagem.gdl_game import require_rules
from stratagem.kernels import Array, int16, uint64
from stratagem.kernels.translate.family import KernelFamily
from stratagem.limit import UNLIMITED, Limit, Started, require_limit
from stratagem.native.jit.kernel_families import compiled_family

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stratagem.executor.interface import Executor
    from stratagem.gdl_game import GdlGame, State

ENTRIES: Final = 1 << 20
"""Entries of one pattern database unless said otherwise."""
MEMORY: Final = 1 << 30
"""Bytes for one abstract space unless the limit says otherwise."""
FARTHEST: Final = 4095
"""In a database: the goal is so far away, or farther."""


class LowerBound(Protocol):
    """What A* needs: for every state a number of moves that the goal is away at least."""

    def bounds(self, states: NDArray[np.uint64]) -> NDArray[np.int16]: ...


KERNELS: Final = KernelFamily("pattern databases", (look_up, index_states, measure_distances))


@dataclass(frozen=True, slots=True, eq=False)
class Heuristic:
    """Pattern databases of one game, valid for the states that can be reached from the one they were made for."""

    patterns: tuple[Pattern, ...]
    tables: PatternTables
    states: int
    """Abstract states that were looked at."""

    @property
    def additive(self) -> bool:
        """Whether the bounds of the databases add up; otherwise the greatest counts."""
        return self.tables.additive

    def bounds(self, states: NDArray[np.uint64]) -> NDArray[np.int16]:
        """For every state a number of moves that the goal is away at least; `HOPELESS` where it is out of reach."""
        found = np.empty(len(states), np.int16)
        compiled_family(KERNELS)[look_up](
            self.tables,
            Array(uint64, states.reshape(-1)),
            len(states),
            Array(int, np.empty(len(self.patterns), np.int64)),
            Array(int16, found),
        )
        return found

    def __str__(self) -> str:
        if len(self.patterns) == 1:
            return f"a pattern database with {self.states:,} abstract states"
        how = "sum" if self.additive else "maximum"
        return f"{how} of {len(self.patterns)} pattern databases with {self.states:,} abstract states"


def pattern_database(
    game: GdlGame,
    state: State | None = None,
    *,
    threshold: int = 100,
    entries: int = ENTRIES,
    limit: Limit = UNLIMITED,
    on: Executor | None = None,
) -> Heuristic | AdditiveDatabases:
    """Databases of at most *entries* each; raises `UnsuitableGame` where the rules fall into no small parts.

    *threshold* is the goal from which on an end counts as solved. `SpaceTooLarge` is raised where the seconds, the memory
    or the stop of *limit* end the work. With an executor, *on*, every pattern is a task there. Games like sliding
    puzzles get `AdditiveDatabases`.

    >>> from stratagem.loading import load
    >>> game = load("hanoi")
    >>> heuristic = pattern_database(game, entries=81)
    >>> heuristic.bounds(game.compiled.initial[None])
    array([16], dtype=int16)
    """
    require_rules(game, by="a pattern database")
    require_whole("threshold", threshold)
    require_whole("number of entries", entries)
    require_executor(on)
    if len(game.roles) != 1:
        raise UnsuitableGame(f"pattern databases are for one player; this game has {len(game.roles)}")
    require_limit(limit)
    limit.only("seconds", "memory", "stop", by="pattern databases")
    started, circuit = limit.start(), game.circuit
    start = game.compiled.initial if state is None else game.pack(state).copy()
    finder = PatternFinder(game.sheet, circuit)
    domain = finite_domain(finder, game.compiled, threshold)
    if domain is not None:
        return additive_databases(
            domain, entries, MEMORY if limit.memory is None else limit.memory, started, on
        )
    found = finder.patterns(entries)
    if not found.patterns:
        raise UnsuitableGame(
            "no closed part of this game is small enough for a database", hint="allow more entries"
        )
    bits = np.unpackbits(start.view(np.uint8), bitorder="little").astype(np.bool_)
    if on is None:
        made = [_database(game, pattern, bits, threshold, started) for pattern in found.patterns]
    else:
        left = started.rest()
        tasks = [(game, pattern, bits, threshold, left) for pattern in found.patterns]
        answers = dict(on.map(_database_within, tasks, stop=lambda: started.reached() is not None))
        made = [answers[number] for number in range(len(tasks))]
    tables, states = [table for table, _ in made], sum(seen for _, seen in made)
    starts = np.cumsum([0, *(len(table) for table in tables[:-1])]).astype(np.int64)
    weights = np.zeros((64 * game.compiled.words, len(tables)), np.int64)
    for number, pattern in enumerate(found.patterns):
        weights[:, number] = _weights(pattern, range(len(weights)))
    index = PatternIndex(sums=_byte_sums(weights), starts=starts)
    together = PatternTables(index=index, moves=np.concatenate(tables), additive=found.additive)
    return Heuristic(found.patterns, together, states)


def _weights(pattern: Pattern, places: Sequence[int]) -> NDArray[np.int64]:
    """What each proposition of *places* adds to the number of an entry."""
    weight: dict[int, int] = {}
    radix = 1
    for variable in pattern.variables:
        for value, place in enumerate(variable.members):
            weight[place] = radix * (value if len(variable.members) > 1 else 1)
        radix *= variable.values
    return np.array([weight.get(place, 0) for place in places], np.int64)


def _byte_sums(weights: NDArray[np.int64]) -> NDArray[np.int32]:
    """What every value of every byte of a state adds up to."""
    bits = (np.arange(256)[:, None] >> np.arange(8)) & 1
    grouped = weights.reshape(-1, 8, weights.shape[1])
    return np.ascontiguousarray(np.einsum("vk,bkp->bvp", bits, grouped).astype(np.int32))


def _database_within(
    game: GdlGame, pattern: Pattern, bits: NDArray[np.bool_], threshold: int, limit: Limit
) -> tuple[NDArray[np.uint16], int]:
    """The database of one pattern in another process, where the limit begins anew."""
    return _database(game, pattern, bits, threshold, limit.start())


def _database(
    game: GdlGame,
    pattern: Pattern,
    bits: NDArray[np.bool_],
    threshold: int,
    started: Started,
) -> tuple[NDArray[np.uint16], int]:
    from stratagem.native.compiled import CompiledGame

    kept = pattern.members
    compiled = CompiledGame(project(game.circuit, kept, threshold=threshold))
    compiled.compile()
    begin = np.zeros(64 * compiled.words, np.uint8)
    begin[: len(kept)] = bits[list(kept)]
    space = explore(
        compiled,
        np.packbits(begin, bitorder="little").view(np.uint64),
        memory=MEMORY if started.limit.memory is None else started.limit.memory,
        stop=lambda: started.reached() is not None,
    )
    costly = set(pattern.counted or kept)
    counts = [place in costly for place in kept] + [False] * (64 * compiled.words - len(kept))
    distance = _distances(space, np.packbits(counts, bitorder="little").view(np.uint64))
    weights = np.zeros((64 * compiled.words, 1), np.int64)
    weights[: len(kept), 0] = _weights(pattern, kept)
    index = PatternIndex(sums=_byte_sums(weights), starts=np.zeros(1, np.int64))
    entries = np.empty(len(space), np.int64)
    states = Array(uint64, space.states.reshape(-1))
    compiled_family(KERNELS)[index_states](index, states, len(space), Array(int, entries))
    table = np.full(pattern.entries, NEVER, np.uint16)
    table[entries] = np.where(distance < 0, NEVER, np.minimum(distance, FARTHEST))
    return table, len(space)


def _distances(space: Space, counted: NDArray[np.uint64]) -> NDArray[np.int32]:
    """Moves from every state to a goal, those that change none of the bits *counted* being free; -1 where there are none."""
    distance = np.empty(len(space), np.int32)
    room = len(space) + len(space.children)
    compiled_family(KERNELS)[measure_distances](
        AbstractSpace(
            graph=graph_of(space),
            states=space.states,
            goals=space.goals[:, 0].copy(),
            counted=counted,
            distance=distance,
            waiting=np.empty((2, room), np.int32),
        )
    )
    return distance

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

from stratagem.engine.heuristics.abstraction import project
from stratagem.engine.heuristics.patterns import Pattern, PatternFinder
from stratagem.engine.space.explore import explore
from stratagem.errors import UnsuitableGame
from stratagem.limit import UNLIMITED, Limit, Started
from stratagem.native.jit.numba_cache import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stratagem.gdl_game import GdlGame, State

ENTRIES: Final = 1 << 20
"""Entries of one pattern database unless said otherwise."""
MEMORY: Final = 1 << 30
"""Bytes for one abstract space unless the limit says otherwise."""
NEVER: Final = 65535
"""In a database: the goal cannot be reached from there."""
FARTHEST: Final = 4095
"""In a database: the goal is so far away, or farther."""
HOPELESS: Final = 1 << 14
"""As a bound: the goal cannot be reached."""


class LowerBound(Protocol):
    """What A* needs: for every state a number of moves that the goal is away at least.

    It may fall by no more than one from a state to its child.
    """

    def bounds(self, states: NDArray[np.uint64]) -> NDArray[np.int16]: ...


@njit(nogil=True)
def look_up(states, count, sums, tables, starts, additive, bounds):  # type: ignore[no-untyped-def]
    """The bound of each of *states*: the sum, or the greatest, of what the databases say.

    sums[b, v, p] is what byte b of a state adds to the entry of pattern p where its value is v.
    """
    size, patterns = sums.shape[0], sums.shape[2]
    entries = np.empty(patterns, np.int64)
    for row in range(count):
        for pattern in range(patterns):
            entries[pattern] = starts[pattern]
        for byte in range(size):
            value = (states[row, byte >> 3] >> np.uint64(8 * (byte & 7))) & np.uint64(255)
            if value:
                for pattern in range(patterns):
                    entries[pattern] += sums[byte, value, pattern]
        total = 0
        for pattern in range(patterns):
            bound = int(tables[entries[pattern]])
            if bound == 65535:
                total = 1 << 14
                break
            if additive:
                total = min(total + bound, 16383)
            elif bound > total:
                total = bound
        bounds[row] = total


@njit(nogil=True)
def _distances(states, offsets, children, goals, counted, distance):  # type: ignore[no-untyped-def]
    """Moves from every abstract state to a goal, those that change nothing of *counted* being free.

    Where *counted* is empty, none are.
    """
    count = len(states)
    first = np.zeros(count + 1, np.int64)
    for edge in range(len(children)):
        first[children[edge] + 1] += 1
    for state in range(count):
        first[state + 1] += first[state]
    parents = np.empty(len(children), np.int32)
    free = np.empty(len(children), np.bool_)
    place = first[:-1].copy()
    for state in range(count):
        for edge in range(offsets[state], offsets[state + 1]):
            child = children[edge]
            changed = np.uint64(len(counted) == 0)
            for word in range(len(counted)):
                changed |= (states[state, word] ^ states[child, word]) & counted[word]
            parents[place[child]] = state
            free[place[child]] = changed == np.uint64(0)
            place[child] += 1
    now = np.empty(len(children) + count, np.int32)
    later = np.empty(len(children) + count, np.int32)
    used, waiting, level = 0, 0, 0
    for state in range(count):
        distance[state] = -1
        if goals[state, 0] == 100:
            distance[state] = 0
            now[used] = state
            used += 1
    while used:
        while used:
            used -= 1
            state = now[used]
            if distance[state] != level:
                continue
            for edge in range(first[state], first[state + 1]):
                parent = parents[edge]
                steps = level if free[edge] else level + 1
                if distance[parent] < 0 or steps < distance[parent]:
                    distance[parent] = steps
                    if steps == level:
                        now[used] = parent
                        used += 1
                    else:
                        later[waiting] = parent
                        waiting += 1
        now, later = later, now
        used, waiting, level = waiting, 0, level + 1


@dataclass(frozen=True, slots=True, eq=False)
class Heuristic:
    """Pattern databases of one game, valid for the states that can be reached from the one they were made for."""

    patterns: tuple[Pattern, ...]
    additive: bool
    sums: NDArray[np.int32]
    tables: NDArray[np.uint16]
    starts: NDArray[np.int64]
    states: int
    """Abstract states that were looked at."""

    def bounds(self, states: NDArray[np.uint64]) -> NDArray[np.int16]:
        """For every state a number of moves that the goal is away at least; `HOPELESS` where it is out of reach."""
        found = np.empty(len(states), np.int16)
        look_up(
            np.ascontiguousarray(states),
            len(states),
            self.sums,
            self.tables,
            self.starts,
            self.additive,
            found,
        )
        return found

    def __str__(self) -> str:
        if len(self.patterns) == 1:
            return f"a pattern database of {self.states:,} abstract states"
        how = "added up" if self.additive else "the greatest counts"
        return f"{len(self.patterns)} pattern databases of {self.states:,} abstract states, {how}"


def pattern_database(
    game: GdlGame,
    state: State | None = None,
    *,
    threshold: int = 100,
    entries: int = ENTRIES,
    limit: Limit = UNLIMITED,
) -> Heuristic:
    """Databases of at most *entries* each; raises `UnsuitableGame` where the rules fall into no small parts.

    *threshold* is the goal from which on an end counts as solved. `SpaceTooLarge` is raised where the seconds, the memory
    or the stop of *limit* end the work.

    >>> from stratagem.loading import load
    >>> game = load("hanoi")
    >>> heuristic = pattern_database(game, entries=81)
    >>> heuristic.bounds(game.compiled.initial[None])
    array([16], dtype=int16)
    """
    if len(game.roles) != 1:
        raise UnsuitableGame(f"pattern databases are for one player; this game has {len(game.roles)}")
    limit.only("seconds", "memory", "stop", by="pattern databases")
    started, circuit = limit.start(), game.circuit
    start = game.compiled.initial if state is None else state.packed.copy()
    found = PatternFinder(game.sheet, circuit).patterns(entries)
    if not found.patterns:
        raise UnsuitableGame(
            "no part of this game is closed and small enough for a database", hint="allow more entries"
        )
    bits = np.unpackbits(start.view(np.uint8), bitorder="little").astype(np.bool_)
    tables: list[NDArray[np.uint16]] = []
    states = 0
    for pattern in found.patterns:
        table, seen = _database(game, pattern, bits, threshold, started)
        tables.append(table)
        states += seen
    starts = np.cumsum([0, *(len(table) for table in tables[:-1])]).astype(np.int64)
    weights = np.zeros((64 * game.compiled.words, len(tables)), np.int64)
    for number, pattern in enumerate(found.patterns):
        weights[:, number] = _weights(pattern, range(len(weights)))
    return Heuristic(
        found.patterns, found.additive, _byte_sums(weights), np.concatenate(tables), starts, states
    )


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
    counted = np.zeros(0, np.uint64)
    if pattern.counted:
        own = [place in set(pattern.counted) for place in kept]
        padding = [False] * (64 * compiled.words - len(kept))
        counted = np.packbits(own + padding, bitorder="little").view(np.uint64)
    distance = np.empty(len(space), np.int32)
    _distances(space.states, space.offsets, space.children, space.goals, counted, distance)
    table = np.full(pattern.entries, NEVER, np.uint16)
    unpacked = _weights(pattern, kept)
    padded = np.zeros((64 * compiled.words, 1), np.int64)
    padded[: len(kept), 0] = unpacked
    table[_entries(space.states, _byte_sums(padded))] = np.where(
        distance < 0, NEVER, np.minimum(distance, FARTHEST)
    )
    return table, len(space)


@njit(nogil=True)
def _entries(states, sums):  # type: ignore[no-untyped-def]
    found = np.zeros(len(states), np.int64)
    for row in range(len(states)):
        for byte in range(sums.shape[0]):
            value = (states[row, byte >> 3] >> np.uint64(8 * (byte & 7))) & np.uint64(255)
            found[row] += sums[byte, value, 0]
    return found

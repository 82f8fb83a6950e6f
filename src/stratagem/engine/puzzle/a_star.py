"""A* (Hart, Nilsson and Raphael, 1968) over packed states, a bucket at a time.

All moves cost one, so states wait in buckets by f = g + h and g; a whole bucket is expanded in one native call. The
bounds of pattern databases never fall by more than one in a move, hence a state that is opened has its least g: no
state is opened twice. Of equal f the deepest come first. Every state is kept: time and memory grow with the states whose
f is below the length of the solution.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from stratagem.engine.heuristics.pattern_database import HOPELESS, LowerBound
from stratagem.engine.puzzle.breadth_first import PUZZLE_LIMIT, PathResult
from stratagem.engine.states.child_buffer import ChildBuffer
from stratagem.engine.states.state_set import StateSet
from stratagem.limit import Limit
from stratagem.native.jit.numba_cache import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stratagem.native.compiled import Children, CompiledGame

BLOCK = 1 << 13


@njit(nogil=True)
def relax(numbers, count, before, parents, moves, steps, known, cost, origin, made, better):  # type: ignore[no-untyped-def]
    """Notes a shorter path to every child that has none as short; *better* gets the rows of these. How many."""
    found = 0
    for row in range(count):
        number = numbers[row]
        if number >= known:
            cost[number] = 32767
            known = number + 1
        if steps < cost[number]:
            cost[number] = steps
            origin[number] = before[parents[row]]
            made[number] = moves[row, 0]
            better[found] = row
            found += 1
    return found


class _Notes:
    """For every state: moves made to it, the state before, the move that led to it, and whether it was opened."""

    def __init__(self) -> None:
        self._make(1 << 12)

    def _make(self, room: int) -> None:
        self.cost: NDArray[np.int16] = np.zeros(room, np.int16)
        self.origin: NDArray[np.int64] = np.zeros(room, np.int64)
        self.move: NDArray[np.int32] = np.zeros(room, np.int32)
        self.opened: NDArray[np.bool_] = np.zeros(room, np.bool_)

    @property
    def bytes(self) -> int:
        return self.cost.nbytes + self.origin.nbytes + self.move.nbytes + self.opened.nbytes

    def make_room(self, needed: int) -> None:
        if needed > len(self.cost):
            cost, origin, move, opened = self.cost, self.origin, self.move, self.opened
            self._make(max(needed, 3 * len(cost) // 2))
            self.cost[: len(cost)], self.origin[: len(cost)] = cost, origin
            self.move[: len(cost)], self.opened[: len(cost)] = move, opened

    def path(self, number: int) -> tuple[tuple[int, ...], ...]:
        found: list[tuple[int, ...]] = []
        while number:
            found.append((int(self.move[number]),))
            number = int(self.origin[number])
        return tuple(reversed(found))


def a_star(
    compiled: CompiledGame,
    heuristic: LowerBound,
    start: NDArray[np.uint64] | None = None,
    *,
    threshold: int = 100,
    limit: Limit = PUZZLE_LIMIT,
    progress: Callable[[int, int], None] | None = None,
) -> PathResult:
    """The shortest path from *start* to a terminal state worth at least *threshold*.

    Without one, `value` is None, and `proved` where there is none at all. *progress* hears (states, length so far).
    """
    return _AStar(compiled, heuristic, threshold).run(
        compiled.initial if start is None else start, limit, progress
    )


class _AStar:
    """One call of `a_star`. *goal*: the steps to the nearest end that is good enough, its worth and its number."""

    def __init__(self, compiled: CompiledGame, heuristic: LowerBound, threshold: int) -> None:
        self.compiled, self.heuristic, self.threshold = compiled, heuristic, threshold
        self.known, self.notes = StateSet(compiled.words), _Notes()
        self.buffer = ChildBuffer(compiled, BLOCK)
        self.buckets: dict[int, dict[int, list[NDArray[np.int64]]]] = {}
        self.goal: tuple[int, int, int] | None = None
        self.opened = 0

    def run(
        self,
        start: NDArray[np.uint64],
        limit: Limit,
        progress: Callable[[int, int], None] | None,
    ) -> PathResult:
        started = limit.start()
        self.known.add(np.ascontiguousarray(start.reshape(1, -1)))
        origin = self.compiled.evaluate(self.known.states)
        length = int(self.heuristic.bounds(self.known.states)[0])
        if origin.terminal[0]:
            if origin.goals[0, 0] >= self.threshold:
                self.goal = (0, int(origin.goals[0, 0]), 0)
        elif length < HOPELESS:
            self._wait(length, 0, np.zeros(1, np.int64))
        stopped = False
        while self.buckets:
            length = min(self.buckets)
            if self.goal is not None and self.goal[0] <= length:
                break
            self._open(length)
            if progress is not None:
                progress(self.known.used, length)
            full = limit.memory is not None and self.known.bytes + self.notes.bytes > limit.memory
            if full or started.reached(self.known.used) is not None:
                stopped = self.goal is None or self.goal[0] > length
                break
        goal = self.goal
        return PathResult(
            None if goal is None else goal[1],
            () if goal is None else self.notes.path(goal[2]),
            not stopped,
            self.known.used,
            self.opened,
            (),
            length if goal is None or stopped else goal[0],
            started.elapsed,
        )

    def _wait(self, total: int, steps: int, numbers: NDArray[np.int64]) -> None:
        self.buckets.setdefault(total, {}).setdefault(steps, []).append(numbers)

    def _next(self, total: int) -> tuple[int, NDArray[np.int64]]:
        """Some states of the least f, the deepest first, none of them opened yet; and their depth."""
        level = self.buckets[total]
        steps = max(level)
        numbers = level[steps].pop()
        if not level[steps]:
            del level[steps]
        if not level:
            del self.buckets[total]
        if len(numbers) > BLOCK:
            self._wait(total, steps, numbers[BLOCK:])
            numbers = numbers[:BLOCK]
        fresh = (self.notes.cost[numbers] == steps) & ~self.notes.opened[numbers]
        return steps, numbers[fresh]

    def _open(self, total: int) -> None:
        steps, numbers = self._next(total)
        self.notes.opened[numbers] = True
        self.opened += len(numbers)
        done = 0
        while done < len(numbers):
            children, consumed = self.buffer.some(np.ascontiguousarray(self.known.pool[numbers[done:]]))
            self._sort(steps + 1, numbers[done:], children)
            done += consumed

    def _sort(self, steps: int, before: NDArray[np.int64], children: Children) -> None:
        """Children to their buckets, where they were reached by a shorter path than known so far."""
        made, notes = len(children), self.notes
        used = self.known.used
        numbers = self.known.add(children.states)
        notes.make_room(self.known.used)
        better = np.empty(made, np.int64)
        count = relax(
            numbers,
            made,
            before,
            children.parents,
            children.moves,
            steps,
            used,
            notes.cost,
            notes.origin,
            notes.move,
            better,
        )
        better = better[:count]
        ends, worth = children.terminal[better], children.goals[better, 0]
        reached = np.flatnonzero(ends & (worth >= self.threshold))
        if len(reached) and (self.goal is None or steps < self.goal[0]):
            self.goal = (steps, int(worth[reached[0]]), int(numbers[better[reached[0]]]))
        better = better[~ends]
        bounds = self.heuristic.bounds(children.states[better]).astype(np.int64)
        for bound in np.unique(bounds):
            if bound < HOPELESS:
                self._wait(steps + int(bound), steps, numbers[better[bounds == bound]])

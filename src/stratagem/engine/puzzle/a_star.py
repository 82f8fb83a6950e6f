"""A* (Hart, Nilsson and Raphael, 1968) over packed states, a bucket at a time.

All moves cost one, so states wait in buckets by f = g + h and g; a whole bucket is expanded in one native call. A
state to which a shorter path is found is opened again; where bounds never fall by more than one in a move, as those of
databases that know the whole context, that does not happen. Of equal f the deepest come first. Every state is kept: time
and memory grow with the states whose f is below the length of the solution.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

import numpy as np

from stratagem.engine.heuristics.pattern_database import LowerBound
from stratagem.engine.heuristics.pattern_tables import HOPELESS
from stratagem.engine.puzzle.breadth_first import PUZZLE_LIMIT, PathResult
from stratagem.engine.states.child_buffer import ChildBuffer, ChildRows
from stratagem.engine.states.state_set import StateSet
from stratagem.kernels import Array, Record, dims, int16, int32, kernel, size
from stratagem.kernels.translate.family import KernelFamily
from stratagem.limit import Limit
from stratagem.native.jit.kernel_families import compiled_family

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stratagem.native.compiled import Children, CompiledGame

BLOCK = 1 << 13
FARTHEST: Final = 32767
"""The cost of a state to which no path is known."""


class PathNotes(Record):
    """For every state: moves made to it, the state before, the move that led to it, and whether it was opened."""

    room: int = size()
    cost: Array[int16] = dims("room")
    origin: Array[int] = dims("room")
    move: Array[int32] = dims("room")
    opened: Array[bool] = dims("room")
    known: int = 0
    """How many states have notes."""


class ReachedChildren(Record):
    """Children of one block of states, with their numbers, all after the same number of *steps*."""

    notes: PathNotes
    children: ChildRows
    block: int = size()
    room: int = size()
    before: Array[int] = dims("block")
    """The numbers of the states that were opened; the parents of children are places in here."""
    numbers: Array[int] = dims("room")
    better: Array[int] = dims("room")
    count: int = 0
    steps: int = 0


@kernel
def relax(reached: ReachedChildren) -> int:
    """Notes a shorter path to every child that has none as short; *better* gets the rows of these. How many."""
    notes, children = reached.notes, reached.children
    found = 0
    for row in range(reached.count):
        number = reached.numbers[row]
        if number >= notes.known:
            notes.cost[number] = FARTHEST
            notes.known = number + 1
        if reached.steps < notes.cost[number]:
            notes.cost[number] = reached.steps
            notes.opened[number] = False
            notes.origin[number] = reached.before[children.parents[row]]
            notes.move[number] = children.moves[row, 0]
            reached.better[found] = row
            found += 1
    return found


KERNELS: Final = KernelFamily("A*", (relax,))


class _Notes:
    """The notes as Python sees them: they grow."""

    def __init__(self) -> None:
        self._make(1 << 12)
        self.record = PathNotes(**self._arrays(), known=1)

    def _make(self, room: int) -> None:
        self.cost: NDArray[np.int16] = np.zeros(room, np.int16)
        self.origin: NDArray[np.int64] = np.zeros(room, np.int64)
        self.move: NDArray[np.int32] = np.zeros(room, np.int32)
        self.opened: NDArray[np.bool_] = np.zeros(room, np.bool_)

    def _arrays(self) -> dict[str, NDArray[np.generic]]:
        return {"cost": self.cost, "origin": self.origin, "move": self.move, "opened": self.opened}

    @property
    def bytes(self) -> int:
        return sum(array.nbytes for array in self._arrays().values())

    def make_room(self, needed: int) -> None:
        before = self._arrays()
        if needed > len(self.cost):
            self._make(max(needed, 3 * len(self.cost) // 2))
            for name, array in self._arrays().items():
                array[: len(before[name])] = before[name]
            self.record.put(**self._arrays())

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
        self.relax = compiled_family(KERNELS)[relax]
        self.reached = ReachedChildren(
            notes=self.notes.record,
            children=self.buffer.rows,
            before=np.empty(BLOCK, np.int64),
            numbers=np.empty(BLOCK, np.int64),
            better=np.empty(BLOCK, np.int64),
        )
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
        numbers = self.known.add(children.states)
        self.notes.make_room(self.known.used)
        better = self._relaxed(steps, before, numbers)
        ends, worth = children.terminal[better], children.goals[better, 0]
        good = np.flatnonzero(ends & (worth >= self.threshold))
        if len(good) and (self.goal is None or steps < self.goal[0]):
            self.goal = (steps, int(worth[good[0]]), int(numbers[better[good[0]]]))
        better = better[~ends]
        bounds = self.heuristic.bounds(children.states[better]).astype(np.int64)
        for bound in np.unique(bounds):
            if bound < HOPELESS:
                self._wait(steps + int(bound), steps, numbers[better[bounds == bound]])

    def _relaxed(
        self, steps: int, before: NDArray[np.int64], numbers: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """Notes the shorter paths; the rows of the children that have one."""
        reached = self.reached
        if len(numbers) > reached.room:
            room = 2 * len(numbers)
            reached.put(numbers=np.empty(room, np.int64), better=np.empty(room, np.int64))
        reached.before.numpy[: len(before)] = before
        reached.numbers.numpy[: len(numbers)] = numbers
        reached.count, reached.steps = len(numbers), steps
        return reached.better.numpy[: self.relax(reached)].copy()

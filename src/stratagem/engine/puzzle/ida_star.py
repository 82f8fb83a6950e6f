"""IDA* (Korf, 1985) over packed states: depth-first up to a length, and again up to the next.

Blocks of states of one depth are expanded in one native call, and the children that may still end within the length
are searched before the next block: depth first, a few hundred states abreast. Only the step back to the state before
is avoided; other states may come up many times. Memory: some blocks for every depth, however many states there are.
Games like sliding puzzles are searched by their operators instead (operator_search.py), a state at a time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final, Protocol

import numpy as np

from stratagem.engine.heuristics.additive_databases import AdditiveDatabases
from stratagem.engine.heuristics.pattern_database import Heuristic
from stratagem.engine.heuristics.pattern_tables import HOPELESS, PatternTables, look_up
from stratagem.engine.puzzle.breadth_first import PUZZLE_LIMIT, PathResult
from stratagem.engine.puzzle.operator_search import EXHAUSTED, FOUND, SPENT, OperatorDeepening
from stratagem.engine.states.child_buffer import ChildRows, child_rows, expand_block, new_children
from stratagem.kernels import Array, Record, dims, inlined, int16, int32, kernel, record_rows, size, uint64
from stratagem.kernels.library.hashing import copy_state, same_state
from stratagem.kernels.translate.family import KernelFamily
from stratagem.limit import Limit
from stratagem.native.jit.kernel_families import compiled_family

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stratagem.native.compiled import CompiledGame

ABREAST: Final = 256
ROOM: Final = 2048
ALLOWANCE: Final = 1 << 18
"""States expanded between two looks at the clock."""


class DepthFrame(Record):
    """Where the search stands at one depth: *size* states of a block, those before *cursor* are done."""

    cursor: int = 0
    size: int = 0


class DeepeningSearch(Record):
    """IDA* up to one *length*: a block of states for every depth, with the row each came from and the move made to it."""

    children: ChildRows
    heuristic: PatternTables
    depths: int = size()
    room: int = size()
    words: int = size()
    frames: Array[DepthFrame] = dims("depths")
    states: Array[uint64] = dims("depths", "room", "words")
    origins: Array[int32] = dims("depths", "room")
    made: Array[int32] = dims("depths", "room")
    bounds: Array[int16] = dims("room")
    patterns: int = size()
    entries: Array[int] = dims("patterns")
    length: int = 0
    threshold: int = 0
    depth: int = 0
    beyond: int = HOPELESS
    """The least f that is greater than *length*."""
    expanded: int = 0
    goal: int = -1
    """The row of the end that was found, at *depth*, and its *worth*."""
    worth: int = 0


@inlined
def expand_some(search: DeepeningSearch, first: int) -> int:
    """The children of some states at the present depth, with their bounds; how many."""
    frame, children = search.frames[search.depth], search.children
    states = search.states.at(search.depth, first)
    number = expand_block(children, 0, states, min(ABREAST, frame.size - first))
    frame.cursor += children.consumed[0]
    search.expanded += children.consumed[0]
    look_up(search.heuristic, children.states.at(0), number, search.entries, search.bounds)
    return number


@inlined
def goes_back(search: DeepeningSearch, child: int, row: int) -> bool:
    """Whether a child of a *row* is the state from which that came."""
    if search.depth == 0:
        return False
    before = search.states.row(search.depth - 1, search.origins[search.depth, row])
    return same_state(search.children.states.row(child), before, search.words)


@inlined
def may_end_in_time(search: DeepeningSearch, child: int, good: bool) -> bool:
    """Whether the goal may lie within the length; f is noted where it does not."""
    total = search.depth + 1 + (0 if good else search.bounds[child])
    if total > search.length and search.bounds[child] < HOPELESS:
        search.beyond = min(search.beyond, total)
    return total <= search.length


@inlined
def keep_child(search: DeepeningSearch, child: int, row: int, kept: int) -> None:
    """Puts a child of a *row* into the block of the next depth."""
    copy_state(search.children.states.row(child), search.states.row(search.depth + 1, kept), search.words)
    search.origins[search.depth + 1, kept] = row
    search.made[search.depth + 1, kept] = search.children.moves[child, 0]


@inlined
def fill_next_depth(search: DeepeningSearch, first: int, number: int) -> int:
    """Keeps the children worth searching, up to an end that is good enough, which is the *goal*; how many."""
    kept, children = 0, search.children
    for child in range(number):
        row = first + children.parents[child]
        good = children.terminal[child] and children.goals[child, 0] >= search.threshold
        if children.terminal[child] and not good:
            continue
        if may_end_in_time(search, child, good) and not goes_back(search, child, row):
            keep_child(search, child, row, kept)
            if good:
                search.goal, search.worth = kept, children.goals[child, 0]
                return kept + 1
            kept += 1
    return kept


@kernel
def deepen(search: DeepeningSearch, allowance: int) -> int:
    """Goes on with the search up to the length: EXHAUSTED, FOUND, or SPENT where the allowance of expansions is."""
    most = search.expanded + allowance
    while search.depth >= 0:
        first = search.frames[search.depth].cursor
        if first == search.frames[search.depth].size:
            search.depth -= 1
            continue
        kept = fill_next_depth(search, first, expand_some(search, first))
        below = search.frames[search.depth + 1]
        below.size, below.cursor = kept, 0
        if kept > 0:
            search.depth += 1
        if search.goal >= 0:
            return FOUND
        if search.expanded >= most:
            return SPENT
    return EXHAUSTED


KERNELS: Final = KernelFamily("IDA*", (deepen,))


class LengthSearch(Protocol):
    """The search up to one length, again and again."""

    @property
    def expanded(self) -> int: ...

    @property
    def generated(self) -> int: ...

    @property
    def beyond(self) -> int:
        """The least f that was greater than the length."""
        ...

    def begin(self, length: int) -> None: ...

    def go_on(self) -> int:
        """EXHAUSTED, FOUND, or SPENT where it is time to look at the clock."""
        ...

    def found(self) -> tuple[int, tuple[tuple[int, ...], ...]]:
        """What the end that was found is worth, and the moves to it."""
        ...


def ida_star(
    compiled: CompiledGame,
    heuristic: Heuristic | AdditiveDatabases,
    start: NDArray[np.uint64] | None = None,
    *,
    threshold: int = 100,
    longest: int = 400,
    limit: Limit = PUZZLE_LIMIT,
    progress: Callable[[int, int], None] | None = None,
) -> PathResult:
    """The shortest path from *start* to a terminal state worth at least *threshold*, of at most *longest* moves.

    Without one, `value` is None, and `proved` where no path, of any length, can be left. `states` counts the children
    that were looked at. *progress* hears (states expanded, length so far).
    """
    started = limit.start()
    root = np.ascontiguousarray((compiled.initial if start is None else start).reshape(1, -1))
    origin = compiled.evaluate(root)
    if origin.terminal[0]:
        solved = int(origin.goals[0, 0]) >= threshold
        return PathResult(int(origin.goals[0, 0]) if solved else None, (), True, 1, 0, (), 0, started.elapsed)
    length = int(heuristic.bounds(root)[0])
    outcome = EXHAUSTED
    worth: int | None = None
    path: tuple[tuple[int, ...], ...] = ()
    search: LengthSearch
    if isinstance(heuristic, AdditiveDatabases):
        search = OperatorDeepening(compiled, heuristic, root[0])
    else:
        search = _BlockDeepening(compiled, heuristic, root[0], threshold)
    while length < HOPELESS and length <= longest:
        search.begin(length)
        while (outcome := search.go_on()) == SPENT:
            if progress is not None:
                progress(search.expanded, length)
            if started.reached(search.expanded) is not None:
                break
        if outcome == FOUND:
            worth, path = search.found()
        if outcome != EXHAUSTED:
            break
        length = search.beyond
    return PathResult(
        worth,
        path,
        outcome == FOUND or (outcome == EXHAUSTED and length >= HOPELESS),
        search.generated,
        search.expanded,
        (),
        length,
        started.elapsed,
    )


class _BlockDeepening:
    """The search by blocks of states, for any rules."""

    def __init__(
        self, compiled: CompiledGame, heuristic: Heuristic, root: NDArray[np.uint64], threshold: int
    ) -> None:
        self.heuristic, self.root, self.threshold = heuristic, root, threshold
        self.children = child_rows(compiled, new_children(compiled, max(ROOM, len(compiled.moves[0]))))
        self.code = compiled_family(KERNELS)[deepen]
        self.before = 0
        """States expanded up to smaller lengths."""
        self.begin(0)

    def begin(self, length: int) -> None:
        if length:
            self.before = self.expanded
        children, depths, room = self.children, length + 2, self.children.rows
        self.search = DeepeningSearch(
            children=children,
            heuristic=self.heuristic.tables,
            frames=record_rows(DepthFrame, depths),
            states=np.empty((depths, room, children.words), np.uint64),
            origins=np.zeros((depths, room), np.int32),
            made=np.zeros((depths, room), np.int32),
            bounds=np.empty(room, np.int16),
            entries=np.empty(len(self.heuristic.patterns), np.int64),
            length=length,
            threshold=self.threshold,
        )
        self.search.states.numpy[0, 0] = self.root
        self.search.frames[0].size = 1

    def go_on(self) -> int:
        return self.code(self.search, ALLOWANCE)

    @property
    def beyond(self) -> int:
        return self.search.beyond

    @property
    def expanded(self) -> int:
        return self.before + self.search.expanded

    @property
    def generated(self) -> int:
        return self.expanded

    def found(self) -> tuple[int, tuple[tuple[int, ...], ...]]:
        row, path = self.search.goal, []
        for depth in range(self.search.depth, 0, -1):
            path.append((self.search.made[depth, row],))
            row = self.search.origins[depth, row]
        return self.search.worth, tuple(reversed(path))

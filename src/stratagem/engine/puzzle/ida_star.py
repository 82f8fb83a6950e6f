"""IDA* (Korf, 1985) over packed states: depth-first up to a length, and again up to the next.

Blocks of states of one depth are expanded in one native call, and the children that may still end within the length
are searched before the next block: depth first, a few hundred states abreast. Only the step back to the state before
is avoided; other states may come up many times. Memory: some blocks for every depth, however many states there are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from stratagem.engine.heuristics.pattern_database import HOPELESS, Heuristic, look_up
from stratagem.engine.puzzle.breadth_first import PUZZLE_LIMIT, PathResult
from stratagem.limit import Limit
from stratagem.native.calls.expand import call_expand
from stratagem.native.jit.numba_cache import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stratagem.native.compiled import CompiledGame

ABREAST = 256
ROOM = 2048
ALLOWANCE = 1 << 18
"""States expanded between two looks at the clock."""


@njit(nogil=True)
def deepen(  # type: ignore[no-untyped-def]
    address, length, threshold, allowance, report, cursors, sizes, states, origins, made,
    children, parents, moves, terminal, goals, bounds, consumed, sums, tables, starts, additive,
):  # fmt: skip
    """Goes on with the search up to *length*; 0: nothing found, 1: found, 2: the allowance is spent.

    report: the depth where it stands, the least f beyond *length*, states expanded, and of the end that was found its
    row and its worth. For every depth: states, the row each came from, the move that led to it.
    """
    room, width = len(parents), children.shape[1]
    spent = 0
    while report[0] >= 0:
        depth = report[0]
        first = cursors[depth]
        if first == sizes[depth]:
            report[0] -= 1
            continue
        count = min(ABREAST, sizes[depth] - first)
        number = call_expand(
            address, states[depth, first : first + count], count, children, parents, moves, terminal, goals, room,
            consumed,
        )  # fmt: skip
        cursors[depth] = first + consumed[0]
        spent += consumed[0]
        report[2] += consumed[0]
        look_up(children, number, sums, tables, starts, additive, bounds)
        kept = 0
        for child in range(number):
            row = first + parents[child]
            good = terminal[child] and goals[child, 0] >= threshold
            if terminal[child] and not good:
                continue
            total = depth + 1 + (0 if good else bounds[child])
            if total > length:
                if bounds[child] < 16384 and total < report[1]:
                    report[1] = total
                continue
            back = depth > 0
            if back:
                for word in range(width):
                    if children[child, word] != states[depth - 1, origins[depth, row], word]:
                        back = False
                        break
            if back:
                continue
            for word in range(width):
                states[depth + 1, kept, word] = children[child, word]
            origins[depth + 1, kept] = row
            made[depth + 1, kept] = moves[child, 0]
            if good:
                report[0], report[3], report[4] = depth + 1, kept, goals[child, 0]
                return 1
            kept += 1
        sizes[depth + 1], cursors[depth + 1] = kept, 0
        if kept:
            report[0] = depth + 1
        if spent >= allowance:
            return 2
    return 0


def ida_star(
    compiled: CompiledGame,
    heuristic: Heuristic,
    start: NDArray[np.uint64] | None = None,
    *,
    threshold: int = 100,
    longest: int = 400,
    limit: Limit = PUZZLE_LIMIT,
    progress: Callable[[int, int], None] | None = None,
) -> PathResult:
    """The shortest path from *start* to a terminal state worth at least *threshold*, of at most *longest* moves.

    Without one, `value` is None, and `proved` where no path, of any length, can be left. *progress* hears (states
    expanded, length so far).
    """
    started = limit.start()
    root = np.ascontiguousarray((compiled.initial if start is None else start).reshape(1, -1))
    origin = compiled.evaluate(root)
    if origin.terminal[0]:
        worth = int(origin.goals[0, 0])
        return PathResult(worth if worth >= threshold else None, (), True, 1, 0, (), 0, started.elapsed)
    length = int(heuristic.bounds(root)[0])
    expanded, outcome, blocks = 0, 0, _Blocks(compiled)
    while length < HOPELESS and length <= longest:
        blocks.begin(root, length)
        while (outcome := blocks.deepen(heuristic, length, threshold)) == 2:
            if progress is not None:
                progress(expanded + int(blocks.report[2]), length)
            if started.reached(expanded + int(blocks.report[2])) is not None:
                break
        expanded += int(blocks.report[2])
        if outcome:
            break
        length = int(blocks.report[1])
    found = outcome == 1
    return PathResult(
        int(blocks.report[4]) if found else None,
        blocks.path() if found else (),
        found or (outcome == 0 and length >= HOPELESS),
        expanded,
        expanded,
        (),
        length,
        started.elapsed,
    )


class _Blocks:
    """The search's memory: blocks of states for every depth, and buffers for the children of one block."""

    def __init__(self, compiled: CompiledGame) -> None:
        self.address = compiled.expand_address
        room, self.words = max(ROOM, len(compiled.moves[0])), compiled.words
        self.children = np.empty((room, self.words), np.uint64)
        self.parents = np.empty(room, np.int32)
        self.moves = np.empty((room, 1), np.int32)
        self.terminal = np.empty(room, np.bool_)
        self.goals = np.empty((room, 1), np.int16)
        self.bounds = np.empty(room, np.int16)
        self.consumed = np.zeros(1, np.int64)

    def begin(self, root: NDArray[np.uint64], length: int) -> None:
        room = len(self.parents)
        self.states = np.empty((length + 2, room, self.words), np.uint64)
        self.origins = np.zeros((length + 2, room), np.int32)
        self.made = np.zeros((length + 2, room), np.int32)
        self.cursors = np.zeros(length + 2, np.int64)
        self.sizes = np.zeros(length + 2, np.int64)
        self.states[0, 0], self.sizes[0] = root[0], 1
        self.report = np.array([0, HOPELESS, 0, 0, 0], np.int64)

    def deepen(self, heuristic: Heuristic, length: int, threshold: int) -> int:
        return int(
            deepen(
                self.address, length, threshold, ALLOWANCE, self.report, self.cursors, self.sizes, self.states,
                self.origins, self.made, self.children, self.parents, self.moves, self.terminal, self.goals,
                self.bounds, self.consumed, heuristic.sums, heuristic.tables, heuristic.starts, heuristic.additive,
            )
        )  # fmt: skip

    def path(self) -> tuple[tuple[int, ...], ...]:
        depth, row = int(self.report[0]), int(self.report[3])
        found: list[tuple[int, ...]] = []
        while depth:
            found.append((int(self.made[depth, row]),))
            row = int(self.origins[depth, row])
            depth -= 1
        return tuple(reversed(found))

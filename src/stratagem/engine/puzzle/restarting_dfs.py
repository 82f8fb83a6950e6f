"""Depth-first search with restarts and a table of dead ends: any path to the goal, soon, not the shortest.

For puzzles in which every move uses something up, such as peg solitaire, whose matches all end within the same few
moves: breadth-first would have to hold the widest layers, while depth-first is at the bottom at once, and a state that
failed is never entered again. Children are tried in a random order. A search that has used up its share of states is
given up for one with another order and twice the share, since luck varies more than skill (Gomes, Selman and Kautz, 1998).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from stratagem.engine.puzzle.breadth_first import PathResult
from stratagem.engine.states.hashing import hash_words
from stratagem.engine.states.state_set import enter, slot_of
from stratagem.kernels.splitmix import GOLDEN, SECOND_FACTOR, WORD
from stratagem.limit import Limit
from stratagem.native.calls.rows import expand_row
from stratagem.native.jit.numba_cache import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stratagem.native.compiled import CompiledGame

DFS_MEMORY: Final = 256 << 20
DFS_LIMIT: Final = Limit(memory=DFS_MEMORY)
DEEPEST: Final = 400
ARENA: Final = 1 << 15
FIRST_SHARE: Final = 1 << 15
"""States of the first search; each restart may use twice as many."""
CHUNK: Final = 1 << 12
"""States between two looks at the clock."""
PLY, USED, FOUND, STOPPED = range(4)
ROW, TOP, MADE, NEXT, MOVE = range(5)


@njit(nogil=True)
def _depth_first(  # type: ignore[no-untyped-def]
    expand,
    arena,
    parents,
    moves,
    terminal,
    goals,
    consumed,
    frames,
    order,
    table,
    pool,
    state,
    threshold,
    seed,
    most,
):
    """Goes on with a search for *most* states; `state` has where it is, and whether it has FOUND a path or STOPPED."""
    done = 0
    while done < most:
        ply = state[PLY]
        if frames[ply, NEXT] < 0:
            top = frames[ply, TOP]
            made = expand_row(
                expand,
                arena,
                frames[ply, ROW],
                top,
                parents,
                moves,
                terminal,
                goals,
                len(parents) - top,
                consumed,
            )
            done += 1
            if made < 0 or ply + 2 >= len(frames):
                made = 0
            frames[ply, MADE], frames[ply, NEXT] = made, 0
            for row in range(top, top + made):
                key = hash_words(arena, row) ^ seed
                key = (key ^ (key >> np.uint64(31))) * np.uint64(SECOND_FACTOR)
                place = row
                while place > top and order[place - 1, 0] < key:
                    order[place, 0], order[place, 1] = order[place - 1, 0], order[place - 1, 1]
                    place -= 1
                order[place, 0], order[place, 1] = key, np.uint64(row)
        if frames[ply, NEXT] == frames[ply, MADE]:
            if ply == 0:
                state[STOPPED] = 1
                return
            state[PLY] -= 1
            continue
        child = np.int64(order[frames[ply, TOP] + frames[ply, NEXT], 1])
        frames[ply, NEXT] += 1
        frames[ply, MOVE] = moves[child, 0]
        if terminal[child]:
            if goals[child, 0] >= threshold:
                state[FOUND] = 1
                return
            continue
        if 3 * state[USED] > 2 * len(table) or state[USED] >= len(pool):
            state[STOPPED] = 1
            return
        slot, entry = slot_of(table, pool, arena, child)
        if entry == 0:
            enter(table, slot, pool, state[USED], arena, child)
            state[USED] += 1
            frames[ply + 1, ROW], frames[ply + 1, NEXT] = child, -1
            frames[ply + 1, TOP] = frames[ply, TOP] + frames[ply, MADE]
            state[PLY] += 1


def restarting_depth_first(
    compiled: CompiledGame,
    start: NDArray[np.uint64] | None = None,
    *,
    threshold: int = 100,
    limit: Limit = DFS_LIMIT,
) -> PathResult:
    """Any path from *start* to a terminal state worth at least *threshold*; no value where none was found.

    >>> from stratagem.loading import load
    >>> len(restarting_depth_first(load("pegtriangle").compiled).moves)
    13
    """
    started = limit.start()
    words = compiled.words
    most = max(FIRST_SHARE, (DFS_MEMORY if limit.memory is None else limit.memory) // (8 * words + 16))
    share, seed, seen = FIRST_SHARE, 0, 0
    arena = np.zeros((ARENA, words), np.uint64)
    buffers = (
        np.zeros(ARENA, np.int32),
        np.zeros((ARENA, 1), np.int32),
        np.zeros(ARENA, np.bool_),
        np.zeros((ARENA, 1), np.int16),
        np.zeros(1, np.int64),
    )
    order = np.zeros((ARENA, 2), np.uint64)
    address = compiled.expand_address
    while True:
        share = min(share, most)
        table = np.zeros(1 << (2 * share - 1).bit_length(), np.int64)
        pool = np.empty((share, words), np.uint64)
        frames = np.zeros((DEEPEST, 5), np.int64)
        frames[0, TOP], frames[0, NEXT] = 1, -1
        arena[0] = compiled.initial if start is None else start
        state = np.zeros(4, np.int64)
        mixing = np.uint64(seed)
        while not state[FOUND] and not state[STOPPED]:
            if started.reached(seen + int(state[USED])) is not None:
                return PathResult(None, states=seen + int(state[USED]), seconds=started.elapsed)
            _depth_first(
                address, arena, *buffers, frames, order, table, pool, state, threshold, mixing, CHUNK
            )
        seen += int(state[USED])
        if state[FOUND]:
            path = tuple((int(move),) for move in frames[: int(state[PLY]) + 1, MOVE])
            return PathResult(threshold, path, states=seen, expanded=seen, seconds=started.elapsed)
        if int(state[USED]) < share:  # everything within reach, and within DEEPEST moves, has been seen
            return PathResult(None, states=seen, expanded=seen, seconds=started.elapsed)
        share, seed = 2 * share, (seed + GOLDEN) & WORD

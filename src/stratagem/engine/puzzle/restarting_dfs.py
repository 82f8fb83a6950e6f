"""Depth first with a memory of dead ends: any way to the goal, soon, where the shortest one would take too long.

For puzzles in which every move uses something up, such as peg solitaire, whose matches all end within the same few
moves: breadth-first would have to hold the widest layers, while a dive is at the bottom at once, and a state that failed is
never entered again. Children are tried in an order that depends on *seed*; a dive that has used up its share of states is
given up for one with another order, since luck varies more than skill (Gomes, Selman and Kautz, 1998).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

import numpy as np

from stratagem.engine.states.state_set import hash_words
from stratagem.native.calls.rows import expand_row
from stratagem.native.jit.numba_cache import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stratagem.native.expand import Expander

DEEPEST: Final = 400
ARENA: Final = 1 << 15
FIRST_SHARE: Final = 1 << 15
"""States of the first dive; each further one may use twice as many."""
CHUNK: Final = 1 << 12
"""States between two looks at the clock."""
PLY, USED, FOUND, STOPPED = range(4)
ROW, TOP, MADE, NEXT, MOVE = range(5)


@njit(nogil=True)
def _enter(table, pool, used, arena, row):  # type: ignore[no-untyped-def]
    """Whether a state is new; it is known afterwards."""
    mask = np.uint64(len(table) - 1)
    slot = hash_words(arena, row) & mask
    while table[slot] != 0:
        same = True
        for word in range(arena.shape[1]):
            same &= pool[table[slot] - 1, word] == arena[row, word]
        if same:
            return False
        slot = (slot + np.uint64(1)) & mask
    for word in range(arena.shape[1]):
        pool[used, word] = arena[row, word]
    table[slot] = used + 1
    return True


@njit(nogil=True)
def _dive(  # type: ignore[no-untyped-def]
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
    """Goes on with a dive for *most* states; `state` has where it is, and whether it has FOUND a way or STOPPED."""
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
                key = (key ^ (key >> np.uint64(31))) * np.uint64(0x94D049BB133111EB)
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
        if _enter(table, pool, state[USED], arena, child):
            state[USED] += 1
            frames[ply + 1, ROW], frames[ply + 1, NEXT] = child, -1
            frames[ply + 1, TOP] = frames[ply, TOP] + frames[ply, MADE]
            state[PLY] += 1


def dive(
    expander: Expander,
    start: NDArray[np.uint64] | None = None,
    *,
    threshold: int = 100,
    memory: int = 256 << 20,
    stop: Callable[[], bool] | None = None,
    seconds: float = np.inf,
) -> tuple[int, ...] | None:
    """Moves, by their numbers, from *start* to an end worth at least *threshold*; None where none was found.

    >>> from stratagem.loading import load
    >>> game = load("pegtriangle")
    >>> moves = dive(game.expander)
    >>> len(moves)
    13
    """
    origin = expander.initial if start is None else start
    deadline = time.monotonic() + seconds
    words = expander.words
    room = max(FIRST_SHARE, memory // (8 * words + 16))
    share, seed = FIRST_SHARE, 0
    arena = np.zeros((ARENA, words), np.uint64)
    parents, moves = np.zeros(ARENA, np.int32), np.zeros((ARENA, 1), np.int32)
    terminal, goals = np.zeros(ARENA, np.bool_), np.zeros((ARENA, 1), np.int16)
    order, consumed = np.zeros((ARENA, 2), np.uint64), np.zeros(1, np.int64)
    while True:
        share = min(share, room)
        table = np.zeros(1 << (2 * share - 1).bit_length(), np.int64)
        pool = np.empty((share, words), np.uint64)
        frames = np.zeros((DEEPEST, 5), np.int64)
        frames[0, TOP], frames[0, NEXT] = 1, -1
        arena[0] = origin
        state = np.zeros(4, np.int64)
        while not state[FOUND] and not state[STOPPED]:
            if time.monotonic() >= deadline or (stop is not None and stop()):
                return None
            _dive(
                expander.expand_address,
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
                np.uint64(seed),
                CHUNK,
            )
        if state[FOUND]:
            return tuple(int(move) for move in frames[: int(state[PLY]) + 1, MOVE])
        if int(state[USED]) < share:
            return None  # everything within reach has been seen
        share, seed = 2 * share, (seed + 0x9E3779B97F4A7C15) & 0xFFFFFFFFFFFFFFFF

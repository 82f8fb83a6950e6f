"""The kernel of alpha-beta over packed states: fail-soft, a table with full states, principal variation search.

Values are those of the first role, in hundredths: an evaluation lies within +-5000, an end that is worth most is
WIN less its distance, so that quicker wins are larger and slower losses smaller. Whoever has the choice moves; moves
need not alternate, and a forced move costs no depth. A state that comes again on the line counts as even; since wins
and losses come from ends alone, no repetition can ever fake one.

All children of a node are made in one native call, and their evaluation orders them, after the move that the table
remembers and before history and killers break the ties; at the last ply the same evaluation is the value.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numba import njit

from stratagem.engine.hash_table import hash_words
from stratagem.native.expand_call import call_expand
from stratagem.native.kernel_cache import keep_kernels

keep_kernels()

WIN: Final = 30000
SURE: Final = 20000
"""Values beyond this are proved ends."""
STOPPED: Final = 1 << 20
EXACT: Final = 0
AT_LEAST: Final = 1
AT_MOST: Final = 2
DEEPEST: Final = 250
WHOLE: Final = 120
"""The depth that stands for "to the end": no line below was cut off at a horizon."""
NODES, CHILDREN, HITS, OVERFLOW, REACHED, HORIZON = range(6)


class Board(NamedTuple):
    """Everything a search works with; children lie in an arena, one stretch for every ply."""

    arena: Any
    parents: Any
    moves: Any
    terminal: Any
    goals: Any
    scores: Any
    order: Any
    consumed: Any
    path: Any
    """[plies]: the row of the arena at which each state of the line stands."""
    keys: Any
    depths: Any
    bounds: Any
    values: Any
    best: Any
    history: Any
    """[2, moves]: how often a role's move was good."""
    killers: Any
    """[plies]: a move that cut."""
    weights: Any
    """[1 + 8 * words, 256]: the evaluation from the first role's view, in hundredths, for every byte of a state; the
    constant stands in the first row."""
    counters: Any
    stop: Any


@njit(nogil=True, cache=True)
def _evaluated(board, row):  # type: ignore[no-untyped-def]
    value = board.weights[0, 0]
    for word in range(board.arena.shape[1]):
        bits = board.arena[row, word]
        for part in range(8):
            value += board.weights[1 + 8 * word + part, bits & np.uint64(255)]
            bits >>= np.uint64(8)
    return np.int64(min(5000.0, max(-5000.0, value)))


@njit(nogil=True, cache=True)
def _ended(board, row, ply):  # type: ignore[no-untyped-def]
    """The value of an end, *ply* moves from the root."""
    difference = max(0, board.goals[row, 0]) - max(0, board.goals[row, 1])
    if difference >= 100:
        return np.int64(WIN - ply)
    if difference <= -100:
        return np.int64(ply - WIN)
    return np.int64(50 * difference)


@njit(nogil=True, cache=True)
def _slot(board, row):  # type: ignore[no-untyped-def]
    """The entry of a state, or -1 - the one to replace."""
    base = np.int64(hash_words(board.arena, row) & np.uint64(len(board.keys) - 1)) & ~1
    for slot in (base, base + 1):
        if board.depths[slot] >= 0:
            same = True
            for word in range(board.arena.shape[1]):
                if board.keys[slot, word] != board.arena[row, word]:
                    same = False
                    break
            if same:
                return slot
    return -1 - (base if board.depths[base] <= board.depths[base + 1] else base + 1)


@njit(nogil=True, cache=True)
def _store(board, row, depth, bound, value, best, ply):  # type: ignore[no-untyped-def]
    """Remembers a value; distances count from the state, not from the root."""
    slot = _slot(board, row)
    if slot < 0:
        slot = -1 - slot
        for word in range(board.arena.shape[1]):
            board.keys[slot, word] = board.arena[row, word]
    if value > SURE:
        value += ply
    elif value < -SURE:
        value -= ply
    board.depths[slot] = depth
    board.bounds[slot] = bound
    board.values[slot] = value
    board.best[slot] = best


@njit(nogil=True, cache=True)
def _repeats(board, row, ply):  # type: ignore[no-untyped-def]
    """Whether a state stands on the line already."""
    for place in range(ply):
        other = board.path[place]
        same = True
        for word in range(board.arena.shape[1]):
            if board.arena[other, word] != board.arena[row, word]:
                same = False
                break
        if same:
            return True
    return False


@njit(nogil=True, cache=True)
def _prepare(board, first, made, mover, sign, remembered, ply):  # type: ignore[no-untyped-def]
    """Scores the children for the mover and sorts them, the best first; ends have their value as score."""
    for place in range(made):
        row = first + place
        if board.terminal[row]:
            score = sign * _ended(board, row, ply + 1)
            board.scores[row] = score
            key = score * 4
        else:
            score = sign * _evaluated(board, row)
            board.scores[row] = score
            move = board.moves[row, mover]
            key = score * 4 + min(board.history[mover, move], 4000)
            if board.killers[ply] == move:
                key += 4000
            if place == remembered:
                key = 1 << 40
        at = place
        while at > 0 and board.order[first + at - 1, 0] < key:
            board.order[first + at, 0] = board.order[first + at - 1, 0]
            board.order[first + at, 1] = board.order[first + at - 1, 1]
            at -= 1
        board.order[first + at, 0] = key
        board.order[first + at, 1] = row


@njit(nogil=True, cache=True)
def search(board, expand_address, row, top, depth, ply, alpha, beta):  # type: ignore[no-untyped-def]
    """The value of the state in *row* for the first role, *depth* plies deep; free rows begin at *top*."""
    if board.stop[0] != 0:
        return np.int64(STOPPED)
    board.counters[NODES] += 1
    board.path[ply] = row
    slot = _slot(board, row)
    remembered = -1
    if slot >= 0:
        board.counters[HITS] += 1
        remembered = board.best[slot]
        value = np.int64(board.values[slot])
        if value > SURE:
            value -= ply
        elif value < -SURE:
            value += ply
        if (board.depths[slot] >= depth or value > SURE or value < -SURE) and ply > 0:
            bound = board.bounds[slot]
            if (
                bound == EXACT
                or (bound == AT_LEAST and value >= beta)
                or (bound == AT_MOST and value <= alpha)
            ):
                if board.depths[slot] < WHOLE and -SURE <= value <= SURE:
                    board.counters[HORIZON] += 1
                return value
    made = call_expand(
        expand_address,
        board.arena[row : row + 1],
        1,
        board.arena[top:],
        board.parents,
        board.moves[top:],
        board.terminal[top:],
        board.goals[top:],
        len(board.parents) - top,
        board.consumed,
    )
    if made <= 0 or ply + 2 >= DEEPEST:
        if made < 0:
            board.counters[OVERFLOW] = 1
        board.counters[HORIZON] += 1
        return _evaluated(board, row)
    board.counters[CHILDREN] += made
    board.counters[REACHED] = max(board.counters[REACHED], ply + 1)
    mover = 0 if board.moves[top, 0] != board.moves[top + made - 1, 0] else 1
    sign = 1 if mover == 0 else -1
    _prepare(board, top, made, mover, sign, remembered, ply)
    deeper = depth if made == 1 and ply < 60 else depth - 1
    low, high = (alpha, beta) if sign > 0 else (-beta, -alpha)
    lowest = low
    horizons = board.counters[HORIZON]
    best_value = np.int64(-STOPPED)
    best = -1
    for place in range(made):
        child = board.order[top + place, 1]
        if board.terminal[child]:
            value = board.scores[child]
        elif ply > 0 and _repeats(board, child, ply + 1):
            value = np.int64(0)
            board.counters[HORIZON] += 1  # true on this line only
        elif deeper <= 0:
            value = board.scores[child]
            board.counters[HORIZON] += 1
        else:
            full = place == 0 or high - low <= 1
            if not full:
                found = search(
                    board,
                    expand_address,
                    child,
                    top + made,
                    deeper,
                    ply + 1,
                    low if sign > 0 else -low - 1,
                    low + 1 if sign > 0 else -low,
                )
                if found == STOPPED:
                    return np.int64(STOPPED)
                value = sign * found
                full = low < value < high
            if full:
                found = search(
                    board,
                    expand_address,
                    child,
                    top + made,
                    deeper,
                    ply + 1,
                    low if sign > 0 else -high,
                    high if sign > 0 else -low,
                )
                if found == STOPPED:
                    return np.int64(STOPPED)
                value = sign * found
        if value > best_value:
            best_value = value
            best = child - top
        low = max(low, value)
        if low >= high:
            move = board.moves[child, mover]
            board.killers[ply] = move
            board.history[mover, move] += depth * depth
            break
    bound = EXACT
    if best_value >= high:
        bound = AT_LEAST
    elif best_value <= lowest:
        bound = AT_MOST
    if sign < 0 and bound != EXACT:
        bound = AT_LEAST + AT_MOST - bound
    if board.counters[HORIZON] == horizons:
        depth = WHOLE
    _store(board, row, depth, bound, sign * best_value, best, ply)
    return sign * best_value


@njit(nogil=True, cache=True)
def age(board):  # type: ignore[no-untyped-def]
    """Halves the history, so that what was good long ago fades; entries stay but give way to new ones."""
    for mover in range(2):
        for move in range(board.history.shape[1]):
            board.history[mover, move] //= 2
    board.killers[:] = -1

"""The kernel of alpha-beta over packed states: fail-soft, with a table and principal variation search, in one loop.

Values are those of the first role, in hundredths: an evaluation lies within +-5000, an end that is worth most is
WIN less its distance, so that quicker wins are larger and slower losses smaller. Whoever has the choice moves; moves
need not alternate, and a forced move costs no depth. A state that comes again on the line counts as even; since wins
and losses come from ends alone, no repetition can ever fake one.

All children of a node are made in one native call. The one that the table remembers comes first, then ends, then the
rest by evaluation, history and killers; before any of them is searched the table is asked whether one is known to be
good enough (enhanced transposition cutoffs, Plaat et al. 1996). Where the children are the horizon, their evaluation is
their value and needs no order.

The recursion is written out as a stack of frames: a call in numba copies every array it is given.
"""

from __future__ import annotations

import numpy as np

from stratagem.engine.alpha_beta.evaluator import count_moves, evaluated
from stratagem.engine.alpha_beta.memory import (
    ADVANCE,
    ALPHA,
    BEST,
    BETA,
    CHILDREN,
    DEEPER,
    DEEPEST,
    DEPTH,
    ENTER,
    FLOOR,
    FORCED,
    FULL,
    HIGH,
    HITS,
    HORIZON,
    HORIZONS,
    LEAVES,
    LOOKED,
    LOW,
    MADE,
    NEXT,
    NODES,
    OVERFLOW,
    REACHED,
    RETURN,
    ROW,
    SIGN,
    STOPPED,
    TOP,
    VALUE,
)
from stratagem.engine.alpha_beta.table import (
    HIGHEST,
    LOWEST,
    SURE,
    WHOLE,
    WIN,
    best_of,
    bucket,
    depth_of,
    from_root,
    from_state,
    high_of,
    keep,
    look,
    low_of,
)
from stratagem.engine.states.hashing import hash_words
from stratagem.native.calls.rows import expand_row, prefetch
from stratagem.native.jit.numba_cache import njit

# Everything below is inlined: a call would hand over some two hundred numbers, the arrays of a room and a task.


@njit(nogil=True, inline="always")
def ended(goals, row, ply):  # type: ignore[no-untyped-def]
    """The value of an end, *ply* moves from the root."""
    difference = max(0, goals[row, 0]) - max(0, goals[row, 1])
    if difference >= 100:
        return np.int64(WIN - ply)
    if difference <= -100:
        return np.int64(ply - WIN)
    return np.int64(50 * difference)


@njit(nogil=True, inline="always")
def _log(room, row):  # type: ignore[no-untyped-def]
    if len(room.leaves) > 0:
        place = room.counters[LEAVES] % len(room.leaves)
        for word in range(room.arena.shape[1]):
            room.leaves[place, word] = room.arena[row, word]
        room.counters[LEAVES] += 1


@njit(nogil=True, inline="always")
def _repeats(line, hashed, ply):  # type: ignore[no-untyped-def]
    """Whether a state stands on the line already."""
    found = False
    for place in range(ply):
        found |= line[place] == hashed
    return found


@njit(nogil=True, inline="always")
def _prepare(task, room, top, made, mover, sign, remembered, ply):  # type: ignore[no-untyped-def]
    """Scores the children for the mover; the larger the key, the sooner a child is searched."""
    if not task.natural:
        count_moves(task, room, top, made)
    for row in range(top, top + made):
        room.order[row] = row
        if room.terminal[row]:
            score = sign * ended(room.goals, row, ply + 1)
            room.scores[row] = score
            room.keys[row] = score * 4
            continue
        hashed = hash_words(room.arena, row)
        room.hashes[row] = hashed
        prefetch(task.rows, bucket(task.rows, hashed))
        if task.natural:
            continue
        score = sign * evaluated(task, room, row) if len(task.weights) > 0 else np.int64(0)
        move = room.moves[row, mover]
        key = score * 4 + min(room.history[mover, move], 4000)
        if room.noise[0] != 0:
            key += np.int64((hashed ^ room.noise[0]) & np.uint64(255))
        if room.killers[ply] == move:
            key += 4000
        room.scores[row] = score
        room.keys[row] = key
    if remembered >= 0:
        room.keys[top + remembered] = 1 << 40


@njit(nogil=True, inline="always")
def _known_good(task, room, top, made, sign, deeper, high, ply):  # type: ignore[no-untyped-def]
    """The place of a child that the table knows to be worth *high* or more to the mover, or -1; and that worth."""
    for place in range(made):
        row = top + place
        if not room.terminal[row]:
            known = look(task.rows, room.arena, row, room.hashes[row])
            if known != 0:
                bound = low_of(known) if sign > 0 else high_of(known)
                if bound in (LOWEST, HIGHEST):
                    continue
                value = sign * from_root(bound, ply + 1)
                if value >= high and (depth_of(known) >= deeper or value > SURE):
                    if depth_of(known) < WHOLE and value <= SURE:
                        room.counters[HORIZON] += 1
                    return place, value
    return -1, np.int64(0)


@njit(nogil=True, inline="always")
def _horizon(task, room, top, made, sign, low, high, ply):  # type: ignore[no-untyped-def]
    """The place and value of the best child where all are leaves: of all, since it is the move to try first next time."""
    best, best_value = 0, np.int64(-STOPPED)
    count_moves(task, room, top, made)
    for place in range(made):
        row = top + place
        room.counters[LOOKED] += 1
        _log(room, row)
        if room.terminal[row]:
            value = sign * ended(room.goals, row, ply + 1)
        else:
            value = sign * evaluated(task, room, row) if len(task.weights) > 0 else np.int64(0)
            room.counters[HORIZON] += 1
        if value > best_value:
            best, best_value = place, value
            if value >= high and task.natural:
                break
    return best, best_value


@njit(nogil=True, inline="always")
def _finish(task, room, ply):  # type: ignore[no-untyped-def]
    """Remembers what a node turned out to be worth; its value for the first role."""
    frames = room.frames
    value, sign = frames[ply, VALUE], frames[ply, SIGN]
    low, high = np.int64(LOWEST), np.int64(HIGHEST)
    stored = from_state(sign * value, ply)
    if value > frames[ply, FLOOR]:
        low, high = (stored, high) if sign > 0 else (low, stored)
    if value < frames[ply, HIGH]:
        low, high = (low, stored) if sign > 0 else (stored, high)
    depth = frames[ply, DEPTH]
    if room.counters[HORIZON] == frames[ply, HORIZONS]:
        depth = WHOLE
    row = frames[ply, ROW]
    keep(
        task.rows,
        room.arena,
        row,
        room.hashes[row],
        low,
        high,
        min(max(depth, 0), WHOLE),
        frames[ply, BEST],
        task.generation,
    )
    return sign * value


@njit(nogil=True)
def search(task, room, depth, alpha, beta):  # type: ignore[no-untyped-def]
    """The value of the state in row 0 for the first role, *depth* plies deep; STOPPED where it was stopped."""
    frames, counters = room.frames, room.counters
    room.hashes[0] = hash_words(room.arena, 0)
    ply = 0
    frames[0, ROW], frames[0, TOP], frames[0, DEPTH] = 0, 1, depth
    frames[0, ALPHA], frames[0, BETA] = alpha, beta
    mode = ENTER
    result = np.int64(0)
    while True:
        if mode == ENTER:
            if task.stop[0] != 0:
                return np.int64(STOPPED)
            counters[NODES] += 1
            counters[LOOKED] += 1
            row, depth = frames[ply, ROW], frames[ply, DEPTH]
            alpha, beta = frames[ply, ALPHA], frames[ply, BETA]
            room.line[ply] = room.hashes[row]
            known = look(task.rows, room.arena, row, room.hashes[row])
            remembered = np.int64(-1)
            if known != 0:
                counters[HITS] += 1
                remembered = best_of(known)
                low, high = from_root(low_of(known), ply), from_root(high_of(known), ply)
                if depth_of(known) < depth:  # then only what is proved counts
                    low = low if low > SURE else np.int64(LOWEST)
                    high = high if high < -SURE else np.int64(HIGHEST)
                if ply > 0 and (low >= beta or high <= alpha or low == high):
                    result = high if high <= alpha else low
                    if depth_of(known) < WHOLE and -SURE <= result <= SURE:
                        counters[HORIZON] += 1
                    ply -= 1
                    mode = RETURN
                    continue
            top = frames[ply, TOP]
            made = expand_row(
                task.expand,
                room.arena,
                row,
                top,
                room.parents,
                room.moves,
                room.terminal,
                room.goals,
                len(room.parents) - top,
                room.consumed,
            )
            if made <= 0 or ply + 2 >= DEEPEST:
                if made < 0:
                    counters[OVERFLOW] = 1
                counters[HORIZON] += 1
                count_moves(task, room, row, 1)
                result = evaluated(task, room, row) if len(task.weights) > 0 else np.int64(0)
                ply -= 1
                if ply < 0:
                    return result
                mode = RETURN
                continue
            counters[CHILDREN] += made
            counters[REACHED] = max(counters[REACHED], ply + 1)
            mover = 0 if room.moves[top, 0] != room.moves[top + made - 1, 0] else 1
            sign = 1 if mover == 0 else -1
            low, high = (alpha, beta) if sign > 0 else (-beta, -alpha)
            deeper = depth if made == 1 and ply < FORCED else depth - 1
            frames[ply, MADE], frames[ply, NEXT], frames[ply, SIGN] = made, 0, sign
            frames[ply, LOW], frames[ply, HIGH], frames[ply, FLOOR] = low, high, low
            frames[ply, DEEPER], frames[ply, HORIZONS] = deeper, counters[HORIZON]
            frames[ply, VALUE], frames[ply, BEST] = -STOPPED, -1
            if deeper <= 0:
                best, value = _horizon(task, room, top, made, sign, low, high, ply)
                frames[ply, VALUE], frames[ply, BEST] = value, best
            else:
                _prepare(task, room, top, made, mover, sign, remembered, ply)
                best, value = -1, np.int64(0)
                if ply > 0 and deeper > 1 and not task.natural:
                    best, value = _known_good(task, room, top, made, sign, deeper, high, ply)
                if best < 0:
                    mode = ADVANCE
                    continue
                frames[ply, VALUE], frames[ply, BEST] = value, best
            result = _finish(task, room, ply)
            ply -= 1
            if ply < 0:
                return result
            mode = RETURN
            continue

        top, sign = frames[ply, TOP], frames[ply, SIGN]
        low, high = frames[ply, LOW], frames[ply, HIGH]
        place = frames[ply, NEXT]
        if mode == RETURN:
            child = room.order[top + place]
            value = sign * result
            if frames[ply, FULL] == 0 and low < value < high:
                frames[ply, FULL] = 1
                ply += 1
                frames[ply, ALPHA] = low if sign > 0 else -high
                frames[ply, BETA] = high if sign > 0 else -low
                mode = ENTER
                continue
        else:
            if not task.natural:
                chosen = top + place
                for other in range(top + place + 1, top + frames[ply, MADE]):
                    if room.keys[room.order[other]] > room.keys[room.order[chosen]]:
                        chosen = other
                room.order[top + place], room.order[chosen] = room.order[chosen], room.order[top + place]
            child = room.order[top + place]
            if room.terminal[child]:
                counters[LOOKED] += 1
                _log(room, child)
                value = room.scores[child]
            elif ply > 0 and _repeats(room.line, room.hashes[child], ply + 1):
                counters[LOOKED] += 1
                counters[HORIZON] += 1  # true on this line only
                value = np.int64(0)
            else:
                full = place == 0 or high - low <= 1
                frames[ply, FULL] = full
                upper = high if full else low + 1
                made, deeper = frames[ply, MADE], frames[ply, DEEPER]
                ply += 1
                frames[ply, ROW], frames[ply, TOP], frames[ply, DEPTH] = child, top + made, deeper
                frames[ply, ALPHA] = low if sign > 0 else -upper
                frames[ply, BETA] = upper if sign > 0 else -low
                mode = ENTER
                continue

        if value > frames[ply, VALUE]:
            frames[ply, VALUE], frames[ply, BEST] = value, child - top
        low = max(low, value)
        frames[ply, LOW] = low
        frames[ply, NEXT] = place + 1
        mode = ADVANCE
        if low >= high or place + 1 == frames[ply, MADE]:
            if low >= high:
                mover = 0 if sign > 0 else 1
                move = room.moves[child, mover]
                room.killers[ply] = move
                room.history[mover, move] += frames[ply, DEPTH] * frames[ply, DEPTH]
            result = _finish(task, room, ply)
            ply -= 1
            if ply < 0:
                return result
            mode = RETURN


@njit(nogil=True)
def age(room):  # type: ignore[no-untyped-def]
    """Halves the history, so that what was good long ago fades."""
    for mover in range(2):
        for move in range(room.history.shape[1]):
            room.history[mover, move] //= 2
    room.killers[:] = -1

"""The kernels of `bench_kernels` as numba has them: the yardstick, line for line the same algorithm."""

from __future__ import annotations

import numpy as np
from numba import njit

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
FIRST_FACTOR = np.uint64(0xBF58476D1CE4E5B9)
SECOND_FACTOR = np.uint64(0x94D049BB133111EB)
MINE, ALL, ALPHA, BETA, BEST, FLOOR, NEXT = range(7)


@njit(nogil=True, inline="always")
def mixed(word):  # type: ignore[no-untyped-def]
    word = (word ^ (word >> np.uint64(30))) * FIRST_FACTOR
    word = (word ^ (word >> np.uint64(27))) * SECOND_FACTOR
    return word ^ (word >> np.uint64(31))


@njit(nogil=True, inline="always")
def hash_state(states, row):  # type: ignore[no-untyped-def]
    value = GOLDEN
    for word in range(states.shape[1]):
        value = mixed(value ^ states[row, word])
    return value


@njit(nogil=True)
def add_states(table, pool, used, states, count, numbers):  # type: ignore[no-untyped-def]
    mask = np.uint64(len(table) - 1)
    width = pool.shape[1]
    for row in range(count):
        slot = hash_state(states, row) & mask
        while True:
            entry = table[slot]
            if entry == 0:
                for word in range(width):
                    pool[used, word] = states[row, word]
                used += 1
                table[slot] = used
                numbers[row] = used - 1
                break
            same = True
            for word in range(width):
                if pool[entry - 1, word] != states[row, word]:
                    same = False
                    break
            if same:
                numbers[row] = entry - 1
                break
            slot = (slot + np.uint64(1)) & mask
    return used


@njit(nogil=True, inline="always")
def won(stones, height):  # type: ignore[no-untyped-def]
    """Whether four of these stones stand in a line."""
    for step in (1, height, height + 1, height + 2):
        shift = np.uint64(step)
        pairs = stones & (stones >> shift)
        if pairs & (pairs >> (shift + shift)) != np.uint64(0):
            return True
    return False


@njit(nogil=True, inline="always")
def look_up(rows, key):  # type: ignore[no-untyped-def]
    place = np.int64(mixed(key) & np.uint64(len(rows) - 1))
    known = rows[place, 1]
    return known if rows[place, 0] ^ known == key else np.uint64(0)


@njit(nogil=True, inline="always")
def keep(rows, key, known):  # type: ignore[no-untyped-def]
    place = np.int64(mixed(key) & np.uint64(len(rows) - 1))
    rows[place, 0] = key ^ known
    rows[place, 1] = known


@njit(nogil=True)
def solve(frames, rows, counters, columns, height):  # type: ignore[no-untyped-def]
    """Fail-soft negamax of connect four from the empty board; 1, 0 or -1 for the side to move."""
    ply = 0
    frames[0, MINE] = np.uint64(0)
    frames[0, ALL] = np.uint64(0)
    frames[0, ALPHA], frames[0, BETA], frames[0, NEXT] = -1, 1, -1
    while True:
        mine, both = np.uint64(frames[ply, MINE]), np.uint64(frames[ply, ALL])
        value = -2
        if frames[ply, NEXT] < 0:
            counters[0] += 1
            known = look_up(rows, mine + both + np.uint64(1))
            if known != 0:
                bound, kind = np.int64(known & np.uint64(3)) - 1, np.int64(known >> np.uint64(2))
                if (
                    kind == 3
                    or (kind == 1 and bound >= frames[ply, BETA])
                    or (kind == 2 and bound <= frames[ply, ALPHA])
                ):
                    value = bound
            if value == -2 and ply == columns * height:
                value = 0
            if value == -2:
                frames[ply, NEXT] = 0
                frames[ply, BEST], frames[ply, FLOOR] = -2, frames[ply, ALPHA]
        if value == -2:
            column = frames[ply, NEXT]
            if column < columns and frames[ply, BEST] < frames[ply, BETA]:
                frames[ply, NEXT] += 1
                low = np.uint64(1) << np.uint64(column * (height + 1))
                moved = both | (both + low)
                if moved & (low << np.uint64(height)) != np.uint64(0):
                    continue
                stones = mine | (moved ^ both)
                if won(stones, height):
                    frames[ply, BEST] = 1
                    frames[ply, ALPHA] = 1
                    continue
                frames[ply + 1, MINE], frames[ply + 1, ALL] = np.int64(both ^ mine), np.int64(moved)
                frames[ply + 1, ALPHA], frames[ply + 1, BETA] = -frames[ply, BETA], -frames[ply, ALPHA]
                frames[ply + 1, NEXT] = -1
                ply += 1
                continue
            value = frames[ply, BEST]
            kind = 1 if value >= frames[ply, BETA] else 2 if value <= frames[ply, FLOOR] else 3
            keep(rows, mine + both + np.uint64(1), np.uint64(value + 1) | (np.uint64(kind) << np.uint64(2)))
        if ply == 0:
            return value
        ply -= 1
        frames[ply, BEST] = max(frames[ply, BEST], -value)
        frames[ply, ALPHA] = max(frames[ply, ALPHA], -value)

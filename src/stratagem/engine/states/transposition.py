"""The core of the transposition tables: lossy tables of packed states, shared by threads without locks.

    row     the words of a state | what is known about it, never 0 | whatever else a search keeps

A state may stand in any row of one bucket, a few rows that lie together, so that a probe costs one trip to memory. Its
first word is stored mixed with a hash of its other words and of what is known (after Hyatt and Mann, 2002): a row to which
two threads wrote a part each matches no state. A row that one thread wrote matches its own state only.

Alpha-beta says what is known, and which row of a full bucket gives way.
"""

from __future__ import annotations

import numpy as np

from stratagem.kernels.splitmix import GOLDEN
from stratagem.native.jit.numba_cache import njit


@njit(nogil=True, inline="always")
def first_row(rows, value, size):  # type: ignore[no-untyped-def]
    """The first row of the bucket, of *size* rows, in which a state with this hash may stand."""
    return np.int64(value & np.uint64(len(rows) - 1)) & ~(size - 1)


@njit(nogil=True, inline="always")
def seal(states, row, known):  # type: ignore[no-untyped-def]
    """What the first word of a state is mixed with."""
    value = known * np.uint64(GOLDEN)
    for word in range(1, states.shape[1]):
        value = (value ^ states[row, word]) * np.uint64(GOLDEN)
    return value ^ (value >> np.uint64(32))


@njit(nogil=True, inline="always")
def match(rows, first, size, states, row, mask, tag):  # type: ignore[no-untyped-def]
    """The row of a bucket that holds a state, and what is known there; -1 and 0 where none does.

    Only rows count whose bits *mask* of what is known are *tag*.
    """
    width = states.shape[1]
    for place in range(first, first + size):
        known = rows[place, width]
        if known == 0 or known & np.uint64(mask) != np.uint64(tag):
            continue
        same = True
        for word in range(1, width):
            if rows[place, word] != states[row, word]:
                same = False
                break
        if same and rows[place, 0] ^ seal(states, row, known) == states[row, 0]:
            return place, known
    return np.int64(-1), np.uint64(0)


@njit(nogil=True, inline="always")
def write(rows, place, states, row, known):  # type: ignore[no-untyped-def]
    """Puts a state and what is known about it into a row."""
    width = states.shape[1]
    for word in range(1, width):
        rows[place, word] = states[row, word]
    rows[place, 0] = states[row, 0] ^ seal(states, row, known)
    rows[place, width] = known

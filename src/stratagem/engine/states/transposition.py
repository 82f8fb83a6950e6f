"""The core of the transposition tables: lossy tables of packed states, shared by threads without locks.

    row     the words of a state | what is known about it, never 0 | whatever else a search keeps

A state may stand in any row of one bucket, a few rows that lie together, so that a probe costs one trip to memory. Its
first word is stored mixed with a hash of its other words and of what is known (after Hyatt and Mann, 2002): a row to which
two threads wrote a part each matches no state. A row that one thread wrote matches its own state only.

Alpha-beta, proof search and proof-number search say what is known, and which row of a full bucket gives way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from stratagem.engine.states.hashing import hash_words
from stratagem.kernels.splitmix import GOLDEN
from stratagem.native.jit.numba_cache import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray

TAG: Final = 255
"""The bits of what is known that name the question it answers, in tables that keep several for each state."""


@njit(nogil=True, inline="always")
def tagged(value, tag):  # type: ignore[no-untyped-def]
    """The hash of a state together with the question that is asked about it."""
    return value ^ (np.uint64(tag) * np.uint64(GOLDEN))


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


@njit(nogil=True)
def _refill(old, new, width, size):  # type: ignore[no-untyped-def]
    """Enters every row of *old*, with its tag, into *new*, a larger table; rows of different buckets never share one there."""
    key = np.empty((1, width), np.uint64)
    for row in range(len(old)):
        known = old[row, width]
        if known == 0:
            continue
        for word in range(width):
            key[0, word] = old[row, word]
        key[0, 0] ^= seal(key, 0, known)
        place = first_row(new, tagged(hash_words(key, 0), known & np.uint64(TAG)), size)
        while new[place, width] != 0:
            place += 1
        for word in range(old.shape[1]):
            new[place, word] = old[row, word]


def grown(table: NDArray[np.uint64], rows: int, words: int, size: int) -> NDArray[np.uint64]:
    """The same table, of tagged states of *words* words in buckets of *size*, with *rows* rows, a power of two."""
    larger: NDArray[np.uint64] = np.zeros((rows, table.shape[1]), np.uint64)
    _refill(table, larger, words, size)
    return larger

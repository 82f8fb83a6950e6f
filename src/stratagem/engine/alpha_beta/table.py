"""The transposition table of alpha-beta: whole states with a lower and an upper bound each.

    row      state words | what is known | padding (see `engine.states.transposition`)
    known    generation 8 | depth 8 | best move 16 | high 16 | low 16 bits

A bucket has two rows, in one line of the cache where a state has at most three words. Values count distances from the
state, not from the root. An upper and a lower bound stand side by side, since MTD asks from both sides.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from stratagem.engine.states.hashing import hash_words
from stratagem.engine.states.transposition import first_row, match, write
from stratagem.native.jit.numba_cache import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray

WIN: Final = 30000
SURE: Final = 20000
"""Values beyond this are proved ends."""
LOWEST: Final = -32768
HIGHEST: Final = 32767
"""Bounds that say nothing."""
WHOLE: Final = 251
"""The depth that stands for "to the end": no line below was cut off at a horizon."""
BUCKET: Final = 2
LINE: Final = 8
"""Words in a line of the cache."""


def new_table(words: int, memory: int) -> NDArray[np.uint64]:
    """An empty table for states of so many words that takes at most *memory* bytes; at least a thousand entries."""
    stride = words + 1
    if stride <= LINE // 2:
        stride = LINE // 2
    elif stride > LINE:
        stride = -(-stride // LINE) * LINE
    slots = 1 << max(10, (memory // (8 * stride)).bit_length() - 1)
    room = np.zeros(slots * stride + LINE, np.uint64)
    skipped = (-room.ctypes.data // 8) % LINE
    return room[skipped : skipped + slots * stride].reshape(slots, stride)


@njit(nogil=True, inline="always")
def bucket(rows, hashed):  # type: ignore[no-untyped-def]
    """The first of the two rows in which a state with this hash may stand."""
    return first_row(rows, hashed, BUCKET)


@njit(nogil=True)
def look(rows, states, row, hashed):  # type: ignore[no-untyped-def]
    """What is known of a state, or 0."""
    return match(rows, bucket(rows, hashed), BUCKET, states, row, 0, 0)[1]


@njit(nogil=True, inline="always")
def low_of(known):  # type: ignore[no-untyped-def]
    return np.int64(known & np.uint64(0xFFFF)) + LOWEST


@njit(nogil=True, inline="always")
def high_of(known):  # type: ignore[no-untyped-def]
    return np.int64((known >> np.uint64(16)) & np.uint64(0xFFFF)) + LOWEST


@njit(nogil=True, inline="always")
def best_of(known):  # type: ignore[no-untyped-def]
    """The place of the best child among the children, or -1."""
    return np.int64((known >> np.uint64(32)) & np.uint64(0xFFFF)) - 1


@njit(nogil=True, inline="always")
def depth_of(known):  # type: ignore[no-untyped-def]
    return np.int64((known >> np.uint64(48)) & np.uint64(0xFF))


@njit(nogil=True, inline="always")
def _generation_of(known):  # type: ignore[no-untyped-def]
    return np.int64(known >> np.uint64(56))


@njit(nogil=True, inline="always")
def from_state(value, ply):  # type: ignore[no-untyped-def]
    """A value of the root as one of the state *ply* moves below it."""
    if value > SURE:
        return value + ply
    return value - ply if value < -SURE else value


@njit(nogil=True, inline="always")
def from_root(value, ply):  # type: ignore[no-untyped-def]
    """The other way round; bounds that say nothing stay so."""
    if SURE < value < HIGHEST:
        return value - ply
    return value + ply if LOWEST < value < -SURE else value


@njit(nogil=True)
def keep(rows, states, row, hashed, low, high, depth, best, generation):  # type: ignore[no-untyped-def]
    """Remembers bounds of a state; of others the older goes, then the shallower."""
    words = states.shape[1]
    first = bucket(rows, hashed)
    slot, known = match(rows, first, BUCKET, states, row, 0, 0)
    if slot >= 0:
        lower, upper = low, high
        if depth_of(known) == depth or low_of(known) > SURE:
            lower = max(low, low_of(known))
        if depth_of(known) == depth or high_of(known) < -SURE:
            upper = min(high, high_of(known))
        if lower <= upper:  # what a repetition was worth on one line may contradict another
            low, high = lower, upper
        if best < 0:
            best = best_of(known)
    else:
        slot, other = first, first + 1
        one, two = rows[slot, words], rows[other, words]
        aged = np.int64(one != 0 and _generation_of(one) == generation)
        aged -= np.int64(two != 0 and _generation_of(two) == generation)
        if aged > 0 or (aged == 0 and depth_of(two) < depth_of(one)):
            slot = other
    known = (
        np.uint64(low - LOWEST)
        | (np.uint64(high - LOWEST) << np.uint64(16))
        | (np.uint64(best + 1) << np.uint64(32))
        | (np.uint64(depth) << np.uint64(48))
        | (np.uint64(generation) << np.uint64(56))
    )
    write(rows, slot, states, row, known)


@njit(nogil=True)
def remembered(rows, states):  # type: ignore[no-untyped-def]
    """The place of the best child of a state among its children, as far as the table knows; -1 where it does not."""
    known = look(rows, states, 0, hash_words(states, 0))
    return best_of(known) if known != 0 else -1

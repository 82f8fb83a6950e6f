"""The transposition table of alpha-beta: whole states with a lower and an upper bound each.

    known    generation 8 | depth 8 | best move 16 | high 16 | low 16 bits

A bucket has two rows, in one line of the cache where a state has at most three words. Values count distances from the
state, not from the root. An upper and a lower bound stand side by side, since MTD asks from both sides.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from stratagem.kernels import Array, inlined, kernel, uint64
from stratagem.kernels.library.hashing import hash_state
from stratagem.kernels.library.lossy_table import LossyTable, bucket_of, find_row, look_up, write_row

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


def new_table(words: int, memory: int) -> LossyTable:
    """An empty table for states of so many words that takes at most *memory* bytes; at least a thousand entries."""
    stride = words + 1
    if stride <= LINE // 2:
        stride = LINE // 2
    elif stride > LINE:
        stride = -(-stride // LINE) * LINE
    slots = 1 << max(10, (memory // (8 * stride)).bit_length() - 1)
    room = np.zeros(slots * stride + LINE, np.uint64)
    skipped = (-room.ctypes.data // 8) % LINE
    rows = room[skipped : skipped + slots * stride].reshape(slots, stride)
    return LossyTable(rows=rows, words=words, bucket=BUCKET)


@inlined
def low_of(known: uint64) -> int:
    return int(known & 0xFFFF) + LOWEST


@inlined
def high_of(known: uint64) -> int:
    return int(known >> 16 & 0xFFFF) + LOWEST


@inlined
def best_of(known: uint64) -> int:
    """The place of the best child among the children, or -1."""
    return int(known >> 32 & 0xFFFF) - 1


@inlined
def depth_of(known: uint64) -> int:
    return int(known >> 48 & 0xFF)


@inlined
def is_new(known: uint64, generation: int) -> bool:
    """Whether this search has written it."""
    return known != 0 and int(known >> 56) == generation


@inlined
def from_state(value: int, ply: int) -> int:
    """A value of the root as one of the state *ply* moves below it."""
    if value > SURE:
        return value + ply
    return value - ply if value < -SURE else value


@inlined
def from_root(value: int, ply: int) -> int:
    """The other way round; bounds that say nothing stay so."""
    if SURE < value < HIGHEST:
        return value - ply
    return value + ply if LOWEST < value < -SURE else value


@kernel
def keep_bounds(
    table: LossyTable,
    state: Array[uint64],
    hashed: uint64,
    low: int,
    high: int,
    depth: int,
    best: int,
    generation: int,
) -> None:
    """Remembers bounds of a state, together with what is known of it already."""
    row, known = find_row(table, state, hashed, uint64(0), uint64(0))
    if row >= 0:
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
        row = victim(table, bucket_of(table, hashed), generation)
    bounds = uint64(low - LOWEST) | uint64(high - LOWEST) << 16 | uint64(best + 1) << 32
    write_row(table, row, state, bounds | uint64(depth) << 48 | uint64(generation) << 56)


@inlined
def victim(table: LossyTable, first: int, generation: int) -> int:
    """Of the two rows of a bucket the one that gives way: the older, then the shallower."""
    one, other = table.rows[first, table.words], table.rows[first + 1, table.words]
    one_is_new, other_is_new = is_new(one, generation), is_new(other, generation)
    if one_is_new == other_is_new:
        return first + 1 if depth_of(other) < depth_of(one) else first
    return first + 1 if one_is_new else first


@kernel
def remembered_child(table: LossyTable, state: Array[uint64]) -> int:
    """The place of the best child of a state among its children, as far as the table knows; -1 where it does not."""
    known = look_up(table, state, hash_state(state, table.words))
    return best_of(known) if known != 0 else -1

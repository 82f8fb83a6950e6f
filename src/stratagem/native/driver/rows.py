"""Conversions between packed states and rows, in the kernel language: what all drivers share.

A frame has rows of *stride* words; bit k of word w of a row belongs to lane 64 w + k. Packed states come in blocks of
64, which one transposition turns into 64 rows' words, or back.
"""

from __future__ import annotations

from typing import Final

from stratagem.kernels import Array, called, int16, int32, lowest_one, uint64
from stratagem.native.driver.primitives import look_up, transpose

TABLE_WORDS: Final = 128
"""Sixteen rows of eight words: for every set of four parents the lanes of their children."""
MOST_PARENTS: Final = 32
"""The children of more parents than these are not looked up in tables."""
LONG_STATE: Final = 16
"""States of more words than these are written eight words at a time."""
BLOCK_WORDS: Final = 1120
"""What the conversions of `expand` need beside a frame: a block of 64 words, eight tables and 32 numbers; or eight blocks."""


@called
def one_to_rows(state: Array[uint64], bases: int, frame: Array[uint64], stride: int) -> None:
    """One packed state into every lane."""
    for part in range((bases + 63) >> 6):
        word = state[part]
        rows = frame.at(64 * part * stride)
        size = min(64, bases - 64 * part)
        if stride == 1:
            for bit in range(size):
                rows[bit] = -(word >> bit & 1)
        else:
            for bit in range(size):
                value = -(word >> bit & 1)
                for column in range(stride):
                    rows[bit * stride + column] = value


@called
def block_to_rows(block: Array[uint64], size: int, rows: Array[uint64], stride: int) -> None:
    """64 packed words, which it destroys, into one word of each of *size* rows."""
    transpose(block)
    for bit in range(size):
        rows[bit * stride] = block[bit]


@called
def states_to_rows(
    states: Array[uint64],
    width: int,
    bases: int,
    count: int,
    frame: Array[uint64],
    stride: int,
    block: Array[uint64],
) -> None:
    """*count* packed states into as many lanes; the lanes after them are zero up to a multiple of 64."""
    for column in range((count + 63) >> 6):
        lanes = min(64, count - 64 * column)
        for part in range(width):
            first = states.at(64 * column * width + part)
            for lane in range(lanes):
                block[lane] = first[lane * width]
            for lane in range(lanes, 64):
                block[lane] = 0
            rows = frame.at(64 * part * stride + column)
            block_to_rows(block, min(64, bases - 64 * part), rows, stride)


@called
def lanes_by_parents(parents: Array[int32], count: int, numbers: Array[uint64], tables: Array[uint64]) -> int:
    """For each set of four neighbouring *parents* the lanes of their children, in rows of eight words.

    *numbers* receives the parents, each once; how many there are.
    """
    found = 0
    lane = 0
    while lane < count:
        parent = parents[lane]
        numbers[found] = uint64(parent)
        table = tables.at((found >> 2) * TABLE_WORDS)
        if found & 3 == 0:
            clear(table, TABLE_WORDS)
        alone = 8 << (found & 3)
        while lane < count and parents[lane] == parent:
            table[alone + (lane >> 6)] |= uint64(1) << (lane & 63)
            lane += 1
        for at in range(8, alone):
            table[alone + at] = table[alone + (at & 7)] | table[at]
        found += 1
    return found


@called
def few_parents_to_rows(
    states: Array[uint64],
    parents: Array[int32],
    width: int,
    bases: int,
    count: int,
    frame: Array[uint64],
    block: Array[uint64],
) -> None:
    """`parents_to_rows` for rows of eight words and at most `MOST_PARENTS` parents."""
    tables = block.at(64)
    numbers = tables.at(MOST_PARENTS // 4 * TABLE_WORDS)
    found = lanes_by_parents(parents, count, numbers, tables)
    for part in range(width):
        for at in range(found):
            block[at] = states[int(numbers[at]) * width + part]
        for at in range(found, 64):
            block[at] = 0
        transpose(block)
        look_up(block, min(64, bases - 64 * part), tables, (found + 3) >> 2, frame.at(512 * part))


@called
def parents_to_rows(
    states: Array[uint64],
    parents: Array[int32],
    width: int,
    bases: int,
    count: int,
    frame: Array[uint64],
    stride: int,
    block: Array[uint64],
) -> None:
    """The packed states numbered *parents*, ascending, into *count* lanes."""
    if parents[0] == parents[count - 1]:
        one_to_rows(states.at(parents[0] * width), bases, frame, stride)
        return
    if stride == 8 and count > 256 and bases > 0 and parents[count - 1] - parents[0] < MOST_PARENTS:
        few_parents_to_rows(states, parents, width, bases, count, frame, block)
        return
    for column in range((count + 63) >> 6):
        lanes = min(64, count - 64 * column)
        some = parents.at(64 * column)
        for part in range(width):
            for lane in range(lanes):
                block[lane] = states[some[lane] * width + part]
            for lane in range(lanes, 64):
                block[lane] = 0
            rows = frame.at(64 * part * stride + column)
            block_to_rows(block, min(64, bases - 64 * part), rows, stride)


@called
def rows_to_packed(
    rows: Array[uint64],
    size: int,
    stride: int,
    count: int,
    packed: Array[uint64],
    width: int,
    block: Array[uint64],
) -> None:
    """*size* rows of *count* lanes as packed words: lane i's from packed[i * width]."""
    for column in range((count + 63) >> 6):
        lanes = min(64, count - 64 * column)
        for part in range(max(1, (size + 63) >> 6)):
            own = min(64, size - 64 * part)
            first = rows.at(64 * part * stride + column)
            for bit in range(own):
                block[bit] = first[bit * stride]
            for bit in range(own, 64):
                block[bit] = 0
            transpose(block)
            target = packed.at(64 * column * width + part)
            for lane in range(lanes):
                target[lane * width] = block[lane]


@called
def children_to_packed(
    rows: Array[uint64],
    size: int,
    stride: int,
    count: int,
    packed: Array[uint64],
    width: int,
    block: Array[uint64],
) -> None:
    """`rows_to_packed` with room for eight blocks: eight words of a long state are written at a time."""
    if width <= LONG_STATE:
        rows_to_packed(rows, size, stride, count, packed, width, block)
        return
    for first in range(0, width, 8):
        parts = min(8, width - first)
        for column in range((count + 63) >> 6):
            for part in range(parts):
                own = rows.at(64 * (first + part) * stride + column)
                square = block.at(64 * part)
                bits = min(64, size - 64 * (first + part))
                for bit in range(bits):
                    square[bit] = own[bit * stride]
                for bit in range(bits, 64):
                    square[bit] = 0
                transpose(square)
            target = packed.at(64 * column * width + first)
            for lane in range(min(64, count - 64 * column)):
                for part in range(parts):
                    target[lane * width + part] = block[64 * part + lane]


@called
def first_lane(rows: Array[uint64], size: int, stride: int, packed: Array[uint64]) -> None:
    """The first lane of *size* rows as packed words: for a single state, cheaper than a transposition."""
    for part in range((size + 63) >> 6):
        own = rows.at(64 * part * stride)
        word = uint64(0)
        for bit in range(min(64, size - 64 * part)):
            word |= (own[bit * stride] & 1) << bit
        packed[part] = word


@called
def flags_of(row: Array[uint64], count: int, flags: Array[bool]) -> None:
    """A row as one byte per lane."""
    for column in range((count + 63) >> 6):
        word = row[column]
        own = flags.at(64 * column)
        if count - 64 * column >= 64:
            for lane in range(64):
                own[lane] = bool(word >> lane & 1)
        else:
            for lane in range(count - 64 * column):
                own[lane] = bool(word >> lane & 1)


@called
def scores_of(
    rows: Array[uint64],
    values: Array[uint64],
    size: int,
    stride: int,
    count: int,
    goals: Array[int16],
    roles: int,
    block: Array[uint64],
) -> None:
    """Rows of which at most one holds in a lane as the value of that row, or -1: lane i's goes to goals[i * roles]."""
    for column in range((count + 63) >> 6):
        lanes = min(64, count - 64 * column)
        vectors = (lanes + 7) & ~7
        for lane in range(vectors):
            block[lane] = 0
        for number in range(size):
            word = rows[number * stride + column]
            if word != 0:
                value = values[number] + 1
                for lane in range(vectors):
                    block[lane] |= -(word >> lane & 1) & value
        own = goals.at(64 * column * roles)
        for lane in range(lanes):
            own[lane * roles] = int(block[lane]) - 1


@called
def clear(words: Array[uint64], count: int) -> None:
    """Make *count* words zero."""
    for at in range(count):
        words[at] = 0


@called
def copy(source: Array[uint64], target: Array[uint64], count: int) -> None:
    """Copy *count* words."""
    for at in range(count):
        target[at] = source[at]


@called
def listed(mask: Array[uint64], words: int, numbers: Array[uint64]) -> int:
    """The places of the bits of a mask, ascending; how many there are."""
    found = 0
    for at in range(words):
        word = mask[at]
        while word != 0:
            numbers[found] = uint64(64 * at + lowest_one(word))
            found += 1
            word &= word - 1
    return found

"""Conversions between packed states and rows, in the kernel language: what all drivers share.

A frame has rows of *stride* words; bit k of word w of a row belongs to lane 64 w + k. Packed states come in blocks of
64, which one transposition turns into 64 rows' words, or back.
"""

from __future__ import annotations

from typing import Final

from stratagem.kernels import Array, called, local, uint64
from stratagem.native.driver.primitives import exchange, pair_words, transpose

WIDE: Final = 8
"""Rows of so many words are converted for all their lanes at once."""
SHORT_STATE: Final = 4
"""States of more words than these are written eight words at a time."""
NARROW_WORDS: Final = 72
"""What the conversions of rows of one word need beside a frame: 64 words, and what is written too much."""
BLOCK_WORDS: Final = 4096
"""What those of rows of eight words need: eight times 512 words, or 64 and tables of parents."""


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
def block_to_wide_rows(block: Array[uint64], size: int, columns: int, rows: Array[uint64]) -> None:
    """`block_to_rows` for rows of eight words and as many blocks of 64 words, of which those after the first *columns* are zero."""
    for column in range(columns):
        transpose(block.at(64 * column))
    for group in range(size >> 3):
        exchange(block.at(8 * group), 64, rows.at(64 * group), WIDE)
    if size & 7:
        last = local(uint64, 64)
        exchange(block.at(size & ~7), 64, last, WIDE)
        copy(last, rows.at(WIDE * (size & ~7)), WIDE * (size & 7))


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
    """*count* packed states into as many lanes; the lanes after them are zero."""
    columns = (count + 63) >> 6
    for part in range(width):
        size = min(64, bases - 64 * part)
        if stride == WIDE:
            for lane in range(count):
                block[lane] = states[lane * width + part]
            for lane in range(count, 64 * WIDE):
                block[lane] = 0
            block_to_wide_rows(block, size, columns, frame.at(64 * WIDE * part))
            continue
        for column in range(columns):
            lanes = min(64, count - 64 * column)
            first = states.at(64 * column * width + part)
            for lane in range(lanes):
                block[lane] = first[lane * width]
            for lane in range(lanes, 64):
                block[lane] = 0
            block_to_rows(block, size, frame.at(64 * part * stride + column), stride)


@called
def wide_rows_to_block(rows: Array[uint64], size: int, columns: int, block: Array[uint64]) -> None:
    """*size* rows of eight words, at most 64, as blocks of 64 packed words, of which the first *columns* count."""
    for group in range(size >> 3):
        exchange(rows.at(64 * group), WIDE, block.at(8 * group), 64)
    if size & 7:  # not eight rows more: those of a batch may end here
        last = local(uint64, 64)
        clear(last, 64)
        copy(rows.at(WIDE * (size & ~7)), last, WIDE * (size & 7))
        exchange(last, WIDE, block.at(size & ~7), 64)
    for column in range(columns):
        square = block.at(64 * column)
        for bit in range(size, 64):
            square[bit] = 0
        transpose(square)


@called
def wide_rows_to_packed(
    rows: Array[uint64], size: int, count: int, packed: Array[uint64], width: int, block: Array[uint64]
) -> None:
    """`rows_to_packed` for rows of eight words."""
    columns = (count + 63) >> 6
    if width == 2 and size > 64:
        second = block.at(64 * WIDE)
        wide_rows_to_block(rows, 64, columns, block)
        wide_rows_to_block(rows.at(64 * WIDE), size - 64, columns, second)
        for column in range(count >> 6):
            pair_words(block.at(64 * column), second.at(64 * column), packed.at(128 * column))
        for lane in range(count & ~63, count):
            packed[2 * lane] = block[lane]
            packed[2 * lane + 1] = second[lane]
        return
    for part in range(max(1, (size + 63) >> 6)):
        wide_rows_to_block(rows.at(64 * WIDE * part), min(64, size - 64 * part), columns, block)
        target = packed.at(part)
        for lane in range(count):
            target[lane * width] = block[lane]


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
    """*size* rows of *count* lanes as packed words: lane i's from packed[i * width]; the block has room for all lanes."""
    if stride == WIDE and count > 64:
        wide_rows_to_packed(rows, size, count, packed, width, block)
        return
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
    """`rows_to_packed` with room for eight times 512 words: eight words of a long state are written at a time."""
    if width <= SHORT_STATE or stride != WIDE or count <= 64:
        rows_to_packed(rows, size, stride, count, packed, width, block)
        return
    columns = (count + 63) >> 6
    eight = local(uint64, 64)
    for first in range(0, width, 8):
        parts = min(8, width - first)
        for part in range(parts):
            own = 64 * (first + part)
            wide_rows_to_block(rows.at(WIDE * own), min(64, size - own), columns, block.at(512 * part))
        for lane in range(0, count, 8):
            target = packed.at(lane * width + first)
            if parts == 8 and lane + 8 <= count:
                exchange(block.at(lane), 512, target, width)
            else:
                exchange(block.at(lane), 512, eight, 8)
                for place in range(min(8, count - lane)):
                    for part in range(parts):
                        target[place * width + part] = eight[8 * place + part]


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
def clear(words: Array[uint64], count: int) -> None:
    """Make *count* words zero."""
    for at in range(count):
        words[at] = 0


@called
def copy(source: Array[uint64], target: Array[uint64], count: int) -> None:
    """Copy *count* words."""
    for at in range(count):
        target[at] = source[at]

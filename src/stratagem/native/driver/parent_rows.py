"""Parents into the lanes of their children, in the kernel language.

The children of a parent are neighbours, so a few numbers say where they are: *ends[p]* is the number of children of the
parents up to the p-th.
"""

from __future__ import annotations

from typing import Final

from stratagem.kernels import Array, called, uint64
from stratagem.native.driver.primitives import look_up, transpose
from stratagem.native.driver.rows import WIDE, block_to_rows, block_to_wide_rows, clear, one_to_rows

TABLE_WORDS: Final = 128
"""Sixteen rows of eight words: for every set of four parents the lanes of their children."""
MOST_PARENTS: Final = 16
"""The children of more parents than these are not looked up in tables."""


@called
def note_lanes(row: Array[uint64], first: int, end: int) -> None:
    """Mark the lanes from *first* to before *end* in a row of zeros."""
    while first < end:
        last = min(end, (first & ~63) + 64)
        row[first >> 6] = ~uint64(0) >> (64 - (last - first)) << (first & 63)
        first = last


@called
def lanes_by_parents(
    ends: Array[uint64], parents: int, first: int, count: int, tables: Array[uint64]
) -> None:
    """For each set of four neighbouring parents the lanes of their children, in rows of eight words."""
    start = 0
    for number in range(parents):
        table = tables.at((number >> 2) * TABLE_WORDS)
        if number & 3 == 0:
            clear(table, WIDE)
        alone = WIDE << (number & 3)
        own = table.at(alone)
        clear(own, WIDE)
        end = min(count, int(ends[number]) - first)
        note_lanes(own, start, end)
        start = end
        for at in range(WIDE, alone):
            own[at] = table[at] | own[at & 7]


@called
def few_parents_to_rows(
    states: Array[uint64],
    ends: Array[uint64],
    parents: int,
    width: int,
    bases: int,
    first: int,
    count: int,
    frame: Array[uint64],
    block: Array[uint64],
) -> None:
    """`parents_to_rows` for rows of eight words and at most `MOST_PARENTS` parents."""
    tables = block.at(64)
    lanes_by_parents(ends, parents, first, count, tables)
    for part in range(width):
        for at in range(parents):
            block[at] = states[at * width + part]
        for at in range(parents, 64):
            block[at] = 0
        transpose(block)
        look_up(block, min(64, bases - 64 * part), tables, (parents + 3) >> 2, frame.at(64 * WIDE * part))


@called
def spread_parents(
    states: Array[uint64],
    ends: Array[uint64],
    parents: int,
    width: int,
    first: int,
    count: int,
    block: Array[uint64],
) -> None:
    """A word of each parent into the places of its children; what is written too much, up to seven words, is the next one's."""
    start = 0
    for number in range(parents):
        word = states[number * width]
        end = min(count, int(ends[number]) - first)
        at = start
        while at < end:
            for place in range(8):
                block[at + place] = word
            at += 8
        start = end


@called
def parents_to_rows(
    states: Array[uint64],
    ends: Array[uint64],
    parents: int,
    width: int,
    bases: int,
    first: int,
    count: int,
    frame: Array[uint64],
    stride: int,
    block: Array[uint64],
) -> None:
    """The packed *states* of parents into the lanes of *count* of their children, from the one numbered *first* on."""
    if parents == 1:
        one_to_rows(states, bases, frame, stride)
        return
    if stride == WIDE and bases > 0 and parents <= MOST_PARENTS:
        few_parents_to_rows(states, ends, parents, width, bases, first, count, frame, block)
        return
    columns = (count + 63) >> 6
    for part in range(width):
        spread_parents(states.at(part), ends, parents, width, first, count, block)
        for lane in range(count, 64 * stride):
            block[lane] = 0
        size = min(64, bases - 64 * part)
        if stride == WIDE:
            block_to_wide_rows(block, size, columns, frame.at(64 * WIDE * part))
        else:
            for column in range(columns):
                rows = frame.at(64 * part * stride + column)
                block_to_rows(block.at(64 * column), size, rows, stride)

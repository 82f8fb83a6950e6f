"""What the drivers need beyond the kernel language, written in assembly; run as Python, by the functions here."""

from __future__ import annotations

from functools import partial
from typing import Final

import numpy as np

from stratagem.kernels import Array, in_assembly, int16, int32, uint8, uint64
from stratagem.native.emit.primitives import (
    emit_add_where,
    emit_equal,
    emit_exchange,
    emit_give,
    emit_list_ones,
    emit_look_up,
    emit_pairs,
    emit_run,
    emit_spread,
    emit_take,
    emit_transpose,
)
from stratagem.native.phases.interpreted import run_phase

POISON: Final = 0xDEAD_BEEF_DEAD_BEEF


@in_assembly(emit_take)
def take(words: int) -> Array[uint64]:
    """Scratch memory on a cache line, with any contents."""
    room = np.full(words + 8, POISON, np.uint64)
    start = -(room.ctypes.data // 8) % 8
    return Array(uint64, room[start : start + words])


@in_assembly(emit_give)
def give(memory: Array[uint64]) -> None:
    """Give scratch memory back: it must not be used any more."""
    memory.flat.fill(POISON)
    memory.stop = memory.start


@in_assembly(emit_transpose)
def transpose(block: Array[uint64]) -> None:
    """Bit i of word k becomes bit k of word i, for 64 words."""
    rows = [block[at] for at in range(64)]
    for at in range(64):
        block[at] = sum((int.__rshift__(row, at) & 1) << place for place, row in enumerate(rows))


@in_assembly(emit_exchange)
def exchange(source: Array[uint64], source_step: int, target: Array[uint64], target_step: int) -> None:
    """Word k of the i-th eight words becomes word i of the k-th; they begin so many words apart."""
    rows = [[source[number * source_step + at] for at in range(8)] for number in range(8)]
    for number in range(8):
        for at in range(8):
            target[number * target_step + at] = rows[at][number]


@in_assembly(partial(emit_pairs, element="i64"))
def pair_words(first: Array[uint64], second: Array[uint64], target: Array[uint64]) -> None:
    """64 words of one array and 64 of another, alternating."""
    for at in range(64):
        target[2 * at] = first[at]
        target[2 * at + 1] = second[at]


@in_assembly(partial(emit_pairs, element="i16"))
def pair_scores(first: Array[int16], second: Array[int16], target: Array[int16]) -> None:
    """64 scores of one array and 64 of another, alternating."""
    for at in range(64):
        target[2 * at] = first[at]
        target[2 * at + 1] = second[at]


@in_assembly(emit_add_where)
def add_where(word: uint64, value: int, numbers: Array[int16]) -> None:
    """Add a number to those of 64 that a word marks."""
    for at in range(64):
        if word >> at & 1:
            numbers[at] = int16(int(numbers[at]) + value)


@in_assembly(emit_equal)
def equal(numbers: Array[uint8], number: int) -> uint64:
    """Which of 64 numbers are this one, as the bits of a word."""
    return uint64(sum((int(numbers[at]) == number) << at for at in range(64)))


@in_assembly(partial(emit_list_ones, step=1))
def list_ones(byte: uint64, first: uint64, shift: int, target: Array[int32]) -> None:
    """Eight numbers: for each one of a byte its place plus *first*; those after them are arbitrary. *shift* is 0."""
    ones = [at for at in range(8) if byte >> at & 1]
    for place in range(8):
        target[place] = int32(int(first) + (ones[place] if place < len(ones) else 0))


@in_assembly(partial(emit_list_ones, step=2))
def list_pairs(byte: uint64, first: uint64, shift: int, target: Array[int32]) -> None:
    """Eight pairs of numbers, of 32 bits each: *first*, and for each one of a byte its place added to the number at *shift*."""
    ones = [at for at in range(8) if byte >> at & 1]
    for place in range(8):
        pair = int(first) + ((ones[place] if place < len(ones) else 0) << shift)
        target[2 * place] = int32(pair & 0xFFFF_FFFF)
        target[2 * place + 1] = int32(pair >> 32)


@in_assembly(emit_look_up)
def look_up(block: Array[uint64], size: int, tables: Array[uint64], count: int, rows: Array[uint64]) -> None:
    """For each of *size* words of *block* a row of eight words: the OR of one row from each of *count* tables of sixteen.

    Four bits of the word, the lowest first, are the number of the row in each table.
    """
    for place in range(size):
        numbers = [16 * table + int(block[place] >> (4 * table) & 15) for table in range(count)]
        for column in range(8):
            row = uint64(0)
            for number in numbers:
                row |= tables[8 * number + column]
            rows[8 * place + column] = row


@in_assembly(emit_spread)
def spread(word: uint64, size: int, target: Array[bool]) -> None:
    """The first *size* bits of a word, 8, 16, 32 or 64 of them, as so many bytes."""
    for place in range(size):
        target[place] = bool(word >> place & 1)


@in_assembly(emit_run)
def run(table: int, frame: Array[uint64]) -> None:
    """Run the phase of a table on a frame; the phase itself is machine code in Python, too."""
    run_phase(frame.address, table)

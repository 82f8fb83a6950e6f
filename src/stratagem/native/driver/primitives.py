"""What the drivers need beyond the kernel language, written in assembly; run as Python, by the functions here."""

from __future__ import annotations

from typing import Final

import numpy as np

from stratagem.kernels import Array, in_assembly, uint64
from stratagem.native.emit.primitives import (
    emit_give,
    emit_look_up,
    emit_run,
    emit_spread,
    emit_take,
    emit_transpose,
)
from stratagem.native.phases.phase_tables import run_phase

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

"""What the drivers need beyond the kernel language, written in assembly; run as Python, by the functions here."""

from __future__ import annotations

from typing import Final

import numpy as np

from stratagem.kernels import Array, in_assembly, uint64
from stratagem.native.emit.primitives import emit_give, emit_run, emit_take, emit_transpose
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


@in_assembly(emit_run)
def run(table: int, frame: Array[uint64]) -> None:
    """Run the phase of a table on a frame; the phase itself is machine code in Python, too."""
    run_phase(frame.address, table)

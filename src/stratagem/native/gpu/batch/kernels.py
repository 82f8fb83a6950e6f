"""The kernels of a batch on one device: the step of a game, and the views that all games share.

A circuit without loops becomes code, in one piece or in several; one with loops, or so large that assembling it would
take long, is read from a table.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from stratagem.circuit.circuit import Circuit
from stratagem.native.gpu.batch import step_code, views
from stratagem.native.gpu.batch.arrays import MemoryPool
from stratagem.native.gpu.batch.compiled_step import compiled_step
from stratagem.native.gpu.batch.interpreted_step import interpreted_step
from stratagem.native.gpu.batch.step_code import BLOCK, BlockRows
from stratagem.native.gpu.cuda import Device, DeviceMemory, Module
from stratagem.native.gpu.lane_text import LaneShape
from stratagem.native.gpu.ptx import ptx, too_long
from stratagem.native.gpu.thread_code import TRIPLE
from stratagem.native.jit.object_cache import circuit_fingerprint

if TYPE_CHECKING:
    from numpy.typing import NDArray

SMALL_GATES: Final = 4000
"""Circuits up to this size are one piece of code ..."""
COMPILED_GATES: Final = 25_000
"""... and up to this size they are compiled, unless their text is `too_long`."""
THREADS: Final = 128
"""Threads per block: of a step ..."""
VIEW_THREADS: Final = 256
"""... and of a view."""
FRAME_SHARE: Final = 0.25
"""The part of the free memory that the frames of interpreted gates may take."""
DEFINITION: Final = re.compile(r'^define void @"([\w.]+)"\((.*)\) #0', re.MULTILINE)


def views_assembly() -> str:
    """The kernels of `views` with an entry for each: the last argument becomes the number of the thread."""
    text = views.VIEWS.assembly()
    entries = [f"declare i32 @llvm.nvvm.read.ptx.sreg.{name}.x()" for name in ("tid", "ctaid", "ntid")]
    for symbol, parameters in DEFINITION.findall(text):
        given = parameters.split(", ")[:-1]
        entries.append(
            f"define ptx_kernel void @{symbol.rpartition('.')[2]}({', '.join(given)}) {{\n"
            "  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n"
            "  %ctaid = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()\n"
            "  %ntid = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()\n"
            "  %within = zext i32 %tid to i64\n  %number = zext i32 %ctaid to i64\n"
            "  %size = zext i32 %ntid to i64\n  %before = mul i64 %number, %size\n"
            "  %thread = add i64 %before, %within\n"
            f'  call void @"{symbol}"({", ".join([*given, "i64 %thread"])})\n  ret void\n}}\n'
        )
    inner = DEFINITION.sub(r'define internal void @"\1"(\2) #1', text)
    return f'target triple = "{TRIPLE}"\n{inner}' + "\n".join(entries)


class BatchKernels:
    """What batches of one game need on one device: code, tables and the memory for arrays."""

    def __init__(self, circuit: Circuit, device: Device) -> None:
        self.circuit, self.device, self.rows = circuit, device, BlockRows.of(circuit)
        self.pool = MemoryPool(device)
        shape = LaneShape.device(THREADS)
        self.lanes_per_thread = shape.bits
        self.frame_rows, table, module = 0, np.zeros(1, np.int32), ""
        self.interpreted = bool(circuit.loops) or circuit.gate_count > COMPILED_GATES
        if not self.interpreted:
            module = compiled_step(circuit, shape, small=circuit.gate_count <= SMALL_GATES)
            self.interpreted = too_long(module)
        if self.interpreted:
            module, table, self.frame_rows = interpreted_step(circuit, shape)
        what = f"gpu batch {shape} {self.interpreted} of {circuit_fingerprint(circuit)}"
        self._step = Module(device, ptx(what, device.architecture, lambda: module), step_code.ENTRY)
        what = f"gpu views {views.VIEWS.fingerprint()}"
        code = ptx(what, device.architecture, views_assembly, optimised=True)
        self._views = Module(device, code, "flags")
        self._programs = device.copy_of(table)
        self._tables: dict[bytes, DeviceMemory] = {}
        self._frame_memory: DeviceMemory | None = None
        self.start: NDArray[np.uint64] | None = None
        """For each row of a block all ones where it holds at the start: the first batch finds out."""

    def table(self, values: NDArray[np.generic]) -> int:
        """The address of a copy of *values* on the device; the same values are copied once."""
        key = values.dtype.str.encode() + values.tobytes()
        if key not in self._tables:
            self._tables[key] = self.device.copy_of(values)
        return self._tables[key].address.value

    @cached_property
    def move_table(self) -> int:
        """For each role the first row of its moves, and their number."""
        return self.table(np.array([[rows.start, len(rows)] for rows in self.rows.moves], np.int64))

    @cached_property
    def value_counts(self) -> int:
        """How many goal values each role has."""
        return self.table(np.array([len(goals) for goals in self.circuit.goals], np.int64))

    @cached_property
    def goal_values(self) -> int:
        """The goal values, in the order of their rows."""
        return self.table(
            np.array([value for goals in self.circuit.goals for value, _ in goals] + [0], np.int64)
        )

    def view(self, entry: str, total: int, *arguments: int) -> None:
        """Start *total* threads of one of the `views`."""
        self._views.start(entry, total, VIEW_THREADS, arguments)

    def step(
        self, blocks: int, after: int, actions: int, which: int, found: int, count: int, mode: int
    ) -> None:
        """Start one step of *count* matches, in several launches where frames have too little room."""
        words = -(-count // BLOCK) * (BLOCK // self.lanes_per_thread)
        most = words
        frames = 0
        if self.frame_rows:
            room = int(FRAME_SHARE * self.device.free_memory())
            most = max(THREADS, min(words, room // (self.frame_rows * self.lanes_per_thread // 8)))
            frames = self._frames(most)
        for first in range(0, words, max(1, most)):
            threads = min(most, words - first)
            arrays = (blocks, after, actions, which, found, self._programs.address.value, frames)
            self._step.start(step_code.ENTRY, threads, THREADS, (*arrays, count, first, threads, mode))

    def _frames(self, threads: int) -> int:
        """Memory for the frames of so many threads, in which rows that are never written are zero."""
        size = threads * self.frame_rows * self.lanes_per_thread // 8
        if self._frame_memory is None or self._frame_memory.size < size:
            self._frame_memory = self.device.allocate(size, zeroed=False)
        self._frame_memory.fill(0, size)
        return self._frame_memory.address.value

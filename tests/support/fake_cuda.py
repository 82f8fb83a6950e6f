"""A driver of NVIDIA's for machines without a GPU: its memory is this machine's, its kernels run on the processor.

Kernels are made for processors (`processors_for_gpus`): one call per word instead of two threads, the same matches. The
driver translates between the two: what belongs to a word is given to the first of its threads.
"""

from __future__ import annotations

import ctypes
import re
from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from stratagem.native.gpu import cuda, devices, playouts, rows
from stratagem.native.gpu.batch import kernels
from stratagem.native.gpu.batch.views import VIEWS
from stratagem.native.gpu.lane_text import LaneShape
from stratagem.native.jit.llvm import LoadedCode, compile_object, compile_optimised

ATTRIBUTES = {16: 4, 75: 9, 76: 0, 97: 232448}
"""Multiprocessors, compute capability 9.0, shared memory."""
RECORD_WORDS = 64


class FakeCuda:
    """The functions of libcuda that `native.gpu.cuda` calls; *failing* names those that fail, with their status."""

    def __init__(
        self,
        count: int = 1,
        *,
        failing: dict[str, int] | None = None,
        attributes: dict[int, int] | None = None,
    ) -> None:
        self.count, self.failing = count, failing or {}
        self.attributes = ATTRIBUTES | (attributes or {})
        self.driver_version = 13000
        self.calls: Counter[str] = Counter()
        self.memory: dict[int, Any] = {}
        self.sizes: dict[int, int] = {}
        self.modules: list[tuple[MadeCode, LoadedCode]] = []
        self.functions: list[tuple[str, LoadedCode, str, int]] = []
        self.current = 0
        self.used: Counter[int] = Counter()
        self.launched: Counter[str] = Counter()

    def __getattribute__(self, name: str) -> Any:
        if name.startswith("cu") and name not in ("count", "current"):
            self.calls[name] += 1
            if name in self.failing:
                return lambda *_: self.failing[name]
        return super().__getattribute__(name)

    def cuInit(self, flags: int) -> int:
        return 0

    def cuGetErrorName(self, status: int, text: Any) -> int:
        text._obj.value = f"CUDA_ERROR_{status}".encode()
        return 0

    def cuDriverGetVersion(self, found: Any) -> int:
        found._obj.value = self.driver_version
        return 0

    def cuDeviceGetCount(self, found: Any) -> int:
        found._obj.value = self.count
        return 0

    def cuDeviceGet(self, handle: Any, number: int) -> int:
        handle._obj.value = number
        return 0

    def cuDeviceGetName(self, name: Any, size: int, handle: Any) -> int:
        name.value = b"a GPU of paper"
        return 0

    def cuDeviceGetAttribute(self, found: Any, number: int, handle: Any) -> int:
        found._obj.value = self.attributes[number]
        return 0

    def cuDevicePrimaryCtxRetain(self, context: Any, handle: Any) -> int:
        context._obj.value = handle.value + 1
        return 0

    def cuCtxSetCurrent(self, context: Any) -> int:
        self.current = context.value
        return 0

    def cuMemGetInfo_v2(self, free: Any, total: Any) -> int:
        free._obj.value = total._obj.value = 1 << 30
        return 0

    def cuMemAlloc_v2(self, address: Any, size: Any) -> int:
        room = ctypes.create_string_buffer(size.value + 16)
        place = -(-ctypes.addressof(room) // 16) * 16
        ctypes.memset(place, 0xA5, size.value)
        address._obj.value = place
        self.memory[place], self.sizes[place] = room, size.value
        return 0

    def cuMemFree_v2(self, address: Any) -> int:
        del self.memory[address.value]
        return 0

    def cuMemsetD8_v2(self, address: Any, value: Any, size: Any) -> int:
        self._check(address.value, size.value)
        ctypes.memset(address.value, value.value, size.value)
        return 0

    def cuMemcpyHtoD_v2(self, target: Any, source: Any, size: Any) -> int:
        self._check(target.value, size.value)
        ctypes.memmove(target.value, source.value, size.value)
        return 0

    def cuMemcpyDtoH_v2(self, target: Any, source: Any, size: Any) -> int:
        self._check(source.value, size.value)
        ctypes.memmove(target.value, source.value, size.value)
        return 0

    def cuMemcpyDtoD_v2(self, target: Any, source: Any, size: Any) -> int:
        self._check(source.value, size.value)
        self._check(target.value, size.value)
        ctypes.memmove(target.value, source.value, size.value)
        return 0

    def cuCtxSynchronize(self) -> int:
        return 0

    def _check(self, place: int, size: int) -> None:
        inside = any(first <= place and place + size <= first + self.sizes[first] for first in self.memory)
        assert inside, "a copy leaves its memory"

    def cuModuleLoadDataEx(self, module: Any, code: Any, count: Any, kinds: Any, values: Any) -> int:
        made = CODE[code.value]
        self.modules.append((made, LoadedCode(made.code, [symbol for symbol, _ in made.entries.values()])))
        module._obj.value = len(self.modules)
        return 0

    def cuModuleUnload(self, module: Any) -> int:
        return 0

    def cuModuleGetFunction(self, function: Any, module: Any, name: Any) -> int:
        made, loaded = self.modules[module.value - 1]
        symbol, parameters = made.entries[name.value.decode()]
        self.functions.append((name.value.decode(), loaded, symbol, parameters))
        function._obj.value = len(self.functions)
        return 0

    def cuFuncSetAttribute(self, function: Any, number: Any, value: Any) -> int:
        return 0

    def cuFuncGetAttribute(self, found: Any, number: int, function: Any) -> int:
        found._obj.value = 32
        return 0

    def cuOccupancyMaxActiveBlocksPerMultiprocessor(
        self, found: Any, function: Any, threads: Any, shared: Any
    ) -> int:
        found._obj.value = 1
        return 0

    def cuLaunchKernel(self, function: Any, *arguments: Any) -> int:
        blocks, threads = arguments[0].value, arguments[3].value
        pointers = arguments[8]
        name, loaded, symbol, parameters = self.functions[function.value - 1]
        if name != rows.ENTRY:
            given = [ctypes.c_uint64.from_address(pointers[number]).value for number in range(parameters - 1)]
            call = ctypes.CFUNCTYPE(None, *[ctypes.c_uint64] * parameters)(loaded[symbol])
            self.launched[name] += 1
            for thread in range(blocks * threads):
                call(*given, thread)
            return 0
        count = len(rows.ARRAYS)
        arrays = [ctypes.c_uint64.from_address(pointers[number]).value for number in range(count)]
        numbers = [
            ctypes.c_uint32.from_address(pointers[count + number]).value
            for number in range(len(rows.NUMBERS))
        ]
        assert numbers[0] == blocks * threads, "blocks are full"
        self.used[self.current] += 1
        self._launch(loaded, arrays, numbers)
        return 0

    def _launch(self, code: LoadedCode, arrays: list[int], numbers: list[int]) -> None:
        threads = numbers[0]
        words = threads // 2
        low = np.uint64(0xFFFFFFFF)
        lanes = self._view(arrays[0], words)
        totals = self._view(arrays[1], threads)
        log = self._view(arrays[4], 1)[:, 0]
        numbers_of_words = [rows.REMAINING, rows.LONGEST, rows.LONG, rows.LOGGED]
        lanes[numbers_of_words] &= low
        own_totals = np.zeros((len(totals), words), np.uint64)
        own_log = np.zeros(numbers[4] * words * RECORD_WORDS, np.uint64)
        call = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 7, *[ctypes.c_uint32] * 6)(code[rows.ENTRY])
        given = [arrays[0], own_totals.ctypes.data, *arrays[2:4], own_log.ctypes.data, *arrays[5:]]
        # The processor's rows are twice as wide: its roots and frames are, too.
        roots = np.ctypeslib.as_array(
            (ctypes.c_uint32 * (self.sizes[arrays[2]] // 4)).from_address(arrays[2])
        )
        wide = np.where(roots != 0, ~np.uint64(0), np.uint64(0))
        given[2] = wide.ctypes.data
        for word in range(words):
            call(*given, words, *numbers[1:4], numbers[4], word)
        totals[:, ::2] += own_totals
        logged = lanes[rows.LOGGED].copy()
        record = self.sizes[arrays[4]] // (8 * threads * numbers[4])
        if logged.any():
            most = int(logged.max())
            source = own_log[: most * words * record].reshape(most, words, record)
            target = log[: most * threads * record].reshape(most, threads, record)
            target[:, ::2] = source
        for row in (rows.REMAINING, rows.LONGEST):
            lanes[row] |= lanes[row] << np.uint64(32)

    def _view(self, place: int, columns: int) -> np.ndarray[Any, Any]:
        room = (ctypes.c_uint64 * (self.sizes[place] // 8)).from_address(place)
        return np.ctypeslib.as_array(room).reshape(-1, columns)


@dataclass(frozen=True, slots=True)
class MadeCode:
    """Object code; for each entry the symbol of its function and how many parameters that has."""

    code: bytes
    entries: dict[str, tuple[str, int]]


CODE: dict[bytes, MadeCode] = {}
"""What stands for PTX: the driver takes PTX up to the first zero byte."""


def processors_for_gpus(monkeypatch: pytest.MonkeyPatch, fake: FakeCuda) -> list[cuda.Device]:
    """Let games be played on *fake*: kernels are made for this machine's processor."""
    found = cuda.devices(cuda.Driver(fake))

    def device(threads: int, registers: int = 0) -> LaneShape:
        return LaneShape(1, True, 64, False, threads, registers)

    def code(what: str, architecture: int, assembly: Any, *, optimised: bool = False) -> bytes:
        text = VIEWS.assembly() if optimised else assembly()
        heads = re.findall(r'^define void @"?([\w.]+)"?\((.*)\)', text, re.MULTILINE)
        entries = {name.rpartition(".")[2]: (name, given.count(",") + 1) for name, given in heads}
        name = f"code {len(CODE)}".encode()
        CODE[name] = MadeCode(compile_optimised(text, 1) if optimised else compile_object(text, 0), entries)
        return name

    monkeypatch.setattr(LaneShape, "device", staticmethod(device))
    monkeypatch.setattr(playouts, "ptx", code)
    monkeypatch.setattr(kernels, "ptx", code)
    monkeypatch.setattr(devices, "system_devices", lambda: tuple(found))
    return found

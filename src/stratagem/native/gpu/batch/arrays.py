"""Arrays in the memory of a GPU: what a batch there answers with, and the memory that is used again for them.

An array has ``__dlpack__``, so PyTorch, JAX and CuPy take it over without a copy; ``numpy.asarray`` copies it here.
"""

from __future__ import annotations

from collections import deque
from math import prod
from typing import Any, Final

import numpy as np
from numpy.typing import DTypeLike, NDArray

from stratagem.errors import LimitExceeded
from stratagem.native.gpu.batch.dlpack import CUDA, Borrowed, exported
from stratagem.native.gpu.cuda import Device, DeviceMemory

KEPT: Final = 16
"""How many pieces of memory that are free are kept for the next array of their size."""


class MemoryPool:
    """The memory of one device for arrays: asking the driver for it would take longer than filling it."""

    def __init__(self, device: Device) -> None:
        self.device = device
        self._free: deque[DeviceMemory] = deque()
        self._shared = False

    def take(self, size: int) -> DeviceMemory:
        """*size* bytes with any contents."""
        size = max(16, -(-size // 16) * 16)
        for memory in self._free:
            if memory.size == size:
                self._free.remove(memory)
                if self._shared:
                    # Another library has seen some of this memory, and may still be reading it.
                    self.device.finish()
                    self._shared = False
                return memory
        try:
            return self.device.allocate(size, zeroed=False)
        except LimitExceeded:
            self._free.clear()
            return self.device.allocate(size, zeroed=False)

    def give(self, memory: DeviceMemory, *, shared: bool) -> None:
        """Take memory back that nobody here uses any more; *shared*: another library has seen it."""
        self._shared |= shared
        self._free.append(memory)
        if len(self._free) > KEPT:
            self._free.popleft()

    def array(self, shape: tuple[int, ...], kind: DTypeLike) -> DeviceArray:
        """An array with any contents."""
        memory = self.take(prod(shape) * np.dtype(kind).itemsize)
        return DeviceArray(self.device, memory.address.value, shape, kind, memory, self)


class DeviceArray:
    """An array on a GPU, one block of memory. Read-only by convention: the next one may use its place.

    ``numpy.asarray(array)`` is a copy in CPU memory, ``array[i]`` one of its i-th row.
    """

    def __init__(
        self,
        device: Device,
        address: int,
        shape: tuple[int, ...],
        kind: DTypeLike,
        owner: DeviceMemory | Borrowed,
        pool: MemoryPool | None = None,
    ) -> None:
        """*owner* keeps the memory; with a *pool* it is given back there."""
        self.device, self.address, self.shape, self.dtype = device, address, shape, np.dtype(kind)
        self._owner, self._pool, self._shared = owner, pool, False

    def __del__(self) -> None:
        owner = getattr(self, "_owner", None)
        if isinstance(owner, DeviceMemory) and self._pool is not None:
            self._pool.give(owner, shared=self._shared)

    def __repr__(self) -> str:
        return f"<array {self.shape} of {self.dtype} on {self.device.name}>"

    def __len__(self) -> int:
        return self.shape[0]

    @property
    def nbytes(self) -> int:
        return prod(self.shape) * self.dtype.itemsize

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        if copy is False:
            raise ValueError("an array on a GPU has to be copied")
        values = np.empty(self.shape, self.dtype)
        self.device.read(self.address, values)
        return values if dtype is None else values.astype(dtype, copy=False)

    def __getitem__(self, row: int) -> NDArray[Any]:
        if not 0 <= row < self.shape[0]:
            raise IndexError(f"there is no row {row} in {self.shape[0]}")
        values = np.empty(self.shape[1:], self.dtype)
        self.device.read(self.address + row * values.nbytes, values)
        return values

    def __dlpack_device__(self) -> tuple[int, int]:
        return CUDA, self.device.number

    def __dlpack__(
        self,
        *,
        stream: int | None = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> object:
        """The array for another library, which shares its memory; everything on the device is done first."""
        if (dl_device is not None and tuple(dl_device) != self.__dlpack_device__()) or copy:
            raise BufferError("an array on a GPU is handed over where it is, without a copy")
        if stream != -1:
            self.device.finish()
        self._shared = True
        return exported(self, self.address, self.device.number, self.shape, self.dtype)

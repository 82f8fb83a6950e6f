"""NVIDIA's driver, called through ctypes: devices, memory, modules and launches; nothing else of CUDA is needed.

The library comes with the driver of the GPU, so there is nothing to install and no version to match. Calls let other
threads of Python run. What goes wrong is said in one sentence with what to do about it.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from functools import cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from stratagem.errors import DeviceUnavailable, LimitExceeded, UnsuitableGame
from stratagem.platform import cuda_library

OUT_OF_MEMORY: Final = 2
NO_DEVICE: Final = 100
ASSEMBLER_FAILED: Final = frozenset({200, 209, 218, 221, 222})
OLDEST_DRIVER: Final = 11080
"""PTX 7.8 is what LLVM writes for the newest architecture: CUDA 11.8."""
OLDEST_ARCHITECTURE: Final = 70
"""From compute capability 7.0 (Volta) on every thread runs on its own, which the kernels need."""

MULTIPROCESSORS: Final = 16
MAJOR: Final = 75
MINOR: Final = 76
SHARED_MEMORY: Final = 97
"""Attributes of a device; the last one is the most shared memory that a block may ask for."""
DYNAMIC_SHARED: Final = 8
REGISTERS: Final = 4
LOCAL_BYTES: Final = 3
"""Attributes of a function."""
WORD: Final = (1 << 64) - 1
MAX_REGISTERS: Final = 0
ERROR_LOG: Final = 5
ERROR_LOG_BYTES: Final = 6
"""Options of the assembler."""


class Driver:
    """The driver's library; *library* is whatever has its functions."""

    def __init__(self, library: Any) -> None:
        self._library = library
        status = library.cuInit(0)
        if status:
            raise _no_device(self, status)

    def call(self, function: str, *arguments: object) -> None:
        """Call a function of the driver, which must not fail."""
        status = getattr(self._library, function)(*arguments)
        if status:
            raise self.failure(function, status)

    def try_call(self, function: str, *arguments: object) -> int:
        """Call a function of the driver; its status."""
        status: int = getattr(self._library, function)(*arguments)
        return status

    def failure(self, function: str, status: int) -> Exception:
        """What a status means, as an exception."""
        if status == OUT_OF_MEMORY:
            return LimitExceeded(
                "the GPU has too little free memory for these matches",
                hint="end other programs on it, or play fewer at a time",
            )
        return DeviceUnavailable(
            f"the GPU's driver says {self.name_of(status)} in {function}",
            hint='device="cpu" plays the same matches without it',
        )

    def name_of(self, status: int) -> str:
        text = ctypes.c_char_p()
        if self._library.cuGetErrorName(status, ctypes.byref(text)) or text.value is None:
            return f"error {status}"
        return text.value.decode()

    def version(self) -> int:
        """The newest CUDA that the driver knows: 12040 is 12.4."""
        found = ctypes.c_int()
        self.call("cuDriverGetVersion", ctypes.byref(found))
        return found.value

    def device_count(self) -> int:
        found = ctypes.c_int()
        self.call("cuDeviceGetCount", ctypes.byref(found))
        return found.value


def _no_device(driver: Driver, status: int) -> DeviceUnavailable:
    if status == NO_DEVICE:
        return DeviceUnavailable(
            "no NVIDIA GPU is visible", hint="see what nvidia-smi lists, and CUDA_VISIBLE_DEVICES"
        )
    return DeviceUnavailable(
        f"the GPU's driver does not start ({driver.name_of(status)})",
        hint="see whether nvidia-smi works on this machine",
    )


class Device:
    """One GPU. Calls from any thread; work on it is in order."""

    def __init__(self, driver: Driver, number: int) -> None:
        self.driver, self.number = driver, number
        handle = ctypes.c_int()
        driver.call("cuDeviceGet", ctypes.byref(handle), number)
        self._handle = handle
        name = ctypes.create_string_buffer(256)
        driver.call("cuDeviceGetName", name, len(name), handle)
        self.name = name.value.decode()
        self.architecture = 10 * self.attribute(MAJOR) + self.attribute(MINOR)
        self.multiprocessors = self.attribute(MULTIPROCESSORS)
        self.shared_memory = self.attribute(SHARED_MEMORY)
        if self.architecture < OLDEST_ARCHITECTURE:
            raise DeviceUnavailable(
                f"{self.name} has compute capability {self.architecture / 10}; kernels need 7.0 or newer",
                hint='device="cpu" plays the same matches',
            )
        self._context = ctypes.c_void_p()
        driver.call("cuDevicePrimaryCtxRetain", ctypes.byref(self._context), handle)

    def __repr__(self) -> str:
        return f"<GPU {self.number}: {self.name}>"

    def attribute(self, number: int) -> int:
        found = ctypes.c_int()
        self.driver.call("cuDeviceGetAttribute", ctypes.byref(found), number, self._handle)
        return found.value

    def use(self) -> None:
        """Make this device the one that calls of the current thread are for."""
        self.driver.call("cuCtxSetCurrent", self._context)

    def free_memory(self) -> int:
        """Bytes."""
        self.use()
        free, total = ctypes.c_size_t(), ctypes.c_size_t()
        self.driver.call("cuMemGetInfo_v2", ctypes.byref(free), ctypes.byref(total))
        return free.value

    def allocate(self, size: int, *, zeroed: bool = True) -> DeviceMemory:
        """*size* bytes."""
        return DeviceMemory(self, size, zeroed=zeroed)

    def copy_of(self, array: NDArray[Any]) -> DeviceMemory:
        """The bytes of *array*."""
        memory = DeviceMemory(self, array.nbytes, zeroed=False)
        memory.write(array)
        return memory

    def write(self, address: int, array: NDArray[Any]) -> None:
        """Copy *array* to *address*."""
        source = np.ascontiguousarray(array)
        self.use()
        self.driver.call(
            "cuMemcpyHtoD_v2",
            ctypes.c_uint64(address),
            ctypes.c_void_p(source.ctypes.data),
            ctypes.c_size_t(source.nbytes),
        )

    def read(self, address: int, array: NDArray[Any]) -> NDArray[Any]:
        """Fill *array*, which is one block of memory, from *address* on; waits for launches before it."""
        self.use()
        self.driver.call(
            "cuMemcpyDtoH_v2",
            ctypes.c_void_p(array.ctypes.data),
            ctypes.c_uint64(address),
            ctypes.c_size_t(array.nbytes),
        )
        return array

    def fill(self, address: int, byte: int, size: int) -> None:
        """Set *size* bytes from *address* on."""
        self.use()
        self.driver.call(
            "cuMemsetD8_v2", ctypes.c_uint64(address), ctypes.c_ubyte(byte), ctypes.c_size_t(size)
        )

    def finish(self) -> None:
        """Wait until everything is done."""
        self.use()
        self.driver.call("cuCtxSynchronize")


class DeviceMemory:
    """Memory of a device; it is given back with this object."""

    def __init__(self, device: Device, size: int, *, zeroed: bool = True) -> None:
        self.device, self.size = device, max(16, size)
        self.address = ctypes.c_uint64()
        device.use()
        device.driver.call("cuMemAlloc_v2", ctypes.byref(self.address), ctypes.c_size_t(self.size))
        if zeroed:
            self.fill(0, self.size)

    def __del__(self) -> None:
        if self.address.value:
            self.free()

    def free(self) -> None:
        address, self.address = self.address, ctypes.c_uint64()
        self.device.driver.try_call("cuCtxSetCurrent", self.device._context)
        self.device.driver.try_call("cuMemFree_v2", address)

    def write(self, array: NDArray[Any], offset: int = 0) -> None:
        """Copy *array* into the memory, from byte *offset* on."""
        self.device.write(self.address.value + offset, array)

    def fill(self, byte: int, size: int) -> None:
        """Set the first *size* bytes."""
        self.device.fill(self.address.value, byte, size)

    def copy_from(self, other: DeviceMemory) -> None:
        """Take over the bytes of *other*, which is as large and on the same device."""
        self.device.use()
        self.device.driver.call(
            "cuMemcpyDtoD_v2", self.address, other.address, ctypes.c_size_t(min(self.size, other.size))
        )

    def read(self, array: NDArray[Any], offset: int = 0) -> NDArray[Any]:
        """Fill *array*, which is one block of memory, from byte *offset* on; waits for launches before it."""
        return self.device.read(self.address.value + offset, array)


class Module:
    """A kernel that the driver has assembled for a device."""

    def __init__(self, device: Device, code: bytes, entry: str, *, registers: int = 0) -> None:
        """*registers*: how many a thread may use at most; 0 leaves it to the assembler."""
        self.device, self._module = device, ctypes.c_void_p()
        self._functions: dict[str, ctypes.c_void_p] = {}
        driver = device.driver
        device.use()
        log = ctypes.create_string_buffer(4096)
        options = [(ERROR_LOG, ctypes.addressof(log)), (ERROR_LOG_BYTES, len(log))]
        if registers:
            options.append((MAX_REGISTERS, registers))
        kinds = (ctypes.c_int * len(options))(*[kind for kind, _ in options])
        values = (ctypes.c_void_p * len(options))(*[value for _, value in options])
        status = driver.try_call(
            "cuModuleLoadDataEx",
            ctypes.byref(self._module),
            ctypes.c_char_p(code + b"\0"),
            ctypes.c_uint(len(options)),
            kinds,
            values,
        )
        if status in ASSEMBLER_FAILED:
            raise self._refused(status, log.value.decode(errors="replace").strip())
        if status:
            raise driver.failure("cuModuleLoadDataEx", status)
        self._function = self._entry(entry)

    def _entry(self, name: str) -> ctypes.c_void_p:
        """One of the kernels of the module."""
        found = self._functions.get(name)
        if found is None:
            found = ctypes.c_void_p()
            self.device.driver.call(
                "cuModuleGetFunction", ctypes.byref(found), self._module, ctypes.c_char_p(name.encode())
            )
            self._functions[name] = found
        return found

    def _refused(self, status: int, log: str) -> Exception:
        driver = self.device.driver
        if driver.version() < OLDEST_DRIVER:
            return DeviceUnavailable(
                f"the driver of {self.device.name} knows CUDA {driver.version() // 1000}.{driver.version() % 1000 // 10};"
                " kernels need 11.8 or newer",
                hint="update NVIDIA's driver",
            )
        said = log.splitlines()[0] if log else driver.name_of(status)
        return UnsuitableGame(f"the driver of {self.device.name} rejects the generated code: {said}")

    def __del__(self) -> None:
        if self._module.value:
            self.device.driver.try_call("cuCtxSetCurrent", self.device._context)
            self.device.driver.try_call("cuModuleUnload", self._module)

    def attribute(self, number: int) -> int:
        found = ctypes.c_int()
        self.device.use()
        self.device.driver.call("cuFuncGetAttribute", ctypes.byref(found), number, self._function)
        return found.value

    def blocks_per_multiprocessor(self, threads: int, shared: int) -> int:
        """How many blocks run at the same time on one multiprocessor."""
        self._allow(shared)
        found = ctypes.c_int()
        self.device.driver.call(
            "cuOccupancyMaxActiveBlocksPerMultiprocessor",
            ctypes.byref(found),
            self._function,
            ctypes.c_int(threads),
            ctypes.c_size_t(shared),
        )
        return found.value

    def launch(
        self, blocks: int, threads: int, shared: int, arrays: Sequence[DeviceMemory], numbers: Sequence[int]
    ) -> None:
        """Start the kernel; it reads its *arrays* and 32-bit *numbers* in this order."""
        self._allow(shared)
        values: list[Any] = [ctypes.c_uint64(array.address.value) for array in arrays]
        values += [ctypes.c_uint32(number) for number in numbers]
        pointers = (ctypes.c_void_p * len(values))(*[ctypes.addressof(value) for value in values])
        grid = [ctypes.c_uint(size) for size in (blocks, 1, 1, threads, 1, 1, shared)]
        self.device.driver.call("cuLaunchKernel", self._function, *grid, None, pointers, None)

    def start(self, entry: str, total: int, threads: int, arguments: Sequence[int]) -> None:
        """Start *total* threads of a kernel, rounded up to blocks of *threads*; its arguments have 64 bits."""
        self.device.use()
        values = [ctypes.c_uint64(value & WORD) for value in arguments]
        pointers = (ctypes.c_void_p * len(values))(*[ctypes.addressof(value) for value in values])
        grid = [ctypes.c_uint(size) for size in (max(1, -(-total // threads)), 1, 1, threads, 1, 1, 0)]
        self.device.driver.call("cuLaunchKernel", self._entry(entry), *grid, None, pointers, None)

    def _allow(self, shared: int) -> None:
        self.device.use()
        self.device.driver.call(
            "cuFuncSetAttribute", self._function, ctypes.c_int(DYNAMIC_SHARED), ctypes.c_int(shared)
        )


def devices(driver: Driver | None = None) -> list[Device]:
    """All GPUs of this machine that are visible, at least one."""
    driver = system_driver() if driver is None else driver
    count = driver.device_count()
    if count == 0:
        raise _no_device(driver, NO_DEVICE)
    return [Device(driver, number) for number in range(count)]


@cache
def system_devices() -> tuple[Device, ...]:
    """The GPUs of this machine."""
    return tuple(devices())


@cache
def system_driver() -> Driver:
    """The driver of this machine."""
    name = cuda_library()
    try:
        library = ctypes.CDLL(name)
    except OSError:
        raise DeviceUnavailable(
            f"NVIDIA's driver ({name}) is not installed on this machine",
            hint='install it, or play with device="cpu"',
        ) from None
    return Driver(library)

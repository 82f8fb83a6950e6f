"""DLPack, version 0: how libraries hand each other arrays in the memory of a device, without a copy.

A capsule holds a pointer to a record with the address, the shape and a function that gives the array back. What this
package exports lives until that function is called; what it takes over is given back when it is no longer needed.
"""

from __future__ import annotations

import ctypes
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import DTypeLike

from stratagem.errors import UsageError

CUDA: Final = 2
"""The kind of device: memory of an NVIDIA GPU."""
LEGACY_STREAM: Final = 1
"""The stream on which kernels run: what another library still computes must be done before what is started there."""
NAME: Final = b"dltensor"
USED: Final = b"used_dltensor"
KINDS: Final = {"i": 0, "u": 1, "f": 2, "b": 6}
"""The codes of numpy's kinds of numbers."""


class Exporter(Protocol):
    """An array of another library."""

    def __dlpack__(self, *, stream: int | None = None) -> object: ...

    def __dlpack_device__(self) -> tuple[int, int]: ...


class Tensor(ctypes.Structure):
    """DLTensor."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_number", ctypes.c_int32),
        ("dimensions", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )


class ManagedTensor(ctypes.Structure):
    """DLManagedTensor."""

    _fields_ = (("tensor", Tensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p))


_python = ctypes.pythonapi
_new = ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)(
    ("PyCapsule_New", _python)
)
_is_valid = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)(("PyCapsule_IsValid", _python))
_pointer = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", _python)
)
_rename = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.c_char_p)(("PyCapsule_SetName", _python))
_DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)

_exported: dict[int, object] = {}
"""By the address of its record, everything that an exported array needs."""


def _forget(record: int | None) -> None:
    """Called by whoever has taken an array over, when it is no longer needed."""
    if record is not None:
        _exported.pop(record, None)


def _dropped(capsule: int) -> None:
    """The end of a capsule; nobody has taken the array over if it still has its first name."""
    if _is_valid(capsule, NAME):
        _forget(_pointer(capsule, NAME))


_delete = _DELETER(_forget)
_drop = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(_dropped)
_NAMES: Final = (ctypes.c_char_p(NAME), ctypes.c_char_p(USED))
"""Capsules keep pointers to these."""


def exported(owner: object, address: int, number: int, shape: tuple[int, ...], kind: DTypeLike) -> object:
    """The capsule of an array at *address* in the memory of GPU *number*; *owner* keeps it there."""
    dtype = np.dtype(kind)
    sizes = (ctypes.c_int64 * max(1, len(shape)))(*shape)
    record = ManagedTensor()
    record.tensor = Tensor(
        address, CUDA, number, len(shape), KINDS[dtype.kind], 8 * dtype.itemsize, 1, sizes, None, 0
    )
    record.deleter = ctypes.cast(_delete, ctypes.c_void_p).value
    place = ctypes.addressof(record)
    _exported[place] = (record, sizes, owner)
    return _new(place, _NAMES[0], ctypes.cast(_drop, ctypes.c_void_p))


class Borrowed:
    """An array of another library, taken over until `give_back`: address, shape, strides in bytes and type."""

    def __init__(self, array: Exporter, number: int) -> None:
        kind, where = array.__dlpack_device__()
        if (int(kind), int(where)) != (CUDA, number):
            raise UsageError(
                f"this array is on another device than GPU {number}", hint="bring it there, or to the CPU"
            )
        capsule = array.__dlpack__(stream=LEGACY_STREAM)
        if not _is_valid(id(capsule), NAME):
            raise UsageError("this array comes in a newer form of DLPack", hint="give it as a numpy array")
        self._record: ManagedTensor | None = ManagedTensor.from_address(_pointer(id(capsule), NAME))
        _rename(capsule, _NAMES[1])
        tensor: Any = self._record.tensor
        self.address: int = (tensor.data or 0) + tensor.byte_offset
        self.shape: tuple[int, ...] = tuple(tensor.shape[axis] for axis in range(tensor.dimensions))
        self.code, self.bits = int(tensor.code), int(tensor.bits)
        self.strides = self._strides(tensor)

    def _strides(self, tensor: Any) -> tuple[int, ...]:
        size = self.bits // 8
        if tensor.strides:
            return tuple(size * tensor.strides[axis] for axis in range(tensor.dimensions))
        found = [size]
        for length in reversed(self.shape[1:]):
            found.insert(0, found[0] * length)
        return tuple(found[: len(self.shape)])

    @property
    def packed(self) -> bool:
        """Whether the numbers lie one after the other."""
        distance = self.bits // 8
        for length, stride in zip(reversed(self.shape), reversed(self.strides), strict=True):
            if length > 1 and stride != distance:
                return False
            distance *= length
        return True

    def give_back(self) -> None:
        """Say that the array is no longer needed here."""
        record, self._record = self._record, None
        if record is not None and record.deleter:
            _DELETER(record.deleter)(ctypes.addressof(record))

    def __del__(self) -> None:
        if getattr(self, "_record", None) is not None:
            self.give_back()


def on_gpu(array: object) -> bool:
    """Whether *array* is in the memory of a GPU, where numpy cannot read it."""
    asked = getattr(array, "__dlpack_device__", None)
    return asked is not None and int(asked()[0]) == CUDA

"""What a batch on a GPU is given: arrays of other libraries on the same device, taken as they are, or numpy's, copied."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from stratagem.errors import UsageError
from stratagem.native.gpu.batch.arrays import DeviceArray
from stratagem.native.gpu.batch.dlpack import KINDS, Borrowed, on_gpu
from stratagem.native.gpu.batch.kernels import BatchKernels

if TYPE_CHECKING:
    from numpy.typing import NDArray

ALIGNED: Final = 16
"""Bytes on which actions must lie to be read where they are."""
WHOLE: Final = (KINDS["i"], KINDS["u"])
BYTES: Final = ((KINDS["b"], 8), (KINDS["u"], 8))
"""What can be read as flags: bools, and bytes."""


def uploaded(kernels: BatchKernels, values: NDArray[Any]) -> DeviceArray:
    """A copy of *values* on the device."""
    array = kernels.pool.array(values.shape, values.dtype)
    kernels.device.write(array.address, values)
    return array


def taken_bools(kernels: BatchKernels, given: object, shape: tuple[int, ...]) -> DeviceArray:
    """Flags as an array of the device: their own memory if they are there already."""
    if isinstance(given, DeviceArray) and given.shape == shape and given.dtype == np.bool_:
        return given
    if not on_gpu(given):
        return uploaded(kernels, np.ascontiguousarray(given, np.bool_))
    array = Borrowed(given, kernels.device.number)  # type: ignore[arg-type]
    if array.shape != shape or (array.code, array.bits) not in BYTES or not array.packed:
        raise UsageError(f"a packed array of bools {shape} is needed, not one of {array.shape}")
    return DeviceArray(kernels.device, array.address, shape, np.bool_, array)


def joint_on_device(
    kernels: BatchKernels, actions: object, numbers: Mapping[str, int], count: int
) -> DeviceArray | None:
    """The actions of *count* matches as an array [n, roles] of the device, if any of them are there.

    *actions* are an array, or a mapping from roles, whose *numbers* are given; a role that it leaves out makes its only
    move (-1).
    """
    roles = len(numbers)
    if isinstance(actions, DeviceArray) and actions.shape == (count, roles) and actions.dtype == np.int32:
        return actions
    if isinstance(actions, Mapping):
        if not any(map(on_gpu, actions.values())):
            return None
        array = kernels.pool.array((count, roles), np.int32)
        kernels.device.fill(array.address, 0xFF, array.nbytes)
        for role, own in actions.items():
            _place(kernels, own, f"the actions of {role} are {count} indices", (count,), array, numbers[role])
        return array
    if not on_gpu(actions):
        return None
    given = Borrowed(actions, kernels.device.number)  # type: ignore[arg-type]
    shape = (count,) if roles == 1 and len(given.shape) == 1 else (count, roles)
    plain = (given.code, given.bits) == (KINDS["i"], 32) and given.packed and given.address % ALIGNED == 0
    if given.shape == shape and plain:
        return DeviceArray(kernels.device, given.address, (count, roles), np.int32, given)
    array = kernels.pool.array((count, roles), np.int32)
    _place(kernels, given, f"actions are an array of {count} by {roles} indices", shape, array, 0)
    return array


def _place(
    kernels: BatchKernels, given: object, wanted: str, shape: tuple[int, ...], array: DeviceArray, role: int
) -> None:
    """Write the actions *given* to the column of *role*, or to all columns."""
    if not isinstance(given, Borrowed):
        given = Borrowed(_there(kernels, given), kernels.device.number)  # type: ignore[arg-type]
    if given.shape != shape:
        raise UsageError(f"{wanted}, not {given.shape}")
    if given.code not in WHOLE:
        raise UsageError("actions are whole numbers", hint="convert them to int32")
    columns = shape[1] if len(shape) == 2 else 1
    row, column = (*given.strides, 0)[:2]
    count, roles = array.shape
    kind = (given.bits, int(given.code == KINDS["i"]))
    place = (row, column, columns, array.address, role, roles, count)
    kernels.view("place_bytes", count, given.address, *kind, *place)
    # The other library may use the memory for something else as soon as it has it back.
    kernels.device.finish()
    given.give_back()


def _there(kernels: BatchKernels, values: object) -> object:
    """*values* on the device."""
    return values if on_gpu(values) else uploaded(kernels, np.ascontiguousarray(values))

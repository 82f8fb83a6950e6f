"""The names of devices: which GPUs a user means."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from stratagem.errors import UsageError
from stratagem.native.gpu.cuda import Device, system_devices

CPU: Final = "cpu"
CUDA: Final = "cuda"


def chosen_devices(name: str) -> Sequence[Device] | None:
    """The GPUs that *name* stands for, or None for the CPU: ``cuda`` is all of them, ``cuda:0`` the first."""
    if name == CPU:
        return None
    kind, _, number = name.partition(":")
    if kind != CUDA or (number and not number.isdecimal()):
        raise UsageError(
            f"{name!r} is not a device", hint='give "cpu", "cuda" or the number of a GPU, as in "cuda:0"'
        )
    found = system_devices()
    if not number:
        return found
    if int(number) >= len(found):
        raise UsageError(
            f"there is no GPU number {number}; this machine shows {len(found)}",
            hint="they are counted from 0",
        )
    return found[int(number) : int(number) + 1]

"""What can stand in memory: the type of an array's elements and of a record's fields, in Python, numpy and LLVM."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from stratagem.errors import UsageError
from stratagem.kernels.language.numbers import (
    float32,
    int8,
    int16,
    int32,
    uint8,
    uint16,
    uint32,
    uint64,
)


@dataclass(frozen=True, slots=True)
class Element:
    """A number in memory. *register* is the type that a kernel computes with after reading it."""

    python: type
    register: type
    numpy: str
    llvm: str
    size: int

    @property
    def name(self) -> str:
        return self.python.__name__

    @property
    def dtype(self) -> np.dtype[np.generic]:
        return np.dtype(self.numpy)

    def read(self, value: np.generic) -> int | float:
        """A number from memory as Python computes with it."""
        plain: int | float = value.item()
        return uint64(plain) if self.python is uint64 else float32(plain) if self.python is float32 else plain

    def checked(self, value: float) -> int | float:
        """*value*, if it may be written here; a kernel that writes what does not fit says ``int16(value)``."""
        if self.python is bool:
            if not isinstance(value, bool):
                raise UsageError(f"a bool is expected here, not {value!r}")
            return value
        if self.register is float or self.register is float32:
            return value
        if isinstance(value, bool | float) or not isinstance(value, int):
            raise UsageError(f"a whole number is expected here, not {value!r}")
        bits, signed = 8 * self.size, not self.numpy.startswith("u")
        low = -(1 << (bits - 1)) if signed else 0
        if not low <= value < low + (1 << bits):
            raise UsageError(f"{value} does not fit into {self.name}")
        return int.__add__(value, 0)


ELEMENTS: Final[dict[object, Element]] = {
    element.python: element
    for element in (
        Element(int, int, "i8", "i64", 8),
        Element(uint64, uint64, "u8", "i64", 8),
        Element(float, float, "f8", "double", 8),
        Element(float32, float32, "f4", "float", 4),
        Element(bool, bool, "?", "i8", 1),
        Element(int8, int, "i1", "i8", 1),
        Element(int16, int, "i2", "i16", 2),
        Element(int32, int, "i4", "i32", 4),
        Element(uint8, int, "u1", "i8", 1),
        Element(uint16, int, "u2", "i16", 2),
        Element(uint32, int, "u4", "i32", 4),
    )
}

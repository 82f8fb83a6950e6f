"""The numbers of the kernel language that Python does not have.

`int` is a 64-bit signed integer, `float` a 64-bit float and `bool` a bool. Beside them there are two more to compute
with, `uint64`, whose arithmetic is modulo 2 ** 64, and `float32`. The narrow integers are for memory: an element of an
`Array[int16]` is read as an int, and ``int16(value)`` is an int cut down to 16 bits.
"""

from __future__ import annotations

import ctypes
from typing import ClassVar, Final, Self

WORD: Final = 0xFFFF_FFFF_FFFF_FFFF
LOWEST: Final = -(1 << 63)
HIGHEST: Final = (1 << 63) - 1


class uint64(int):
    """An unsigned 64-bit integer: a word of bits, a hash. It does not mix with `int` but by conversion."""

    def __new__(cls, value: float = 0) -> Self:
        whole = value if isinstance(value, int) else int(value)
        return super().__new__(cls, int.__and__(whole, WORD))

    def __int__(self) -> int:
        """The same 64 bits as a signed number."""
        return int.__sub__(self, 1 << 64) if int.__gt__(self, HIGHEST) else int.__add__(self, 0)

    def __add__(self, other: int, /) -> Self:
        return type(self)(int.__add__(self, other))

    def __radd__(self, other: int, /) -> Self:
        return type(self)(int.__add__(self, other))

    def __sub__(self, other: int, /) -> Self:
        return type(self)(int.__sub__(self, other))

    def __rsub__(self, other: int, /) -> Self:
        return type(self)(int.__rsub__(self, other))

    def __mul__(self, other: int, /) -> Self:
        return type(self)(int.__mul__(self, other))

    def __rmul__(self, other: int, /) -> Self:
        return type(self)(int.__mul__(self, other))

    def __floordiv__(self, other: int, /) -> Self:
        return type(self)(int.__floordiv__(self, other))

    def __rfloordiv__(self, other: int, /) -> Self:
        return type(self)(int.__rfloordiv__(self, other))

    def __mod__(self, other: int, /) -> Self:
        return type(self)(int.__mod__(self, other))

    def __rmod__(self, other: int, /) -> Self:
        return type(self)(int.__rmod__(self, other))

    def __and__(self, other: int, /) -> Self:
        return type(self)(int.__and__(self, other))

    def __rand__(self, other: int, /) -> Self:
        return type(self)(int.__and__(self, other))

    def __or__(self, other: int, /) -> Self:
        return type(self)(int.__or__(self, other))

    def __ror__(self, other: int, /) -> Self:
        return type(self)(int.__or__(self, other))

    def __xor__(self, other: int, /) -> Self:
        return type(self)(int.__xor__(self, other))

    def __rxor__(self, other: int, /) -> Self:
        return type(self)(int.__xor__(self, other))

    def __lshift__(self, places: int, /) -> Self:
        return type(self)(int.__lshift__(self, _places(places)))

    def __rshift__(self, places: int, /) -> Self:
        return type(self)(int.__rshift__(self, _places(places)))

    def __neg__(self) -> Self:
        return type(self)(int.__neg__(self))

    def __invert__(self) -> Self:
        return type(self)(int.__invert__(self))


def _places(places: int) -> int:
    if not 0 <= places < 64:
        raise OverflowError(f"a word of 64 bits cannot be shifted by {places}")
    return places


class float32(float):
    """A 32-bit float. It does not mix with `float` but by conversion."""

    def __new__(cls, value: float = 0.0) -> Self:
        # One operation in 64 bits, rounded to 32, is the operation in 32 bits: 53 >= 2 * 24 + 2 (Figueroa, 1995).
        return super().__new__(cls, _single(value))

    def __add__(self, other: float, /) -> Self:
        return type(self)(float.__add__(self, _single(other)))

    def __radd__(self, other: float, /) -> Self:
        return type(self)(float.__add__(self, _single(other)))

    def __sub__(self, other: float, /) -> Self:
        return type(self)(float.__sub__(self, _single(other)))

    def __rsub__(self, other: float, /) -> Self:
        return type(self)(float.__rsub__(self, _single(other)))

    def __mul__(self, other: float, /) -> Self:
        return type(self)(float.__mul__(self, _single(other)))

    def __rmul__(self, other: float, /) -> Self:
        return type(self)(float.__mul__(self, _single(other)))

    def __truediv__(self, other: float, /) -> Self:
        return type(self)(float.__truediv__(self, _single(other)))

    def __rtruediv__(self, other: float, /) -> Self:
        return type(self)(float.__rtruediv__(self, _single(other)))

    def __neg__(self) -> Self:
        return type(self)(float.__neg__(self))

    def __abs__(self) -> Self:
        return type(self)(float.__abs__(self))


def _single(value: float) -> float:
    """A number rounded to 32 bits."""
    return ctypes.c_float(value).value


class int8(int):
    """An 8-bit signed integer in memory; the others below likewise."""

    bits: ClassVar[int] = 8
    signed: ClassVar[bool] = True

    def __new__(cls, value: float = 0) -> Self:
        whole = int(value) & ((1 << cls.bits) - 1)
        if cls.signed and whole >> (cls.bits - 1):
            whole -= 1 << cls.bits
        return super().__new__(cls, whole)


class int16(int8):
    bits = 16


class int32(int8):
    bits = 32


class uint8(int8):
    signed = False


class uint16(int8):
    bits = 16
    signed = False


class uint32(int8):
    bits = 32
    signed = False

"""Arrays: memory as kernels see it. In machine code an array is a pointer; in Python every access is checked.

An array of a record may have several dimensions, whose sizes the record knows; everywhere else it has one.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from stratagem.errors import UsageError
from stratagem.kernels.language.elements import ELEMENTS

T = TypeVar("T")
POISON = 0xDE
BUFFER = ctypes.c_char * 0


class Array(Generic[T]):
    """*values* as elements of the given *kind*: a number type or a record.

    >>> squares = Array(int, np.arange(4) ** 2)
    >>> squares[3], squares.at(2)[1]
    (9, 9)
    >>> squares[4]
    Traceback (most recent call last):
    ...
    stratagem.errors.UsageError: index 4 is outside an array of 4
    """

    __slots__ = ("element", "flat", "kind", "known_address", "shape", "start", "stop", "written")

    def __init__(self, kind: type[T], values: NDArray[Any]) -> None:
        self.kind: Any = kind
        self.element = ELEMENTS.get(kind)
        self.flat: NDArray[Any] = values.reshape(-1)
        self.shape: tuple[int, ...] = values.shape
        self.start, self.stop = 0, values.size
        self.written: NDArray[np.bool_] | None = None
        self.known_address: int | None = None

    @property
    def numpy(self) -> NDArray[Any]:
        """The same memory for numpy, in its shape."""
        return self.flat[self.start : self.stop].reshape(self.shape)

    @property
    def address(self) -> int:
        if self.known_address is None:
            self.known_address = _address(self.flat) + self.start * self.flat.itemsize
        return self.known_address

    @property
    def _as_parameter_(self) -> int:
        """What ctypes passes for it."""
        return self.address

    def __getitem__(self, index: int | tuple[int, ...]) -> T:
        place = self._place(index)
        if self.element is None:
            view: T = self.kind.record_view(self.flat, place)
            return view
        if self.written is not None and not self.written[place]:
            raise UsageError(f"index {index} of a local array is read before it is written")
        value: Any = self.element.read(self.flat[place])
        found: T = value
        return found

    def __setitem__(self, index: int | tuple[int, ...], value: float) -> None:
        place = self._place(index)
        if self.element is None:
            raise UsageError("a record is changed field by field")
        self.flat[place] = self.element.checked(value)
        if self.written is not None:
            self.written[place] = True

    def at(self, *index: int) -> Array[T]:
        """The elements from the one at *index* on, to the end; further indices count as 0."""
        place = self._flat(index + (0,) * (len(self.shape) - len(index)), ends=True)
        return self._part(place, self.stop)

    def row(self, *index: int) -> Array[T]:
        """The last dimension at the given *index* of all others."""
        place = self._flat((*index, 0), ends=self.shape[-1] == 0)
        return self._part(place, place + self.shape[-1])

    def _part(self, start: int, stop: int) -> Array[T]:
        part: Array[T] = Array(self.kind, self.flat)
        part.shape, part.start, part.stop, part.written = (stop - start,), start, stop, self.written
        return part

    def _place(self, index: int | tuple[int, ...]) -> int:
        if not isinstance(index, tuple):
            place = self.start + index
            if len(self.shape) != 1 or not self.start <= place < self.stop:
                raise self._outside((index,))
            return place
        return self._flat(index)

    def _flat(self, index: Sequence[int], *, ends: bool = False) -> int:
        place = 0
        if len(index) != len(self.shape):
            raise self._outside(index)
        for number, size in zip(index, self.shape, strict=True):
            if not 0 <= number < size + ends:
                raise self._outside(index)
            place = place * size + number
        return self.start + place

    def _outside(self, index: Sequence[int]) -> UsageError:
        shown = ", ".join(map(str, index))
        return UsageError(f"index {shown} is outside an array of {' x '.join(map(str, self.shape))}")


def _address(values: NDArray[Any]) -> int:
    """Where an array begins."""
    try:
        return ctypes.addressof(BUFFER.from_buffer(values.data))  # in a quarter of the time that numpy takes
    except TypeError:  # memory that cannot be written
        return values.ctypes.data


def local(kind: type[T], size: int) -> Array[T]:
    """Memory of *size* elements for one call of a function; nothing may be read before it is written."""
    element = ELEMENTS.get(kind)
    if element is None:
        raise UsageError("a local array holds numbers")
    made = Array(kind, np.full(size * element.size, POISON, np.uint8).view(element.dtype))
    made.written = np.zeros(size, np.bool_)
    return made


def poisoned(shape: int | tuple[int, ...], dtype: str | type) -> NDArray[Any]:
    """Scratch memory for tests: full of bytes that no kernel should ever make use of."""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    return np.full(size, POISON, np.uint8).view(dtype).reshape(shape)

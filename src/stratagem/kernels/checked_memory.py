"""Cells: memory as the drivers see it, and the primitives that they use (see `lower`).

In machine code a pointer is a pointer. Run as Python, every access is checked against the bounds of the array behind
it, and scratch memory is poisoned: a driver that reads what it never wrote stands out.
"""

from __future__ import annotations

from typing import ClassVar, Final
from weakref import WeakValueDictionary

import numpy as np
from numpy.typing import NDArray

from stratagem.errors import UsageError

POISON: Final = 0xDEAD_BEEF_DEAD_BEEF
WORD: Final = 0xFFFF_FFFF_FFFF_FFFF


class Cells:
    """A place in an array; indices count from it."""

    mask: ClassVar[int] = WORD

    def __init__(self, memory: NDArray[np.generic] | int, start: int = 0) -> None:
        if isinstance(memory, int):
            known = _addresses.get(memory)
            if known is None:
                raise UsageError(f"nothing is known to lie at {memory:#x}")
            memory = known.reshape(-1)
        self.memory = memory
        self.start = start

    def __getitem__(self, index: int) -> int:
        return int(self.memory[self._checked(index)])

    def __setitem__(self, index: int, value: int) -> None:
        bits = value & self.mask
        kind = self.memory.dtype
        self.memory[self._checked(index)] = np.array(bits, f"u{kind.itemsize}").view(kind)

    def at(self, index: int) -> Cells:
        return type(self)(self.memory, self.start + index)

    def _checked(self, index: int) -> int:
        place = self.start + index
        if not 0 <= place < self.memory.size:
            raise UsageError(f"place {place} lies outside of an array of {self.memory.size}")
        return place


class Words(Cells):
    """uint64"""

    def at(self, index: int) -> Words:
        return Words(self.memory, self.start + index)


class Numbers(Cells):
    """int32"""

    mask = 0xFFFF_FFFF

    def at(self, index: int) -> Numbers:
        return Numbers(self.memory, self.start + index)


class Flags(Cells):
    """uint8"""

    mask = 0xFF

    def at(self, index: int) -> Flags:
        return Flags(self.memory, self.start + index)


class Scores(Cells):
    """int16"""

    mask = 0xFFFF

    def at(self, index: int) -> Scores:
        return Scores(self.memory, self.start + index)


_addresses: WeakValueDictionary[int, NDArray[np.generic]] = WeakValueDictionary()


def known_at(array: NDArray[np.generic]) -> int:
    """The address of *array*, which checked code may from now on turn into cells."""
    _addresses[array.ctypes.data] = array
    return array.ctypes.data


def count_ones(word: int) -> int:
    """How many bits are set."""
    return (word & WORD).bit_count()


def lowest_one(word: int) -> int:
    """The place of the lowest bit that is set; 64 if none is."""
    return (word & -word).bit_length() - 1 if word & WORD else 64


def as_numbers(words: Words) -> Numbers:
    """The same memory as 32-bit numbers."""
    rest = words.memory[words.start :]
    return Numbers(rest.view(np.int32))


def take(words: int) -> Words:
    """Scratch memory on a cache line, with any contents."""
    room = np.full(words + 8, POISON, np.uint64)
    start = -(room.ctypes.data // 8) % 8
    return Words(room[start : start + words])


def give(memory: Words) -> None:
    """Give scratch memory back: it must not be used any more."""
    memory.memory = memory.memory[:0]


def transpose(block: Words) -> None:
    """Bit i of word k becomes bit k of word i, for 64 words."""
    rows = [block[at] for at in range(64)]
    for at in range(64):
        block[at] = sum((row >> at & 1) << place for place, row in enumerate(rows))

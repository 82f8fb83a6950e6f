"""Primitives of the kernel language: single instructions that Python has no operator for.

`min`, `max`, `abs` and the conversions `int`, `float` and `bool` are Python's own.
"""

from __future__ import annotations

import math
from typing import Any, TypeVar

from stratagem.errors import UsageError
from stratagem.kernels.language.arrays import Array
from stratagem.kernels.language.numbers import WORD, float32, uint64

T = TypeVar("T", bound=float)
F = TypeVar("F", float, float32)


def count_ones(word: uint64) -> int:
    """How many bits are set."""
    return word.bit_count()


def lowest_one(word: uint64) -> int:
    """The place of the lowest bit that is set; 64 if none is."""
    return (int.__and__(word, -int.__add__(word, 0))).bit_length() - 1 if word else 64


def highest_one(word: uint64) -> int:
    """The place of the highest bit that is set; -1 if none is."""
    return word.bit_length() - 1


def rotate_left(word: uint64, places: int) -> uint64:
    """The bits of *word* moved up by *places* from 0 to 63, those that leave at the top entering at the bottom."""
    return word << places | word >> (64 - places) if places else word


def byte_swap(word: uint64) -> uint64:
    """The eight bytes in the opposite order."""
    return uint64(int.from_bytes(int.to_bytes(int.__and__(word, WORD), 8, "little"), "big"))


def sqrt(value: F) -> F:
    """The square root."""
    return type(value)(math.sqrt(value))


def log(value: F) -> F:
    """The natural logarithm."""
    return type(value)(math.log(value))


def exp(value: F) -> F:
    """e to the given power."""
    return type(value)(math.exp(value))


def prefetch(array: Array[Any], index: int) -> None:
    """Fetches an element into the cache; changes nothing else, and need not lie within the array."""


def load_relaxed(array: Array[T], index: int) -> T:
    """Reads an element that other threads write, from memory every time: counters, and the flag that stops a search."""
    return array[index]


def load_acquire(array: Array[T], index: int) -> T:
    """Reads an element, and sees all that its writer wrote before `store_release`."""
    return array[index]


def store_relaxed(array: Array[T], index: int, value: float) -> None:
    """Writes an element that other threads read."""
    array[index] = value


def store_release(array: Array[T], index: int, value: float) -> None:
    """Writes an element after all that was written before."""
    array[index] = value


def exchange(array: Array[T], index: int, value: float) -> T:
    """Writes an element; what was there before, in one step."""
    before = array[index]
    array[index] = value
    return before


def fetch_add(array: Array[T], index: int, amount: float) -> T:
    """Adds to an element; what was there before, in one step."""
    before = array[index]
    array[index] = before + amount
    return before


def compare_and_swap(array: Array[T], index: int, expected: float, value: float) -> bool:
    """Writes *value* if the element is *expected*, in one step; whether it was."""
    if array[index] != expected:
        return False
    array[index] = value
    return True


def try_lock(lock: Array[int], index: int) -> bool:
    """Takes the lock in an element if it is free (0); whether it was."""
    return compare_and_swap(lock, index, 0, 1)


def unlock(lock: Array[int], index: int) -> None:
    """Releases a lock."""
    if lock[index] == 0:
        raise UsageError("a lock is released that is not held")
    store_release(lock, index, 0)

"""A set of packed states in numba: open addressing, linear probing, numbers instead of copies.

States lie one after another in a *pool* of W words each; the table holds their numbers plus one. Insertion costs one
hash of W words and, at most two thirds full, about two probes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from stratagem.native.jit.numba_cache import njit


@njit(nogil=True, inline="always")
def hash_words(words, row):  # type: ignore[no-untyped-def]
    """A hash of one packed state (the finaliser of SplitMix64 over its words)."""
    value = np.uint64(0x9E3779B97F4A7C15)
    for word in range(words.shape[1]):
        value ^= words[row, word]
        value = (value ^ (value >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        value = (value ^ (value >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        value ^= value >> np.uint64(31)
    return value


@njit(nogil=True)
def insert(table, pool, used, states, count, numbers):  # type: ignore[no-untyped-def]
    """Puts *states* into the set; *numbers* gets the number of each. Returns how many states the pool holds then.

    There must be room: in *pool* for all of them, in *table* for a third more.
    """
    mask = np.uint64(len(table) - 1)
    width = pool.shape[1]
    for row in range(count):
        slot = hash_words(states, row) & mask
        while True:
            entry = table[slot]
            if entry == 0:
                for word in range(width):
                    pool[used, word] = states[row, word]
                used += 1
                table[slot] = used
                numbers[row] = used - 1
                break
            same = True
            for word in range(width):
                if pool[entry - 1, word] != states[row, word]:
                    same = False
                    break
            if same:
                numbers[row] = entry - 1
                break
            slot = (slot + np.uint64(1)) & mask
    return used


@njit(nogil=True)
def find(table, pool, states, count, numbers):  # type: ignore[no-untyped-def]
    """The number of each of *states* in the set, -1 for those that are not in it."""
    mask = np.uint64(len(table) - 1)
    width = pool.shape[1]
    for row in range(count):
        slot = hash_words(states, row) & mask
        numbers[row] = -1
        while table[slot] != 0:
            entry = table[slot] - 1
            same = True
            for word in range(width):
                if pool[entry, word] != states[row, word]:
                    same = False
                    break
            if same:
                numbers[row] = entry
                break
            slot = (slot + np.uint64(1)) & mask


@njit(nogil=True)
def fill(table, pool, used):  # type: ignore[no-untyped-def]
    """Enters the first *used* states of *pool*, all different, into an empty *table*."""
    mask = np.uint64(len(table) - 1)
    for number in range(used):
        slot = hash_words(pool, number) & mask
        while table[slot] != 0:
            slot = (slot + np.uint64(1)) & mask
        table[slot] = number + 1


class StateSet:
    """A growing set of packed states, each with a number in the order of arrival."""

    def __init__(self, words: int, room: int = 1024) -> None:
        self.pool: NDArray[np.uint64] = np.empty((room, words), np.uint64)
        self.table: NDArray[np.int64] = np.zeros(_power(room), np.int64)
        self.used = 0

    def __len__(self) -> int:
        return self.used

    @property
    def states(self) -> NDArray[np.uint64]:
        return self.pool[: self.used]

    @property
    def bytes(self) -> int:
        """The memory that it takes."""
        return int(self.pool.nbytes + self.table.nbytes)

    def add(self, states: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Puts *states* [n, words] in; the number of each."""
        self._make_room(len(states))
        numbers = np.empty(len(states), np.int64)
        self.used = int(insert(self.table, self.pool, self.used, states, len(states), numbers))
        return numbers

    def find(self, states: NDArray[np.uint64]) -> NDArray[np.int64]:
        """The number of each of *states*, -1 where it is not in the set."""
        numbers = np.empty(len(states), np.int64)
        find(self.table, self.pool, np.ascontiguousarray(states), len(states), numbers)
        return numbers

    def _make_room(self, more: int) -> None:
        needed = self.used + more
        if needed > len(self.pool):
            pool = np.empty((max(needed, 3 * len(self.pool) // 2), self.pool.shape[1]), np.uint64)
            pool[: self.used] = self.states
            self.pool = pool
        if _power(needed) > len(self.table):
            self.table = np.zeros(_power(needed), np.int64)
            fill(self.table, self.pool, self.used)


def _power(states: int) -> int:
    """The size of a table for so many states: a power of two, at most two thirds full."""
    return 1 << max(10, (3 * states // 2).bit_length())

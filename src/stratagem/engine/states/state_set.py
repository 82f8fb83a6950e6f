"""The exact set of packed states: a hash table with open addressing and linear probing, over numbers instead of copies.

States lie one after another in a *pool* of W words each; the table holds their numbers plus one, 0 where a slot is free.
Insertion costs one hash of W words and, at most two thirds full, about two probes.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from stratagem.engine.states.hashing import hash_words
from stratagem.native.jit.numba_cache import njit


@njit(nogil=True, inline="always")
def slot_of(table, pool, states, row):  # type: ignore[no-untyped-def]
    """The slot of *table* that holds a state, and its number plus one there; or the free slot where it belongs, and 0."""
    mask = np.uint64(len(table) - 1)
    slot = hash_words(states, row) & mask
    while True:
        entry = table[slot]
        if entry == 0:
            break
        same = True
        for word in range(pool.shape[1]):
            if pool[entry - 1, word] != states[row, word]:
                same = False
                break
        if same:
            break
        slot = (slot + np.uint64(1)) & mask
    return slot, entry


@njit(nogil=True, inline="always")
def enter(table, slot, pool, used, states, row):  # type: ignore[no-untyped-def]
    """Gives the state in a row of *states* the number *used*, in a free slot."""
    for word in range(pool.shape[1]):
        pool[used, word] = states[row, word]
    table[slot] = used + 1


@njit(nogil=True)
def _insert(table, pool, used, states, numbers, fresh):  # type: ignore[no-untyped-def]
    """Puts *states* into the set; *numbers* gets the number of each, *fresh* the rows of those that are new.

    Returns how many states the pool holds then. The pool must have room for all, the table for a third more.
    """
    before = used
    for row in range(len(states)):
        slot, entry = slot_of(table, pool, states, row)
        if entry == 0:
            enter(table, slot, pool, used, states, row)
            fresh[used - before] = row
            used += 1
            entry = used
        numbers[row] = entry - 1
    return used


@njit(nogil=True)
def _find(table, pool, states, numbers):  # type: ignore[no-untyped-def]
    """The number of each of *states* in the set, -1 for those that are not in it."""
    for row in range(len(states)):
        numbers[row] = slot_of(table, pool, states, row)[1] - 1


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
        return self.insert(states)[0]

    def insert(self, states: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Puts *states* [n, words] in: the number of each, and the rows of the new ones in the order of their numbers."""
        self._make_room(len(states))
        numbers = np.empty(len(states), np.int64)
        fresh = np.empty(len(states), np.int64)
        before = self.used
        self.used = int(_insert(self.table, self.pool, before, np.ascontiguousarray(states), numbers, fresh))
        return numbers, fresh[: self.used - before]

    def find(self, states: NDArray[np.uint64]) -> NDArray[np.int64]:
        """The number of each of *states*, -1 where it is not in the set."""
        numbers = np.empty(len(states), np.int64)
        _find(self.table, self.pool, np.ascontiguousarray(states), numbers)
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

"""The exact set of packed states as Python sees it: it grows, and takes and finds whole arrays of states.

The hash table and its kernels are `kernels.library.exact_set`.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from stratagem.kernels import Array, uint64
from stratagem.kernels.library.exact_set import ExactSet, add_states, find_states, refill
from stratagem.kernels.translate.family import KernelFamily
from stratagem.native.jit.kernel_families import compiled_family

KERNELS: Final = KernelFamily("exact set", (add_states, find_states, refill))


class StateSet:
    """A growing set of packed states, each with a number in the order of arrival."""

    def __init__(self, words: int, room: int = 1024) -> None:
        self.pool: NDArray[np.uint64] = np.empty((room, words), np.uint64)
        self._set = ExactSet(table=np.zeros(_power(room), np.int64), pool=self.pool)
        self._code = compiled_family(KERNELS)
        self.used = 0

    def __len__(self) -> int:
        return self.used

    @property
    def states(self) -> NDArray[np.uint64]:
        return self.pool[: self.used]

    @property
    def bytes(self) -> int:
        """The memory that it takes."""
        return int(self.pool.nbytes) + 8 * self._set.slots

    def add(self, states: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Puts *states* [n, words] in; the number of each."""
        return self.insert(states)[0]

    def insert(self, states: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Puts *states* [n, words] in: the number of each, and the rows of the new ones in the order of their numbers."""
        count = len(states)
        self._make_room(count)
        numbers, fresh = np.empty(count, np.int64), np.empty(count, np.int64)
        new = self._code[add_states](
            self._set, Array(uint64, states.reshape(-1)), count, Array(int, numbers), Array(int, fresh)
        )
        self.used += new
        return numbers, fresh[:new]

    def find(self, states: NDArray[np.uint64]) -> NDArray[np.int64]:
        """The number of each of *states*, -1 where it is not in the set."""
        numbers = np.empty(len(states), np.int64)
        self._code[find_states](
            self._set, Array(uint64, states.reshape(-1)), len(states), Array(int, numbers)
        )
        return numbers

    def _make_room(self, more: int) -> None:
        needed = self.used + more
        if needed > len(self.pool):
            pool = np.empty((max(needed, 3 * len(self.pool) // 2), self.pool.shape[1]), np.uint64)
            pool[: self.used] = self.states
            self.pool = pool
            self._set.put(pool=pool)
        if _power(needed) > self._set.slots:
            self._set.put(table=np.zeros(_power(needed), np.int64))
            self._code[refill](self._set)


def _power(states: int) -> int:
    """The size of a table for so many states: a power of two, at most two thirds full."""
    return 1 << max(10, (3 * states // 2).bit_length())

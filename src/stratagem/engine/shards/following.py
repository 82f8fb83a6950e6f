"""Looking up the children of a layer in the sorted layer below, without sorting them.

Where states are one word, the children that differ from their parents by the same number come in ascending order, as their
parents do: a move that changes the same facts adds the same number. So each of these differences has a place in the layer
below, and its next child is a few states further on. There are as many of them as ways to move, whatever the number of states.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from stratagem.engine.shards.routing import owner_of_spread, spread_states
from stratagem.kernels import Array, Record, dims, inlined, int16, int32, kernel, size, uint64
from stratagem.kernels.splitmix import GOLDEN
from stratagem.kernels.translate.family import KernelFamily
from stratagem.native.jit.kernel_families import compiled_family

if TYPE_CHECKING:
    from stratagem.native.compiled import Children

DIFFERENCES: Final = 1 << 12
"""Differences whose places are kept; a power of two."""
PROBES: Final = 8
WINDOW: Final = 32
"""States that are compared at once before the search gallops: the next child is mostly among them."""

StatesAndValues = tuple[NDArray[np.uint64], NDArray[np.int16]]


class FollowedRun(Record):
    """A sorted run of states of one word with their values, and a place in it for each difference."""

    rows: int = size()
    columns: int = size()
    slots: int = size()
    states: Array[uint64] = dims("rows")
    values: Array[int16] = dims("rows", "columns")
    differences: Array[uint64] = dims("slots")
    places: Array[int] = dims("slots")


@inlined
def place_from(run: FollowedRun, first: int, wanted: uint64) -> int:
    """The first place from *first* on whose state is not less than the wanted one: near by, or else by galloping."""
    low = first
    if low + WINDOW <= run.rows:
        less = 0
        for place in range(low, low + WINDOW):
            less += 1 if run.states[place] < wanted else 0
        low += less
        if less < WINDOW:
            return low
    step = 1
    while low + step <= run.rows and run.states[low + step - 1] < wanted:
        low += step
        step *= 2
    high = min(low + step - 1, run.rows)
    while low < high:
        middle = (low + high) // 2
        if run.states[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low


@inlined
def slot_of(run: FollowedRun, difference: uint64) -> int:
    """Where the place of a difference is kept; a new one begins at the first state, in the stead of another if need be."""
    slot = int((difference * uint64(GOLDEN)) >> 40) & (run.slots - 1)
    probes = 0
    while run.differences[slot] != difference:
        if probes == PROBES or run.differences[slot] == 0:
            run.differences[slot] = difference
            run.places[slot] = 0
        else:
            slot = (slot + 1) & (run.slots - 1)
            probes += 1
    return slot


@kernel
def follow(
    run: FollowedRun,
    parents: Array[uint64],
    origins: Array[int32],
    children: Array[uint64],
    order: Array[int32],
    count: int,
    result: Array[int16],
) -> int:
    """Puts the values of the children that *order* names into the rows of *result* of the same numbers: how many are found."""
    for number in range(count):
        row = order[number]
        child = children[row]
        slot = slot_of(run, child - parents[origins[row]])
        place = place_from(run, run.places[slot], child)
        if (
            place == run.rows or run.states[place] != child
        ):  # where a sum was beyond a word, children begin again
            place = place_from(run, 0, child)
        if place == run.rows or run.states[place] != child:
            return number
        run.places[slot] = place
        for column in range(run.columns):
            result[row * run.columns + column] = run.values[place, column]
    return count


@kernel
def deal(
    states: Array[uint64],
    count: int,
    spreads: Array[uint64],
    ends: Array[int],
    shards: int,
    order: Array[int32],
) -> None:
    """The numbers of states of one word in the order of their owners, and where those of each owner end."""
    spread_states(states, count, 1, spreads)
    for shard in range(shards):
        ends[shard] = 0
    for row in range(count):
        ends[owner_of_spread(spreads[row], shards)] += 1
    total = 0
    for shard in range(shards):
        owned = ends[shard]
        ends[shard] = total
        total += owned
    for row in range(count):
        chosen = owner_of_spread(spreads[row], shards)
        order[ends[chosen]] = row
        ends[chosen] += 1


KERNELS: Final = KernelFamily("children that are followed", (follow, deal))


class LayerFollowed:
    """The layer below one whose children are looked up, in all shards: runs with their values, all on this machine."""

    def __init__(self, runs: Sequence[StatesAndValues], columns: int) -> None:
        self.columns = columns
        self._runs = [
            FollowedRun(
                states=states.reshape(-1),
                values=values,
                differences=np.zeros(DIFFERENCES, np.uint64),
                places=np.zeros(DIFFERENCES, np.int64),
            )
            for states, values in runs
        ]
        self._ends = np.zeros(len(runs), np.int64)
        self._room(1 << 14)

    def _room(self, rows: int) -> None:
        self._order, self._spreads = np.arange(rows, dtype=np.int32), np.empty(rows, np.uint64)
        self._values = np.empty((rows, self.columns), np.int16)

    def values(self, parents: NDArray[np.uint64], children: Children) -> NDArray[np.int16] | None:
        """The values of the *children* of states, block by block in the order of runs; None where one is missing.

        What is returned is overwritten by the next call.
        """
        count = len(children)
        if count > len(self._order):
            self._room(max(count, 2 * len(self._order)))
        code = compiled_family(KERNELS)
        states, order = Array(uint64, children.states), self._order
        ends = [count]
        if len(self._runs) > 1:
            code[deal](
                states,
                count,
                Array(uint64, self._spreads),
                Array(int, self._ends),
                len(self._runs),
                Array(int32, order),
            )
            ends = self._ends.tolist()
        first = 0
        for run, last in zip(self._runs, ends, strict=True):
            found = code[follow](
                run,
                Array(uint64, parents),
                Array(int32, children.parents),
                states,
                Array(int32, order[first:last]),
                last - first,
                Array(int16, self._values),
            )
            if found < last - first:
                return None
            first = last
        return self._values[:count]

"""Binary search in sorted arrays."""

from __future__ import annotations

from stratagem.kernels import Array, kernel, uint64
from stratagem.kernels.library.hashing import less_state, same_state


@kernel
def lower_bound(values: Array[int], count: int, wanted: int) -> int:
    """How many of *count* ascending values are less than *wanted*: its place, or where it would have to stand."""
    low, high = 0, count
    while low < high:
        middle = low + (high - low) // 2
        if values[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def state_bound(states: Array[uint64], count: int, words: int, wanted: Array[uint64]) -> int:
    """How many of *count* ascending packed states come before *wanted*."""
    low, high = 0, count
    while low < high:
        middle = low + (high - low) // 2
        if less_state(states.at(middle * words), wanted, words):
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def state_index(states: Array[uint64], count: int, words: int, wanted: Array[uint64]) -> int:
    """The place of *wanted* among *count* ascending packed states, or -1."""
    place = state_bound(states, count, words, wanted)
    if place < count and same_state(states.at(place * words), wanted, words):
        return place
    return -1

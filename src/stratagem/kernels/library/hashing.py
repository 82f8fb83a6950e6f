"""Hashing and comparing packed states: a state is a few words of bits."""

from __future__ import annotations

from stratagem.kernels import Array, inlined, uint64
from stratagem.kernels.library.random_numbers import mixed
from stratagem.kernels.splitmix import GOLDEN


@inlined
def hash_state(state: Array[uint64], words: int) -> uint64:
    """A hash of a packed state: the finalizer of SplitMix64, word after word."""
    value = uint64(GOLDEN)
    for word in range(words):
        value = mixed(value ^ state[word])
    return value


@inlined
def same_state(one: Array[uint64], other: Array[uint64], words: int) -> bool:
    """Whether two packed states are equal."""
    for word in range(words):
        if one[word] != other[word]:
            return False
    return True


@inlined
def less_state(one: Array[uint64], other: Array[uint64], words: int) -> bool:
    """Whether a packed state comes before another, word by word."""
    for word in range(words):
        if one[word] != other[word]:
            return one[word] < other[word]
    return False


@inlined
def copy_state(source: Array[uint64], target: Array[uint64], words: int) -> None:
    """Copies a packed state."""
    for word in range(words):
        target[word] = source[word]

"""Random numbers: SplitMix64 (Steele, Lea and Flood, 2014) and xoroshiro128++ (Blackman and Vigna, 2021).

A generator is an array: one word for SplitMix64, two for xoroshiro, which must not both be zero.
"""

from __future__ import annotations

from typing import Final

from stratagem.kernels import Array, inlined, rotate_left, uint64
from stratagem.kernels.splitmix import FIRST_FACTOR, GOLDEN, SECOND_FACTOR

UNIT: Final = 1.0 / (1 << 53)


@inlined
def mixed(word: uint64) -> uint64:
    """The finalizer of SplitMix64: a bijection in which every bit of the result depends on every bit of *word*."""
    word = (word ^ (word >> 30)) * FIRST_FACTOR
    word = (word ^ (word >> 27)) * SECOND_FACTOR
    return word ^ (word >> 31)


@inlined
def next_random(seeds: Array[uint64]) -> uint64:
    """The next word of SplitMix64."""
    seeds[0] += GOLDEN
    return mixed(seeds[0])


@inlined
def next_xoroshiro(seeds: Array[uint64]) -> uint64:
    """The next word of xoroshiro128++."""
    one, other = seeds[0], seeds[1]
    result = rotate_left(one + other, 17) + one
    other ^= one
    seeds[0] = rotate_left(one, 49) ^ other ^ (other << 21)
    seeds[1] = rotate_left(other, 28)
    return result


@inlined
def below(word: uint64, bound: int) -> int:
    """A random *word* as a number from 0 up to *bound*, which is less than 2 ** 32 (Lemire, 2019)."""
    return int(((word >> 32) * uint64(bound)) >> 32)


@inlined
def share(word: uint64) -> float:
    """A random *word* as a number from 0 up to 1."""
    return float(word >> 11) * UNIT

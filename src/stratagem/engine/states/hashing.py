"""The hash of a packed state: SplitMix64's mixing over its words."""

from __future__ import annotations

import numpy as np

from stratagem.kernels.splitmix import FIRST_FACTOR, GOLDEN, SECOND_FACTOR
from stratagem.native.jit.numba_cache import njit


@njit(nogil=True, inline="always")
def mixed(word):  # type: ignore[no-untyped-def]
    """A word of which every bit depends on every bit of *word*; different for different words."""
    word = (word ^ (word >> np.uint64(30))) * np.uint64(FIRST_FACTOR)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(SECOND_FACTOR)
    return word ^ (word >> np.uint64(31))


@njit(nogil=True, inline="always")
def hash_words(words, row):  # type: ignore[no-untyped-def]
    """The hash of the packed state in a row of *words*."""
    value = np.uint64(GOLDEN)
    for word in range(words.shape[1]):
        value = mixed(value ^ words[row, word])
    return value

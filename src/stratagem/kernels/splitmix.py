"""The constants of SplitMix64 (Steele, Lea and Flood, 2014), for every hash and every generator of seeds.

A generator adds GOLDEN to its state and mixes the sum: ``x = (x ^ x >> 30) * FIRST_FACTOR``, ``x = (x ^ x >> 27) *
SECOND_FACTOR``, ``x ^ x >> 31``. The mixing alone is a hash in which every bit depends on every bit.
"""

from __future__ import annotations

from typing import Final

GOLDEN: Final = 0x9E3779B97F4A7C15
"""2^64 divided by the golden ratio."""
FIRST_FACTOR: Final = 0xBF58476D1CE4E5B9
SECOND_FACTOR: Final = 0x94D049BB133111EB
WORD: Final = (1 << 64) - 1
"""The mask of 64 bits, for integers that have no width."""

"""The schedule of random matches: how many each word plays, from which state, with which generator.

The deal depends on the number of matches alone, never on threads or widths. Few matches are spread over many words, so
that they run side by side; many are given to few words, so that lanes stay busy to the end.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

LANES = 64
WORDS_AT_LEAST = 64
"""More matches than these words have lanes fill these words again and again ..."""
QUOTA = 16384
"""... until each has this many."""
STRATA = 4096
"""First joint moves that are followed separately; where there are more, this many are drawn at random."""


@dataclass(frozen=True, slots=True)
class Deal:
    """For every word: the number of its generator, how many matches it plays, and from which root."""

    streams: NDArray[np.uint64]
    quotas: NDArray[np.uint64]
    roots: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.quotas)

    def part(self, number: int, parts: int) -> Deal:
        """The words of one of so many *parts*, which are as even as can be."""
        words = slice(len(self) * number // parts, len(self) * (number + 1) // parts)
        return Deal(self.streams[words], self.quotas[words], self.roots[words])


def words_for(matches: int) -> int:
    """How many words share *matches* matches."""
    if matches <= LANES * WORDS_AT_LEAST:
        return max(1, math.ceil(matches / LANES))
    return max(WORDS_AT_LEAST, math.ceil(matches / QUOTA))


def deal(matches: Sequence[int], first_stream: int = 0) -> Deal:
    """*matches[r]* matches from root r."""
    words = np.array([words_for(count) if count else 0 for count in matches], np.int64)
    roots = np.repeat(np.arange(len(words), dtype=np.int64), words)
    quotas = np.empty(len(roots), np.uint64)
    first = 0
    for count, some in zip(matches, words.tolist(), strict=True):
        if some:
            quotas[first : first + some] = count // some
            quotas[first : first + count % some] += np.uint64(1)
            first += some
    streams = np.arange(first_stream, first_stream + len(quotas), dtype=np.uint64)
    return Deal(streams, quotas, roots)


@dataclass(frozen=True, slots=True)
class FirstMoves:
    """Joint moves at a root as numbers of moves, role by role, and the states they lead to."""

    joints: list[tuple[int, ...]]
    states: NDArray[np.bool_]


def first_joints(legal: Sequence[Sequence[int]], matches: int, seed: int) -> list[tuple[int, ...]]:
    """All joint moves of the *legal* ones, or a uniformly random sample of them where there are too many."""
    total = math.prod(map(len, legal))
    source = random.Random(seed)
    if total <= min(STRATA, matches):
        return list(itertools.product(*legal))
    if total <= STRATA:
        return source.sample(list(itertools.product(*legal)), matches)
    return [tuple(map(source.choice, legal)) for _ in range(min(STRATA, matches))]


def shares(matches: int, parts: int, seed: int) -> list[int]:
    """*matches* in equal parts; what is left over goes to parts drawn at random, so that no part is favoured."""
    lucky = set(random.Random(seed).sample(range(parts), matches % parts)) if parts else set()
    return [matches // parts + (part in lucky) for part in range(parts)]

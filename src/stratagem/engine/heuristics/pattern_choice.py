"""Which variables of a finite-domain game go together in a pattern.

Variables that hinder each other belong together. The mean distance of a pattern is the sum of what its variables, its pairs and its
triples add to it: what a pair adds is its own mean distance less those of the two. All of these come from small databases. The
partition is the best that exchanges of two variables find, from several random ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations, pairwise
from math import comb, perm
from typing import TYPE_CHECKING, Final

import numpy as np

from stratagem.engine.heuristics.additive_kernels import MOST_SLOTS, UNREACHED
from stratagem.engine.heuristics.pattern_space import fill_table

if TYPE_CHECKING:
    from stratagem.engine.heuristics.finite_domain import FiniteDomain
    from stratagem.limit import Started

RESTARTS: Final = 20
MOST_SAMPLED: Final = 1 << 25
"""Abstract states of all small databases together; triples that have more are left out."""
ROUNDING: Final = 1e-9
Group = tuple[int, ...]


def largest_pattern(domain: FiniteDomain, entries: int, memory: int) -> int:
    """The most variables of a pattern; 0 where not even one fits."""
    width = 1 << (domain.places - 1).bit_length()
    fits = 0
    for slots in range(1, min(MOST_SLOTS, domain.variables) + 1):
        arrangements = perm(domain.places, slots)
        tables = arrangements * -(-domain.variables // slots)
        if arrangements <= entries and tables + 3 * arrangements * width // 8 <= memory:
            fits = slots
    return fits


def choose_patterns(domain: FiniteDomain, largest: int, started: Started) -> tuple[Group, ...]:
    """A partition of the variables into patterns of *largest*, and one of what is left."""
    count = domain.variables
    sizes = [largest] * (count // largest) + ([count % largest] if count % largest else [])
    if largest == 1 or len(sizes) == 1:
        edges = np.cumsum([0, *sizes]).tolist()
        return tuple(tuple(range(first, last)) for first, last in pairwise(edges))
    added = interactions(domain, started)
    random = np.random.default_rng(0)
    best: list[Group] = []
    most = -np.inf
    for _ in range(RESTARTS):
        parts = np.split(random.permutation(count), np.cumsum(sizes)[:-1])
        groups = _climb([tuple(sorted(part.tolist())) for part in parts], added)
        total = sum(_worth(group, added) for group in groups)
        if total > most + ROUNDING:
            best, most = groups, total
    return tuple(best)


def interactions(domain: FiniteDomain, started: Started) -> dict[Group, float]:
    """What each variable, each pair and, unless there are too many, each triple adds to the mean distance."""
    count, places = domain.variables, domain.places
    triples = comb(count, 3) * perm(places, 4)
    added: dict[Group, float] = {}
    for size in (1, 2) if triples > MOST_SAMPLED else (1, 2, 3):
        for group in combinations(range(count), size):
            moves = np.empty(perm(places, size), np.uint8)
            fill_table(domain, group, moves, started)
            reached = moves[moves != UNREACHED]
            mean = float(reached.mean()) if len(reached) else 0.0
            added[group] = mean - sum(
                added[part] for less in range(1, size) for part in combinations(group, less)
            )
    return added


def _worth(group: Group, added: Mapping[Group, float]) -> float:
    return sum(added.get(part, 0.0) for size in (1, 2, 3) for part in combinations(group, size))


def _climb(groups: list[Group], added: Mapping[Group, float]) -> list[Group]:
    """Exchanges two variables of different groups as long as that is better."""
    worth = [_worth(group, added) for group in groups]
    improved = True
    while improved:
        improved = False
        for one, other in combinations(range(len(groups)), 2):
            for left, right in _exchanges(groups[one], groups[other]):
                values = _worth(left, added), _worth(right, added)
                if sum(values) > worth[one] + worth[other] + ROUNDING:
                    groups[one], groups[other] = left, right
                    worth[one], worth[other] = values
                    improved = True
                    break
    return groups


def _exchanges(one: Group, other: Group) -> Sequence[tuple[Group, Group]]:
    """The two groups after each exchange of a variable."""
    return [
        (
            tuple(sorted({*one, there} - {here})),
            tuple(sorted({*other, here} - {there})),
        )
        for here in one
        for there in other
    ]

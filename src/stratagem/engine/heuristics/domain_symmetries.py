"""Symmetries of a finite-domain game that keep its goal: the transposed board of a sliding puzzle.

Candidates are the ways to lay the graph of the context on itself so that its goal stays where it is. Where the places go, the
variables must follow: a variable goes to the one whose goal is the image of its own. Then every operator is compared with its
image, on all places: what is left is proved.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stratagem.engine.heuristics.finite_domain import FiniteDomain

CANDIDATES: Final = 64
MOST_STEPS: Final = 100_000
"""Places tried on the way to candidates; a graph that needs more has none."""


@dataclass(frozen=True, slots=True, eq=False)
class DomainSymmetry:
    """Where each place and each variable goes."""

    places: NDArray[np.int64]
    variables: NDArray[np.int64]


def domain_symmetries(domain: FiniteDomain) -> list[DomainSymmetry]:
    """The symmetries of *domain* but for the identity; none where it has several goals."""
    if len(domain.goals) != 1:
        return []
    found = []
    home = {int(place): variable for variable, place in enumerate(domain.goal_places[0])}
    for places in islice(_layouts(domain), CANDIDATES):
        images = [home.get(int(places[place])) for place in domain.goal_places[0]]
        if None in images or (places == np.arange(domain.places)).all():
            continue
        symmetry = DomainSymmetry(places, np.array(images, np.int64))
        if _holds(domain, symmetry):
            found.append(symmetry)
    return found


def _layouts(domain: FiniteDomain) -> Iterator[NDArray[np.int64]]:
    """The ways to lay the graph of the context on itself with its goal in place."""
    count = domain.places
    joined = np.zeros((count, count), np.int64)
    np.add.at(joined, (domain.before, domain.after), 1)
    order = [int(domain.goal_contexts[0])]
    for place in order:  # grows: neighbours follow, so that candidates fail early
        order += [other for other in range(count) if joined[place, other] and other not in order]
    order += [place for place in range(count) if place not in order]
    images = np.full(count, -1, np.int64)
    steps = 0

    def fits(depth: int, image: int) -> bool:
        place, known = order[depth], order[:depth]
        return bool(
            (joined[place, known] == joined[image, images[known]]).all()
            and (joined[known, place] == joined[images[known], image]).all()
        )

    def extend(depth: int) -> Iterator[NDArray[np.int64]]:
        nonlocal steps
        if depth == count:
            yield images.copy()
            return
        for image in [order[0]] if depth == 0 else range(count):
            steps += 1
            if steps > MOST_STEPS:
                return
            if image not in images[order[:depth]] and fits(depth, image):
                images[order[depth]] = image
                yield from extend(depth + 1)

    yield from extend(0)


def _holds(domain: FiniteDomain, symmetry: DomainSymmetry) -> bool:
    """Whether the image of every operator is an operator."""
    places, variables = symmetry.places, symmetry.variables
    moved = np.append(places, -1)  # -1, impossible, stays
    for operator in range(domain.operators):
        expected = np.empty_like(domain.effects[0])
        expected[np.ix_(variables, places)] = moved[domain.effects[operator]]
        images = np.flatnonzero(
            (domain.before == places[domain.before[operator]])
            & (domain.after == places[domain.after[operator]])
        )
        if not any((domain.effects[image] == expected).all() for image in images):
            return False
    return True

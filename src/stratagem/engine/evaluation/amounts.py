"""Amounts: what a number in a proposition says, as one feature.

`(store north 12)` is worth more than `(store north 11)`. As single propositions each number has to be learned alone; as one
sum, number times truth, they take one weight. A group of propositions that differ in one argument is an amount if

- that argument is an integer in all of them,
- exactly one of them holds in every state, and at least three do in one state or another (so columns of a board are none),
- another group has the same numbers: what has no counterpart, such as a count of steps, tells nothing of who is ahead.

Totals are sums of the amounts that share a relation and at most one further argument: all the seeds in the pits of north.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Final, TypeAlias

from stratagem.engine.evaluation.features import Feature
from stratagem.gdl.terms import Compound, Term

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FEWEST: Final = 3
"""Numbers that an amount must have been, in one state or another."""
AMOUNT: Final = "#"
ANY: Final = "_"

Pattern: TypeAlias = "tuple[str, ...]"
"""A relation and its arguments, AMOUNT in the place of the number."""
Members: TypeAlias = "list[tuple[int, int]]"
"""The number of each proposition, and the integer in it."""


def amounts_of(bases: tuple[Term, ...], held: NDArray[np.bool_]) -> list[Feature]:
    """The amounts and totals among *bases*; *held* [states, bases] says what is true in some reachable states."""
    groups = {pattern: members for pattern, members in _groups(bases).items() if _is_amount(members, held)}
    ranges = Counter(_numbers(members) for members in groups.values())
    kept = {pattern: members for pattern, members in groups.items() if ranges[_numbers(members)] > 1}
    totals: defaultdict[Pattern, list[Members]] = defaultdict(list)
    for pattern, members in kept.items():
        for wider in _wider(pattern):
            totals[wider].append(members)
    single = [_feature("amount", pattern, members) for pattern, members in kept.items()]
    return single + [
        _feature("total", pattern, [one for members in parts for one in members])
        for pattern, parts in totals.items()
        if len(parts) > 1
    ]


def _groups(bases: tuple[Term, ...]) -> dict[Pattern, Members]:
    """The propositions that differ in one argument only, where that is an integer in all of them."""
    found: defaultdict[Pattern, Members] = defaultdict(list)
    named: set[Pattern] = set()
    for base, term in enumerate(bases):
        if not isinstance(term, Compound):
            continue
        words = (term.name, *map(str, term.args))
        for place in range(1, len(words)):
            pattern = (*words[:place], AMOUNT, *words[place + 1 :])
            if words[place].isdecimal():
                found[pattern].append((base, int(words[place])))
            else:
                named.add(pattern)
    return {pattern: members for pattern, members in found.items() if pattern not in named}


def _is_amount(members: Members, held: NDArray[np.bool_]) -> bool:
    if len(_numbers(members)) < FEWEST:
        return False
    own = held[:, [base for base, _ in members]]
    return bool((own.sum(axis=1) == 1).all()) and int(own.any(axis=0).sum()) >= FEWEST


def _numbers(members: Members) -> frozenset[int]:
    return frozenset(number for _, number in members)


def _wider(pattern: Pattern) -> set[Pattern]:
    """The patterns that keep of the other arguments none or one."""
    own = {place for place, word in enumerate(pattern) if place and word != AMOUNT}
    kept = [set[int](), *({place} for place in own)]
    return {
        tuple(ANY if place in own - keep else word for place, word in enumerate(pattern))
        for keep in kept
        if keep != own
    }


def _feature(kind: str, pattern: Pattern, members: Members) -> Feature:
    bases, numbers = zip(*members, strict=True)
    return Feature(f"{kind} of ({' '.join(pattern)})", bases, tuple(map(float, numbers)))

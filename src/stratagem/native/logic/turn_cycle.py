"""Tokens: propositions that run through a short cycle whatever is played, such as whose turn it is.

A proposition whose successor is a proposition of the same kind (or its opposite, or a constant) depends on nothing
else, so its whole course can be computed from the initial state: a proof, not a guess. Code for playouts is
written once for each step of the cycle with the tokens as constants, which removes the gates of all
players who are not to move.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from stratagem.circuit.circuit import Circuit

LONGEST_PERIOD = 4
LONGEST_COURSE = 4096
"""Steps after which the search for a cycle is given up."""


@dataclass(frozen=True, slots=True)
class Tokens:
    """*courses[base]* is what the base is at step 0, 1, ... ``period - 1`` of the cycle."""

    period: int
    courses: dict[int, tuple[bool, ...]]

    def phase(self, state: Sequence[bool]) -> int | None:
        """At which step of the cycle *state* is, or None if it is at none."""
        for step in range(self.period):
            if all(course[step] == bool(state[base]) for base, course in self.courses.items()):
                return step
        return None

    def at(self, step: int) -> dict[int, bool]:
        return {base: course[step % self.period] for base, course in self.courses.items()}


NONE = Tokens(1, {})


def find_tokens(circuit: Circuit) -> Tokens:
    """The propositions with a common short period, in the largest number."""
    courses = _courses(circuit)
    best = NONE
    for period in range(1, LONGEST_PERIOD + 1):
        found = {
            base: course[:period]
            for base, course in courses.items()
            if all(course[step] == course[step - period] for step in range(period, len(course)))
        }
        if len(found) > len(best.courses):
            best = Tokens(period, dict(sorted(found.items())))
    return best


def _courses(circuit: Circuit) -> dict[int, tuple[bool, ...]]:
    """What every self-reliant base is, step by step, until all of them together repeat; longer by one period."""
    successors = circuit.next.tolist()
    count = len(circuit.bases)
    alone = {base for base in range(count) if successors[base] >> 1 <= count}
    while True:
        broken = {base for base in alone if successors[base] > 1 and (successors[base] >> 1) - 1 not in alone}
        if not broken:
            break
        alone -= broken
    if not alone:
        return {}
    order = sorted(alone)
    values = {base: bool(circuit.initial[base]) for base in order}
    seen: dict[tuple[bool, ...], int] = {}
    history: list[tuple[bool, ...]] = []
    while (now := tuple(values[base] for base in order)) not in seen:
        if len(history) >= LONGEST_COURSE:
            return {}
        seen[now] = len(history)
        history.append(now)
        values = {base: _follow(successors[base], values) for base in order}
    for _ in range(LONGEST_PERIOD):
        history.append(tuple(values[base] for base in order))
        values = {base: _follow(successors[base], values) for base in order}
    return {base: tuple(step[place] for step in history) for place, base in enumerate(order)}


def _follow(literal: int, values: dict[int, bool]) -> bool:
    if literal <= 1:
        return bool(literal)
    return values[(literal >> 1) - 1] ^ bool(literal & 1)

"""Lines to a goal, read off the circuit: the conjunctions that make it true, and how much of each holds already.

The condition of a role's best goal is written as alternatives, each a set of propositions that must hold together: for
connect four the 69 lines of four. A state then shows, for every alternative that nothing stands in the way of, how
many of its propositions hold. Conditions that fall into too many alternatives (counting, connection) are left alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from stratagem.circuit.circuit import FALSE, OR, TRUE
from stratagem.gdl.terms import Compound

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stratagem.circuit.circuit import Circuit

Alternatives: TypeAlias = "frozenset[frozenset[int]]"
MOST = 2000
"""Alternatives of one condition; a condition with more is left out."""
LONGEST = 9
"""Propositions of one alternative that must hold."""


@dataclass(frozen=True, slots=True)
class Line:
    """One way to *role*'s best goal: *needed* must hold, and what is in *barred* shows that it is out of reach."""

    role: int
    needed: tuple[int, ...]
    barred: tuple[int, ...]


class _TooMany(Exception):
    pass


def goal_lines(circuit: Circuit, states: NDArray[np.uint64]) -> tuple[Line, ...]:
    """The alternatives of every role's best goal with two propositions or more.

    What bars a proposition is learned from *states*, reachable ones: another value of the same fact that never holds
    together with it and did not hold at the start.
    """
    bits = np.unpackbits(np.ascontiguousarray(states).view(np.uint8), axis=1, bitorder="little")
    held = bits[:, : len(circuit.bases)].astype(bool)
    values = _other_values(circuit)
    found: list[Line] = []
    for role, goals in enumerate(circuit.goals):
        if not goals:
            continue
        _, literal = max(goals)
        for alternative in sorted(alternatives(circuit, literal) or (), key=sorted):
            needed = tuple(sorted(one // 2 - 1 for one in alternative if not one & 1))
            if not 2 <= len(needed) <= LONGEST:
                continue
            barred = {
                other
                for base in needed
                for other in values[base]
                if not circuit.initial[other]
                and other not in needed
                and not (held[:, base] & held[:, other]).any()
            }
            found.append(Line(role, needed, tuple(sorted(barred))))
    return tuple(found)


def alternatives(circuit: Circuit, literal: int) -> Alternatives | None:
    """The sets of literals over bases any of which makes *literal*, that reads no move, true; None where they are too many."""
    try:
        return _DnfWriter(circuit).alternatives(literal)
    except _TooMany:
        return None


def _other_values(circuit: Circuit) -> list[list[int]]:
    """For every proposition those that differ from it in the last argument only."""
    groups: dict[tuple[object, ...], list[int]] = {}
    for number, base in enumerate(circuit.bases):
        if isinstance(base, Compound):
            groups.setdefault((base.name, *map(str, base.args[:-1])), []).append(number)
    found: list[list[int]] = [[] for _ in circuit.bases]
    for members in groups.values():
        for one in members:
            found[one] = [other for other in members if other != one]
    return found


class _DnfWriter:
    """Writes a literal as alternatives of literals over propositions."""

    def __init__(self, circuit: Circuit) -> None:
        self.circuit = circuit
        self.known: dict[int, Alternatives] = {}
        self.looped = {gate for first, last in circuit.loops for gate in range(first, last)}

    def alternatives(self, literal: int) -> Alternatives:
        if literal == FALSE:
            return frozenset()
        if literal == TRUE:
            return frozenset([frozenset()])
        waiting = [literal]
        while waiting:
            one = waiting[-1]
            node = one // 2
            if one in self.known:
                waiting.pop()
            elif 1 <= node < self.circuit.first_gate:
                self.known[one] = frozenset([frozenset([one])])
            elif node == 0:
                self.known[one] = frozenset([frozenset()]) if one == TRUE else frozenset()
            else:
                gate = node - self.circuit.first_gate
                if gate in self.looped:
                    raise _TooMany
                turned = one & 1
                parts = [int(self.circuit.left[gate]) ^ turned, int(self.circuit.right[gate]) ^ turned]
                missing = [part for part in parts if part not in self.known]
                if missing:
                    waiting.extend(missing)
                    continue
                either = (self.circuit.operations[gate] == OR) != bool(turned)
                left, right = (self.known[part] for part in parts)
                self.known[one] = left | right if either else _both(left, right)
                if len(self.known[one]) > MOST:
                    raise _TooMany
        return self.known[literal]


def _both(left: Alternatives, right: Alternatives) -> Alternatives:
    if len(left) * len(right) > 4 * MOST:
        raise _TooMany
    joined = {one | other for one in left for other in right}
    return frozenset(one for one in joined if not any(literal ^ 1 in one for literal in one))

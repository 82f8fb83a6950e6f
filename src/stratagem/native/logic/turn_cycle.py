"""Tokens: propositions that run through a short cycle whatever is played, such as whose turn it is.

Propositions whose successors are functions of one another, and of nothing else, make up a machine of their own: moves
do not reach it, so its whole course can be computed from the initial state: a proof, not a guess. Code for playouts is
written once for each step of the cycle with the tokens as constants, which removes the gates of all
players who are not to move. Cost: a search through at most `CONE` gates for each proposition.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from stratagem.circuit.circuit import AND, Circuit

LONGEST_PERIOD = 4
LONGEST_COURSE = 4096
"""Steps after which the search for a cycle is given up."""
CONE = 64
"""Gates behind the successor of a token, at most: more is not about turns, and would take long to look through."""


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
    cones = _closed(_cones(circuit))
    courses = _courses(circuit, cones)
    best = NONE
    for period in range(1, LONGEST_PERIOD + 1):
        periodic = {
            base: cones[base]
            for base, course in courses.items()
            if all(course[step] == course[step - period] for step in range(period, len(course)))
        }
        # Of a state that nobody reached, too, the tokens alone have to say what they are next.
        found = {base: courses[base][:period] for base in sorted(_closed(periodic))}
        if len(found) > len(best.courses):
            best = Tokens(period, found)
    return best


@dataclass(frozen=True, slots=True)
class _Cone:
    """The gates behind the successor of a base, operands first, and the bases that they read."""

    gates: tuple[int, ...]
    bases: frozenset[int]


def _cones(circuit: Circuit) -> dict[int, _Cone]:
    """The cones of all bases that read no move, pass through no loop and are small."""
    looped = {gate for first, last in circuit.loops for gate in range(first, last)}
    found = {}
    for base, literal in enumerate(circuit.next.tolist()):
        cone = _cone(circuit, literal >> 1, looped)
        if cone is not None:
            found[base] = cone
    return found


def _cone(circuit: Circuit, root: int, looped: set[int]) -> _Cone | None:
    offset = circuit.first_gate
    gates: set[int] = set()
    bases: set[int] = set()
    work = [root]
    while work:
        node = work.pop()
        gate = node - offset
        if gate < 0:
            if node >= circuit.first_move:
                return None
            if node:
                bases.add(node - 1)
        elif gate not in gates:
            gates.add(gate)
            if gate in looped or len(gates) > CONE:
                return None
            work += [int(circuit.left[gate]) >> 1, int(circuit.right[gate]) >> 1]
    return _Cone(tuple(sorted(gates)), frozenset(bases))


def _closed(cones: dict[int, _Cone]) -> dict[int, _Cone]:
    """The largest part of *cones* that reads no base outside of it."""
    kept = dict(cones)
    while True:
        broken = [base for base, cone in kept.items() if not cone.bases <= kept.keys()]
        if not broken:
            return kept
        for base in broken:
            del kept[base]


def _courses(circuit: Circuit, cones: dict[int, _Cone]) -> dict[int, tuple[bool, ...]]:
    """What every base of *cones* is, step by step, until all of them together repeat; longer by the longest period."""
    if not cones:
        return {}
    order = sorted(cones)
    values = {base: bool(circuit.initial[base]) for base in order}
    successors = _Successors(circuit, cones)
    seen: dict[tuple[bool, ...], int] = {}
    history: list[tuple[bool, ...]] = []
    while (now := tuple(values[base] for base in order)) not in seen:
        if len(history) >= LONGEST_COURSE:
            return {}
        seen[now] = len(history)
        history.append(now)
        values = successors.of(values)
    for _ in range(LONGEST_PERIOD):
        history.append(tuple(values[base] for base in order))
        values = successors.of(values)
    return {base: tuple(step[place] for step in history) for place, base in enumerate(order)}


class _Successors:
    """The gates of some cones, evaluated on one state."""

    def __init__(self, circuit: Circuit, cones: dict[int, _Cone]) -> None:
        offset = circuit.first_gate
        gates = sorted({gate for cone in cones.values() for gate in cone.gates})
        self._gates = [
            (
                offset + gate,
                circuit.operations[gate] == AND,
                int(circuit.left[gate]),
                int(circuit.right[gate]),
            )
            for gate in gates
        ]
        self._next = {base: int(circuit.next[base]) for base in cones}

    def of(self, values: dict[int, bool]) -> dict[int, bool]:
        known = {0: False, **{1 + base: value for base, value in values.items()}}

        def value(literal: int) -> bool:
            return known[literal >> 1] ^ bool(literal & 1)

        for node, both, left, right in self._gates:
            known[node] = value(left) and value(right) if both else value(left) or value(right)
        return {base: value(literal) for base, literal in self._next.items()}

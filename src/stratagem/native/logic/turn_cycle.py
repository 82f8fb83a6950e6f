"""Tokens: propositions that run through a short cycle whatever is played, such as whose turn it is.

Propositions whose successors are functions of one another, and of nothing else, make up a machine of their own: moves
do not reach it, so its whole course can be computed from the initial state: a proof, not a guess. Code for playouts and lanes, and for
expansion where it pays, is written once for each step of the cycle with the tokens as constants, which removes the gates of all
players who are not to move. Cost: a search through at most `CONE` gates for each proposition, and at most
`EFFORT` evaluations of gates, a second in Python where a sheet wants it; some milliseconds in games.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from stratagem.circuit.circuit import AND, Circuit

LONGEST_PERIOD = 4
CONE = 64
"""Gates behind the successor of a token, at most: more is not about turns, and would take long to look through."""
MEMBERS = 16
"""Propositions that a token depends on, at most, itself among them."""
EFFORT = 1_000_000
"""Gates and propositions that are evaluated in the search for cycles, about."""


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
        periodic = {base: cones[base] for base, course in courses.items() if _repeats(course, period)}
        # Of a state that nobody reached, too, the tokens alone have to say what they are next.
        found = {base: courses[base][:period] for base in sorted(_closed(periodic))}
        if len(found) > len(best.courses):
            best = Tokens(period, found)
    return best


def _repeats(course: Sequence[bool], period: int) -> bool:
    return all(course[step] == course[step - period] for step in range(period, len(course)))


def _goes_on(course: Sequence[bool], period: int) -> bool:
    """The same for the last step alone."""
    return len(course) <= period or course[-1] == course[-1 - period]


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
    """What the bases of *cones* that may have a period are, step by step, until all that they depend on repeats.

    Every base is followed with what it depends on alone, few before many, until `EFFORT` is spent.
    """
    groups: dict[frozenset[int], list[int]] = {}
    for base in cones:
        behind = _behind(cones, base)
        if behind is not None:
            groups.setdefault(behind, []).append(base)
    found: dict[int, tuple[bool, ...]] = {}
    left = EFFORT
    for members, bases in sorted(groups.items(), key=lambda group: (len(group[0]), group[1])):
        course = _Course(circuit, {base: cones[base] for base in members})
        left -= course.follow(bases, left)
        found |= course.found
    return found


def _behind(cones: dict[int, _Cone], base: int) -> frozenset[int] | None:
    """All bases that *base* depends on, itself among them; None: more than `MEMBERS`."""
    found, work = {base}, [base]
    while work and len(found) <= MEMBERS:
        new = cones[work.pop()].bases - found
        found |= new
        work += new
    return None if len(found) > MEMBERS else frozenset(found)


class _Course:
    """Bases that read nothing but one another, from the initial state on."""

    def __init__(self, circuit: Circuit, cones: dict[int, _Cone]) -> None:
        self._successors = _Successors(circuit, cones)
        self._values = {base: bool(circuit.initial[base]) for base in sorted(cones)}
        self.found: dict[int, tuple[bool, ...]] = {}

    def follow(self, bases: Sequence[int], effort: int) -> int:
        """The courses of *bases*, unless *effort* gates do not suffice or none of them has a short period; the gates evaluated."""
        seen: set[tuple[bool, ...]] = set()
        courses: dict[int, list[bool]] = {base: [] for base in bases}
        possible = {(base, period) for base in bases for period in range(1, LONGEST_PERIOD + 1)}
        spent, more = 0, LONGEST_PERIOD
        while more and spent <= effort:
            now = tuple(self._values.values())
            more -= now in seen
            seen.add(now)
            for base, course in courses.items():
                course.append(self._values[base])
            possible = {(base, period) for base, period in possible if _goes_on(courses[base], period)}
            if not possible:
                return spent
            self._values = self._successors.of(self._values)
            spent += self._successors.gates
        if not more:
            self.found = {base: tuple(course) for base, course in courses.items()}
        return spent


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
        self.gates = len(self._gates) + len(self._next)

    def of(self, values: dict[int, bool]) -> dict[int, bool]:
        known = {0: False, **{1 + base: value for base, value in values.items()}}

        def value(literal: int) -> bool:
            return known[literal >> 1] ^ bool(literal & 1)

        for node, both, left, right in self._gates:
            known[node] = value(left) and value(right) if both else value(left) or value(right)
        return {base: value(literal) for base, literal in self._next.items()}

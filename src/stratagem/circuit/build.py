"""From the ground program to gates: every atom is the OR of its rules, every rule the AND of its body.

Atoms come in the order of their dependence; those that depend on themselves (recursion through the state)
become loop variables, which the last stage turns into loops. Atoms that never change are constants here, so
propositions that are always false or always true, and moves that are never legal, are gone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from stratagem.circuit.constants import Bounds
from stratagem.circuit.gates import FALSE, TRUE, Gates
from stratagem.circuit.order import components
from stratagem.gdl.terms import Term, order
from stratagem.ground.program import ALWAYS, GroundProgram


@dataclass(frozen=True, slots=True)
class Network:
    """Gates under construction with the names of their inputs and outputs; literals as in `Circuit`."""

    gates: Gates
    roles: tuple[str, ...]
    bases: tuple[Term, ...]
    moves: tuple[tuple[Term, ...], ...]
    constants: frozenset[Term]
    initial: tuple[bool, ...]
    next: tuple[int, ...]
    legal: tuple[tuple[int, ...], ...]
    terminal: int
    goals: tuple[tuple[tuple[int, int], ...], ...]

    def outputs(self) -> list[int]:
        """Every literal that someone asks for."""
        goals = [literal for pairs in self.goals for _, literal in pairs]
        return [
            *self.next,
            *(literal for several in self.legal for literal in several),
            self.terminal,
            *goals,
        ]


def build(program: GroundProgram, bounds: Bounds) -> Network:
    """The gates of *program*; *bounds* says which atoms never change."""
    may, must = bounds.may, bounds.must
    bases = sorted((t for t, n in program.true.items() if may[n] and not must[n]), key=order)
    constants = frozenset(term for term, number in program.true.items() if must[number])
    by_role: dict[str, list[Term]] = {role: [] for role in program.roles}
    for (role, move), number in program.does.items():
        if may[number]:
            by_role[role].append(move)
    moves = tuple(tuple(sorted(by_role[role], key=order)) for role in program.roles)

    literals: dict[int, int] = {ALWAYS: TRUE}
    for place, term in enumerate(bases):
        literals[program.true[term]] = 2 * (1 + place)
    node = 1 + len(bases)
    choices = []
    for role, several in zip(program.roles, moves, strict=True):
        choices.append(range(node, node + len(several)))
        for move in several:
            literals[program.does[(role, move)]] = 2 * node
            node += 1
    gates = Gates(node - 1, choices)

    goal_values: list[dict[int, list[int]]] = [{} for _ in program.roles]
    for (role, value), number in program.goal.items():
        points = goal_value(value)
        if points is not None:
            goal_values[program.roles.index(role)].setdefault(points, []).append(number)
    wanted = [program.next.get(term) for term in bases]
    wanted += [
        program.legal[(r, m)] for r, several in zip(program.roles, moves, strict=True) for m in several
    ]
    wanted += [
        program.terminal,
        *(n for values in goal_values for several in values.values() for n in several),
    ]
    _Definitions(program, bounds, gates, literals).build([number for number in wanted if number is not None])

    def literal(number: int | None) -> int:
        return FALSE if number is None else literals[number]

    return Network(
        gates,
        program.roles,
        tuple(bases),
        moves,
        constants,
        tuple(term in program.initial for term in bases),
        tuple(literal(program.next.get(term)) for term in bases),
        tuple(
            tuple(literal(program.legal[(role, move)]) for move in several)
            for role, several in zip(program.roles, moves, strict=True)
        ),
        literal(program.terminal),
        tuple(
            tuple(
                (points, gates.disjunction([literals[number] for number in several]))
                for points, several in sorted(values.items())
            )
            for values in goal_values
        ),
    )


def goal_value(term: Term) -> int | None:
    """The number that *term* spells: digits with or without a sign; None for anything else.

    >>> from stratagem.gdl.terms import Symbol
    >>> [goal_value(Symbol(word)) for word in ("050", "+70", "-5", "1.5", "many")]
    [50, 70, -5, None, None]
    """
    if not isinstance(term, str):
        return None
    digits = term[1:] if term[:1] in ("+", "-") else term
    return int(term) if digits.isdecimal() and digits.isascii() and len(digits) < 10 else None


class _Definitions:
    """Gives every atom that is asked for a literal."""

    def __init__(
        self, program: GroundProgram, bounds: Bounds, gates: Gates, literals: dict[int, int]
    ) -> None:
        self.gates = gates
        self.literals = literals
        may, must = bounds.may, bounds.must
        for number in range(1, len(may)):
            if must[number]:
                literals[number] = TRUE
            elif not may[number]:
                literals[number] = FALSE
        self.bodies: dict[int, list[tuple[int, ...]]] = {}
        for head, body in program.rules:
            if head not in literals:
                self.bodies.setdefault(head, []).append(body)

    def build(self, wanted: Sequence[int]) -> None:
        literals, bodies = self.literals, self.bodies

        def successors(number: int) -> list[int]:
            found = []
            for body in bodies.get(number, ()):
                for part in body:
                    other = part if part > 0 else -part
                    if other not in literals:
                        found.append(other)
            return found

        for component in components([number for number in wanted if number not in literals], successors):
            if len(component) == 1 and component[0] not in successors(component[0]):
                number = component[0]
                if number not in literals:
                    literals[number] = self._value(number)
            else:
                self._loop(sorted(component))

    def _value(self, number: int) -> int:
        literals, gates = self.literals, self.gates
        alternatives = []
        for body in self.bodies[number]:
            parts = [literals[part] if part > 0 else literals[-part] ^ 1 for part in body]
            alternatives.append(gates.conjunction(parts) ^ 1)
        return gates.conjunction(alternatives) ^ 1

    def _loop(self, component: list[int]) -> None:
        """Loop variables for *component*, less those that turn out to be something simpler."""
        literals, gates = self.literals, self.gates
        variables = {number: gates.variable() for number in component}
        literals.update(variables)
        while True:
            values = {number: self._value(number) for number in variables}
            simple = {
                number: value
                for number, value in values.items()
                if value in (FALSE, TRUE, variables[number]) or gates.operands[value >> 1] is None
            }
            if not simple:
                break
            # One at a time: two variables may stand for one another.
            number, value = next(iter(simple.items()))
            gates.define(variables[number], FALSE)
            del variables[number]
            settled = FALSE if value == literals[number] else value
            for other in component:
                if literals[other] == literals[number] and other != number:
                    literals[other] = settled
            literals[number] = settled
        for number, value in values.items():
            gates.define(variables[number], value)

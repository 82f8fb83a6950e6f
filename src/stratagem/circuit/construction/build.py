"""From the ground program to gates: every atom is the OR of its rules, every rule the AND of its body.

Atoms come in the order of their dependence; those that depend on themselves (recursion through the state)
become loop variables, which the last stage turns into loops.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain

from stratagem.circuit.construction.gates import FALSE, TRUE, Gates, define_loop
from stratagem.circuit.construction.network import Network
from stratagem.errors import GroundingError
from stratagem.gdl.graphs import numbered_components
from stratagem.gdl.terms import Term, integer, order
from stratagem.ground.program import ALWAYS, GroundProgram


def build(program: GroundProgram) -> Network:
    """The gates of *program*."""
    roles = program.roles
    bases = sorted(program.true, key=order)
    by_role: dict[str, list[Term]] = {role: [] for role in roles}
    for role, move in program.does:
        by_role[role].append(move)
    moves = tuple(tuple(sorted(by_role[role], key=order)) for role in roles)
    role_moves = list(zip(roles, moves, strict=True))

    literals: dict[int, int] = {ALWAYS: TRUE}
    for place, term in enumerate(bases):
        literals[program.true[term]] = 2 * (1 + place)
    gates = Gates(len(bases) + len(program.does))
    node = 1 + len(bases)
    for role, several in role_moves:
        gates.exactly_one(range(node, node + len(several)))
        for move in several:
            literals[program.does[(role, move)]] = 2 * node
            node += 1

    definitions = _Definitions(program, gates, literals)
    definitions.define(
        [*(program.legal[key] for key in program.does), program.terminal, *program.goal.values()]
    )
    legal = tuple(
        tuple(definitions.literal(program.legal[(role, move)]) for move in several)
        for role, several in role_moves
    )
    terminal = definitions.literal(program.terminal)
    goals = tuple(
        _goals(gates, {t: definitions.literal(n) for (r, t), n in program.goal.items() if r == role})
        for role in roles
    )
    outputs = [
        *(part for several in legal for part in several),
        terminal,
        *(p for pairs in goals for _, p in pairs),
    ]
    _refuse_moves(gates, outputs, range(1 + len(bases), node))
    for (role, several), allowed in zip(role_moves, legal, strict=True):
        for move, literal in zip(several, allowed, strict=True):
            gates.imply(literals[program.does[(role, move)]], literal)
    definitions.define(program.next.get(term) for term in bases)
    after = tuple(definitions.literal(program.next.get(term)) for term in bases)
    initial = tuple(term in program.initial for term in bases)
    return Network(gates, roles, tuple(bases), moves, frozenset(), initial, after, legal, terminal, goals)


def _refuse_moves(gates: Gates, outputs: Sequence[int], moves: range) -> None:
    """What is legal, who has won and whether it is over may not depend on the moves being made."""
    seen: set[int] = set()
    waiting = [literal >> 1 for literal in outputs]
    while waiting:
        node = waiting.pop()
        if node in moves:
            raise GroundingError(
                "legal, goal or terminal depends on the moves being made",
                hint="let them depend on the state only",
            )
        if node not in seen:
            seen.add(node)
            waiting.extend(literal >> 1 for literal in gates.operands[node] or ())
            if node in gates.variables:
                waiting.append(gates.variables[node] >> 1)


def _goals(gates: Gates, literals: dict[Term, int]) -> tuple[tuple[int, int], ...]:
    """The (value, literal) pairs of one role; GDL asks for exactly one goal, whatever its spelling."""
    values: dict[int, list[int]] = {}
    others: list[int] = []
    for term in sorted(literals, key=order):
        points = integer(term)
        (others if points is None else values.setdefault(points, [])).append(literals[term])
    return tuple(
        # A goal that is no number must not hold beside one that is.
        (points, gates.conjunction([gates.disjunction(spelled), *(other ^ 1 for other in others)]))
        for points, spelled in sorted(values.items())
    )


class _Definitions:
    """Gives every atom that is asked for a literal."""

    def __init__(self, program: GroundProgram, gates: Gates, literals: dict[int, int]) -> None:
        self.gates = gates
        self.literals = literals
        self.bodies: dict[int, list[tuple[int, ...]]] = {}
        self.own: set[int] = set()
        """Atoms that one of their own rules mentions."""
        for head, body in program.rules:
            self.bodies.setdefault(head, []).append(body)
            if head in body or -head in body:
                self.own.add(head)
        mentioned = map(abs, chain.from_iterable(body for _, body in program.rules))
        self.count = 1 + max(max(literals), max(self.bodies, default=0), max(mentioned, default=0))

    def define(self, wanted: Iterable[int | None]) -> None:
        """Gives literals to the atoms *wanted* and to all they depend on."""
        numbers = [number for number in wanted if number is not None and number not in self.literals]
        for component in numbered_components(numbers, self._successors, self.count):
            number = component[0]
            if number in self.literals:
                continue
            if len(component) > 1 or number in self.own:
                self._loop(sorted(component))
            else:
                self.literals[number] = self._value(number)

    def literal(self, number: int | None) -> int:
        return FALSE if number is None else self.literals[number]

    def _successors(self, number: int) -> Sequence[int]:
        literals = self.literals
        if number in literals:
            return []
        return [
            other
            for body in self.bodies.get(number, ())
            for part in body
            if (other := part if part > 0 else -part) not in literals
        ]

    def _value(self, number: int) -> int:
        bodies = self.bodies.get(number, ())
        if len(bodies) == 1:
            return self._body(bodies[0])
        alternatives = [self._body(body) ^ 1 for body in bodies]
        return self.gates.conjunction(alternatives) ^ 1

    def _body(self, body: tuple[int, ...]) -> int:
        literals = self.literals
        if len(body) == 1:
            part = body[0]
            return literals[part] if part > 0 else literals[-part] ^ 1
        return self.gates.conjunction([literals[part] if part > 0 else literals[-part] ^ 1 for part in body])

    def _loop(self, component: list[int]) -> None:
        """Loop variables for *component*, less those that turn out to be something simpler."""
        members = set(component)
        for number in component:
            if any(-part in members for body in self.bodies.get(number, ()) for part in body):
                raise GroundingError(
                    "a relation depends on its own negation", hint="break the cycle through (not ...)"
                )

        def definitions(numbers: Iterable[int]) -> dict[int, int]:
            return {number: self._value(number) for number in numbers}

        define_loop(self.gates, component, self.literals, definitions)

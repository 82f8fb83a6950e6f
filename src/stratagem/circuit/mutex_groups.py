"""The mutex groups of a circuit: propositions of which at most one holds, and the bits that a state needs with them.

(cell 1 1 x), (cell 1 1 o) and (cell 1 1 b) take three bits, or two once it is proved that exactly one of them holds. The
proof is that of `ground.solving.mutex_groups`: gates are read back as ground rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from stratagem.circuit.circuit import AND, Circuit
from stratagem.ground.program import GroundProgram, GroundRule
from stratagem.ground.solving.mutex_groups import MutexGroups, mutex_groups
from stratagem.ground.solving.transition import CONFLICTS


@dataclass(frozen=True, slots=True)
class MutexGroup:
    """Propositions (their numbers in `Circuit.bases`) of which at most one holds; *exactly* one if so proved."""

    members: tuple[int, ...]
    exactly: bool

    @property
    def width(self) -> int:
        """The bits that tell which member holds, or that none does."""
        return (len(self.members) - self.exactly).bit_length()


def groups_of(circuit: Circuit, *, conflicts: int = CONFLICTS) -> tuple[MutexGroup, ...]:
    """The proved groups of *circuit* without common members, those that save most bits first chosen."""
    proved = mutex_groups(program_of(circuit), conflicts=conflicts)
    return disjoint(_numbered(circuit, proved))


def width_of(circuit: Circuit, groups: Iterable[MutexGroup]) -> int:
    """The bits of a state in which disjoint *groups* are packed."""
    return len(circuit.bases) - sum(len(group.members) - group.width for group in groups)


def disjoint(groups: Iterable[MutexGroup]) -> tuple[MutexGroup, ...]:
    """Some of *groups*, without common members: those that save most bits are chosen first."""
    taken: set[int] = set()
    chosen: list[MutexGroup] = []
    for group in sorted(groups, key=lambda group: (group.width - len(group.members), group.members)):
        if taken.isdisjoint(group.members):
            taken.update(group.members)
            chosen.append(group)
    return tuple(sorted(chosen, key=lambda group: group.members))


def _numbered(circuit: Circuit, proved: MutexGroups) -> list[MutexGroup]:
    places = {base: place for place, base in enumerate(circuit.bases)}
    exactly = set(proved.exactly())
    return [
        MutexGroup(tuple(sorted(places[fact] for fact in group)), group in exactly)
        for group in proved.at_most
    ]


def program_of(circuit: Circuit) -> GroundProgram:
    """The ground program that says what *circuit* does: its goals left out, every gate an atom with its rules."""
    rules: list[GroundRule] = []
    false = (
        circuit.first_gate + circuit.gate_count
    )  # an atom without rules; negated literals get those after it
    negated: dict[int, int] = {}

    def part(literal: int) -> int:
        atom = literal >> 1 or false
        return -atom if literal & 1 else atom

    def output(literal: int) -> int:
        found = part(literal)
        if found < 0 and found not in negated:
            negated[found] = false + 1 + len(negated)
            rules.append((negated[found], (found,)))
        return negated.get(found, found)

    def outputs(literals: Iterable[int]) -> Sequence[int]:
        return [output(int(literal)) for literal in literals]

    gates = zip(circuit.operations.tolist(), circuit.left.tolist(), circuit.right.tolist(), strict=True)
    for atom, (operation, left, right) in enumerate(gates, start=circuit.first_gate):
        bodies = [(part(left), part(right))] if operation == AND else [(part(left),), (part(right),)]
        rules += [(atom, body) for body in bodies]
    moves = [(role, move) for role, own in zip(circuit.roles, circuit.moves, strict=True) for move in own]
    legal = outputs(literal for own in circuit.legal for literal in own)
    after = outputs(circuit.next)
    terminal = output(circuit.terminal)
    return GroundProgram(
        circuit.roles,
        tuple(rules),
        frozenset(base for base, holds in zip(circuit.bases, circuit.initial, strict=True) if holds),
        {base: atom for atom, base in enumerate(circuit.bases, start=1)},
        {move: atom for atom, move in enumerate(moves, start=circuit.first_move)},
        dict(zip(circuit.bases, after, strict=True)),
        dict(zip(moves, legal, strict=True)),
        {},
        terminal,
    )

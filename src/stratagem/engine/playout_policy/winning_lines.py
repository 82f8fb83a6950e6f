"""Winning lines: sets of facts that give one role alone its best goal and end the match, and which fact each of them lacks.

For connect four these are the 69 lines of four. They are the alternatives of the best goal (`evaluation.goal_lines`), as far as they
have few facts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from stratagem.circuit.construction.gates import Gates
from stratagem.circuit.construction.network import Network
from stratagem.circuit.simplify.binary import binary
from stratagem.circuit.simplify.factor import sum_of_products
from stratagem.circuit.simplify.share import share
from stratagem.engine.evaluation.goal_lines import LONGEST, alternatives
from stratagem.engine.playout_policy.variants import Variants, literals_at
from stratagem.native.logic.network import LogicNetwork

if TYPE_CHECKING:
    from stratagem.circuit.circuit import Circuit

WinningLine: TypeAlias = frozenset[int]
"""Literals over bases, as in `circuit.circuit`."""


def winning_lines(circuit: Circuit, role: int) -> list[WinningLine]:
    """The sets of at most `LONGEST` literals over bases that give *role* its best goal and end the match whatever else holds.

    Those that give another role its best goal too are left out: that one has nothing to prevent.
    """
    if not circuit.goals[role]:
        return []
    _, literal = max(circuit.goals[role])
    bests = [
        max(goals)[1]
        for other, (name, goals) in enumerate(zip(circuit.roles, circuit.goals, strict=True))
        if other != role and name != "random" and len(goals) > 1
    ]
    found = sorted(
        (one for one in alternatives(circuit, literal) or () if 0 < len(one) <= LONGEST), key=sorted
    )
    network = LogicNetwork()
    inputs = [network.input() for _ in circuit.bases]
    variants = Variants(network, circuit, [literal, circuit.terminal, *bests])
    values = variants.values([*inputs, *[0] * sum(map(len, circuit.moves))])
    ending = []
    for line in found:
        changed = variants.changes(values, {one >> 1: 1 - (one & 1) for one in line})
        won, over, *shared = literals_at([literal, circuit.terminal, *bests], values, changed)
        if won == over == 1 and 1 not in shared:
            ending.append(line)
    return ending


@dataclass(frozen=True, slots=True)
class Completions:
    """A circuit over the bases of a game that says of every literal of a winning line whether the rest of it holds."""

    circuit: Circuit
    literals: dict[int, dict[int, int]]
    """Its literals, by role and by literal over the bases."""

    @property
    def roles(self) -> list[int]:
        """The roles that have lines."""
        return list(self.literals)

    @staticmethod
    def of(circuit: Circuit, lines: Mapping[int, Sequence[WinningLine]]) -> Completions:
        """The completions of the *lines* of some roles of *circuit*, with as few gates as sharing gives."""
        gates, found = Gates(len(circuit.bases)), {}
        for role, own in lines.items():
            rests: dict[int, list[WinningLine]] = {}
            for line in own:
                for literal in line:
                    rests.setdefault(literal, []).append(line - {literal})
            for literal, products in sorted(rests.items()):
                found[role, literal] = gates.disjunction(sum_of_products(gates, products))
        count, goals = len(circuit.bases), tuple(enumerate(found.values()))
        network = Network(
            gates,
            ("",),
            circuit.bases,
            ((),),
            frozenset(),
            (False,) * count,
            (0,) * count,
            ((),),
            0,
            (goals,),
        )
        made = binary(share(network))
        literals: dict[int, dict[int, int]] = {role: {} for role in lines}
        for (role, literal), (_, completed) in zip(found, made.goals[0], strict=True):
            literals[role][literal] = completed
        return Completions(made, literals)

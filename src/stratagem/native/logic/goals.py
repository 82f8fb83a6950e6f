"""Goals as gates: which value each role gets, and which goal vectors are expected.

GDL asks for exactly one goal per role in a terminal state. Where a sheet gives none or several, a role has no goal
there: that is what ``exclusive`` means.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from stratagem.circuit.circuit import Circuit
from stratagem.native.logic.gates import NOTHING, copy_gates
from stratagem.native.logic.network import LogicNetwork


def exclusive_goals(
    network: LogicNetwork, circuit: Circuit, bases: Sequence[int], settled: Mapping[int, int] = NOTHING
) -> list[list[int]]:
    """For each role and each of its values a literal: this value and no other."""
    flat = [literal for goals in circuit.goals for _, literal in goals]
    literals = copy_gates(network, circuit, bases, [0] * sum(map(len, circuit.moves)), flat, settled)
    result = []
    for goals in circuit.goals:
        own, literals = literals[: len(goals)], literals[len(goals) :]
        result.append(only_one(network, own))
    return result


def only_one(network: LogicNetwork, literals: Sequence[int]) -> list[int]:
    """Each literal where no other of them is true."""
    one = several = 0
    for literal in literals:
        several = network.disjunction(several, network.conjunction(one, literal))
        one = network.disjunction(one, literal)
    return [network.conjunction(literal, several ^ 1) for literal in literals]


def expected_outcomes(
    network: LogicNetwork, goals: Sequence[Sequence[int]], outcomes: Sequence[Sequence[int]]
) -> tuple[list[int], int]:
    """A literal for each expected goal vector, and one for all others.

    An outcome gives for each role the number of its value, or the number of values for no goal.
    """
    classes = [[*own, network.any(list(own)) ^ 1] for own in goals]
    found = [
        network.all([classes[role][value] for role, value in enumerate(outcome)]) for outcome in outcomes
    ]
    return found, network.any(list(found)) ^ 1

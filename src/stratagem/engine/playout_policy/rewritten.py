"""Circuits whose gates were written anew into a network."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from stratagem.engine.playout_policy.variants import literals_at
from stratagem.native.logic.gates import needed_gates
from stratagem.native.logic.network import AND, LogicNetwork

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stratagem.circuit.circuit import Circuit


def outputs_of(circuit: Circuit) -> list[int]:
    """All literals that *circuit* is asked for."""
    outputs = [*circuit.next.tolist(), circuit.terminal]
    outputs += [literal for own in circuit.legal for literal in own.tolist()]
    return outputs + [literal for own in circuit.goals for _, literal in own]


def rewritten(
    circuit: Circuit, network: LogicNetwork, values: Sequence[int], legal: Sequence[Sequence[int]]
) -> Circuit:
    """*circuit* with all gates of *network*, whose inputs are its bases and moves, and with other legal moves.

    *values* are the literals in *network* of its nodes.
    """
    first = circuit.first_gate
    return replace(
        circuit,
        operations=np.array(network.kinds[first:], np.int8) - AND,
        left=np.array(network.left[first:], np.int32),
        right=np.array(network.right[first:], np.int32),
        next=np.array(literals_at(circuit.next.tolist(), values), np.int32),
        legal=tuple(np.array(own, np.int32) for own in legal),
        terminal=literals_at([circuit.terminal], values)[0],
        goals=tuple(
            tuple((value, literals_at([literal], values)[0]) for value, literal in own)
            for own in circuit.goals
        ),
    )


def without_unread(circuit: Circuit) -> Circuit:
    """*circuit*, which has no loops, without the gates that no output depends on."""
    gates = np.array(needed_gates(circuit, outputs_of(circuit)), np.int64)
    places = np.zeros(circuit.first_gate + circuit.gate_count, np.int64)
    places[: circuit.first_gate] = np.arange(circuit.first_gate)
    places[circuit.first_gate + gates] = circuit.first_gate + np.arange(len(gates))

    def moved(literals: NDArray[np.int32]) -> NDArray[np.int32]:
        return np.asarray(2 * places[literals >> 1] + (literals & 1), np.int32)

    def one(literal: int) -> int:
        return int(2 * places[literal >> 1] + (literal & 1))

    return replace(
        circuit,
        operations=circuit.operations[gates],
        left=moved(circuit.left[gates]),
        right=moved(circuit.right[gates]),
        next=moved(circuit.next),
        legal=tuple(map(moved, circuit.legal)),
        terminal=one(circuit.terminal),
        goals=tuple(tuple((value, one(literal)) for value, literal in own) for own in circuit.goals),
    )

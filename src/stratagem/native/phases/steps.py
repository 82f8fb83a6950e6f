"""A circuit at one step of its tokens' cycle: whose turn it is is known, and the gates of the others disappear.

Walked playouts, walked lane kernels and, in some circuits, expansion keep step with the tokens (`logic.turn_cycle`), so there are
phases for every step. Rows lie where those of the whole circuit lie. Moves that are never legal at a step are neither computed nor looked at. Cost: some
microseconds per gate.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from stratagem.circuit.circuit import Circuit
from stratagem.native.emit.choice import GROUP
from stratagem.native.emit.moves import INLINE_MOVES
from stratagem.native.logic.gates import copy_gates
from stratagem.native.logic.network import LogicNetwork
from stratagem.native.logic.turn_cycle import Tokens


@dataclass(frozen=True, slots=True)
class StepMoves:
    """The moves of one role that are looked at at a step."""

    numbers: tuple[int, ...]
    certain: bool
    """There is one, and it is always legal: it is no row but a constant."""


@dataclass(frozen=True, slots=True)
class StepCircuit:
    """A circuit with the tokens of one step as constants, and for each role its moves."""

    circuit: Circuit
    moves: tuple[StepMoves, ...]


def circuit_at(circuit: Circuit, tokens: Tokens, step: int) -> StepCircuit:
    """*circuit*, which has no loops, at a step of the cycle."""
    import numpy as np

    network = LogicNetwork()
    known = tokens.at(step)
    inputs = [network.input() for _ in range(circuit.first_gate - 1)]
    bases = [int(known[base]) if base in known else literal for base, literal in enumerate(inputs)]
    bases = bases[: len(circuit.bases)]
    no_moves = [0] * (len(inputs) - len(bases))
    legal = [literal for own in circuit.legal for literal in own.tolist()]
    goals = [literal for own in circuit.goals for _, literal in own]
    found = copy_gates(network, circuit, bases, no_moves, [*legal, circuit.terminal, *goals])
    legal, terminal, goals = found[: len(legal)], found[len(legal)], found[len(legal) + 1 :]
    legal_by_role = []
    for names in circuit.moves:
        legal_by_role.append(legal[: len(names)])
        legal = legal[len(names) :]
    moves = tuple(map(moves_to_look_at, legal_by_role))
    rows = iter(inputs[len(bases) :])
    does: list[int] = []
    for own, chosen in zip(legal_by_role, moves, strict=True):
        literals = [next(rows) for _ in own]
        if chosen.certain:
            literals = [1] * len(own)
        does += [literal if legal else 0 for literal, legal in zip(literals, own, strict=True)]
    successors = copy_gates(network, circuit, bases, does, circuit.next.tolist())
    values = iter(goals)
    first = circuit.first_gate
    narrowed = replace(
        circuit,
        operations=np.array(network.kinds[first:], np.int8) - 1,
        left=np.array(network.left[first:], np.int32),
        right=np.array(network.right[first:], np.int32),
        next=np.array(successors, np.int32),
        legal=tuple(np.array(own, np.int32) for own in legal_by_role),
        terminal=terminal,
        goals=tuple(tuple((value, next(values)) for value, _ in own) for own in circuit.goals),
    )
    return StepCircuit(narrowed, moves)


def all_moves(count: int) -> StepMoves:
    """The moves of a role that has *count*, where it is not known which can be legal."""
    return StepMoves(tuple(range(count)), False)


def moves_to_look_at(legal: Sequence[int]) -> StepMoves:
    """Of one role's moves, given as literals, those that can be legal: where they are many, in whole groups."""
    possible = [number for number, literal in enumerate(legal) if literal]
    if len(possible) == 1 and legal[possible[0]] == 1:
        return StepMoves(tuple(possible), True)
    if len(possible) > INLINE_MOVES:
        end = min(len(legal), possible[-1] // GROUP * GROUP + GROUP)
        possible = list(range(possible[0] // GROUP * GROUP, end))
    return StepMoves(tuple(possible), False)

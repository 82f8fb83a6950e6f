"""Partial evaluation: the gates of a circuit as a network in which some inputs are already known.

What is known is folded away on the way: with the token of the player to move fixed, half of a game's gates
disappear. Cost: one visit per gate that is needed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from stratagem.circuit.circuit import AND, OR, Circuit
from stratagem.errors import UnsuitableGame
from stratagem.native.logic.network import LogicNetwork

NOTHING: Final[Mapping[int, int]] = MappingProxyType({})


def copy_gates(
    network: LogicNetwork,
    circuit: Circuit,
    bases: Sequence[int],
    moves: Sequence[int],
    wanted: Sequence[int],
    settled: Mapping[int, int] = NOTHING,
) -> list[int]:
    """The literals in *network* of the literals *wanted* of *circuit*, given those of its inputs.

    *settled* gives the values (0 or 1) of gates that are known otherwise. Only for circuits without loops: a network
    has no cycles.
    """
    if circuit.loops:
        raise UnsuitableGame(
            "a circuit with loops has no straight-line code", hint="use the chunks of `phases`"
        )
    offset = circuit.first_gate
    known = [0, *bases, *moves]
    gates = needed_gates(circuit, wanted)
    operations, left, right = circuit.operations.tolist(), circuit.left.tolist(), circuit.right.tolist()
    places: dict[int, int] = {}

    def literal(of: int) -> int:
        node = of >> 1
        return (known[node] if node < offset else places[node - offset]) ^ (of & 1)

    for gate in gates:
        value = settled.get(gate)
        if value is not None:
            places[gate] = value
            continue
        join = network.conjunction if operations[gate] == AND else network.disjunction
        places[gate] = join(literal(left[gate]), literal(right[gate]))
    return [literal(of) for of in wanted]


def settled_ends(circuit: Circuit, unchanged: Collection[int]) -> dict[int, int]:
    """Gates whose value is known after a ply that was not played in a terminal state and left *unchanged* alone.

    A match goes on only while none of the conditions that end it holds. A condition that reads nothing but
    unchanged bases did not hold before the ply, so it does not hold after it: after a move of one player the other
    player's lines need not be looked at. The conditions are the parts of the disjunction that `terminal` is.
    """
    offset, first_move = circuit.first_gate, circuit.first_move
    operations, left, right = circuit.operations.tolist(), circuit.left.tolist(), circuit.right.tolist()
    conditions, work, seen = [], [circuit.terminal], set()
    while work:
        literal = work.pop()
        gate = (literal >> 1) - offset
        if gate < 0 or literal in seen:
            continue
        seen.add(literal)
        if operations[gate] == (AND if literal & 1 else OR):
            work += [left[gate] ^ (literal & 1), right[gate] ^ (literal & 1)]
        else:
            conditions.append(literal)
    settled: dict[int, int] = {}
    steady: dict[int, bool] = {}
    for gate in needed_gates(circuit, [circuit.terminal]):
        steady[gate] = all(
            steady[node - offset]
            if node >= offset
            else node < first_move and (node == 0 or node - 1 in unchanged)
            for node in (left[gate] >> 1, right[gate] >> 1)
        )
    for literal in conditions:
        gate = (literal >> 1) - offset
        if steady[gate]:
            settled[gate] = literal & 1
    return settled


def needed_gates(circuit: Circuit, wanted: Iterable[int]) -> list[int]:
    """The numbers of the gates that the literals *wanted* depend on, ascending."""
    offset = circuit.first_gate
    left, right = circuit.left.tolist(), circuit.right.tolist()
    seen = bytearray(circuit.gate_count)
    stack = [(literal >> 1) - offset for literal in wanted]
    while stack:
        gate = stack.pop()
        if gate < 0 or seen[gate]:
            continue
        seen[gate] = 1
        stack.append((left[gate] >> 1) - offset)
        stack.append((right[gate] >> 1) - offset)
    return [gate for gate, flag in enumerate(seen) if flag]

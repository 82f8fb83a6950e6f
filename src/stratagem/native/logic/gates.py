"""Partial evaluation: the gates of a circuit as a network in which some inputs are already known.

What is known is folded away on the way: with the token of the player to move fixed, half of a game's gates
disappear. Cost: one visit per gate that is needed.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterable, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
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

    *settled* gives the literals of gates that are known otherwise. In a circuit with loops these must cut every cycle
    (`loops.Loop.variables` do): a network has none.
    """
    offset = circuit.first_gate
    known = [0, *bases, *moves]
    gates = ordered_gates(circuit, wanted, settled)
    operations, left, right = circuit.operations.tolist(), circuit.left.tolist(), circuit.right.tolist()
    places = dict(settled)

    def literal(of: int) -> int:
        node = of >> 1
        return (known[node] if node < offset else places[node - offset]) ^ (of & 1)

    for gate in gates:
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
    gates = needed_gates(circuit, [circuit.terminal])
    steady = dict.fromkeys(gates, True)
    again = True
    while again:
        again = False
        for gate in gates:
            if steady[gate] and not all(
                steady[node - offset]
                if node >= offset
                else node < first_move and (node == 0 or node - 1 in unchanged)
                for node in (left[gate] >> 1, right[gate] >> 1)
            ):
                steady[gate] = False
                again = bool(circuit.loops)
    settled: dict[int, int] = {}
    for literal in conditions:
        gate = (literal >> 1) - offset
        if steady[gate]:
            settled[gate] = literal & 1
    return settled


def ordered_gates(circuit: Circuit, wanted: Iterable[int], known: Collection[int]) -> list[int]:
    """The gates that the literals *wanted* depend on beside those *known*, operands before their readers."""
    gates = needed_gates(circuit, wanted, known)
    offset = circuit.first_gate
    for first, end in circuit.loops:
        begin, after = bisect_left(gates, first), bisect_left(gates, end)
        inside = set(gates[begin:after])
        graph = {
            gate: [
                source
                for literal in (int(circuit.left[gate]), int(circuit.right[gate]))
                if (source := (literal >> 1) - offset) in inside
            ]
            for gate in gates[begin:after]
        }
        try:
            gates[begin:after] = TopologicalSorter(graph).static_order()
        except CycleError as failure:
            raise UnsuitableGame(
                "a circuit with loops has no straight-line code",
                hint="cut the loops (`logic.loops`), or use the chunks of `phases`",
            ) from failure
    return gates


def needed_gates(circuit: Circuit, wanted: Iterable[int], known: Collection[int] = ()) -> list[int]:
    """The numbers of the gates that the literals *wanted* depend on, ascending; none behind those *known*."""
    offset = circuit.first_gate
    left, right = circuit.left.tolist(), circuit.right.tolist()
    seen = bytearray(circuit.gate_count)
    for gate in known:
        seen[gate] = 2
    stack = [(literal >> 1) - offset for literal in wanted]
    while stack:
        gate = stack.pop()
        if gate < 0 or seen[gate]:
            continue
        seen[gate] = 1
        stack.append((left[gate] >> 1) - offset)
        stack.append((right[gate] >> 1) - offset)
    return [gate for gate, flag in enumerate(seen) if flag == 1]

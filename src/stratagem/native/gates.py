"""From the gates of a circuit to a network in which some inputs are already known.

What is known is folded away on the way: with the token of the player to move fixed, half of a game's gates
disappear. Cost: one visit per gate that is needed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from stratagem.circuit.circuit import AND, Circuit
from stratagem.errors import UnsuitableGame
from stratagem.native.network import Network


def copy_gates(
    network: Network, circuit: Circuit, bases: Sequence[int], moves: Sequence[int], wanted: Sequence[int]
) -> list[int]:
    """The literals in *network* of the literals *wanted* of *circuit*, given those of its inputs.

    Only for circuits without loops: a network has no cycles.
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
        join = network.conjunction if operations[gate] == AND else network.disjunction
        places[gate] = join(literal(left[gate]), literal(right[gate]))
    return [literal(of) for of in wanted]


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

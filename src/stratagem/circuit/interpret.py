"""The circuit interpreter: gate by gate in plain Python, a second reference beside the reasoner."""

from __future__ import annotations

from collections.abc import Sequence

from stratagem.circuit.circuit import AND, Circuit


def evaluate(circuit: Circuit, inputs: Sequence[bool]) -> list[bool]:
    """The value of every node; *inputs* are the bases and then the moves, role by role."""
    values = [False, *inputs, *([False] * circuit.gate_count)]
    operations, left, right = circuit.operations.tolist(), circuit.left.tolist(), circuit.right.tolist()
    offset = circuit.first_gate

    def run(first: int, last: int) -> bool:
        changed = False
        for gate in range(first, last):
            one = values[left[gate] >> 1] ^ (left[gate] & 1)
            other = values[right[gate] >> 1] ^ (right[gate] & 1)
            value = bool(one and other) if operations[gate] == AND else bool(one or other)
            if value != values[offset + gate]:
                values[offset + gate] = value
                changed = True
        return changed

    done = 0
    for first, last in circuit.loops:
        run(done, first)
        while run(first, last):
            pass
        done = last
    run(done, circuit.gate_count)
    return values


def read(values: Sequence[bool], literal: int) -> bool:
    """The value of *literal*, given those of all nodes."""
    return bool(values[literal >> 1] ^ (literal & 1))


def depth_of(circuit: Circuit) -> int:
    """The most gates between an input and an output, each loop passed through once."""
    depth = [0] * (circuit.first_gate + circuit.gate_count)
    for gate, (one, other) in enumerate(zip(circuit.left.tolist(), circuit.right.tolist(), strict=True)):
        depth[circuit.first_gate + gate] = 1 + max(depth[one >> 1], depth[other >> 1])
    return max(depth)

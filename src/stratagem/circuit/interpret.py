"""Circuits run as they are read: a second yardstick beside the reasoner.

`evaluate` is the definition, gate by gate in plain Python. `LaneInterpreter` does the same for many states at once: a
proposition is a row of words, and every bit of a row is another state. Gates of equal depth are run together,
so numpy is called once per level, not once per gate.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from stratagem.circuit.circuit import AND, Circuit

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Rows = NDArray[np.uint64]


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


@dataclass(frozen=True, slots=True)
class _Step:
    """Gates that do not read each other: AND gates and OR gates, as nodes and operand nodes with masks."""

    target: NDArray[np.intp]
    left: NDArray[np.intp]
    right: NDArray[np.intp]
    left_mask: Rows
    right_mask: Rows
    is_and: bool


class LaneInterpreter:
    """A circuit ready to run on rows of words: ``rows[node, word]``, 64 states in each word."""

    def __init__(self, circuit: Circuit) -> None:
        self.circuit = circuit
        self.node_count = circuit.first_gate + circuit.gate_count
        self._blocks: list[tuple[bool, list[_Step]]] = []
        depth = [0] * self.node_count
        done = 0
        for first, last in circuit.loops:
            self._add(done, first, depth, repeated=False)
            self._add(first, last, depth, repeated=True)
            done = last
        self._add(done, circuit.gate_count, depth, repeated=False)

    def _add(self, first: int, last: int, depth: list[int], *, repeated: bool) -> None:
        import numpy as np

        circuit, offset = self.circuit, self.circuit.first_gate
        left, right = circuit.left.tolist(), circuit.right.tolist()
        operations = circuit.operations.tolist()
        levels: dict[tuple[int, int], list[int]] = {}
        for gate in range(first, last):
            level = 1 + max(depth[left[gate] >> 1], depth[right[gate] >> 1])
            depth[offset + gate] = level
            levels.setdefault((level, operations[gate]), []).append(gate)
        steps = []
        for level, operation in sorted(levels):
            gates = np.array(levels[(level, operation)], dtype=np.intp)
            one, other = circuit.left[gates], circuit.right[gates]
            steps.append(
                _Step(
                    gates + offset,
                    (one >> 1).astype(np.intp),
                    (other >> 1).astype(np.intp),
                    _masks(one),
                    _masks(other),
                    operation == AND,
                )
            )
        if steps:
            self._blocks.append((repeated, steps))

    def run(self, inputs: Rows) -> Rows:
        """All nodes' rows; *inputs* holds the rows of the bases and then of the moves."""
        import numpy as np

        rows = np.zeros((self.node_count, inputs.shape[1]), dtype=np.uint64)
        rows[1 : 1 + len(inputs)] = inputs
        for repeated, steps in self._blocks:
            changed = True
            while changed:
                changed = False
                for step in steps:
                    one = rows[step.left] ^ step.left_mask
                    other = rows[step.right] ^ step.right_mask
                    value = one & other if step.is_and else one | other
                    if repeated and not changed:
                        changed = not np.array_equal(rows[step.target], value)
                    rows[step.target] = value
        return rows

    def literals(self, rows: Rows, literals: NDArray[np.int32]) -> Rows:
        """The rows of several literals."""
        found: Rows = rows[literals >> 1] ^ _masks(literals)
        return found


def _masks(literals: NDArray[np.int32]) -> Rows:
    import numpy as np

    return np.where((literals & 1).astype(bool), np.uint64(0xFFFF_FFFF_FFFF_FFFF), np.uint64(0))[:, None]

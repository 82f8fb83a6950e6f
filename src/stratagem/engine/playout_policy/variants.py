"""The gates of a circuit for many inputs that differ little: each variant costs only the gates that depend on the difference."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from heapq import heappop, heappush
from typing import TYPE_CHECKING, Final

from stratagem.circuit.circuit import AND
from stratagem.native.logic.gates import needed_gates

if TYPE_CHECKING:
    from stratagem.circuit.circuit import Circuit
    from stratagem.native.logic.network import LogicNetwork

NO_CHANGES: Final[Mapping[int, int]] = {}


class Variants:
    """Writes the gates of *circuit*, which has no loops, that the literals *wanted* depend on into *network*."""

    def __init__(self, network: LogicNetwork, circuit: Circuit, wanted: Iterable[int]) -> None:
        self.network, self.circuit = network, circuit
        self._first = circuit.first_gate
        self._operations = circuit.operations.tolist()
        self._left, self._right = circuit.left.tolist(), circuit.right.tolist()
        self._gates = needed_gates(circuit, wanted)
        self._readers: list[list[int]] = [[] for _ in range(self._first + circuit.gate_count)]
        for gate in self._gates:
            for node in {self._left[gate] >> 1, self._right[gate] >> 1}:
                self._readers[node].append(gate)

    def values(self, inputs: Sequence[int]) -> list[int]:
        """For every node its literal in the network, given those of the bases and moves."""
        values = [0, *inputs, *[0] * self.circuit.gate_count]
        for gate in self._gates:
            values[self._first + gate] = self._join(gate, values, NO_CHANGES)
        return values

    def changes(self, values: Sequence[int], inputs: Mapping[int, int]) -> dict[int, int]:
        """The nodes whose literals are not those of *values* once some *inputs* are others, with these literals."""
        changed = {node: literal for node, literal in inputs.items() if values[node] != literal}
        waiting = sorted({gate for node in changed for gate in self._readers[node]})
        seen = set(waiting)
        while waiting:
            gate = heappop(waiting)
            node = self._first + gate
            literal = self._join(gate, values, changed)
            if literal != values[node]:
                changed[node] = literal
                for reader in self._readers[node]:
                    if reader not in seen:
                        seen.add(reader)
                        heappush(waiting, reader)
        return changed

    def _join(self, gate: int, values: Sequence[int], changed: Mapping[int, int]) -> int:
        join = self.network.conjunction if self._operations[gate] == AND else self.network.disjunction
        left, right = self._left[gate], self._right[gate]
        return join(
            changed.get(left >> 1, values[left >> 1]) ^ (left & 1),
            changed.get(right >> 1, values[right >> 1]) ^ (right & 1),
        )


def literals_at(
    literals: Iterable[int], values: Sequence[int], changed: Mapping[int, int] = NO_CHANGES
) -> list[int]:
    """What *literals* of the circuit are in the network."""
    return [changed.get(of >> 1, values[of >> 1]) ^ (of & 1) for of in literals]

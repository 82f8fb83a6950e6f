"""From n-ary gates to the `Circuit`: balanced trees of two-operand gates, loops in ranges of their own.

Operands are joined shallowest first, so a gate is as shallow as its operands allow; the complemented
operands of an AND become one OR, so that few edges need a complement.
"""

from __future__ import annotations

import heapq

from stratagem.circuit.circuit import AND, OR, Circuit
from stratagem.circuit.construction.gates import FALSE, TRUE
from stratagem.circuit.construction.network import Network


def binary(network: Network) -> Circuit:
    """The circuit of *network*, without the gates that no output depends on."""
    import numpy as np

    writer = _BinaryWriter(network)
    writer.write()
    literal = writer.literal
    return Circuit(
        network.roles,
        network.bases,
        network.moves,
        network.constants,
        np.array(writer.operations, dtype=np.int8),
        np.array(writer.left, dtype=np.int32),
        np.array(writer.right, dtype=np.int32),
        tuple(writer.loops),
        np.array(network.initial, dtype=np.bool_),
        np.array([literal(part) for part in network.next], dtype=np.int32),
        tuple(np.array([literal(part) for part in several], dtype=np.int32) for several in network.legal),
        literal(network.terminal),
        tuple(tuple((value, literal(part)) for value, part in pairs) for pairs in network.goals),
    )


class _BinaryWriter:
    def __init__(self, network: Network) -> None:
        self.network = network
        self.gates = network.gates
        inputs = 1 + len(network.bases) + sum(map(len, network.moves))
        self.first_gate = inputs
        self.values: dict[int, int] = {node: 2 * node for node in range(inputs)}
        self.depth: list[int] = [0] * inputs
        self.operations: list[int] = []
        self.left: list[int] = []
        self.right: list[int] = []
        self.loops: list[tuple[int, int]] = []
        self.known: dict[tuple[int, int, int], int] = {}

    def literal(self, literal: int) -> int:
        """The literal in the circuit for one of the network."""
        return self.values[literal >> 1] ^ (literal & 1)

    def write(self) -> None:
        gates = self.gates

        for component in self.network.components():
            node = component[0]
            if len(component) > 1:
                self.loop(component)
            elif node in gates.variables:
                self.values[node] = self.literal(gates.variables[node])
            elif node not in self.values:
                self.values[node] = self.conjunction(
                    [self.literal(part) for part in gates.operands[node] or ()]
                )

    def gate(self, operation: int, one: int, other: int) -> int:
        """The literal of a two-operand gate, an old one if there is one."""
        if one > other:
            one, other = other, one
        if one == other:
            return one
        if one ^ 1 == other:
            return FALSE if operation == AND else TRUE
        if one <= TRUE:
            return other if one == (TRUE if operation == AND else FALSE) else one
        if one & other & 1:
            return self.gate(OR if operation == AND else AND, one ^ 1, other ^ 1) ^ 1
        key = (operation, one, other)
        found = self.known.get(key)
        if found is None:
            found = self.append(operation, one, other)
            self.known[key] = found
        return found

    def append(self, operation: int, one: int, other: int) -> int:
        self.operations.append(operation)
        self.left.append(one)
        self.right.append(other)
        self.depth.append(1 + max(self.depth[one >> 1], self.depth[other >> 1]))
        return 2 * (len(self.depth) - 1)

    def tree(self, operation: int, literals: list[int]) -> int:
        """A balanced tree over at least one literal."""
        heap = [(self.depth[literal >> 1], literal) for literal in literals]
        heapq.heapify(heap)
        while len(heap) > 1:
            _, one = heapq.heappop(heap)
            _, other = heapq.heappop(heap)
            joined = self.gate(operation, one, other)
            heapq.heappush(heap, (self.depth[joined >> 1], joined))
        return heap[0][1]

    def conjunction(self, literals: list[int]) -> int:
        if len(literals) == 2:
            return self.gate(AND, literals[0], literals[1])
        plain = sorted({literal for literal in literals if literal & 1 == 0})
        denied = sorted({literal ^ 1 for literal in literals if literal & 1})
        if not denied:
            return self.tree(AND, plain)
        none_of_them = self.tree(OR, denied) ^ 1
        return self.gate(AND, self.tree(AND, plain), none_of_them) if plain else none_of_them

    def loop(self, component: list[int]) -> None:
        """Writes a component with a cycle: all its gates read each other plainly, in a range of its own."""
        gates = self.gates
        members = set(component)
        # Everything from outside comes first, so that only what changes is run again.
        outside: dict[int, int | None] = {}
        signs = self.signs(component, members)
        nodes = [node for node in reversed(component) if node not in gates.variables]
        for node in nodes:
            parts = [self.literal(part) for part in gates.operands[node] or () if part >> 1 not in members]
            literal = self.conjunction(parts) if parts else None
            outside[node] = literal if literal is None else literal ^ signs[node]
        first = len(self.left)
        place: dict[int, int] = {}
        later: list[tuple[int, int, int]] = []
        for node in nodes:
            operation = OR if signs[node] else AND
            inner = [part >> 1 for part in gates.operands[node] or () if part >> 1 in members]
            literals = [] if outside[node] is None else [outside[node]]
            place[node] = self.chain(operation, literals, inner, later)
        for node in component:
            if node in gates.variables:
                place[node] = -1
        for gate, side, node in later:
            target = node
            while target in gates.variables:
                target = gates.variables[target] >> 1
            (self.left if side == 0 else self.right)[gate] = place[target]
        self.loops.append((first, len(self.left)))
        for node in component:
            target = node
            while target in gates.variables:
                target = gates.variables[target] >> 1
            # The plain value of the gate is the node's, or its complement where the node was written as an OR.
            self.values[node] = place[target] ^ (signs[target] if node == target else 0)

    def signs(self, component: list[int], members: set[int]) -> dict[int, int]:
        """For each AND of the loop 1 where it is only ever read complemented, that is, as an OR."""
        gates = self.gates
        signs: dict[int, int] = {}
        for node in component:
            if node in gates.variables:
                literals = [gates.variables[node]]
            else:
                continue
            waiting = literals
            while waiting:
                literal = waiting.pop()
                inner = literal >> 1
                if inner in gates.variables or inner not in members or inner in signs:
                    continue
                signs[inner] = literal & 1
                waiting.extend(part ^ (literal & 1) for part in gates.operands[inner] or ())
        return signs

    def chain(
        self, operation: int, literals: list[int | None], inner: list[int], later: list[tuple[int, int, int]]
    ) -> int:
        """A balanced tree over known *literals* and the yet unknown values of the nodes *inner*."""
        parts: list[tuple[str, int]] = [("literal", part) for part in literals if part is not None]
        parts += [("node", node) for node in inner]
        if len(parts) == 1:
            parts.append(parts[0])
        while len(parts) > 1:
            joined: list[tuple[str, int]] = []
            for one, other in zip(parts[::2], parts[1::2], strict=False):
                values = []
                for side, (kind, value) in enumerate((one, other)):
                    if kind == "node":
                        later.append((len(self.left), side, value))
                        values.append(FALSE)
                    else:
                        values.append(value)
                joined.append(("literal", self.append(operation, values[0], values[1])))
            if len(parts) % 2:
                joined.append(parts[-1])
            parts = joined
        return parts[0][1]

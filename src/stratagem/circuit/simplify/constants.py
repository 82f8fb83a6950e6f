"""Constants: propositions and gates that have one value in every reachable state.

The state starts at the initial facts, and every node has bounds: *may* it hold, *must* it hold. What the
bounds of ``next`` and ``legal`` allow widens those of the state and the moves, and so on to a fixed
point (conditional constant propagation, Wegman and Zadeck 1991, with the turn of the game as the loop). Bounds
only ever widen, each twice at most, so the whole takes time linear in the network.
"""

from __future__ import annotations

from dataclasses import dataclass

from stratagem.circuit.construction.network import Network


@dataclass(frozen=True, slots=True)
class Reachability:
    """For every node whether it may and whether it must hold in a reachable state."""

    may: bytearray
    must: bytearray


def bounds(network: Network) -> Reachability:
    """The bounds of every node of *network* that matters, over all reachable states and legal moves."""
    return _Propagation(network).run()


class _Propagation:
    def __init__(self, network: Network) -> None:
        self.network = network
        count = len(network.gates.operands)
        self.may = bytearray(count)
        self.must = bytearray(count)
        # Per literal, who reads it; per gate, how many operands cannot hold yet.
        self.readers: dict[int, list[int]] = {}
        self.blocked: dict[int, int] = {}
        self.rising: list[int] = []
        self.falling: list[int] = []
        self.after: dict[int, list[int]] = {}
        self.move_of: dict[int, list[tuple[int, int]]] = {}

    def run(self) -> Reachability:
        network = self.network
        for place, value in enumerate(network.initial):
            self.may[1 + place] = self.must[1 + place] = value
        moves = list(network.move_nodes())
        components = network.components()
        # Legal moves do not depend on the moves made: this first pass settles them for the initial state.
        self._evaluate(network.components_of([literal >> 1 for literal in network.legals()]))
        for nodes, legal in zip(moves, network.legal, strict=True):
            possible = [node for node, literal in zip(nodes, legal, strict=True) if self._may(literal)]
            for node in possible:
                self.may[node] = 1
                self.must[node] = len(possible) == 1
        self._evaluate(components)
        self._listen(components, moves)
        for place, literal in enumerate(network.next):
            if self._may(literal):
                self._raise(1 + place)
            if not self._must(literal):
                self._lower(1 + place)
        self._widen(moves)
        return Reachability(self.may, self.must)

    def _may(self, literal: int) -> bool:
        return not self.must[literal >> 1] if literal & 1 else bool(self.may[literal >> 1])

    def _must(self, literal: int) -> bool:
        return not self.may[literal >> 1] if literal & 1 else bool(self.must[literal >> 1])

    def _evaluate(self, components: list[list[int]]) -> None:
        """The bounds of all gates from those of the inputs."""
        gates = self.network.gates
        may, must = self.may, self.must
        for component in components:
            if len(component) == 1:
                node = component[0]
                inner = gates.operands[node]
                if inner is not None:
                    possible = certain = 1
                    for part in inner:
                        if part & 1:
                            if must[part >> 1]:
                                possible = certain = 0
                                break
                            if may[part >> 1]:
                                certain = 0
                        elif not may[part >> 1]:
                            possible = certain = 0
                            break
                        elif not must[part >> 1]:
                            certain = 0
                    may[node], must[node] = possible, certain
                elif node in gates.variables:
                    may[node] = self._may(gates.variables[node])
                    must[node] = self._must(gates.variables[node])
            else:
                # Nothing is certain inside a loop, as certainties must not lean on one another.
                for node in component:
                    may[node], must[node] = 1, 0

    def _listen(self, components: list[list[int]], moves: list[range]) -> None:
        network, gates = self.network, self.network.gates
        for component in components:
            for node in component:
                inner = gates.operands[node]
                if node in gates.variables:
                    inner = (gates.variables[node],)
                if inner is None:
                    continue
                blocked = 0
                for literal in inner:
                    self.readers.setdefault(literal, []).append(node)
                    blocked += not self._may(literal)
                self.blocked[node] = blocked
        for place, literal in enumerate(network.next):
            self.after.setdefault(literal, []).append(1 + place)
        for role, (nodes, legal) in enumerate(zip(moves, network.legal, strict=True)):
            for node, literal in zip(nodes, legal, strict=True):
                self.move_of.setdefault(literal, []).append((role, node))

    def _raise(self, node: int) -> None:
        if not self.may[node]:
            self.may[node] = 1
            self.rising.append(node)

    def _lower(self, node: int) -> None:
        if self.must[node]:
            self.must[node] = 0
            self.falling.append(node)

    def _widen(self, moves: list[range]) -> None:
        """Follows every change of bounds to all that reads it, until nothing changes."""
        open_roles: set[int] = set()
        while self.rising or self.falling:
            # A literal that may now hold lets its readers hold; its complement need no longer hold.
            if self.rising:
                possible = 2 * self.rising.pop()
            else:
                possible = 2 * self.falling.pop() + 1
            for reader in self.readers.get(possible, ()):
                self.blocked[reader] -= 1
                if self.blocked[reader] == 0:
                    self._raise(reader)
            for reader in self.readers.get(possible ^ 1, ()):
                self._lower(reader)
            for state in self.after.get(possible, ()):
                self._raise(state)
            for state in self.after.get(possible ^ 1, ()):
                self._lower(state)
            for role, move in self.move_of.get(possible, ()):
                if role not in open_roles:
                    open_roles.add(role)
                    for other in moves[role]:
                        self._lower(other)
                self._raise(move)

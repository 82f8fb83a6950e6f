"""Networks: gates under construction with the names of their inputs and outputs."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass

from stratagem.circuit.construction.gates import Gates
from stratagem.gdl.graphs import numbered_components
from stratagem.gdl.terms import Term


@dataclass(frozen=True, slots=True)
class Network:
    """What a `Circuit` says, over n-ary gates; literals as there."""

    gates: Gates
    roles: tuple[str, ...]
    bases: tuple[Term, ...]
    moves: tuple[tuple[Term, ...], ...]
    constants: frozenset[Term]
    initial: tuple[bool, ...]
    next: tuple[int, ...]
    legal: tuple[tuple[int, ...], ...]
    terminal: int
    goals: tuple[tuple[tuple[int, int], ...], ...]

    @property
    def first_move(self) -> int:
        return 1 + len(self.bases)

    @property
    def first_gate(self) -> int:
        return self.first_move + sum(map(len, self.moves))

    def move_nodes(self) -> Iterator[range]:
        """For each role the nodes of its moves."""
        node = self.first_move
        for several in self.moves:
            yield range(node, node + len(several))
            node += len(several)

    def legals(self) -> list[int]:
        return [literal for several in self.legal for literal in several]

    def outputs(self) -> list[int]:
        """All outputs, as literals."""
        goals = [literal for pairs in self.goals for _, literal in pairs]
        return [*self.legals(), *self.next, self.terminal, *goals]

    def operands(self, node: int) -> list[int]:
        """The nodes that *node* reads."""
        defined = self.gates.variables.get(node)
        if defined is not None:
            return [defined >> 1]
        return [literal >> 1 for literal in self.gates.operands[node] or ()]

    def components(self) -> list[list[int]]:
        """The nodes that matter, operands first; those of a loop together."""
        return self.components_of([part >> 1 for part in self.outputs()])

    def components_of(self, roots: Sequence[int], known: Container[int] = ()) -> list[list[int]]:
        """The nodes that *roots* depend on, operands first; the operands of what is *known* are left out."""
        if self.gates.ascending:
            return [[node] for node in self._live(roots, known)]

        def operands(node: int) -> list[int]:
            return [] if node in known else self.operands(node)

        return numbered_components(roots, operands, len(self.gates.operands))

    def _live(self, roots: Sequence[int], known: Container[int]) -> list[int]:
        """As long as gates come after their operands, the order of the numbers will do."""
        operands = self.gates.operands
        met = bytearray(len(operands))
        waiting = []
        for root in roots:
            if not met[root]:
                met[root] = 1
                waiting.append(root)
        for node in waiting:
            inner = operands[node]
            if inner is not None and node not in known:
                for literal in inner:
                    if not met[literal >> 1]:
                        met[literal >> 1] = 1
                        waiting.append(literal >> 1)
        return sorted(waiting)

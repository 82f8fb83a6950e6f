"""Networks: gates under construction with the names of their inputs and outputs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from stratagem.circuit.gates import Gates
from stratagem.circuit.order import components
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
        """Every literal that someone asks for."""
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
        return components([part >> 1 for part in self.outputs()], self.operands, len(self.gates.operands))

"""Straight-line code from a network: rows in from memory, rows out to memory, logic in between.

A row that is not read again soon is loaded anew instead of being kept: the allocator of LLVM then has
nothing to spill, and the load is folded into the instruction that needs it. A segment may write rows that it
also reads: each is written only after the last read of its old value, and the order of the outputs is chosen so
that this comes about early.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from stratagem.native.emit.text import Text
from stratagem.native.logic.lut_mapping import Lookup, cover
from stratagem.native.logic.network import AND, INPUT, OR, LogicNetwork
from stratagem.native.logic.write_order import Hazards, Place, Unit

PATIENCE = 60
"""A row from memory is loaded again if its last use is more instructions ago than this."""


class Segment:
    """A network under construction, whose inputs are rows in memory or values at hand."""

    def __init__(self, text: Text, *, patience: int = PATIENCE) -> None:
        self.text, self.patience = text, patience
        self.network = LogicNetwork()
        self.sources: dict[int, Place] = {}
        self._inputs: dict[Place, int] = {}
        self._outputs: list[Unit] = []

    def row(self, pointer: str, index: int) -> int:
        """The literal of a row in memory."""
        return self._input((pointer, index))

    def value(self, name: str) -> int:
        """The literal of a row that is already in a register; constants are recognised."""
        if name == self.text.splat(0):
            return 0
        if name == self.text.splat(-1):
            return 1
        return self._input((name, None))

    def _input(self, place: Place) -> int:
        literal = self._inputs.get(place)
        if literal is None:
            literal = self._inputs[place] = self.network.input()
            self.sources[literal >> 1] = place
        return literal

    def places_read(self, literals: Iterable[int]) -> set[Place]:
        """The rows and values at hand that *literals* depend on."""
        found: set[Place] = set()
        work, seen = [literal >> 1 for literal in literals], {0}
        while work:
            node = work.pop()
            if node in seen:
                continue
            seen.add(node)
            if self.network.kinds[node] == INPUT:
                found.add(self.sources[node])
            else:
                work += [self.network.left[node] >> 1, self.network.right[node] >> 1]
        return found

    def output(self, literal: int, pointer: str, index: int) -> None:
        """Store *literal* into a row of memory; nothing is done where it is that very row."""
        if self._inputs.get((pointer, index)) != literal:
            self._outputs.append(Unit(literal, (pointer, index)))

    def emit(self, wanted: Sequence[int] = ()) -> list[str]:
        """Write the code; the values of the literals *wanted* come back as names."""
        units = [*self._outputs, *(Unit(literal, None) for literal in wanted)]
        emission = _Emission(self)
        emission.run(units)
        return [emission.results[literal] for literal in wanted]


class _Emission:
    """One pass over a segment."""

    def __init__(self, segment: Segment) -> None:
        self.text, self.network, self.sources = segment.text, segment.network, segment.sources
        self.patience = segment.patience
        self.values: dict[int, str] = {}
        self.inverted: dict[int, str] = {}
        self.results: dict[int, str] = {}
        self.used: dict[int, int] = {}
        self.clock = 0
        self.lookups: dict[int, Lookup] = {}

    def run(self, units: list[Unit]) -> None:
        if self.text.shape.ternary:
            self.lookups = cover(self.network, [unit.literal for unit in units])
        hazards = Hazards(units, self.sources, self.operands)
        held: dict[Place, str] = {}
        while (number := hazards.next()) is not None:
            unit = units[number]
            self.compute(unit.literal >> 1)
            value = self.literal(unit.literal)
            if unit.target is None:
                self.results[unit.literal] = value
            else:
                held[unit.target] = value
            for target in hazards.done(number):
                pointer, index = target
                self.text.store(held.pop(target), pointer, index or 0)

    def operands(self, node: int) -> Sequence[int]:
        """The nodes that the code of *node* reads."""
        lookup = self.lookups.get(node)
        if lookup is not None:
            return lookup.leaves
        return (self.network.left[node] >> 1, self.network.right[node] >> 1)

    def compute(self, root: int) -> None:
        """Write the code of *root* and of what it needs, depth first: each value close to its first reader."""
        work = [(root, False)]
        while work:
            node, ready = work.pop()
            if node in self.values or self.network.kinds[node] == INPUT:
                continue
            if not ready:
                work.append((node, True))
                work += [(operand, False) for operand in reversed(self.operands(node))]
                continue
            self.clock += 1
            self.values[node] = self.instruction(node)
            self.used[node] = self.clock

    def instruction(self, node: int) -> str:
        lookup = self.lookups.get(node)
        if lookup is not None:
            return self.text.logic(lookup.table, *(self.node(leaf) for leaf in lookup.leaves))
        a, b = self.literal(self.network.left[node]), self.literal(self.network.right[node])
        kind = self.network.kinds[node]
        if kind == AND:
            return self.text.both(a, b)
        return self.text.either(a, b) if kind == OR else self.text.differ(a, b)

    def node(self, node: int) -> str:
        source = self.sources.get(node)
        if source is not None:
            name, index = source
            if index is None:
                return name
            if node not in self.values or self.clock - self.used[node] > self.patience:
                self.values[node] = self.text.load(name, index)
                self.inverted.pop(node, None)
            self.used[node] = self.clock
        return self.values[node]

    def literal(self, literal: int) -> str:
        if literal <= 1:
            return self.text.splat(-literal)
        value = self.node(literal >> 1)
        if not literal & 1:
            return value
        opposite = self.inverted.get(literal >> 1)
        if opposite is None:
            opposite = self.inverted[literal >> 1] = self.text.opposite(value)
        return opposite

"""Straight-line code from a network: rows in from memory, rows out to memory, logic in between.

A row that is not read again soon is loaded anew instead of being kept: the allocator of LLVM then has
nothing to spill, and the load is folded into the instruction that needs it.
"""

from __future__ import annotations

from collections.abc import Sequence

from stratagem.native.mapping import map_to_lookups
from stratagem.native.network import AND, INPUT, OR, Network
from stratagem.native.text import Text

RELOAD_AFTER = 24
"""A row from memory is loaded again if its last use is more instructions ago than this."""


class Segment:
    """A network under construction, whose inputs are rows in memory or values at hand."""

    def __init__(self, text: Text, *, reload: bool = True) -> None:
        """*reload* must be off where rows are overwritten while they are still needed."""
        self.text = text
        self.patience = RELOAD_AFTER if reload else 1 << 30
        self.network = Network()
        self._sources: dict[int, tuple[str, int | None]] = {}
        self._inputs: dict[tuple[str, int | None], int] = {}
        self._outputs: list[tuple[int, str, int]] = []

    def row(self, pointer: str, index: int) -> int:
        """The literal of a row in memory."""
        return self._input(pointer, index)

    def value(self, name: str) -> int:
        """The literal of a row that is already in a register; constants are recognised."""
        if name == self.text.splat(0):
            return 0
        if name == self.text.splat(-1):
            return 1
        return self._input(name, None)

    def _input(self, name: str, index: int | None) -> int:
        literal = self._inputs.get((name, index))
        if literal is None:
            literal = self._inputs[name, index] = self.network.input()
            self._sources[literal >> 1] = (name, index)
        return literal

    def output(self, literal: int, pointer: str, index: int) -> None:
        """Store *literal* into a row of memory as soon as it is known."""
        self._outputs.append((literal, pointer, index))

    def emit(self, wanted: Sequence[int] = ()) -> list[str]:
        """Write the code; the values of the literals *wanted* come back as names."""
        return _Emission(self).run(self._outputs, wanted)


class _Emission:
    """One pass over the instructions of a segment."""

    def __init__(self, segment: Segment) -> None:
        self.text, self.network, self.patience = segment.text, segment.network, segment.patience
        self.sources = segment._sources
        self.values: dict[int, str] = {}
        self.inverted: dict[int, str] = {}
        self.used: dict[int, int] = {}
        self.clock = 0

    def run(self, outputs: list[tuple[int, str, int]], wanted: Sequence[int]) -> list[str]:
        stores: dict[int, list[tuple[int, str, int]]] = {}
        for output in outputs:
            stores.setdefault(output[0] >> 1, []).append(output)
        roots = [*(output[0] for output in outputs), *wanted]
        for node, compute in self.instructions(roots):
            self.clock += 1
            self.values[node] = compute()
            self.used[node] = self.clock
            self.write(stores.pop(node, ()))
        for rest in stores.values():
            self.write(rest)
        return [self.literal(literal) for literal in wanted]

    def instructions(self, roots: Sequence[int]):  # type: ignore[no-untyped-def]
        """Every node to compute with the function that writes its code, operands first."""
        text, network = self.text, self.network
        if text.shape.ternary:
            for lookup in map_to_lookups(network, roots):
                yield (
                    lookup.node,
                    lambda at=lookup: text.logic(at.table, *(self.node(leaf) for leaf in at.leaves)),
                )
            return
        for node in _depth_first(network, roots):
            yield node, lambda at=node: self.gate(at)

    def gate(self, node: int) -> str:
        """A gate of two inputs in plain instructions."""
        left, right = self.network.left[node], self.network.right[node]
        kind = self.network.kinds[node]
        if kind == AND:
            return self.text.both(self.literal(left), self.literal(right))
        if kind == OR:
            return self.text.either(self.literal(left), self.literal(right))
        return self.text.differ(self.literal(left), self.literal(right))

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

    def write(self, outputs: Sequence[tuple[int, str, int]]) -> None:
        for literal, pointer, index in outputs:
            self.text.store(self.literal(literal), pointer, index)


def _depth_first(network: Network, roots: Sequence[int]) -> list[int]:
    """The gates that *roots* need, operands first, each close to its first reader."""
    order: list[int] = []
    done = bytearray(len(network))
    work = [(literal >> 1, False) for literal in reversed(roots)]
    while work:
        node, ready = work.pop()
        if ready:
            order.append(node)
        elif not done[node] and network.kinds[node] != INPUT:
            done[node] = 1
            work.append((node, True))
            work.append((network.right[node] >> 1, False))
            work.append((network.left[node] >> 1, False))
    return order

"""Symmetric functions: gates whose value depends only on how many of some literals hold.

Rules that count come as chains: after each cell, how many discs have been seen so far. So a gate is sought that is a
function of a *count* and of one *extra* node more; where the two together are again a function of one count, the chain
has grown by a node. Cost: some microseconds per gate.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from stratagem.circuit.construction.network import Network

OPERANDS: Final = 4
"""Gates with more operands are not looked at."""
MOST: Final = 512
"""So many nodes are counted at most: the sets along a chain take memory as the square of its length."""


@dataclass(frozen=True, slots=True)
class Symmetric:
    """A function of how many of *counted* hold and, where there is one, of the node *extra*.

    Bit c of *without* is its value where c of them hold and *extra* does not, that of *beside* where *extra* does.
    """

    counted: frozenset[int]
    without: int
    extra: int | None = None
    beside: int = 0

    @property
    def nodes(self) -> frozenset[int]:
        """All that it depends on."""
        return self.counted if self.extra is None else self.counted | {self.extra}

    def denied(self) -> Symmetric:
        """The complement."""
        every = (2 << len(self.counted)) - 1
        beside = 0 if self.extra is None else self.beside ^ every
        return Symmetric(self.counted, self.without ^ every, self.extra, beside)

    def split(self, counted: frozenset[int], extra: int) -> tuple[int, int] | None:
        """The same function of *counted* and *extra*: its values without and beside; None where it is no such function."""
        every = (2 << len(counted)) - 1
        if self.extra is not None:
            return (self.without, self.beside) if (self.counted, self.extra) == (counted, extra) else None
        if self.counted == counted:
            return self.without, self.without
        if not self.counted:
            return every * self.without, every * self.without
        if self.counted == {extra}:
            return every * (self.without & 1), every * (self.without >> 1)
        if len(self.counted) == len(counted) + 1 and extra in self.counted and counted < self.counted:
            return self.without & every, self.without >> 1
        return None


def _alone(literal: int) -> Symmetric:
    """A node that is a function of itself alone, or its complement."""
    return Symmetric(frozenset((literal >> 1,)), 0b01 if literal & 1 else 0b10)


def constant(value: int) -> Symmetric:
    """A function of nothing."""
    return Symmetric(frozenset(), value)


def conjunction(parts: Sequence[Symmetric]) -> Symmetric | None:
    """The AND of *parts* where it is a symmetric function of a count and at most one node more, else None."""
    parts = [part for part in parts if part.counted or not part.without]
    if not parts:
        return constant(1)
    largest = max(parts, key=lambda part: len(part.nodes))
    every = largest.nodes
    if not every:
        return constant(0)
    for part in parts:
        if not part.nodes <= every:
            every |= part.nodes
            if len(every) > len(largest.nodes) + 1:
                return None
    extra = _extra(parts, every)
    counted = every - {extra}
    without = beside = (2 << len(counted)) - 1
    for part in parts:
        values = part.split(counted, extra)
        if values is None:
            return None
        without &= values[0]
        beside &= values[1]
    return _simplest(counted, without, extra, beside)


def _extra(parts: Sequence[Symmetric], every: frozenset[int]) -> int:
    """The only node that can be the extra one of the AND of *parts*, which depend on *every* node."""
    for part in parts:
        if part.extra is not None:
            return part.extra
    for part in parts:
        if len(part.counted) == len(every) - 1:
            (missing,) = every - part.counted
            return missing
    return max(every)


def _simplest(counted: frozenset[int], without: int, extra: int, beside: int) -> Symmetric:
    size = len(counted)
    every = (2 << size) - 1
    if without == beside:
        return constant(without & 1) if without in (0, every) else Symmetric(counted, without)
    if without in (0, every) and beside in (0, every):
        return Symmetric(frozenset((extra,)), 0b10 if beside else 0b01)
    if beside & (every >> 1) == without >> 1:
        return Symmetric(counted | {extra}, without | beside >> size << (size + 1))
    return Symmetric(counted, without, extra, beside)


def symmetric_functions(network: Network) -> dict[int, Symmetric]:
    """The gates of *network*, which has no loops, that are symmetric functions of other nodes."""
    found: dict[int, Symmetric] = {}
    pairs: dict[int, tuple[int, ...]] = {}
    # ANDs of two nodes that are no functions of others: most gates are such, so they wait until a reader asks.
    sets: dict[frozenset[int], frozenset[int]] = {}
    # A chain over n nodes has n²/2 functions, but they count n sets only: each is kept once.

    def note(node: int, joined: Symmetric | None) -> None:
        if joined is not None:
            counted = sets.setdefault(joined.counted, joined.counted)
            found[node] = Symmetric(counted, joined.without, joined.extra, joined.beside)

    def function(literal: int) -> Symmetric:
        node = literal >> 1
        if node in pairs:
            note(node, conjunction([_alone(other) for other in pairs.pop(node)]))
        part = found.get(node)
        if part is None:
            return _alone(literal)
        return part.denied() if literal & 1 else part

    for node, literals in enumerate(network.gates.operands):
        if literals is None or len(literals) > OPERANDS:
            continue
        nodes: set[int] = set()
        most, plain = 1, True
        for literal in literals:
            part = found.get(literal >> 1)
            if part is not None:
                nodes |= part.nodes
                most, plain = max(most, len(part.nodes)), False
            elif literal >> 1 in pairs:
                nodes.update(other >> 1 for other in pairs[literal >> 1])
                most, plain = max(most, 2), False
            else:
                nodes.add(literal >> 1)
        if len(nodes) > min(most + 1, MOST):
            continue
        if plain:
            pairs[node] = literals
        else:
            note(node, conjunction([function(literal) for literal in literals]))
    return found

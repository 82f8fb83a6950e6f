"""The order of writes in place: no row is overwritten while it is still read (write-after-read hazards).

A unit is a literal that is asked for, with the row it goes to. It may be written once every unit that reads the old
value of that row has been computed. Units whose row no other reads go first; where units read each other's rows in
a circle, one is computed and held until the others are done. Cost: the supports of the units, as bit sets.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from stratagem.native.packing import ones

Place: TypeAlias = tuple[str, int | None]
"""A row in memory (pointer, index), or a value at hand (name, None)."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A literal that is asked for, and the row in memory that it goes to, if any."""

    literal: int
    target: Place | None


class Hazards:
    """Gives out the numbers of units in a safe order, and says when which row may be written."""

    def __init__(
        self,
        units: Sequence[Unit],
        sources: Mapping[int, Place],
        operands: Callable[[int], Sequence[int]],
    ) -> None:
        """*sources* are the places of the input nodes; *operands* the nodes that a computed node reads."""
        self.units = units
        written = {unit.target for unit in units if unit.target is not None}
        contested = [place for place in sources.values() if place in written]
        self._bits = {place: bit for bit, place in enumerate(contested)}
        self._reads = _supports(units, sources, operands, self._bits) if contested else [0] * len(units)
        self._readers = [0] * len(contested)
        for read in self._reads:
            for bit in ones(read):
                self._readers[bit] += 1
        self._writer = {
            self._bits[unit.target]: number
            for number, unit in enumerate(units)
            if unit.target is not None and unit.target in self._bits
        }
        self._held: dict[int, Place] = {}
        self._finished = bytearray(len(units))
        self._ready = [number for number in range(len(units)) if self._free(number)]
        self._first = 0

    def next(self) -> int | None:
        """The next unit to compute: the first that can be written at once, else the first there is."""
        while self._ready:
            number = heapq.heappop(self._ready)
            if not self._finished[number]:
                return number
        while self._first < len(self.units):
            if not self._finished[self._first]:
                return self._first
            self._first += 1
        return None

    def done(self, number: int) -> list[Place]:
        """A unit has been computed: the rows that may be written now, each once."""
        self._finished[number] = 1
        target = self.units[number].target
        reads = ones(self._reads[number])
        for bit in reads:
            self._readers[bit] -= 1
            writer = self._writer[bit]
            if not self._finished[writer] and self._free(writer):
                heapq.heappush(self._ready, writer)
        own = None if target is None else self._bits.get(target)
        if own is None or target is None:
            safe = [] if target is None else [target]
        else:
            self._held[own] = target
            safe = []
            reads.append(own)
        for bit in reads:
            if self._readers[bit] == 0 and bit in self._held:
                safe.append(self._held.pop(bit))
        return safe

    def _free(self, number: int) -> bool:
        """Whether a unit may be written as soon as it is known."""
        target = self.units[number].target
        bit = None if target is None else self._bits.get(target)
        return bit is None or self._readers[bit] == (self._reads[number] >> bit & 1)


def _supports(
    units: Sequence[Unit],
    sources: Mapping[int, Place],
    operands: Callable[[int], Sequence[int]],
    bits: Mapping[Place, int],
) -> list[int]:
    """For each unit the contested rows that it reads, as a set of bits."""
    known: dict[int, int] = {0: 0}
    for node, place in sources.items():
        known[node] = 1 << bits[place] if place in bits else 0
    for unit in units:
        work = [unit.literal >> 1]
        while work:
            node = work[-1]
            if node in known:
                work.pop()
                continue
            missing = [operand for operand in operands(node) if operand not in known]
            if missing:
                work += missing
            else:
                total = 0
                for operand in operands(node):
                    total |= known[operand]
                known[node] = total
    return [known[unit.literal >> 1] for unit in units]

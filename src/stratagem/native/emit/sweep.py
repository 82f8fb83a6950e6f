"""A sweep over the variables of a loop: each is computed once, from the newest values of the others (Gauss and Seidel).

The operands of a variable are joined in the order in which they become known, so that little waits for the last of them. Rows that
the next variables read, too, stay in registers. Sweeps go forwards and backwards in turn (the fast sweeping method; Zhao, 2005):
a chain that winds takes as many of them as it has turns, not as it has links.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from stratagem.circuit.circuit import AND
from stratagem.native.emit.segment import Segment
from stratagem.native.emit.text import Text
from stratagem.native.logic.loops import CutLoop, GateLists

AT_HAND: Final = 4
"""So many variables after its last use a row is still in a register; then it is loaded again."""


def repeat_sweeps(
    gates: GateLists,
    loop: CutLoop,
    rows: Mapping[int, int],
    inputs: Mapping[int, int],
    text: Text,
    labels: tuple[str, str, str],
) -> None:
    """Sweeps forwards and backwards in turn, until one changes nothing; for *rows* and *inputs* see `Sweep`.

    *labels* are those of the two sweeps, of which the caller jumps to the first, and of what comes after.
    """
    forwards, backwards, done = labels
    for label, order, following in (
        (forwards, loop.variables, backwards),
        (backwards, loop.variables[::-1], forwards),
    ):
        text.label(label)
        changed = Sweep(gates, loop, rows, inputs, text).run(order)
        text.branch(text.some(changed), following, done)
    text.label(done)


class Sweep:
    """Each variable of a loop once, from the newest values of the others."""

    def __init__(
        self, gates: GateLists, loop: CutLoop, rows: Mapping[int, int], inputs: Mapping[int, int], text: Text
    ) -> None:
        """*rows* has the row of every variable in %frame, and of no other gate; *inputs* for every input twice its row, and one
        more where the input is the complement of the row."""
        self.loop, self.rows, self.inputs, self.text = loop, rows, inputs, text
        self.offset = gates.first_gate
        self.reads = _operands(gates, loop)
        self.conjunctive = {gate: gates.operations[gate] == AND for gate in self.reads}
        self.renewed: dict[int, int] = {}
        """The variables that have been computed, and when."""
        self.at_hand: dict[int, tuple[int, str]] = {}
        """Rows in registers: when they were used last, and their names."""

    def run(self, order: Sequence[int]) -> str:
        """The lanes in which a variable changes."""
        changed = self.text.splat(0)
        for gate in order:
            segment = Segment(self.text)
            row = self.rows[gate]
            new = self._value(segment, gate, self._readers(gate))
            change = segment.network.exclusive(new, self._row(segment, row))
            value, changed = segment.emit([new, segment.network.disjunction(segment.value(changed), change)])
            self.text.store(value, "%frame", row)
            self.at_hand[row] = len(self.renewed), value
            self.renewed[gate] = len(self.renewed)
        return changed

    def _row(self, segment: Segment, row: int) -> int:
        """The literal of a row in *segment*."""
        now = len(self.renewed)
        used, name = self.at_hand.get(row, (-AT_HAND - 1, ""))
        if used < now - AT_HAND:
            name = self.text.load("%frame", row)
        self.at_hand[row] = now, name
        return segment.value(name)

    def _readers(self, gate: int) -> Counter[int]:
        """How often each gate is read on the way from other variables to *gate*."""
        found: Counter[int] = Counter()
        work, seen = [gate], {gate}
        while work:
            for literal in self.reads[work.pop()]:
                source = (literal >> 1) - self.offset
                found[source] += 1
                if source in self.reads and source not in self.rows and source not in seen:
                    seen.add(source)
                    work.append(source)
        return found

    def _value(self, segment: Segment, gate: int, readers: Mapping[int, int]) -> int:
        """The literal of *gate*. Of the operands of each gate what was known last is joined last, so that little waits for it."""
        network = segment.network
        known: dict[int, tuple[int, int]] = {}
        """Gate -> when it was known, and its literal."""
        waiting = [gate]
        while waiting:
            top = waiting[-1]
            inner, leaves = self._parts(top, readers)
            missing = [source for source in inner if source not in known]
            if missing:
                waiting += missing
                continue
            waiting.pop()
            if top in known:
                continue
            parts = [known[source] for source in inner] + [self._leaf(segment, literal) for literal in leaves]
            parts.sort()
            join = network.conjunction if self.conjunctive[top] else network.disjunction
            value = int(self.conjunctive[top])
            for _, part in parts:
                value = join(value, part)
            known[top] = parts[-1][0], value
        return known[gate][1]

    def _parts(self, gate: int, readers: Mapping[int, int]) -> tuple[list[int], list[int]]:
        """The operands of *gate*, seen as a wide one: gates of the loop that are no variables, and other literals."""
        inner, leaves, work = [], [], list(self.reads[gate])
        while work:
            literal = work.pop()
            source = (literal >> 1) - self.offset
            if not self.loop.first <= source < self.loop.end or source in self.rows:
                leaves.append(literal)
            elif self.conjunctive[source] == self.conjunctive[gate] and readers[source] == 1:
                work += self.reads[source]
            else:
                inner.append(source)
        return inner, leaves

    def _leaf(self, segment: Segment, literal: int) -> tuple[int, int]:
        """When a variable or an input was known, and its literal in *segment*."""
        if literal <= 1:
            return -1, literal
        gate = (literal >> 1) - self.offset
        if not self.loop.first <= gate < self.loop.end:
            place = self.inputs[literal]
            return -1, self._row(segment, place >> 1) ^ (place & 1)
        return self.renewed.get(gate, -1), self._row(segment, self.rows[gate])


def _operands(gates: GateLists, loop: CutLoop) -> dict[int, tuple[int, int]]:
    """The literals that each gate of a loop reads."""
    return {gate: (gates.left[gate], gates.right[gate]) for gate in range(loop.first, loop.end)}

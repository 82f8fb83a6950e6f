"""The order of a phase's gates: each value close to its readers, wide ANDs and ORs as chains.

Gates are visited depth first from the outputs, the operand that needs more values at once first (Sethi and Ullman,
1970). A tree of equal gates whose inner values are read nowhere else is one wide gate: it becomes a chain, and an
instruction with three operands computes two links of it. A very wide gate, such as "no move is legal", takes each
operand as soon as that is known, so that the operands need not be read again for it. Loops stay as they are. Cost: some
microseconds per gate.
"""

from __future__ import annotations

from typing import Final

from stratagem.native.phases.phases import Phase

EAGER: Final = 64
"""A wide gate with at least so many operands takes them in the order in which they become known."""


def arranged(phase: Phase) -> Phase:
    """The same outputs by gates in a better order; gates that no output needs are left out."""
    return phase if phase.loops else _Arrangement(phase).run()


class _Arrangement:
    """One pass over a phase. Gates are numbered from 0; literals are those of the phase, unless they are called new."""

    def __init__(self, phase: Phase) -> None:
        self.phase, self.offset = phase, phase.first_gate
        self.readers = self._readers()
        self.operands = self._wide_gates()
        self.needs = self._needs()
        self.operations: list[int] = []
        self.left: list[int] = []
        self.right: list[int] = []
        self.new = [-1] * phase.gate_count
        """Gate -> its new literal."""
        self.joined: dict[int, int] = {}
        """Gate under construction -> the new literal of what is joined so far."""
        self.waiting: dict[int, list[tuple[int, int]]] = {}
        """Gate -> the eager gates that read it, each with the literal it reads."""
        self.missing: dict[int, int] = {}
        """Eager gate -> how many of its operands it has not taken."""

    def run(self) -> Phase:
        phase = self.phase
        for gate, operands in self.operands.items():
            if len(operands) >= EAGER and self.readers[gate]:
                self._wait(gate, operands)
        for _, literal in phase.outputs:
            self._visit((literal >> 1) - self.offset)
        outputs = [(row, self._moved(literal)) for row, literal in phase.outputs]
        return Phase(phase.inputs, self.operations, self.left, self.right, [], outputs, phase.in_place)

    def _readers(self) -> list[int]:
        """How many gates read each gate; an output counts twice, since its value has to be there by itself."""
        readers = [0] * self.phase.gate_count
        outputs = [literal for _, literal in self.phase.outputs]
        for literals in (self.phase.left, self.phase.right, outputs, outputs):
            for literal in literals:
                if literal >> 1 >= self.offset:
                    readers[(literal >> 1) - self.offset] += 1
        return readers

    def _wide_gates(self) -> dict[int, list[int]]:
        """For each gate that is not a part of a wider one its operands."""
        phase, offset = self.phase, self.offset
        wide: dict[int, list[int]] = {}
        for gate in range(phase.gate_count):
            operands: list[int] = []
            for literal in (phase.left[gate], phase.right[gate]):
                inner, turned = (literal >> 1) - offset, literal & 1
                # The complement of an AND is an OR of complements.
                if (
                    inner >= 0
                    and self.readers[inner] == 1
                    and phase.operations[inner] ^ turned == phase.operations[gate]
                ):
                    own = wide.pop(inner)
                    if turned:
                        own = [operand ^ 1 for operand in own]
                    if len(own) > len(operands):
                        operands, own = own, operands
                    operands += own
                else:
                    operands.append(literal)
            wide[gate] = operands
        return wide

    def _needs(self) -> list[int]:
        """How many values the cone of each gate needs at once, were it a tree."""
        phase, offset = self.phase, self.offset
        needs = [0] * phase.gate_count
        for gate in range(phase.gate_count):
            left, right = (phase.left[gate] >> 1) - offset, (phase.right[gate] >> 1) - offset
            first, second = needs[left] if left >= 0 else 0, needs[right] if right >= 0 else 0
            needs[gate] = max(first, second) if first != second else first + 1
        return needs

    def _need(self, literal: int) -> int:
        gate = (literal >> 1) - self.offset
        return self.needs[gate] if gate >= 0 else 0

    def _moved(self, literal: int) -> int:
        gate = (literal >> 1) - self.offset
        return literal if gate < 0 else self.new[gate] ^ (literal & 1)

    def _visit(self, root: int) -> None:
        """Write the gates behind *root*, depth first; a chain grows with each operand."""
        work = [(root, 0)]
        while work:
            gate, step = work.pop()
            if gate < 0 or self.new[gate] >= 0:
                continue
            operands = self.operands[gate]
            if gate in self.missing:
                work.append((gate, 0))
                work += [((literal >> 1) - self.offset, 0) for literal in reversed(operands)]
                continue
            if step == 0:
                operands.sort(key=self._need, reverse=True)
            else:
                self._join(gate, operands[step - 1])
            if step == len(operands):
                self._finish(gate)
            else:
                work += [(gate, step + 1), ((operands[step] >> 1) - self.offset, 0)]

    def _join(self, gate: int, literal: int) -> None:
        """One more operand of a wide gate, which is known."""
        before = self.joined.get(gate)
        if before is None:
            self.joined[gate] = self._moved(literal)
            return
        self.operations.append(self.phase.operations[gate])
        self.left.append(before)
        self.right.append(self._moved(literal))
        self.joined[gate] = 2 * (self.offset + len(self.left) - 1)

    def _finish(self, gate: int) -> None:
        """All operands are joined; what waits for the gate takes it."""
        done = [gate]
        while done:
            gate = done.pop()
            self.new[gate] = self.joined.pop(gate)
            for reader, literal in self.waiting.pop(gate, ()):
                if self._take(reader, literal):
                    done.append(reader)

    def _wait(self, gate: int, operands: list[int]) -> None:
        """Let a gate take its operands as soon as they are known."""
        self.missing[gate] = len(operands)
        for literal in operands:
            if literal >> 1 >= self.offset:
                self.waiting.setdefault((literal >> 1) - self.offset, []).append((gate, literal))
        for literal in operands:
            if literal >> 1 < self.offset and self._take(gate, literal):
                self._finish(gate)

    def _take(self, gate: int, literal: int) -> bool:
        """Whether this was the last operand."""
        self._join(gate, literal)
        self.missing[gate] -= 1
        if self.missing[gate]:
            return False
        del self.missing[gate]
        return True

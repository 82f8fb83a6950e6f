"""A phase as a program for the interpreter: gates with their rows in the frame, rows used again when free.

One instruction computes ``((a ^ A) & (b ^ B)) ^ C`` with three bits A, B, C that say what is complemented: that is
AND, OR and everything between. Rows are given out by a linear scan (Poletto and Sarkar, 1999): a gate's row
is free again after its last reader, except inside loops, where everything may be read again in the next round. Cost:
about two microseconds per gate.
"""

from __future__ import annotations

from dataclasses import dataclass

from stratagem.circuit.circuit import AND
from stratagem.native.phases.phases import Phase


@dataclass(frozen=True, slots=True)
class GateRun:
    """Instructions (complements A + 2 B + 4 C, target row, row a, row b), flat.

    A loop starts with all its targets zero and is run until none of them changes.
    """

    loop: bool
    code: list[int]


@dataclass(frozen=True, slots=True)
class GateProgram:
    """Runs in order; *rows* is the size of the frame that they need. The row before the scratch must be zero."""

    runs: list[GateRun]
    rows: int


class _Allocator:
    """Scratch rows: one that has just become free first, because it is still in the cache."""

    def __init__(self, first: int) -> None:
        self.top = first
        self.free: list[int] = []

    def take(self) -> int:
        if self.free:
            return self.free.pop()
        self.top += 1
        return self.top - 1


def program_of(phase: Phase, scratch: int) -> GateProgram:
    """The program of *phase*, with row *scratch* as zero and scratch rows after it."""
    allocator = _Allocator(scratch + 1)
    count, offset = phase.gate_count, phase.first_gate
    rows = [scratch, *phase.inputs, *([-1] * count)]
    written: set[int] = set()
    for row, literal in phase.outputs:
        if literal >> 1 >= offset and rows[literal >> 1] < 0 and not literal & 1:
            rows[literal >> 1] = row
            written.add(row)
    last = _last_reads(phase)
    dying: dict[int, list[int]] = {}
    runs: list[GateRun] = []
    for first, end, loop in straight_and_loops(count, phase.loops):
        code: list[int] = []
        for gate in range(first, end):
            if rows[offset + gate] < 0:
                rows[offset + gate] = row = allocator.take()
                dying.setdefault(last[offset + gate], []).append(row)
            if not loop:
                _gate(phase, gate, rows, code)
                if gate in dying:
                    allocator.free += dying.pop(gate)
        if loop:
            for gate in range(first, end):
                _gate(phase, gate, rows, code)
            for gate in range(first, end):
                allocator.free += dying.pop(gate, ())
        runs.append(GateRun(loop, code))
    copies: list[int] = []
    for row, literal in phase.outputs:
        if row not in written:
            copies += ((literal & 1) + 2, row, rows[literal >> 1], scratch)
    if copies:
        runs.append(GateRun(False, copies))
    return GateProgram(runs, allocator.top)


def straight_and_loops(count: int, loops: list[tuple[int, int]]) -> list[tuple[int, int, bool]]:
    """The ranges of gates in order: (first, end, whether it is a loop)."""
    ranges = []
    at = 0
    for first, end in loops:
        if at < first:
            ranges.append((at, first, False))
        ranges.append((first, end, True))
        at = end
    if at < count:
        ranges.append((at, count, False))
    return ranges


def _last_reads(phase: Phase) -> list[int]:
    """For every node the last gate that reads it (inside a loop: the loop's last); outputs read at the end."""
    last = [-1] * (phase.first_gate + phase.gate_count)
    for node in range(phase.first_gate, len(last)):
        last[node] = node - phase.first_gate
    for first, end, loop in straight_and_loops(phase.gate_count, phase.loops):
        for gate in range(first, end):
            reader = end - 1 if loop else gate
            for literal in (phase.left[gate], phase.right[gate]):
                if last[literal >> 1] < reader:
                    last[literal >> 1] = reader
            if loop and last[phase.first_gate + gate] < reader:
                last[phase.first_gate + gate] = reader
    for _, literal in phase.outputs:
        last[literal >> 1] = phase.gate_count
    return last


def _gate(phase: Phase, gate: int, rows: list[int], code: list[int]) -> None:
    a, b = phase.left[gate], phase.right[gate]
    flags = (a & 1) + 2 * (b & 1)
    if phase.operations[gate] != AND:
        flags ^= 7
    code += (flags, rows[phase.first_gate + gate], rows[a >> 1], rows[b >> 1])

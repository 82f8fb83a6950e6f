"""A sanitising check of native code: guarded frames, poisoned scratch, a second opinion on every row.

A phase is run twice on frames that differ in everything that it must not read, and lie between guard rows. What it
leaves must be the same both times and be what the circuit says, read by `LaneInterpreter`, which shares nothing
with the code generator; inputs, the zero row and the guards must be untouched. The drivers around the phases have their
own check: they are Python too, and run on cells that know their bounds (`cells`).
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from stratagem.circuit.circuit import AND, Circuit
from stratagem.native.phases.interpreted import run_phase
from stratagem.native.phases.phase_tables import EXPANSION, NARROW, WIDE, PhaseName, PhaseTables
from stratagem.native.playouts.block import aligned_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Rows = NDArray[np.uint64]

GUARD: Final = 32
"""Rows before and after a frame that nobody may touch."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that native code did wrong: where, and what."""

    phase: PhaseName
    stride: int
    what: str


class LaneInterpreter:
    """A circuit read gate by gate on rows of words: ``rows[node, word]``, 64 states in each word."""

    def __init__(self, circuit: Circuit) -> None:
        self.circuit = circuit
        gates = (circuit.operations.tolist(), circuit.left.tolist(), circuit.right.tolist())
        self.gates = list(zip(*gates, strict=True))

    def run(self, inputs: Rows) -> Rows:
        """All nodes' rows; *inputs* holds the rows of the bases and then of the moves."""
        rows = np.zeros((self.circuit.first_gate + len(self.gates), inputs.shape[1]), np.uint64)
        rows[1 : 1 + len(inputs)] = inputs
        done = 0
        for first, last in [*self.circuit.loops, (len(self.gates), len(self.gates))]:
            self._gates(rows, done, first)
            before = None
            while before is None or not np.array_equal(before, rows):
                before = rows.copy()
                self._gates(rows, first, last)
            done = last
        return rows

    def _gates(self, rows: Rows, first: int, last: int) -> None:
        for gate in range(first, last):
            operation, left, right = self.gates[gate]
            one = ~rows[left >> 1] if left & 1 else rows[left >> 1]
            other = ~rows[right >> 1] if right & 1 else rows[right >> 1]
            rows[self.circuit.first_gate + gate] = one & other if operation == AND else one | other

    def literals(self, rows: Rows, literals: NDArray[np.int32]) -> Rows:
        """The rows of several literals."""
        flipped = np.where((literals & 1).astype(bool), ~np.uint64(0), np.uint64(0))
        found: Rows = rows[literals >> 1] ^ flipped[:, None]
        return found


class Checker:
    """Random matches of one circuit, 512 at a time, every phase of every ply checked for both widths of rows."""

    def __init__(self, circuit: Circuit, *, seed: int = 0, phases: PhaseTables | None = None) -> None:
        self.circuit = circuit
        self.phases = phases or PhaseTables(circuit)
        self.tables = {NARROW: self.phases.narrow, WIDE: self.phases.wide}
        self.yardstick = LaneInterpreter(circuit)
        self.source = np.random.default_rng(seed)
        self.start: Rows = np.where(circuit.initial, ~np.uint64(0), np.uint64(0))[:, None].repeat(
            WIDE, axis=1
        )
        self.states = self.start.copy()
        self.plies = 0

    def compile(self) -> None:
        """From now on check machine code."""
        for table in self.tables.values():
            table.compile(wait=True)

    def walk(self, *, plies: int, seconds: float = float("inf")) -> list[Fault]:
        """Go on for so many plies, or until the time is over; all faults found."""
        end = time.monotonic() + seconds
        faults: list[Fault] = []
        while plies > 0 and time.monotonic() < end:
            faults += self.ply()
            plies -= 1
        return faults

    def ply(self) -> list[Fault]:
        """Check all phases on the states at hand and make random moves."""
        circuit = self.circuit
        none = np.zeros((sum(map(len, circuit.moves)), WIDE), np.uint64)
        rows = self.yardstick.run(np.concatenate([self.states, none]))
        legal = [list(self.yardstick.literals(rows, own)) for own in circuit.legal]
        final = self._finals(rows)
        made = self._moves(legal)
        after = self.yardstick.run(np.concatenate([self.states, made]))
        following = list(self.yardstick.literals(after, circuit.next))
        expected: dict[PhaseName, list[Rows]] = {
            "legal": [row for own in legal for row in own],
            "next": following,
            "final": final,
        }
        faults = []
        for stride in (NARROW, WIDE):
            for phase in EXPANSION:
                faults += self._phase(phase, stride, made, [row[:stride] for row in expected[phase]])
        stays = final[0]
        for role in legal:
            stays = stays | ~np.bitwise_or.reduce([np.zeros(WIDE, np.uint64), *role])
        moved = np.array(following, np.uint64).reshape(len(circuit.bases), WIDE)
        self.states = (moved & ~stays) | (self.start & stays)
        self.plies += 1
        return faults

    def _finals(self, rows: Rows) -> list[Rows]:
        """The terminal row, then for every goal value: that one and no other of its role."""
        result = list(self.yardstick.literals(rows, np.array([self.circuit.terminal], np.int32)))
        for goals in self.circuit.goals:
            own = self.yardstick.literals(rows, np.array([literal for _, literal in goals], np.int32))
            for at, row in enumerate(own):
                others = [np.zeros(WIDE, np.uint64), *own[:at], *own[at + 1 :]]
                result.append(row & ~np.bitwise_or.reduce(others))
        return result

    def _moves(self, legal: list[list[Rows]]) -> Rows:
        """The rows of one random legal move for every role in every lane; the first move where there is none."""
        made = []
        for own in legal:
            if not own:
                continue
            bits = np.unpackbits(np.array(own).view(np.uint8), axis=1, bitorder="little")
            chosen = (bits * self.source.random(bits.shape)).argmax(axis=0)
            one = np.zeros_like(bits)
            one[chosen, np.arange(bits.shape[1])] = 1
            made.append(np.packbits(one, axis=1, bitorder="little").view(np.uint64))
        return np.concatenate([np.zeros((0, WIDE), np.uint64), *made])

    def _phase(self, phase: PhaseName, stride: int, made: Rows, expected: list[Rows]) -> list[Fault]:
        layout = self.phases.layout
        table = int(self.tables[stride].addresses[EXPANSION.index(phase)])
        outputs = self._outputs(phase)
        inputs = dict(enumerate(self.states[:, :stride]))
        inputs[layout.scratch] = np.zeros(stride, np.uint64)
        if phase == "next":
            rows = [row for own in layout.moves for row in range(own.first, own.first + own.moves)]
            inputs.update(zip(rows, made[:, :stride], strict=True))
        whats = []
        for _ in range(2):
            room = aligned_rows(self.tables[stride].rows + 2 * GUARD, stride)
            room[:] = self.source.integers(0, 1 << 64, room.shape, np.uint64)
            frame = room[GUARD : GUARD + self.tables[stride].rows]
            for row, words in inputs.items():
                frame[row] = words
            guards = room[:GUARD].copy(), room[GUARD + self.tables[stride].rows :].copy()
            run_phase(frame.ctypes.data, table)
            whats += self._complaints(frame, inputs, outputs, expected)
            if not (
                np.array_equal(guards[0], room[:GUARD])
                and np.array_equal(guards[1], room[GUARD + self.tables[stride].rows :])
            ):
                whats.append("wrote outside of its frame")
        return [Fault(phase, stride, what) for what in dict.fromkeys(whats)]

    def _outputs(self, phase: PhaseName) -> list[int]:
        """The rows that a phase leaves, in the order of what is expected."""
        layout = self.phases.layout
        if phase == "legal":
            return [row for own in layout.moves for row in range(own.first, own.first + own.moves)]
        if phase == "next":
            return list(range(layout.next, layout.next + layout.bases))
        return list(range(layout.terminal, layout.terminal + 1 + sum(layout.values)))

    def _complaints(
        self, frame: Rows, inputs: dict[int, Rows], outputs: list[int], expected: list[Rows]
    ) -> list[str]:
        wrong = [
            row for row, words in zip(outputs, expected, strict=True) if not np.array_equal(frame[row], words)
        ]
        changed = [
            row
            for row, words in inputs.items()
            if row not in outputs and not np.array_equal(frame[row], words)
        ]
        complaints = []
        if wrong:
            complaints.append(f"rows {wrong[:8]} are not what the circuit says")
        if changed:
            complaints.append(f"rows {changed[:8]} are inputs and were changed")
        return complaints

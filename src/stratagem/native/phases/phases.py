"""Phases: the parts of a circuit that are run together, as programs over the rows of a frame.

    view   state -> what is legal, whether it is over, the goals
    open   state -> what is legal, whether it is over
    final  state -> whether it is over, the goals
    next   state and moves -> the next state

A phase is a list of two-operand gates over its own numbering: 0 is false, then the input rows, then the gates. Built
with numpy, because a circuit may have a million gates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from stratagem.circuit.circuit import AND, OR, Circuit
from stratagem.native.phases.frame_layout import FrameLayout
from stratagem.native.phases.steps import StepCircuit

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Phase:
    """Gates, the rows they read, and the rows they leave."""

    inputs: list[int]
    """The frame row of nodes 1, 2, ..."""
    operations: list[int]
    left: list[int]
    right: list[int]
    loops: list[tuple[int, int]]
    outputs: list[tuple[int, int]]
    """(frame row, literal)"""
    in_place: dict[int, int] = field(default_factory=dict)
    """Rows among the outputs, each with the input row that it replaces when the phase is done."""

    @property
    def first_gate(self) -> int:
        return 1 + len(self.inputs)

    @property
    def gate_count(self) -> int:
        return len(self.left)


def view_phase(circuit: Circuit, layout: FrameLayout) -> Phase:
    """Legal moves, terminal and goals."""
    return _with_goals(circuit, layout, _legal(circuit, layout))


def open_phase(circuit: Circuit, layout: FrameLayout) -> Phase:
    """Legal moves and terminal."""
    return _phase(circuit, layout, [*_legal(circuit, layout), (circuit.terminal, layout.terminal)], [])


def legal_phase(circuit: Circuit, layout: FrameLayout) -> Phase:
    """Legal moves alone."""
    return _phase(circuit, layout, _legal(circuit, layout), [])


def _legal(circuit: Circuit, layout: FrameLayout) -> list[tuple[int, int]]:
    """For each move its literal and its row."""
    return [
        (int(literal), row)
        for own, rows in zip(circuit.legal, layout.moves, strict=True)
        for literal, row in zip(own, range(rows.first, rows.first + rows.moves), strict=True)
    ]


def final_phase(circuit: Circuit, layout: FrameLayout) -> Phase:
    """Terminal and goals."""
    return _with_goals(circuit, layout, [])


def next_phase(circuit: Circuit, layout: FrameLayout) -> Phase:
    """The next state."""
    outputs = [(literal, layout.next + base) for base, literal in enumerate(circuit.next.tolist())]
    return _phase(circuit, layout, outputs, [])


def step_view_phase(step: StepCircuit, layout: FrameLayout) -> Phase:
    """What is looked at of `view`, at one step of the tokens' cycle."""
    return _with_goals(step.circuit, layout, _step_legal(step, layout))


def step_open_phase(step: StepCircuit, layout: FrameLayout) -> Phase:
    """The same without the goals."""
    outputs = [*_step_legal(step, layout), (step.circuit.terminal, layout.terminal)]
    return _phase(step.circuit, layout, outputs, [])


def _step_legal(step: StepCircuit, layout: FrameLayout) -> list[tuple[int, int]]:
    return [
        (int(own[number]), rows.first + number)
        for own, rows, moves in zip(step.circuit.legal, layout.moves, step.moves, strict=True)
        for number in moves.numbers
        if not moves.certain
    ]


def step_legal_phase(step: StepCircuit, layout: FrameLayout) -> Phase:
    """All legal moves at one step; those that never are legal there, too."""
    return legal_phase(step.circuit, layout)


def step_final_phase(step: StepCircuit, layout: FrameLayout) -> Phase:
    """Terminal and goals at one step."""
    return final_phase(step.circuit, layout)


def step_next_phase(step: StepCircuit, layout: FrameLayout) -> Phase:
    """The next state in the place of the state; what never changes at this step stays."""
    changed = [
        (literal, layout.next + base)
        for base, literal in enumerate(step.circuit.next.tolist())
        if literal != 2 * (1 + base)
    ]
    phase = _phase(step.circuit, layout, changed, [])
    return replace(phase, in_place={row: row - layout.next + layout.state for _, row in changed})


def _with_goals(circuit: Circuit, layout: FrameLayout, outputs: list[tuple[int, int]]) -> Phase:
    goals = [[literal for _, literal in own] for own in circuit.goals]
    phase = _phase(
        circuit, layout, [*outputs, (circuit.terminal, layout.terminal)], [x for own in goals for x in own]
    )
    return _exclusive(phase, goals, layout)


def _phase(circuit: Circuit, layout: FrameLayout, outputs: list[tuple[int, int]], kept: list[int]) -> Phase:
    """The gates behind *outputs*; the literals *kept* come last among the outputs, with row -1."""
    import numpy as np

    needed = _needed(circuit, [literal for literal, _ in outputs] + kept)
    inputs = list(range(layout.state, layout.state + layout.bases))
    for rows in layout.moves:
        inputs += range(rows.first, rows.first + rows.moves)
    gates = np.flatnonzero(needed)
    places = np.zeros(circuit.first_gate + circuit.gate_count, np.int64)
    places[: circuit.first_gate] = np.arange(circuit.first_gate)
    places[circuit.first_gate + gates] = circuit.first_gate + np.arange(len(gates))

    def moved(literals: NDArray[np.int32]) -> list[int]:
        result: list[int] = (2 * places[literals >> 1] + (literals & 1)).tolist()
        return result

    before = np.concatenate([[0], np.cumsum(needed)])
    loops = [(int(before[first]), int(before[last])) for first, last in circuit.loops]
    literals = moved(np.array([literal for literal, _ in outputs] + kept, np.int64))
    targets = [row for _, row in outputs] + [-1] * len(kept)
    return Phase(
        inputs,
        circuit.operations[gates].tolist(),
        moved(circuit.left[gates]),
        moved(circuit.right[gates]),
        [loop for loop in loops if loop[0] < loop[1]],
        list(zip(targets, literals, strict=True)),
    )


def _needed(circuit: Circuit, literals: Sequence[int]) -> NDArray[np.bool_]:
    """Which gates *literals* depend on; loops are needed as a whole."""
    import numpy as np

    offset = circuit.first_gate
    left, right = (circuit.left >> 1).tolist(), (circuit.right >> 1).tolist()
    flags = bytearray(offset + circuit.gate_count)
    for literal in literals:
        flags[literal >> 1] = 1
    ends = {last - 1: first for first, last in circuit.loops}
    gate = circuit.gate_count - 1
    while gate >= 0:
        first = ends.get(gate, gate)
        if any(flags[offset + first : offset + gate + 1]):
            for inside in range(first, gate + 1):
                flags[offset + inside] = flags[left[inside]] = flags[right[inside]] = 1
        gate = first - 1
    return np.frombuffer(bytes(flags[offset:]), np.uint8).astype(np.bool_)


def _exclusive(phase: Phase, goals: list[list[int]], layout: FrameLayout) -> Phase:
    """Add the gates that let a goal count only where it is the only one of its role."""
    operations, left, right = phase.operations, phase.left, phase.right

    def gate(operation: int, a: int, b: int) -> int:
        operations.append(operation)
        left.append(a)
        right.append(b)
        return 2 * (phase.first_gate + len(left) - 1)

    count = sum(map(len, goals))
    kept = [literal for _, literal in phase.outputs[len(phase.outputs) - count :]]
    outputs = phase.outputs[: len(phase.outputs) - count]
    row = layout.goals
    for own in goals:
        literals, kept = kept[: len(own)], kept[len(own) :]
        one, several = literals[0] if literals else 0, 0
        for literal in literals[1:]:
            both = gate(AND, one, literal)
            several = both if several == 0 else gate(OR, several, both)
            one = gate(OR, one, literal)
        for literal in literals:
            outputs.append((row, literal if several == 0 else gate(AND, literal, several ^ 1)))
            row += 1
    return Phase(phase.inputs, operations, left, right, phase.loops, outputs)

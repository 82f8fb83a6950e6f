"""Phases made ready: their gates, their program for the interpreter and their pieces for the compiler."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Final, TypeAlias

from stratagem.circuit.circuit import Circuit
from stratagem.native.emit.chunks import CutPhase, cut
from stratagem.native.phases.arrange import arranged
from stratagem.native.phases.frame_layout import FrameLayout
from stratagem.native.phases.gate_program import GateProgram, program_of
from stratagem.native.phases.phases import (
    Phase,
    final_phase,
    legal_phase,
    next_phase,
    open_phase,
    step_final_phase,
    step_legal_phase,
    step_next_phase,
    step_open_phase,
    step_view_phase,
    view_phase,
)
from stratagem.native.phases.steps import StepCircuit

PhaseName: TypeAlias = str
"""A phase of the whole circuit (`MAKERS`), or one of `STEP_MAKERS` with the number of a step (`at_step`)."""
MAKERS: Final[dict[PhaseName, Callable[[Circuit, FrameLayout], Phase]]] = {
    "legal": legal_phase,
    "view": view_phase,
    "open": open_phase,
    "next": next_phase,
    "final": final_phase,
}
STEP_MAKERS: Final[dict[PhaseName, Callable[[StepCircuit, FrameLayout], Phase]]] = {
    "view": step_view_phase,
    "open": step_open_phase,
    "next": step_next_phase,
    "legal": step_legal_phase,
    "final": step_final_phase,
}


def at_step(name: PhaseName, step: int) -> PhaseName:
    """The name of a phase at a step of the tokens' cycle."""
    return f"{name}_{step}_"


def make_phase(name: PhaseName, circuit: Circuit, steps: Sequence[StepCircuit], layout: FrameLayout) -> Phase:
    """The phase of a name; *steps* are what *circuit* is at the steps of the cycle."""
    if name in MAKERS:
        return MAKERS[name](circuit, layout)
    stem, step, _ = name.split("_")
    return STEP_MAKERS[stem](steps[int(step)], layout)


class PreparedPhase:
    """A phase, its program for the interpreter and its pieces for the compiler: the same for all widths."""

    def __init__(self, phase: Phase, scratch: int, piece_gates: int) -> None:
        self.phase, self.scratch, self.piece_gates = phase, scratch, piece_gates

    @cached_property
    def program(self) -> GateProgram:
        return program_of(self.phase, self.scratch)

    @cached_property
    def pieces(self) -> CutPhase:
        # Not for the interpreter: through memory, each link of a chain waits for the one before.
        return cut(arranged(self.phase), self.scratch + 1, self.piece_gates)

"""Random matches for circuits of any size, with loops or without: gates are read from a table, not compiled.

One short kernel per layout of a frame, so that the assembler has nothing to do; the frame of a thread is global memory.
Gates in a loop are run until nothing changes in the thread's matches: the least fixed point, as the rules say.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from stratagem.circuit.circuit import Circuit
from stratagem.native.emit.account import Ending
from stratagem.native.emit.choice import GROUP
from stratagem.native.emit.playout import PlayoutPlan
from stratagem.native.emit.segment import Segment
from stratagem.native.emit.walked.walk import choose_in_place
from stratagem.native.gpu.booking import Booking
from stratagem.native.gpu.draw import drawing
from stratagem.native.gpu.gate_table import (
    gate_table,
    interpreter,
    new_block,
    phase_function,
    run_phase,
    runs_of,
)
from stratagem.native.gpu.lane_text import FrameMemory, LaneShape, LaneText
from stratagem.native.gpu.rows import ENTRY, STATE, ThreadKernel
from stratagem.native.gpu.thread_code import ThreadCode, ThreadOptions
from stratagem.native.logic.goals import expected_outcomes
from stratagem.native.phases.frame_layout import FrameLayout, layout_of
from stratagem.native.phases.gate_program import program_of
from stratagem.native.phases.phases import next_phase, view_phase
from stratagem.native.playouts.log import LogLayout


class _ThreadCode(ThreadCode):
    """A launch begins with the legal moves of the states that it finds. States are copied in loops: they may be large."""

    def load_state(self) -> None:
        text = self.text
        if self.state:
            new_block(text, "load")
            with text.repeat(len(self.state)) as index:
                text.store(text.outer_load(text.let(f"add i64 {index}, {STATE}")), "%far", index)

    def store_state(self) -> None:
        text = self.text
        if self.state:
            new_block(text, "store")
            with text.repeat(len(self.state)) as index:
                text.outer_store(text.load("%far", index), text.let(f"add i64 {index}, {STATE}"))

    def prepare(self) -> None:
        run_phase(self.text, "view")


def interpreted_thread(
    circuit: Circuit, plan: PlayoutPlan, shape: LaneShape, *, digits: int, short: bool = False
) -> tuple[str, ThreadKernel, NDArray[np.int32]]:
    """The module, what is needed to launch it, and the table of the gates.

    Of the *plan* only the period of the tokens and the outcomes matter.
    """
    outcomes, period = plan.outcomes, plan.tokens.period
    layout = layout_of(circuit)
    layout = replace(layout, moves=tuple(replace(rows, prefix=None) for rows in layout.moves))
    programs = [program_of(phase(circuit, layout), layout.scratch) for phase in (view_phase, next_phase)]
    rows = max(program.rows for program in programs)
    text = LaneText(shape, FrameMemory(0, 0, outer=True), layout.scratch)

    def note(lanes: str) -> None:
        code.written(lanes, period)

    booking = Booking(text, digits, len(outcomes), short=short, note=note)
    log = LogLayout.of(circuit)
    options = ThreadOptions(digits, short, layout.terminal, log.record - 1)
    code = _ThreadCode(text, booking, options, range(layout.bases))
    table, offsets = gate_table(programs)
    _write(code, circuit, layout, plan)
    extra = interpreter(text) + "".join(
        phase_function(text, name, len(runs_of(program)), offset)
        for name, program, offset in zip(("view", "next"), programs, offsets, strict=True)
    )
    module = code.module(layout.values, layout.goals, extra)
    kernel = ThreadKernel(
        ENTRY,
        layout.bases,
        layout.terminal,
        outcomes,
        period,
        digits,
        shape.threads,
        0,
        rows,
        log.record - 1,
        circuit.gate_count,
    )
    return module, kernel, table


def _write(code: ThreadCode, circuit: Circuit, layout: FrameLayout, plan: PlayoutPlan) -> None:
    """The plies of a cycle of the tokens: new matches begin at the first."""
    text, period = code.text, plan.tokens.period
    code.enter()
    text.label("step0")
    reset = text.value_of("reset")
    with text.when(text.here(reset)):
        _restart(text, layout, reset)
    idle: str | None = None
    for step in range(period):
        ending = _ply(text, circuit, layout, plan, idle)
        again = idle = code.booking.book(ending, reset if step == 0 else None)
        following = "turn" if step == period - 1 else f"step{step + 1}"
        text.go(following)
        text.label(following)
    code.turn(again)
    code.leave()


def _ply(
    text: LaneText, circuit: Circuit, layout: FrameLayout, plan: PlayoutPlan, idle: str | None
) -> Ending:
    """Random moves, the next states, and what they are."""
    # Loops are written by hand and must know the block that they begin in.
    new_block(text, "choose")
    stuck = choose_in_place(text, circuit, layout, drawing(text))
    run_phase(text, "next")
    if layout.bases:
        new_block(text, "copy")
        with text.repeat(layout.bases) as index:
            following = text.load("%far", text.let(f"add i64 {index}, {layout.next}"))
            text.store(following, "%far", index)
    run_phase(text, "view")
    segment = Segment(text)
    goals = [
        [segment.row("%frame", layout.goal(role, value)) for value in range(count)]
        for role, count in enumerate(layout.values)
    ]
    found, rest = expected_outcomes(segment.network, goals, plan.outcomes)
    terminal, others, *masks = segment.emit([segment.row("%frame", layout.terminal), rest, *found])
    return Ending(terminal, stuck, idle, masks, others, "%frame")


def _restart(text: LaneText, layout: FrameLayout, lanes: str) -> None:
    """Put the root's state and legal moves into the lanes of a mask."""
    ranges = [(layout.state, layout.bases)] if layout.bases else []
    ranges += [(rows.first, rows.groups * GROUP) for rows in layout.moves if rows.moves]
    for first, count in ranges:
        new_block(text, "restart")
        with text.repeat(count) as index:
            row = text.let(f"add i64 {index}, {first}")
            place = text.at("%far", row)
            kept = text.but_not(text.load(place), lanes)
            text.store(text.either(kept, text.both(text.load("%root", row), lanes)), place)

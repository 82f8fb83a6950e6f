"""A step of a batch whose gates are read from a table: circuits with loops, and those too large to be assembled."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from stratagem.circuit.circuit import Circuit
from stratagem.native.gpu.batch.step_code import Asked, StepCode, block_places
from stratagem.native.gpu.gate_table import (
    gate_table,
    interpreter,
    new_block,
    phase_function,
    run_phase,
    runs_of,
)
from stratagem.native.gpu.lane_text import FrameMemory, LaneShape, LaneText
from stratagem.native.phases.frame_layout import layout_of
from stratagem.native.phases.gate_program import program_of
from stratagem.native.phases.phases import next_phase, view_phase


def interpreted_step(circuit: Circuit, shape: LaneShape) -> tuple[str, NDArray[np.int32], int]:
    """The module of the step of *circuit*, the table of its gates, and how many rows a frame has."""
    layout = layout_of(circuit)
    programs = [program_of(phase(circuit, layout), layout.scratch) for phase in (view_phase, next_phase)]
    table, offsets = gate_table(programs)
    text = LaneText(shape, FrameMemory(0, 0, outer=True), layout.scratch, block_places(shape.bits))
    code = StepCode(text, circuit)
    _write(code)
    extra = interpreter(text) + "".join(
        phase_function(text, name, len(runs_of(program)), offset)
        for name, program, offset in zip(("view", "next"), programs, offsets, strict=True)
    )
    return code.module(extra), table, max(program.rows for program in programs)


def _write(code: StepCode) -> None:
    text, layout, rows = code.text, code.layout, code.rows
    code.enter()
    asked = code.read_actions()
    text.set("wrong", "0")
    _copy(text, "%block", 0, "%far", 0, rows.bases)
    for role, own in enumerate(asked):
        _set_moves(code, role, own)
    over = text.load("%block", rows.terminal)
    ready = text.but_not("%moving", over)
    wrong = text.value_of("wrong")
    text.set("went", text.but_not(ready, wrong))
    text.set("refused", text.both(ready, wrong))
    run_phase(text, "next")
    if rows.bases:
        new_block(text, "merge")
        with text.repeat(rows.bases) as base:
            old = text.load("%far", base)
            new = text.load("%far", text.let(f"add i64 {base}, {layout.next}"))
            state = text.differ(old, text.both(text.differ(old, new), text.value_of("went")))
            text.store(state, "%far", base)
            text.store(state, "%next_block", base)
    run_phase(text, "view")
    _copy(text, "%far", layout.moves[0].first, "%next_block", rows.bases, rows.ended - rows.bases)
    terminal = text.load("%far", layout.terminal)
    code.leave(text.value_of("went"), text.value_of("refused"), terminal)


def _copy(text: LaneText, source: str, first: int, target: str, to: int, count: int) -> None:
    if count:
        new_block(text, "copy")
        with text.repeat(count) as row:
            value = text.load(source, text.let(f"add i64 {row}, {first}"))
            text.store(value, target, text.let(f"add i64 {row}, {to}"))


def _set_moves(code: StepCode, role: int, asked: Asked) -> None:
    """The moves that a role makes, into the frame; where one is not legal is added to `wrong`."""
    text, rows, first = code.text, code.rows.moves[role], code.layout.moves[role].first
    text.set("one", "0")
    text.set("several", "0")
    text.set(
        "wrong", text.either(text.value_of("wrong"), text.opposite(text.either(asked.given, asked.forced)))
    )
    if len(rows):
        new_block(text, "moves")
        with text.repeat(len(rows)) as move:
            number = move if text.row == "i64" else text.let(f"trunc i64 {move} to i32")
            term = asked.given
            for place, digit in enumerate(asked.digits):
                bit = text.let(f"and {text.row} {text.let(f'lshr {text.row} {number}, {place}')}, 1")
                other = text.let(f"sub {text.row} {bit}, 1")
                term = text.both(term, text.differ(digit, other))
            legal = text.load("%block", text.let(f"add i64 {move}, {rows.start}"))
            one = text.value_of("one")
            text.set("several", text.either(text.value_of("several"), text.both(one, legal)))
            text.set("one", text.either(one, legal))
            done = text.either(term, text.both(legal, asked.forced))
            text.store(done, "%far", text.let(f"add i64 {move}, {first}"))
            text.set("wrong", text.either(text.value_of("wrong"), text.but_not(done, legal)))
    unclear = text.either(text.value_of("several"), text.opposite(text.value_of("one")))
    text.set("wrong", text.either(text.value_of("wrong"), text.both(asked.forced, unclear)))

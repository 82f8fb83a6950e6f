"""Gates that are read from a table: the interpreter of threads, and the table that it reads.

A frame is the caller's memory (`FrameMemory.outer`). Gates in a loop are run until nothing changes in the thread's
matches: the least fixed point, as the rules say.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from stratagem.native.gpu.lane_text import LaneText
from stratagem.native.phases.gate_program import GateProgram, GateRun


def new_block(text: LaneText, stem: str) -> None:
    """A new basic block."""
    name = text.name(stem)
    text.go(name)
    text.label(name)


def run_phase(text: LaneText, name: str) -> None:
    shape = text.lanes
    text.line(f"call void @{name}({text.far} %far, i64 %stride, {shape.outer} %programs)")


def phase_function(model: LaneText, name: str, runs: int, offset: int) -> str:
    """The function of a phase: its runs, one after the other."""
    text = model.inner()
    outer = text.lanes.outer
    text.set("at", str(offset), "i64")
    text.block = "entry"
    with text.repeat(runs) as _:
        at = text.value_of("at", "i64")
        head = text.let(f"getelementptr i32, {outer} %programs, i64 {at}")
        loop = text.let(f"load i32, {outer} {head}")
        place = text.let(f"getelementptr i32, {outer} {head}, i64 1")
        count = text.let(f"zext i32 {text.let(f'load i32, {outer} {place}')} to i64")
        code = text.let(f"getelementptr i32, {outer} {head}, i64 4")
        given = f"{text.far} %far, i64 %stride, {outer} {code}, i64 {count}"
        again, straight, done = text.name("again"), text.name("straight"), text.name("next")
        text.branch(text.let(f"icmp ne i32 {loop}, 0"), again, straight)
        for label, function in ((again, "interpret_loop"), (straight, "interpret")):
            text.label(label)
            text.line(f"call void @{function}({given})")
            text.go(done)
        text.label(done)
        length = text.let(f"add i64 {text.let(f'mul i64 {count}, 4')}, 4")
        text.set("at", text.let(f"add i64 {at}, {length}"), "i64")
    text.line("ret void")
    head = f"define internal void @{name}({text.far} %far, i64 %stride, {outer} %programs)"
    return f"{head} noinline nounwind {{\n{text.body()}\n}}\n"


def gate_table(programs: Sequence[GateProgram]) -> tuple[NDArray[np.int32], list[int]]:
    """All programs one after the other, and where each begins: runs as (loop, instructions, 0, 0) and quadruples."""
    flat: list[int] = []
    offsets = []
    for program in programs:
        offsets.append(len(flat))
        for run in runs_of(program):
            flat += (int(run.loop), len(run.code) // 4, 0, 0)
            flat += run.code
    return np.array(flat or [0], np.int32), offsets


def runs_of(program: GateProgram) -> list[GateRun]:
    return [run for run in program.runs if run.code]


def interpreter(model: LaneText) -> str:
    """`interpret` and `interpret_loop`: the instructions of `gate_program` on the rows of a thread's frame."""
    return "".join(_interpret(model, loop) for loop in (False, True))


def _interpret(model: LaneText, loop: bool) -> str:
    text = model.inner()
    outer = text.lanes.outer
    if loop:
        text.block = "entry"
        with text.repeat("%count") as index:
            text.store("0", "%far", _operand(text, index, 1))
        text.go("round")
        text.label("round")
        text.set("changed", "0")
    else:
        text.line("br label %round")
        text.label("round")
    with text.repeat("%count") as index:
        place = text.let(f"getelementptr [4 x i32], {outer} %code, i64 {index}")
        words = text.let(f"load <4 x i32>, {outer} {place}, align 16")
        flags, target, a, b = (text.let(f"extractelement <4 x i32> {words}, i64 {part}") for part in range(4))
        inverted = [_mask(text, flags, bit) for bit in range(3)]
        first = text.differ(text.load("%far", _wide(text, a)), inverted[0])
        second = text.differ(text.load("%far", _wide(text, b)), inverted[1])
        value = text.differ(text.both(first, second), inverted[2])
        at = text.at("%far", _wide(text, target))
        if loop:
            change = text.differ(value, text.load(at))
            text.set("changed", text.either(text.value_of("changed"), change))
        text.store(value, at)
    if loop:
        text.branch(text.here(text.value_of("changed")), "round", "settled")
        text.label("settled")
    text.line("ret void")
    name = "interpret_loop" if loop else "interpret"
    head = f"define internal void @{name}({text.far} %far, i64 %stride, {outer} %code, i64 %count)"
    return f"{head} noinline nounwind {{\n{text.body()}\n}}\n"


def _operand(text: LaneText, index: str, part: int) -> str:
    outer = text.lanes.outer
    place = text.let(f"getelementptr [4 x i32], {outer} %code, i64 {index}, i64 {part}")
    return _wide(text, text.let(f"load i32, {outer} {place}"))


def _wide(text: LaneText, number: str) -> str:
    return text.let(f"zext i32 {number} to i64")


def _mask(text: LaneText, flags: str, bit: int) -> str:
    """All ones where a flag is set."""
    flag = text.let(f"trunc i32 {text.let(f'lshr i32 {flags}, {bit}')} to i1")
    return text.let(f"sext i1 {flag} to {text.row}")

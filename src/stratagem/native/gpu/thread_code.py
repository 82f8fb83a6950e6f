"""The frame of every kernel for threads: from the caller's memory into registers, ply after ply, and back.

    playout(lanes, totals, roots, root_of, log, frames, programs, threads, plies, limit, digit_count, capacity)

`rows` says what the arrays hold. A launch ends for a word when its quota is played, after *plies* cycles of the tokens,
or when a log is nearly full; the next launch goes on from there. So no launch takes long, whatever is played.
"""

from __future__ import annotations

from dataclasses import dataclass

from stratagem.native.gpu import rows
from stratagem.native.gpu.booking import Booking, functions
from stratagem.native.gpu.lane_text import LaneShape, LaneText, declarations


@dataclass(frozen=True, slots=True)
class ThreadOptions:
    """What the code of a thread is made for, beside the game."""

    digits: int
    """Digits of the lengths that are in registers."""
    short: bool
    """Whether the limit of plies has no more digits than that."""
    root_rows: int
    record: int


class ThreadCode:
    """The entry of a kernel, its exit, and what is between two plies."""

    def __init__(self, text: LaneText, booking: Booking, options: ThreadOptions, state: range) -> None:
        self.text, self.booking, self.options, self.state = text, booking, options, state

    def enter(self) -> None:
        """Find this thread's place and load what it carries; goes on in block `step0`."""
        text, gpu = self.text, self.text.lanes.gpu
        row, outer = text.row, text.lanes.outer
        text.block = "entry"
        if gpu:
            self._place_on_device()
        text.line("%stride = zext i32 %threads to i64")
        text.line("%place = zext i32 %t to i64")
        text.line("%digits = zext i32 %digit_count to i64")
        text.line("%limit_row = " + ("or i32 %limit, 0" if gpu else "zext i32 %limit to i64"))
        text.line(f"%own = getelementptr {row}, {outer} %lanes, i64 %place")
        if text.memory.outer:
            text.line(f"%far = getelementptr {row}, {outer} %frames, i64 %place")
        text.line(f"%own_totals = getelementptr i64, {outer} %totals, i64 %place")
        word = text.let(f"lshr i64 %place, {1 if gpu else 0}")
        number = text.let(f"getelementptr i32, {outer} %root_of, i64 {word}")
        root = text.let(f"zext i32 {text.let(f'load i32, {outer} {number}')} to i64")
        first = text.let(f"mul i64 {root}, {self.options.root_rows}")
        text.line(f"%root = getelementptr {row}, {outer} %roots, i64 {first}")
        records = text.let(f"mul i64 %place, {self.options.record}")
        text.line(f"%own_log = getelementptr i64, {outer} %log, i64 {records}")
        for name, at in (("seed_low", rows.SEED_LOW), ("seed_high", rows.SEED_HIGH)):
            text.set(name, self._load_seed(at), "i64")
        self.booking.begin()
        text.set("cycles", "%plies", "i32")
        text.set("reset", text.outer_load(rows.RESTARTED))
        self.load_state()
        self.prepare()
        active = text.value_of("active")
        text.branch(text.some_in_step(active), "step0", "done")

    def load_state(self) -> None:
        """The states that the last launch has left, into the frame."""
        for base, at in enumerate(self.state):
            self.text.store(self.text.outer_load(rows.STATE + base), "%frame", at)

    def store_state(self) -> None:
        for base, at in enumerate(self.state):
            self.text.outer_store(self.text.load("%frame", at), rows.STATE + base)

    def prepare(self) -> None:
        """What has to be computed from the states when a launch begins: nothing, unless a kernel says so."""

    def _place_on_device(self) -> None:
        text = self.text
        for line in (
            "%tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()",
            "%ctaid = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()",
            f"%before = mul i32 %ctaid, {text.lanes.threads}",
            "%t = add i32 %before, %tid",
            "%even = and i32 %tid, 30",
            "%pair = shl i32 3, %even",
            "%low_bit = and i32 %tid, 1",
            "%odd = icmp ne i32 %low_bit, 0",
        ):
            text.line(line)

    def _load_seed(self, row: int) -> str:
        text, outer = self.text, self.text.lanes.outer
        if not text.lanes.gpu:
            return text.outer_load(row)
        first = text.let(f"and i64 %place, {-2}")
        at = text.let(f"add i64 {text.let(f'mul i64 %stride, {row}')}, {first}")
        place = text.let(f"getelementptr i32, {outer} %lanes, i64 {at}")
        return text.let(f"load i64, {outer} {place}, align 8")

    def turn(self, again: str) -> None:
        """Between two cycles of the tokens: go on, or leave the rest to the next launch."""
        text = self.text
        text.set("reset", again)
        left = text.let(f"sub i32 {text.value_of('cycles', 'i32')}, 1")
        text.set("cycles", left, "i32")
        spent = text.let(f"icmp eq i32 {left}, 0")
        stop = text.some_in_step(text.value_of("stop"))
        idle = text.let(f"xor i1 {text.some_in_step(text.value_of('active'))}, true")
        stop = text.let(f"or i1 {stop}, {idle}")
        text.branch(text.let(f"or i1 {spent}, {stop}"), "done", "step0")

    def leave(self) -> None:
        """Block `done`: store what the next launch needs."""
        text = self.text
        text.label("done")
        self.last()
        text.renew()
        self.booking.end()
        text.outer_store(text.value_of("reset"), rows.RESTARTED)
        for name, row in (("seed_low", rows.SEED_LOW), ("seed_high", rows.SEED_HIGH)):
            seed = text.value_of(name, "i64")
            if text.lanes.gpu:
                high = text.let(f"trunc i64 {text.let(f'lshr i64 {seed}, 32')} to i32")
                low = text.let(f"trunc i64 {seed} to i32")
                seed = text.let(f"select i1 %odd, i32 {high}, i32 {low}")
            text.outer_store(seed, row)
        self.store_state()
        text.line("ret void")

    def last(self) -> None:
        """What is to be done when the plies of a launch are over: nothing, unless a kernel says so."""

    def written(self, lanes: str, period: int) -> None:
        """Write the matches in *lanes* down, whose goals are in the frame; stop before the log is full."""
        text = self.text
        row, shape = text.row, text.lanes
        count = text.let(
            f"call {row} @note({text.memory_parameters}, {shape.outer} %own, i64 %stride,"
            f" {shape.outer} %own_log, {row} {lanes}, {row} {text.value_of('logged')})"
        )
        text.set("logged", count)
        needed = text.let(f"add {row} {count}, {shape.bits * period}")
        room = "%capacity" if row == "i32" else text.let("zext i32 %capacity to i64")
        full = text.let(f"icmp ugt {row} {needed}, {room}")
        text.set("full", text.let(f"select i1 {full}, {row} 65536, {row} 0"))

    def module(self, values: tuple[int, ...], goals: int, extra: str = "") -> str:
        """The whole module, after the entry has been written."""
        text, shape = self.text, self.text.lanes
        rare = functions(text, self.options.digits, values, goals)
        arrays = ", ".join(f"{shape.outer} %{name}" for name in rows.ARRAYS)
        numbers = ", ".join(f"i32 %{name}" for name in rows.NUMBERS)
        lines = ["entry:", *text.allocas, *frame_memory(text), *text.lines]
        if shape.gpu:
            head = MODULE_HEAD
            define = f"define ptx_kernel void @{rows.ENTRY}({arrays}, {numbers}) {bounds(shape)}"
        else:
            head, define = "", f"define void @{rows.ENTRY}({arrays}, {numbers}, i32 %t)"
        entry = f"{define} {{\n" + "\n".join(lines) + "\n}\n"
        return "\n".join([head, declarations(shape), rare, extra, *text.functions, entry])


TRIPLE = "nvptx64-nvidia-cuda"
MODULE_HEAD = f'target triple = "{TRIPLE}"\n@near_memory = external addrspace(3) global [0 x i32], align 16\n'


def frame_memory(text: LaneText) -> list[str]:
    """The lines that say where near and far memory are, after everything else of the function has been written."""
    shape = text.lanes
    far = max(1, text.rows - text.memory.registers - text.memory.near)
    if text.memory.outer:
        # The place of the thread is known only later.
        lines = []
    elif shape.gpu:
        lines = [
            f"  %far_memory = alloca [{far} x {text.row}], align 16",
            f"  %far = addrspacecast ptr %far_memory to {text.far}",
        ]
    else:
        lines = [f"  %far = alloca [{far} x {text.row}], align 16"]
    if not shape.gpu:
        return [*lines, f"  %near = alloca [{max(1, text.memory.near)} x {text.row}], align 16"]
    return [
        *lines,
        "  %own_tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()",
        "  %own_column = zext i32 %own_tid to i64",
        f"  %near = getelementptr i32, {shape.near} @near_memory, i64 %own_column",
    ]


def bounds(shape: LaneShape) -> str:
    """What the assembler is to know about the launch."""
    bounds = f'"nvvm.reqntid"="{shape.threads}"'
    return f'{bounds} "nvvm.maxnreg"="{shape.registers}"' if shape.registers else bounds

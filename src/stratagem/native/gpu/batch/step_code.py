"""One step of a batch in a thread: what compiled and interpreted gates share.

    step(blocks, after, actions, which, found, programs, frames, count, first, threads, mode)

Every argument has 64 bits. A thread makes the moves of one word of matches, 32 on a GPU and 64 on a processor: it reads
*blocks* and writes *after*. *which* has a flag for each match, or is null for all. *found* is lowered to the number of
a match with an illegal action. *first* is the word of the first thread of the launch, *threads* their number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from stratagem.circuit.circuit import Circuit
from stratagem.native.gpu.lane_text import LaneText, declarations
from stratagem.native.gpu.thread_code import MODULE_HEAD, bounds, frame_memory
from stratagem.native.phases.frame_layout import FrameLayout, layout_of

ENTRY: Final = "step"
ARRAYS: Final = ("blocks", "after", "actions", "which", "found", "programs", "frames")
NUMBERS: Final = ("count", "first", "threads", "mode")
RANDOM: Final = 1
"""Modes: illegal actions are not noted ..."""
KEEP: Final = 2
"""... matches that were noted as ended stay so ..."""
STILL: Final = 4
"""... and nobody moves: the view of the states is made."""
BLOCK: Final = 512
"""Matches in a block."""


@dataclass(frozen=True, slots=True)
class BlockRows:
    """Where everything is in a block: see `driver.blocks`."""

    bases: int
    moves: tuple[range, ...]
    terminal: int
    goals: int
    ended: int

    @staticmethod
    def of(circuit: Circuit) -> BlockRows:
        layout = layout_of(circuit)
        shift = layout.bases - layout.moves[0].first
        moves = tuple(range(rows.first + shift, rows.first + shift + rows.moves) for rows in layout.moves)
        goals = layout.goals + shift
        return BlockRows(layout.bases, moves, layout.terminal + shift, goals, goals + sum(layout.values))

    @property
    def refused(self) -> int:
        return self.ended + 1

    @property
    def count(self) -> int:
        return self.ended + 2


@dataclass(frozen=True, slots=True)
class Asked:
    """What the actions of one role say, row by row: the digits of the action, whether it is one, and whether it is -1."""

    digits: tuple[str, ...]
    given: str
    forced: str


class StepCode:
    """The entry of a step, the actions of a thread, and the exit."""

    def __init__(self, text: LaneText, circuit: Circuit) -> None:
        self.text, self.circuit, self.rows = text, circuit, BlockRows.of(circuit)
        self.layout: FrameLayout = layout_of(circuit)
        self.words = BLOCK // text.lanes.bits

    def enter(self) -> None:
        """Find the place of this thread, and which of its matches move."""
        text, shape = self.text, self.text.lanes
        text.block = "entry"
        if shape.gpu:
            text.line("%tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()")
            text.line("%ctaid = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()")
            text.line("%tid_wide = zext i32 %tid to i64")
            text.line(f"%before = mul i64 {text.let('zext i32 %ctaid to i64')}, {shape.threads}")
            text.line("%t = add i64 %before, %tid_wide")
        word = text.let("add i64 %first, %t")
        text.line(f"%match = mul i64 {word}, {shape.bits}")
        padded = text.let(f"and i64 {text.let(f'add i64 %count, {BLOCK - 1}')}, {-BLOCK}")
        inside = text.let(f"icmp slt i64 %match, {padded}")
        present = text.let("icmp slt i64 %t, %threads")
        text.branch(text.let(f"and i1 {inside}, {present}"), "present", "absent")
        text.label("absent")
        text.line("ret void")
        text.label("present")
        number = text.let(f"sdiv i64 %match, {BLOCK}")
        column = text.let(f"and i64 {word}, {self.words - 1}")
        distance = text.let(f"mul i64 {number}, {self.rows.count * self.words}")
        place = text.let(f"add i64 {distance}, {column}")
        for name in ("block", "next_block"):
            source = "blocks" if name == "block" else "after"
            text.line(f"%{name} = getelementptr {text.row}, {shape.outer} %{source}, i64 {place}")
        if text.memory.outer:
            text.line("%stride = or i64 %threads, 0")
            text.line(f"%far = getelementptr {text.row}, {shape.outer} %frames, i64 %t")
        self._lanes()

    def _lanes(self) -> None:
        """`%some`: how many matches the thread has; `%moving`: those that are to move; `%ready`: whether any."""
        text, bits = self.text, self.text.lanes.bits
        left = text.let("sub i64 %count, %match")
        least = text.let(f"select i1 {text.let(f'icmp slt i64 {left}, 0')}, i64 0, i64 {left}")
        text.line(f"%some = select i1 {text.let(f'icmp sgt i64 {least}, {bits}')}, i64 {bits}, i64 {least}")
        text.line("%ready = icmp ne i64 %some, 0")
        shift = text.let(f"sub i64 {bits}, %some")
        text.line(
            f"%unused = {'or' if bits == 64 else 'trunc'} i64 {shift}{', 0' if bits == 64 else ' to i32'}"
        )
        all_lanes = text.let(f"lshr {text.row} -1, %unused")
        text.set("flagged", text.let(f"select i1 %ready, {text.row} {all_lanes}, {text.row} 0"))
        null = text.let(f"icmp ne {text.lanes.outer} %which, null")
        with text.when(text.let(f"and i1 {null}, %ready")):
            text.set("flags", "0")
            with text.repeat("%some") as lane:
                at = text.let(f"add i64 %match, {lane}")
                place = text.let(f"getelementptr i8, {text.lanes.outer} %which, i64 {at}")
                flag = text.let(f"icmp ne i8 {text.let(f'load i8, {text.lanes.outer} {place}')}, 0")
                self._shift_in("flags", text.let(f"zext i1 {flag} to {text.row}"))
            text.set("flagged", text.let(f"lshr {text.row} {text.value_of('flags')}, %unused"))
        moving = text.let(f"icmp eq i64 {text.let(f'and i64 %mode, {STILL}')}, 0")
        text.line(f"%moving = select i1 {moving}, {text.row} {text.value_of('flagged')}, {text.row} 0")

    def _shift_in(self, name: str, value: str) -> None:
        """The lowest bit of *value* becomes the highest of the row *name*: after as many as it has, the first is lowest."""
        text = self.text
        row, old = text.row, text.value_of(name)
        text.set(name, text.let(f"call {row} @llvm.fshr.{row}({row} {value}, {row} {old}, {row} 1)"))

    def read_actions(self) -> list[Asked]:
        """The actions of the thread's matches as rows: the digits of their numbers."""
        text = self.text
        names = [self._names(role) for role in range(len(self.rows.moves))]
        for own in names:
            for name in (*own.digits, own.given, own.forced):
                text.set(name, "0")
        with text.when("%ready"):
            groups = text.let("lshr i64 %some, 2")
            with text.when(text.let(f"icmp ne i64 {groups}, 0")), text.repeat(groups) as group:
                self._four(group, names)
            rest = text.let("and i64 %some, 3")
            with text.when(text.let(f"icmp ne i64 {rest}, 0")), text.repeat(rest) as lane:
                self._one(text.let(f"add i64 {text.let(f'and i64 %some, {-4}')}, {lane}"), names)
            for own in names:
                for name in (*own.digits, own.given, own.forced):
                    text.set(name, text.let(f"lshr {text.row} {text.value_of(name)}, %unused"))
        return [
            Asked(
                tuple(text.value_of(name) for name in own.digits),
                text.value_of(own.given),
                text.value_of(own.forced),
            )
            for own in names
        ]

    def _names(self, role: int) -> Asked:
        digits = max(0, len(self.rows.moves[role]) - 1).bit_length()
        return Asked(
            tuple(f"digit{role}_{digit}" for digit in range(digits)), f"given{role}", f"forced{role}"
        )

    def _four(self, group: str, names: Sequence[Asked]) -> None:
        """Four matches: as many vectors of four numbers as there are roles."""
        text, roles = self.text, len(names)
        lane = text.let(f"add i64 %match, {text.let(f'shl i64 {group}, 2')}")
        first = text.let(f"mul i64 {lane}, {roles}")
        place = text.let(f"getelementptr i32, {text.lanes.outer} %actions, i64 {first}")
        vectors = []
        for number in range(roles):
            own = text.let(f"getelementptr <4 x i32>, {text.lanes.outer} {place}, i64 {number}")
            vectors.append(text.let(f"load <4 x i32>, {text.lanes.outer} {own}, align 16"))
        for number in range(4 * roles):
            action = text.let(f"extractelement <4 x i32> {vectors[number // 4]}, i64 {number % 4}")
            self._note(action, number % roles, names[number % roles])

    def _one(self, lane: str, names: Sequence[Asked]) -> None:
        text = self.text
        first = text.let(f"mul i64 {text.let(f'add i64 %match, {lane}')}, {len(names)}")
        for role, own in enumerate(names):
            at = text.let(f"add i64 {first}, {role}")
            place = text.let(f"getelementptr i32, {text.lanes.outer} %actions, i64 {at}")
            self._note(text.let(f"load i32, {text.lanes.outer} {place}, align 4"), role, own)

    def _note(self, action: str, role: int, names: Asked) -> None:
        """One action of one match, the lowest digit first."""
        text, row = self.text, self.text.row
        given = text.let(f"icmp ult i32 {action}, {len(self.rows.moves[role])}")
        self._shift_in(names.given, text.let(f"zext i1 {given} to {row}"))
        forced = text.let(f"icmp eq i32 {action}, -1")
        self._shift_in(names.forced, text.let(f"zext i1 {forced} to {row}"))
        wide = action if row == "i32" else text.let(f"zext i32 {action} to {row}")
        for number, digit in enumerate(names.digits):
            self._shift_in(digit, text.let(f"lshr {row} {wide}, {number}") if number else wide)

    # the end

    def mode_row(self, bit: int) -> str:
        """All ones where the mode has *bit*."""
        text = self.text
        flag = text.let(f"icmp ne i64 {text.let(f'and i64 %mode, {bit}')}, 0")
        return text.let(f"sext i1 {flag} to {text.row}")

    def leave(self, went: str, wrong: str, terminal: str) -> None:
        """Note what has ended and what was refused: *went* moved, *wrong* were refused; *terminal* as it is now."""
        text, outer = self.text, self.text.lanes.outer
        kept = text.both(text.load("%block", self.rows.ended), self.mode_row(KEEP))
        text.store(text.either(text.both(went, terminal), kept), "%next_block", self.rows.ended)
        refused = text.but_not(wrong, self.mode_row(RANDOM))
        text.store(refused, "%next_block", self.rows.refused)
        with text.when(text.here(refused)):
            wide = refused if text.row == "i64" else text.let(f"zext i32 {refused} to i64")
            lane = text.let(f"call i64 @llvm.cttz.i64(i64 {wide}, i1 true)")
            match = text.let(f"add i64 %match, {lane}")
            text.let(f"atomicrmw umin {outer} %found, i64 {match} monotonic")
        text.line("ret void")

    def module(self, extra: str = "") -> str:
        """The whole module, after the entry has been written."""
        text, shape = self.text, self.text.lanes
        given = [f"{shape.outer} %{name}" for name in ARRAYS] + [f"i64 %{name}" for name in NUMBERS]
        if shape.gpu:
            head, define = MODULE_HEAD, f"define ptx_kernel void @{ENTRY}({', '.join(given)}) {bounds(shape)}"
        else:
            head, define = "", f"define void @{ENTRY}({', '.join([*given, 'i64 %t'])})"
        funnel = f"declare {text.row} @llvm.fshr.{text.row}({text.row}, {text.row}, {text.row})\n"
        body = "\n".join(["entry:", *text.allocas, *frame_memory(text), *text.lines])
        return "\n".join(
            [head, declarations(shape), funnel, extra, *text.functions, f"{define} {{\n{body}\n}}\n"]
        )


def block_places(bits: int) -> dict[str, int]:
    """The pointers to blocks, and how far apart their rows lie where a row of a thread has *bits* matches."""
    return {"%block": BLOCK // bits, "%next_block": BLOCK // bits}

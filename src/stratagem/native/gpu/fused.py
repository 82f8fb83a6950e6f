"""Whole random matches in one kernel: `emit.playout` for threads of a GPU.

A circuit without loops. A small one keeps its states in registers; a larger one has them in near memory and is cut
into functions, because an assembler's time grows faster than the length of a function.
"""

from __future__ import annotations

from collections.abc import Sequence

from stratagem.circuit.circuit import Circuit
from stratagem.native.emit.account import Ending
from stratagem.native.emit.choice import GROUP, MoveRows
from stratagem.native.emit.moves import INLINE_MOVES, Chooser, count_moves, draw_moves
from stratagem.native.emit.playout import FusedCode, PlayoutPlan, drawn_digits
from stratagem.native.emit.segment import Segment
from stratagem.native.gpu.booking import Booking
from stratagem.native.gpu.draw import drawing
from stratagem.native.gpu.lane_text import FrameMemory, LaneSegment, LaneShape, LaneText
from stratagem.native.gpu.rows import ENTRY, ThreadKernel
from stratagem.native.gpu.thread_code import ThreadCode, ThreadOptions
from stratagem.native.logic.gates import copy_gates
from stratagem.native.logic.goals import exclusive_goals
from stratagem.native.logic.network import LogicNetwork
from stratagem.native.phases.frame_layout import FrameLayout
from stratagem.native.playouts.log import LogLayout


class FusedThread(FusedCode):
    """The text of one fused kernel for threads."""

    def __init__(
        self,
        circuit: Circuit,
        plan: PlayoutPlan,
        shape: LaneShape,
        memory: FrameMemory,
        *,
        digits: int,
        short: bool,
        patience: int,
    ) -> None:
        layout = frame_layout(circuit, plan)
        self.lane_text = text = LaneText(shape, memory, layout.scratch + self.rows_held(circuit))
        super().__init__(circuit, plan, text, layout)
        self.patience = patience
        booking = self.new_booking(digits, short=short)
        self.log = LogLayout.of(circuit)
        options = ThreadOptions(digits, short, layout.bases, self.log.record - 1)
        self.thread = ThreadCode(text, booking, options, range(layout.bases))

    def rows_held(self, circuit: Circuit) -> int:
        """How many rows the kernel has for itself, from the layout's first scratch row on."""
        return 0

    def new_booking(self, digits: int, *, short: bool) -> Booking:
        return Booking(self.lane_text, digits, len(self.plan.outcomes), short=short, note=self.note)

    def extra(self) -> str:
        """Functions of its own."""
        return ""

    def segment(self) -> Segment:
        return LaneSegment(self.lane_text, self.patience)

    def choose(self, segment: Segment, legal: list[list[int]]) -> tuple[list[Chooser], str | None]:
        places = move_rows(legal, self.layout.bases)
        choosers = count_moves(self.text, segment, legal, places)
        return choosers, draw_moves(self.text, choosers, drawn_digits(self.circuit), drawing(self.lane_text))

    def book(self, ending: Ending, reset: str | None, used: str) -> tuple[str, str, str]:
        return self.thread.booking.book(ending, reset), used, ""

    def note(self, lanes: str) -> None:
        """The goals of the states at hand go into the frame, and the matches in *lanes* into the log."""
        with self.lane_text.apart():
            self._goals()
        self.thread.written(lanes, self.plan.tokens.period)

    def _goals(self) -> None:
        segment = self.segment()
        bases = [segment.row("%frame", base) for base in range(self.layout.bases)]
        goals = [literal for own in exclusive_goals(segment.network, self.circuit, bases) for literal in own]
        for row, literal in enumerate(goals):
            segment.output(literal, "%frame", self.layout.goals + row)
        segment.emit()

    def playout(self) -> str:
        text, period = self.lane_text, self.plan.tokens.period
        self.thread.enter()
        text.label("step0")
        reset = text.value_of("reset")
        idle: str | None = None
        for step in range(period):
            again, _, _ = self.ply(step, reset if step == 0 else None, idle, "")
            idle = again
            following = "turn" if step == period - 1 else f"step{step + 1}"
            text.go(following)
            text.label(following)
        self.thread.turn(again)
        self.thread.leave()
        return self.thread.module(self.layout.values, self.layout.goals, self.extra())


def move_rows(legal: Sequence[Sequence[int]], first: int) -> list[MoveRows]:
    """Rows from *first* on for the moves that are counted in memory at one ply."""
    places = []
    for own in legal:
        possible = sum(literal != 0 for literal in own)
        if possible <= INLINE_MOVES:
            places.append(MoveRows(0, 0, None))
            continue
        places.append(MoveRows(possible, first, None))
        first += places[-1].groups * GROUP
    return places


def frame_layout(circuit: Circuit, plan: PlayoutPlan) -> FrameLayout:
    """The rows of a frame: states, then the moves of the ply that needs most rows for them, then goals."""
    bases = len(circuit.bases)
    most = bases
    for step in range(plan.tokens.period):
        network = LogicNetwork()
        known = plan.tokens.at(plan.step + step)
        state = [int(known[base]) if base in known else network.input() for base in range(bases)]
        none = [0] * sum(map(len, circuit.moves))
        flat = [int(literal) for own in circuit.legal for literal in own]
        literals = copy_gates(network, circuit, state, none, flat)
        legal = []
        for moves in circuit.moves:
            legal.append(literals[: len(moves)])
            literals = literals[len(moves) :]
        for rows in move_rows(legal, bases):
            most = max(most, rows.first + rows.groups * GROUP)
    values = tuple(len(goals) for goals in circuit.goals)
    scratch = most + 1 + sum(values)
    return FrameLayout(bases, (), values, most, scratch, scratch)


def fused_thread(
    circuit: Circuit,
    plan: PlayoutPlan,
    shape: LaneShape,
    memory: FrameMemory,
    *,
    digits: int,
    short: bool = False,
    patience: int = 60,
    kind: type[FusedThread] = FusedThread,
) -> tuple[str, ThreadKernel]:
    """The module of a fused kernel of some *kind*, and what is needed to launch it."""
    code = kind(circuit, plan, shape, memory, digits=digits, short=short, patience=patience)
    module = code.playout()
    return module, ThreadKernel(
        ENTRY,
        len(circuit.bases),
        len(circuit.bases),
        plan.outcomes,
        plan.tokens.period,
        digits,
        shape.threads,
        memory.near * shape.threads * shape.row_bytes,
        0,
        code.log.record - 1,
        circuit.gate_count,
    )

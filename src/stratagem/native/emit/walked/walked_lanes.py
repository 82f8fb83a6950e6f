"""The walked lane kernel: one match in every lane, for circuits of any size, all phases called through tables.

    void play_lanes(frame, root, block, limit, tables)

What a lane does stands in `emit.lanes`; the phases and the choice of moves at every step are those of walked playouts (`walk`).
Lanes that join at a later step of the cycle replace the state of the ply before, so that one look at the state serves both
them and the ends of the others. Where goals are put off they are computed at plies at which a match has ended, and only then.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from stratagem.circuit.circuit import Circuit
from stratagem.native.emit.interpreter import run_phase
from stratagem.native.emit.moves import INLINE_MOVES
from stratagem.native.emit.text import Text, VectorShape, declarations, function
from stratagem.native.emit.walked.columns import from_wide, own, to_wide
from stratagem.native.emit.walked.restart import REPLACED
from stratagem.native.emit.walked.walk import FINAL, NEXT, OPEN, TABLES, choose_column, run_table
from stratagem.native.phases.frame_layout import FrameLayout, layout_of
from stratagem.native.phases.steps import StepMoves, all_moves
from stratagem.native.playouts import lane_block as blocks

COMMON: Final = "ptr %frame, ptr %root, ptr %block, i64 %limit, ptr %tables"


@dataclass(frozen=True, slots=True)
class LanePlan:
    """What a walked lane kernel is made for."""

    recorded: bool
    """Whether the block also tells which moves were made."""
    columns: int
    rows: int
    """The rows of a column's frame; the blocks of the columns lie after the frames."""
    groups: int
    """So many times *columns* columns play one after the other in one call."""
    deferred: bool
    """Whether the goals have a phase of their own."""
    moves: tuple[tuple[StepMoves, ...], ...] = ()
    """For every step of the tokens' cycle what each role looks at; empty where the phases are those of all steps."""

    @property
    def period(self) -> int:
        return len(self.moves) or 1

    @property
    def wide(self) -> int:
        """The columns of a row of the caller."""
        return self.groups * self.columns


def emit_walked_lanes(circuit: Circuit, plan: LanePlan, shape: VectorShape) -> str:
    """The module for *circuit*; only its layout matters here, not its gates."""
    layout = layout_of(circuit)
    parts = [
        declarations(shape),
        run_phase("internal"),
        _begin_column(circuit, layout, plan, shape),
        _join_column(layout, plan, shape),
        _latch(layout, shape),
    ]
    for step in range(plan.period):
        moves = plan.moves[step] if plan.moves else None
        parts.append(choose_column(circuit, layout, shape, step, moves, blocks.STUCK_NOW))
        parts.append(_note_moves(circuit, layout, plan, step, shape))
    return "\n".join([*parts, _Walk(circuit, layout, plan, shape).play_group(), _play(plan, shape)])


def _begin_column(circuit: Circuit, layout: FrameLayout, plan: LanePlan, shape: VectorShape) -> str:
    """`begin_column(frame, wide, block, column)`: no lane plays yet. Also makes zero what code relies on."""
    text = Text(shape)
    text.label("entry")
    from_wide(text, "%wide", plan.wide, "%column", "%block", blocks.lane_block_rows(circuit, plan.recorded))
    text.store(text.splat(0), "%block", blocks.LIVE)
    if layout.bases:
        with text.repeat(layout.bases) as base:
            text.store(text.splat(0), text.at("%frame", layout.state), base)
    for role in layout.moves:
        for unused in range(role.first + role.moves, role.first + role.rows_needed(role.moves)[0]):
            text.store(text.splat(0), "%frame", unused)
    text.store(text.splat(0), "%frame", layout.scratch)
    text.line("ret void")
    return function(
        "internal void @begin_column(ptr %frame, ptr %wide, ptr %block, i64 %column) noinline", text
    )


def _join_column(layout: FrameLayout, plan: LanePlan, shape: VectorShape) -> str:
    """`join_column(frame, root, block, column, step)`: the root's states in the lanes that begin at a step."""
    text = Text(shape)
    text.label("entry")
    lanes = text.load("%block", text.let(f"add i64 %step, {blocks.BEGIN}"))
    if layout.bases:
        with text.when(text.some(lanes)), text.repeat(layout.bases) as base:
            wide = text.let(f"add i64 {text.let(f'mul i64 {base}, {plan.wide}')}, %column")
            begun = text.both(text.load("%root", wide), lanes)
            place = text.at(text.at("%frame", layout.state), base)
            text.store(text.logic(REPLACED, text.load(place), lanes, begun), place)
    text.line("ret void")
    head = "internal void @join_column(ptr %frame, ptr %root, ptr %block, i64 %column, i64 %step) noinline"
    return function(head, text)


def _latch(layout: FrameLayout, shape: VectorShape) -> str:
    """`latch(frame, block, ended)`: adds the goals of the states at hand to the results of some lanes."""
    text = Text(shape)
    text.label("entry")
    if sum(layout.values):
        with text.repeat(sum(layout.values)) as number:
            goal = text.load(text.at("%frame", layout.goals), number)
            place = text.at(text.at("%block", blocks.RESULTS), number)
            text.store(text.either(text.load(place), text.both(goal, "%ended")), place)
    text.line("ret void")
    head = f"internal void @latch(ptr noalias %frame, ptr noalias %block, {text.row} %ended) noinline"
    return function(head, text)


def _note_moves(circuit: Circuit, layout: FrameLayout, plan: LanePlan, step: int, shape: VectorShape) -> str:
    """`note_moves` with a number: lanes that have no move are over; of the others, if asked, the moves."""
    text = Text(shape)
    text.label("entry")
    live = text.but_not(text.load("%block", blocks.LIVE), text.load("%block", blocks.STUCK_NOW))
    text.store(live, "%block", blocks.LIVE)
    moves = plan.moves[step] if plan.moves else [all_moves(role.moves) for role in layout.moves]
    row = blocks.played_row(circuit)
    for role, own_moves in zip(layout.moves, moves, strict=True):
        if plan.recorded:
            _record(text, own_moves, text.at("%frame", role.first), text.at("%block", row), live)
        row += role.moves
    text.line("ret void")
    return function(f"internal void @note_moves{step}(ptr noalias %frame, ptr noalias %block)", text)


def _record(text: Text, moves: StepMoves, made: str, target: str, live: str) -> None:
    """The moves of one role, whose rows lie from *made* on, in the rows from *target* on."""

    def add(number: int | str, lanes: str) -> None:
        place = text.at(target, number)
        text.store(text.either(text.load(place), lanes), place)

    numbers = moves.numbers
    if moves.certain:
        add(numbers[0], live)
    elif len(numbers) > INLINE_MOVES:  # then they are neighbours
        made, target = text.at(made, numbers[0]), text.at(target, numbers[0])
        with text.repeat(len(numbers)) as index:
            add(index, text.both(text.load(made, index), live))
    else:
        for number in numbers:
            add(number, text.both(text.load(made, number), live))


def _play(plan: LanePlan, shape: VectorShape) -> str:
    """All columns, as many at once as the phases are run for."""
    text = Text(shape)
    text.label("entry")
    with text.repeat(plan.groups) as group:
        first = text.let(f"mul i64 {group}, {plan.columns}")
        text.line(f"call void @play_group({COMMON}, i64 {first})")
    text.line("ret void")
    return function(f"void @play_lanes({COMMON})", text)


class _Walk:
    """The text of the loop over plies, for columns that play at once: those of the caller from *first_column* on."""

    def __init__(self, circuit: Circuit, layout: FrameLayout, plan: LanePlan, shape: VectorShape) -> None:
        self.layout, self.plan, self.text = layout, plan, Text(shape)
        self.block_rows = blocks.lane_block_rows(circuit, plan.recorded)
        self.own_blocks = ""

    def play_group(self) -> str:
        """Whole cycles of plies, until no lane plays."""
        text, period = self.text, self.plan.period
        text.label("entry")
        self.own_blocks = text.at("%frame", self.plan.columns * self.plan.rows)
        with text.repeat(self.plan.columns) as column:
            frame, block = self.own(column)
            wide = text.let(f"add i64 {column}, %first_column")
            text.line(f"call void @begin_column(ptr {frame}, ptr %block, ptr {block}, i64 {wide})")
        self.join(0)
        self.enter(0)
        run_table(text, OPEN)
        before = text.block
        text.go("cycle")
        text.label("cycle")
        ply = text.phi("i64", ("0", before), ("%next_ply", "turn"))
        first = text.let(f"icmp eq i64 {ply}, 0")
        for step in range(period):
            self.ply(step, first)
        text.line(f"%next_ply = add i64 {ply}, {period}")
        more = text.let("icmp slt i64 %next_ply, %limit")
        live = text.splat(0)
        for number in range(self.plan.columns):
            live = text.either(live, text.load(self.own(str(number))[1], blocks.LIVE))
        text.branch(text.let(f"and i1 {more}, {text.some(live)}"), "turn", "done")
        text.label("turn")
        text.go("cycle")
        text.label("done")
        with text.repeat(self.plan.columns) as column:
            wide = text.let(f"add i64 {column}, %first_column")
            to_wide(text, "%block", self.plan.wide, wide, self.own(column)[1], self.block_rows)
        text.line("ret void")
        return function(f"internal void @play_group({COMMON}, i64 %first_column) noinline", text)

    def own(self, column: str) -> tuple[str, str]:
        """The frame and the block of a column."""
        frame = own(self.text, "%frame", column, self.plan.rows)
        return frame, own(self.text, self.own_blocks, column, self.block_rows)

    def ply(self, step: int, first: str) -> None:
        """Choose, move, see which matches are over; in the *first* cycle lanes join before the next step."""
        text, plan = self.text, self.plan
        with text.repeat(plan.columns) as column:
            frame, block = self.own(column)
            text.line(f"call void @choose_column{step}(ptr {frame}, ptr {block})")
            text.line(f"call void @note_moves{step}(ptr {frame}, ptr {block})")
        run_table(text, TABLES * step + NEXT)
        if self.layout.bases and not plan.moves:
            with text.repeat(plan.columns) as column:
                frame = self.own(column)[0]
                following = text.at(frame, self.layout.next)
                with text.repeat(self.layout.bases) as base:
                    text.store(text.load(following, base), frame, base)
        joining = step + 1 < plan.period
        if joining:
            with text.when(first):
                self.join(step + 1)
        following_tables = TABLES * ((step + 1) % plan.period)
        run_table(text, following_tables + OPEN)
        self.settle(following_tables + FINAL)
        if joining:
            with text.when(first):
                self.enter(step + 1)

    def join(self, step: int) -> None:
        """The states of the lanes that begin at a step."""
        with self.text.repeat(self.plan.columns) as column:
            frame, block = self.own(column)
            wide = self.text.let(f"add i64 {column}, %first_column")
            arguments = f"ptr {frame}, ptr %root, ptr {block}, i64 {wide}, i64 {step}"
            self.text.line(f"call void @join_column({arguments})")

    def enter(self, step: int) -> None:
        """From now on these lanes play."""
        text = self.text
        with text.repeat(self.plan.columns) as column:
            block = self.own(column)[1]
            live = text.either(text.load(block, blocks.LIVE), text.load(block, blocks.BEGIN + step))
            text.store(live, block, blocks.LIVE)

    def settle(self, final: int) -> None:
        """Book the matches that are over; the goals are in the frames, or computed by the table *final*."""
        text, any_ended = self.text, self.text.splat(0)
        ends = []
        for number in range(self.plan.columns):
            frame, block = self.own(str(number))
            live, terminal = text.load(block, blocks.LIVE), text.load(frame, self.layout.terminal)
            text.store(text.but_not(live, terminal), block, blocks.LIVE)
            ends.append((frame, block, text.both(live, terminal)))
            any_ended = text.either(any_ended, ends[-1][2])
        with text.when(text.some(any_ended)):
            if self.plan.deferred:
                run_table(text, final)
            for frame, block, ended in ends:
                text.line(f"call void @latch(ptr {frame}, ptr {block}, {text.row} {ended})")

"""Random matches for circuits of any size: the phases are called through tables, the rest is here.

    void playout(frame, root, block, log, tables)     whole matches, until every word has played its quota

Rows of the block are wide and are worked on in columns (`columns`). *tables* holds the addresses of the tables of the phases, read
anew at every ply, so that a better tier takes over in the middle of a run. *root* has a frame for each column, whose state and
legal moves are those of the root. New matches begin every *period* plies, as in the fused kernel: same results. Where matches
keep step with tokens there are tables, and a choice of moves, for every step (`phases.steps`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from stratagem.circuit.circuit import Circuit
from stratagem.native.emit.account import Ending, account
from stratagem.native.emit.draw import draw
from stratagem.native.emit.interpreter import run_phase
from stratagem.native.emit.moves import (
    INLINE_MOVES,
    Draw,
    chosen_moves,
    chosen_rows,
    count_moves,
    draw_moves,
)
from stratagem.native.emit.playout import drawn_digits
from stratagem.native.emit.segment import Segment
from stratagem.native.emit.slow_path import note_lanes, rare_functions
from stratagem.native.emit.text import Text, VectorShape, declarations, function
from stratagem.native.emit.walked.columns import from_wide, own, to_wide
from stratagem.native.emit.walked.held_ends import HELD, HELD_BLOCK_ROWS, emit_book, emit_hold, outcome_rows
from stratagem.native.emit.walked.restart import emit_restart
from stratagem.native.phases.frame_layout import FrameLayout, layout_of
from stratagem.native.phases.steps import StepMoves, all_moves
from stratagem.native.playouts import block as blocks

VIEW, NEXT, FINAL, OPEN = 0, 1, 2, 3
"""Places of the tables."""
TABLES = 4
"""How many tables a step has."""


@dataclass(frozen=True, slots=True)
class WalkPlan:
    """What a walked kernel is made for."""

    period: int
    outcomes: tuple[tuple[int, ...], ...]
    """The expected goal vectors; see `PlayoutPlan`."""
    columns: int
    rows: int
    """The rows of a column's frame."""
    deferred: bool
    """Goals are put off (`held_ends`): the room has second frames and the blocks of the held ends after the first."""
    moves: tuple[tuple[StepMoves, ...], ...] = ()
    """For every step of the tokens' cycle what each role looks at; empty where the phases are those of all steps."""
    step: int = 0
    """The step at which matches begin."""

    @property
    def block_rows(self) -> int:
        return blocks.block_rows(len(self.outcomes))

    @property
    def block(self) -> int:
        """The row of the room at which the blocks of the columns begin."""
        return self.columns * self.rows

    @property
    def held(self) -> int:
        """The row at which the second frames begin."""
        return self.block + self.columns * self.block_rows

    @property
    def ends(self) -> int:
        """The row at which the blocks of the held ends begin."""
        return self.held + self.columns * self.rows

    @property
    def room_rows(self) -> int:
        return self.ends + self.columns * HELD_BLOCK_ROWS if self.deferred else self.held

    def step_at(self, ply: int) -> int:
        """The step at a ply of the cycle of matches."""
        return (self.step + ply) % len(self.moves) if self.moves else 0


def emit_walk(circuit: Circuit, plan: WalkPlan, shape: VectorShape) -> str:
    """The module for *circuit*; only its layout matters here, not its gates."""
    layout = layout_of(circuit)
    parts = [
        declarations(shape),
        run_phase("internal"),
        rare_functions(shape),
        note_lanes(shape, layout.values, layout.goals),
        _note_rest(),
        *_choices(circuit, layout, plan, shape),
        emit_restart(layout, plan.moves[plan.step] if plan.moves else None, shape),
        _settle_column(layout, plan, shape),
        _playout(layout, plan, shape),
    ]
    if plan.deferred:
        parts += [emit_hold(layout, shape), emit_book(layout, plan.outcomes, shape), _flush(plan, shape)]
    return "\n".join(parts)


def _note_rest() -> str:
    """The goals are already in the frame."""
    return """
define internal void @note_rest(ptr %frame, ptr %state, ptr %block, ptr %log) {
  call void @note_lanes(ptr %frame, ptr %block, ptr %log)
  ret void
}
"""


def _choices(circuit: Circuit, layout: FrameLayout, plan: WalkPlan, shape: VectorShape) -> list[str]:
    """`choose_column0`, ...: the choice at the plies of a cycle."""
    return [
        choose_column(
            circuit,
            layout,
            shape,
            ply,
            plan.moves[plan.step_at(ply)] if plan.moves else None,
            blocks.STUCK_NOW,
        )
        for ply in range(len(plan.moves) or 1)
    ]


def choose_column(
    circuit: Circuit,
    layout: FrameLayout,
    shape: VectorShape,
    number: int,
    moves: Sequence[StepMoves] | None,
    stuck_row: int,
) -> str:
    """`choose_column` with a *number*: random moves for one column; where a role has none goes to a row of the block.

    *moves*, for each role: what to look at, if that is not all.
    """
    text = Text(shape)
    text.label("entry")
    stuck = choose_in_place(text, circuit, layout, in_spans=True, moves=moves)
    text.store(text.splat(0) if stuck is None else stuck, "%block", stuck_row)
    text.line("ret void")
    return function(f"internal void @choose_column{number}(ptr noalias %frame, ptr noalias %block)", text)


def choose_in_place(
    text: Text,
    circuit: Circuit,
    layout: FrameLayout,
    draw: Draw = draw,
    *,
    in_spans: bool = False,
    moves: Sequence[StepMoves] | None = None,
) -> str | None:
    """Random moves in place of the legal ones; lanes in which a role has none come back.

    *in_spans* as in `count_moves`. *moves*, for each role: what to look at.
    """
    segment = Segment(text)
    legal = []
    for role, rows in enumerate(layout.moves):
        own = moves[role] if moves is not None else all_moves(rows.moves)
        found = [0] * rows.moves
        for number in own.numbers:
            # Many moves are only counted where they lie.
            constant = own.certain or (in_spans and len(own.numbers) > INLINE_MOVES)
            found[number] = 1 if constant else segment.row("%frame", rows.first + number)
        legal.append(found)
    choosers = count_moves(text, segment, legal, layout.moves, in_place=True, in_spans=in_spans)
    stuck = draw_moves(text, choosers, drawn_digits(circuit), draw)
    chosen_rows(text, choosers)
    segment = Segment(text)
    does = iter(chosen_moves(segment, choosers))
    for rows, chooser, literals in zip(layout.moves, choosers, legal, strict=True):
        for move, possible in enumerate(literals):
            literal = next(does)
            if chooser.rows is None and possible > 1:
                segment.output(literal, "%frame", rows.first + move)
    segment.emit()
    return stuck


def _settle_column(layout: FrameLayout, plan: WalkPlan, shape: VectorShape) -> str:
    """Book one column after a ply and begin new matches."""
    text = Text(shape)
    text.label("entry")
    masks: list[str] = []
    if plan.deferred:
        terminal, others = text.load("%frame", layout.terminal), text.splat(0)
    else:
        terminal, others, masks = outcome_rows(text, layout, plan.outcomes)
    stuck = text.load("%block", blocks.STUCK_NOW)
    reset, idle = text.load("%block", blocks.RESTARTED), text.load("%block", blocks.IDLE)
    used = text.let(f"load i64, ptr {text.at('%block', blocks.USED)}, align 8")
    playing = text.but_not(text.load("%block", blocks.ACTIVE), text.either(idle, stuck))
    finished = text.both(playing, terminal)
    again, in_use, _ = account(text, Ending(terminal, stuck, idle, masks, others, "%frame"), reset, used)
    text.line(f"store i64 {in_use}, ptr {text.at('%block', blocks.USED)}, align 8")
    if plan.deferred:
        with text.when(text.some(finished)):
            held, ends = text.at("%frame", plan.held), "%ends"
            with text.when(text.some(text.both(finished, text.load(ends, HELD)))):
                text.line("call void @flush(ptr %frames, ptr %blocks, ptr %log, ptr %tables)")
            lanes = f"{text.row} {finished}"
            text.line(f"call void @hold(ptr %frame, ptr %block, ptr {held}, ptr {ends}, {lanes})")
    mask = f"<{shape.words} x i1>"
    spread = text.let(f"insertelement {mask} zeroinitializer, i1 %turn, i64 0")
    turn = text.let(
        f"shufflevector {mask} {spread}, {mask} zeroinitializer, <{shape.words} x i32> zeroinitializer"
    )
    begun = text.words_of(turn, again, text.splat(0))
    text.store(begun, "%block", blocks.RESTARTED)
    text.store(text.words_of(turn, text.splat(0), again), "%block", blocks.IDLE)
    with text.when(text.some(begun)):
        text.line(f"call void @restart(ptr %frame, ptr %masks, {text.row} {begun})")
    text.line("ret void")
    head = "internal void @settle_column(ptr %frame, ptr %masks, ptr %block, ptr %log, i1 %turn"
    return function(f"{head}, ptr %frames, ptr %blocks, ptr %ends, ptr %tables)", text)


def _flush(plan: WalkPlan, shape: VectorShape) -> str:
    """`flush(frame, block, log, tables)`: compute and book the goals of all held ends."""
    text = Text(shape)
    text.label("entry")
    held, ends = text.at("%frame", plan.held), text.at("%frame", plan.ends)
    run_table(text, FINAL, held)
    with text.repeat(plan.columns) as column:
        frame = own(text, held, column, plan.rows)
        end, block = own(text, ends, column, HELD_BLOCK_ROWS), own(text, "%block", column, plan.block_rows)
        text.line(f"call void @book_column(ptr {frame}, ptr {end}, ptr {block}, ptr %log)")
    text.line("ret void")
    return function("internal void @flush(ptr %frame, ptr %block, ptr %log, ptr %tables) noinline", text)


def _playout(layout: FrameLayout, plan: WalkPlan, shape: VectorShape) -> str:
    text = Text(shape)
    text.label("entry")
    blocks_of_columns = text.at("%frame", plan.block)
    _begin(text, layout, plan, blocks_of_columns)
    busy = text.splat(0)
    for number in range(plan.columns):
        block = text.at(blocks_of_columns, number * plan.block_rows)
        busy = text.either(busy, text.load(block, blocks.ACTIVE))
    text.branch(text.some(busy), "ply0", "done")
    for ply in range(plan.period):
        text.label(f"ply{ply}")
        _ply(text, layout, plan, ply, blocks_of_columns)
    text.label("done")
    if plan.deferred:
        text.line(f"call void @flush(ptr %frame, ptr {blocks_of_columns}, ptr %log, ptr %tables)")
    with text.repeat(plan.columns) as column:
        block = own(text, blocks_of_columns, column, plan.block_rows)
        to_wide(text, "%block", plan.columns, column, block, plan.block_rows)
    text.line("ret void")
    return function("void @playout(ptr %frame, ptr %root, ptr %block, ptr %log, ptr %tables)", text)


def _ply(text: Text, layout: FrameLayout, plan: WalkPlan, ply: int, blocks_of_columns: str) -> None:
    """Ply number *ply* of a cycle, which goes on with the next one or with `done`."""
    columns, step = plan.columns, TABLES * plan.step_at(ply)
    with text.repeat(columns) as column:
        frame, block = (
            own(text, "%frame", column, plan.rows),
            own(text, blocks_of_columns, column, plan.block_rows),
        )
        choice = ply if plan.moves else 0
        text.line(f"call void @choose_column{choice}(ptr {frame}, ptr {block})")
    run_table(text, step + NEXT)
    if layout.bases and not plan.moves:
        with text.repeat(columns) as column:
            frame = own(text, "%frame", column, plan.rows)
            following = text.at(frame, layout.next)
            with text.repeat(layout.bases) as base:
                text.store(text.load(following, base), frame, base)
    run_table(text, TABLES * plan.step_at(ply + 1) + OPEN)
    turn = "true" if ply == plan.period - 1 else "false"
    before, settle = text.block, text.name("settle")
    working, following = f"%{text.name('working')}", f"%{text.name('column')}"
    text.go(settle)
    text.label(settle)
    column = text.phi("i64", ("0", before), (following, settle))
    so_far = text.phi("i1", ("false", before), (working, settle))
    frame, block = (
        own(text, "%frame", column, plan.rows),
        own(text, blocks_of_columns, column, plan.block_rows),
    )
    ends = own(text, text.at("%frame", plan.ends), column, HELD_BLOCK_ROWS) if plan.deferred else block
    mine = f"ptr {frame}, ptr {text.at(frame, layout.masks)}, ptr {block}"
    others = f"ptr %frame, ptr {blocks_of_columns}, ptr {ends}, ptr %tables"
    text.line(f"call void @settle_column({mine}, ptr %log, i1 {turn}, {others})")
    text.line(f"{working} = or i1 {so_far}, {text.some(text.load(block, blocks.ACTIVE))}")
    text.line(f"{following} = add i64 {column}, 1")
    settled = text.name("settled")
    text.branch(text.let(f"icmp eq i64 {following}, {columns}"), settled, settle)
    text.label(settled)
    text.branch(working, f"ply{(ply + 1) % plan.period}", "done")


def _begin(text: Text, layout: FrameLayout, plan: WalkPlan, blocks_of_columns: str) -> None:
    """All lanes at the root, nothing held."""
    with text.repeat(plan.columns) as column:
        frame, root = own(text, "%frame", column, plan.rows), own(text, "%root", column, plan.rows)
        block = own(text, blocks_of_columns, column, plan.block_rows)
        from_wide(text, "%block", plan.columns, column, block, plan.block_rows)
        masks = text.at(frame, layout.masks)
        text.line(f"store i64 4, ptr {text.at(block, blocks.USED)}, align 8")
        words = text.let(f"mul i64 {column}, {text.shape.words}")
        text.put(words, text.word_at(block, blocks.USED, "1"))
        text.store(text.splat(-1), block, blocks.RESTARTED)
        text.store(text.splat(0), block, blocks.IDLE)
        text.line(f"call void @note_root(ptr {frame}, ptr {root}, ptr {masks})")
        text.line(f"call void @restart(ptr {frame}, ptr {masks}, {text.row} {text.splat(-1)})")
        if plan.deferred:
            held = text.at(frame, plan.held)
            ends = own(text, text.at("%frame", plan.ends), column, HELD_BLOCK_ROWS)
            text.store(text.splat(0), held, layout.scratch)
            text.store(text.splat(0), ends, HELD)
            text.put(words, text.word_at(ends, blocks.USED, "1"))


def run_table(text: Text, table: int, frame: str = "%frame") -> None:
    """Call a phase through its table."""
    place = text.let(f"getelementptr ptr, ptr %tables, i64 {table}")
    address = text.let(f"load atomic ptr, ptr {place} acquire, align 8")
    text.line(f"call void @run_phase(ptr {frame}, ptr {address})")

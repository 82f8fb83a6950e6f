"""Random matches for circuits of any size: the phases are called through tables, the rest is here.

    void playout(frame, root, block, log, tables)     whole matches, until every word has played its quota
    void choose(frame, block)                         one random joint move, in place of the legal moves

Rows are wide and are worked on in columns. *tables* holds the addresses of the tables of `view` and `next`, read
anew at every ply, so that a better tier takes over in the middle of a run. *root* is a frame whose state and
legal moves are those of the root. New matches begin every *period* plies, as in the fused kernel: same results.
"""

from __future__ import annotations

from stratagem.circuit.circuit import Circuit
from stratagem.native.emit.account import Ending, account
from stratagem.native.emit.choice import GROUP
from stratagem.native.emit.interpreter import run_phase
from stratagem.native.emit.moves import chosen_moves, chosen_rows, count_moves, draw_moves
from stratagem.native.emit.playout import drawn_digits
from stratagem.native.emit.segment import Segment
from stratagem.native.emit.slow_path import note_lanes, rare_functions
from stratagem.native.emit.text import Text, VectorShape, declarations
from stratagem.native.logic.goals import expected_outcomes
from stratagem.native.phases.frame_layout import FrameLayout, layout_of
from stratagem.native.playouts import block as blocks

VIEW, NEXT, FINAL = 0, 1, 2
"""Places of the tables."""


def emit_walk(
    circuit: Circuit, outcomes: tuple[tuple[int, ...], ...], period: int, shape: VectorShape
) -> str:
    """The module for *circuit*; only its layout matters here, not its gates."""
    layout = layout_of(circuit)
    return "\n".join(
        [
            declarations(shape),
            run_phase("internal"),
            rare_functions(shape),
            note_lanes(shape, layout.values, layout.goals),
            _note_rest(),
            _choose_column(circuit, layout, shape),
            _settle_column(layout, outcomes, shape),
            _choose(shape),
            _playout(layout, period, shape),
        ]
    )


def _function(head: str, text: Text) -> str:
    return f"define {head} {{\n" + "\n".join(text.lines) + "\n}\n"


def _note_rest() -> str:
    """The goals are already in the frame."""
    return """
define internal void @note_rest(ptr %frame, ptr %state, ptr %block, ptr %log) {
  call void @note_lanes(ptr %frame, ptr %block, ptr %log)
  ret void
}
"""


def _choose_column(circuit: Circuit, layout: FrameLayout, shape: VectorShape) -> str:
    """Random moves for one column, in place of the legal ones; where a role has none goes to STUCK_NOW."""
    text = Text(shape)
    text.label("entry")
    segment = Segment(text)
    legal = [
        [segment.row("%frame", rows.first + move) for move in range(rows.moves)] for rows in layout.moves
    ]
    choosers = count_moves(text, segment, legal, layout.moves, in_place=True)
    stuck = draw_moves(text, choosers, drawn_digits(circuit))
    text.store(text.splat(0) if stuck is None else stuck, "%block", blocks.STUCK_NOW)
    chosen_rows(text, choosers)
    segment = Segment(text)
    does = iter(chosen_moves(segment, choosers))
    for rows, chooser in zip(layout.moves, choosers, strict=True):
        for move in range(rows.moves):
            literal = next(does)
            if chooser.rows is None:
                segment.output(literal, "%frame", rows.first + move)
    segment.emit()
    text.line("ret void")
    return _function("internal void @choose_column(ptr noalias %frame, ptr noalias %block)", text)


def _settle_column(layout: FrameLayout, outcomes: tuple[tuple[int, ...], ...], shape: VectorShape) -> str:
    """Book one column after a ply and begin new matches."""
    text = Text(shape)
    text.label("entry")
    segment = Segment(text)
    network = segment.network
    goals = [
        [segment.row("%frame", layout.goal(role, value)) for value in range(count)]
        for role, count in enumerate(layout.values)
    ]
    found, rest = expected_outcomes(network, goals, outcomes)
    terminal, others, *masks = segment.emit([segment.row("%frame", layout.terminal), rest, *found])
    stuck = text.load("%block", blocks.STUCK_NOW)
    reset, idle = text.load("%block", blocks.RESTARTED), text.load("%block", blocks.IDLE)
    used = text.let(f"load i64, ptr {text.at('%block', blocks.USED)}, align 8")
    ending = Ending(terminal, stuck, idle, masks, others, "%frame")
    again, in_use, _ = account(text, ending, reset, used)
    text.line(f"store i64 {in_use}, ptr {text.at('%block', blocks.USED)}, align 8")
    mask = f"<{shape.words} x i1>"
    spread = text.let(f"insertelement {mask} zeroinitializer, i1 %turn, i64 0")
    turn = text.let(
        f"shufflevector {mask} {spread}, {mask} zeroinitializer, <{shape.words} x i32> zeroinitializer"
    )
    begun = text.words_of(turn, again, text.splat(0))
    text.store(begun, "%block", blocks.RESTARTED)
    text.store(text.words_of(turn, text.splat(0), again), "%block", blocks.IDLE)
    with text.when(text.some(begun)):
        text.line(f"call void @restart(ptr %frame, ptr %root, {text.row} {begun})")
    text.line("ret void")
    head = "internal void @settle_column(ptr noalias %frame, ptr noalias %root, ptr noalias %block, ptr noalias %log, i1 %turn)"
    return _restart(layout, shape) + _function(head, text)


def _restart(layout: FrameLayout, shape: VectorShape) -> str:
    """Put the root's state and legal moves into the lanes of a mask."""
    text = Text(shape)
    text.label("entry")
    ranges = [(layout.state, layout.bases)] if layout.bases else []
    ranges += [(rows.first, rows.groups * GROUP) for rows in layout.moves if rows.moves]
    for first, count in ranges:
        with text.repeat(count) as index:
            row = text.let(f"add i64 {index}, {first}")
            place = text.at("%frame", row)
            old, new = text.load(place), text.load("%root", row)
            kept = text.but_not(old, "%lanes")
            text.store(text.either(kept, text.both(new, "%lanes")), place)
    text.line("ret void")
    return _function(f"internal void @restart(ptr %frame, ptr %root, {text.row} %lanes) noinline", text)


def _choose(shape: VectorShape) -> str:
    text = Text(shape)
    text.label("entry")
    with text.repeat(shape.columns) as column:
        frame, block = _moved(text, column, "%frame", "%block")
        text.line(f"call void @choose_column(ptr {frame}, ptr {block})")
    text.line("ret void")
    return _function("void @choose(ptr %frame, ptr %block)", text)


def _moved(text: Text, column: str, *pointers: str) -> list[str]:
    """Pointers to a column of what *pointers* point to."""
    return [text.let(f"getelementptr inbounds {text.row}, ptr {name}, i64 {column}") for name in pointers]


def _playout(layout: FrameLayout, period: int, shape: VectorShape) -> str:
    text = Text(shape)
    text.label("entry")
    with text.repeat(shape.columns) as column:
        frame, root, block = _moved(text, column, "%frame", "%root", "%block")
        text.line(f"store i64 4, ptr {text.at(block, blocks.USED)}, align 8")
        text.store(text.splat(-1), block, blocks.RESTARTED)
        text.store(text.splat(0), block, blocks.IDLE)
        text.line(f"call void @restart(ptr {frame}, ptr {root}, {text.row} {text.splat(-1)})")
    busy = [
        text.load(_moved(text, str(column), "%block")[0], blocks.ACTIVE) for column in range(shape.columns)
    ]
    anyone = busy[0]
    for row in busy[1:]:
        anyone = text.either(anyone, row)
    before = text.block
    text.branch(text.some(anyone), "ply", "done")
    text.label("ply")
    left = text.phi("i64", (str(period), before), ("%next_left", "settled"))
    text.line(f"%turn = icmp eq i64 {left}, 1")
    text.line("call void @choose(ptr %frame, ptr %block)")
    _run(text, NEXT)
    following = text.at("%frame", layout.next)
    if layout.bases:
        with text.repeat(layout.bases * shape.columns) as place:
            source, target = _moved(text, place, following, "%frame")
            text.store(text.load(source), target)
    _run(text, VIEW)
    before = text.block
    text.go("settle")
    text.label("settle")
    column = text.phi("i64", ("0", before), ("%next_column", "settle"))
    working = text.phi("i1", ("false", before), ("%still_working", "settle"))
    frame, root, block = _moved(text, column, "%frame", "%root", "%block")
    text.line(f"call void @settle_column(ptr {frame}, ptr {root}, ptr {block}, ptr %log, i1 %turn)")
    playing = text.some(text.load(block, blocks.ACTIVE))
    text.line(f"%still_working = or i1 {working}, {playing}")
    text.line(f"%next_column = add i64 {column}, 1")
    text.branch(text.let(f"icmp eq i64 %next_column, {shape.columns}"), "settled", "settle")
    text.label("settled")
    fewer = text.let(f"sub i64 {left}, 1")
    text.line(f"%next_left = select i1 %turn, i64 {period}, i64 {fewer}")
    text.branch("%still_working", "ply", "done")
    text.label("done")
    text.line("ret void")
    return _function("void @playout(ptr %frame, ptr %root, ptr %block, ptr %log, ptr %tables)", text)


def _run(text: Text, table: int) -> None:
    """Call a phase through its table."""
    place = text.let(f"getelementptr ptr, ptr %tables, i64 {table}")
    text.line(
        f"call void @run_phase(ptr %frame, ptr {text.let(f'load atomic ptr, ptr {place} acquire, align 8')})"
    )

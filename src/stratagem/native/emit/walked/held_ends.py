"""Goals that are put off: the ends of matches are held until a lane would hold two, then all are booked at once.

Where the goals take many gates (counting discs), computing them at every ply for the few matches that end there is most of
the work. A state that is over is copied into a second frame, in the lane of its match, with the length of the match.
When a lane that holds an end comes to another, the goals of all held states are computed and booked: once in about
as many plies as the shortest matches have. Sums and the log are the same, but for the order of the log.
"""

from __future__ import annotations

from stratagem.native.emit.account import tally
from stratagem.native.emit.segment import Segment
from stratagem.native.emit.text import Text, VectorShape, function
from stratagem.native.emit.walked.restart import REPLACED
from stratagem.native.logic.goals import expected_outcomes
from stratagem.native.phases.frame_layout import FrameLayout
from stratagem.native.playouts import block as blocks

HELD = blocks.ENDED
"""The row of the second block that says which lanes hold an end; its AGE are their lengths."""
HELD_BLOCK_ROWS = blocks.AGE + blocks.DIGITS


def outcome_rows(
    text: Text, layout: FrameLayout, outcomes: tuple[tuple[int, ...], ...]
) -> tuple[str, str, list[str]]:
    """Of a frame in which the goals are computed: terminal, other goals than expected, and each expected outcome."""
    segment = Segment(text)
    goals = [
        [segment.row("%frame", layout.goal(role, value)) for value in range(count)]
        for role, count in enumerate(layout.values)
    ]
    found, rest = expected_outcomes(segment.network, goals, outcomes)
    terminal, others, *masks = segment.emit([segment.row("%frame", layout.terminal), rest, *found])
    return terminal, others, masks


def emit_hold(layout: FrameLayout, shape: VectorShape) -> str:
    """`hold(frame, block, held, ends, lanes)`: copy the states and lengths of *lanes* of a column."""
    text = Text(shape)
    text.label("entry")
    copies = [("%frame", "%held", layout.state, layout.bases), ("%block", "%ends", blocks.AGE, blocks.DIGITS)]
    for source, target, first, count in copies:
        if count:
            with text.repeat(count) as index:
                row = text.let(f"add i64 {index}, {first}")
                place = text.at(target, row)
                new = text.both(text.load(source, row), "%lanes")
                text.store(text.logic(REPLACED, text.load(place), "%lanes", new), place)
    text.store(text.either(text.load("%ends", HELD), "%lanes"), "%ends", HELD)
    text.line("ret void")
    head = f"internal void @hold(ptr %frame, ptr %block, ptr %held, ptr %ends, {text.row} %lanes) noinline"
    return function(head, text)


def emit_book(layout: FrameLayout, outcomes: tuple[tuple[int, ...], ...], shape: VectorShape) -> str:
    """`book_column(frame, ends, block, log)`: count the held ends of a column, whose goals are in *frame*."""
    text = Text(shape)
    text.label("entry")
    _, others, masks = outcome_rows(text, layout, outcomes)
    lanes = text.load("%ends", HELD)
    for number, outcome in enumerate(masks):
        tally(text, blocks.COUNTS + number, text.both(outcome, lanes))
    rest = text.both(others, lanes)
    with text.when(text.some(rest)):
        text.store(rest, "%ends", blocks.REST)
        text.line("call void @note_lanes(ptr %frame, ptr %ends, ptr %log)")
    text.store(text.splat(0), "%ends", HELD)
    text.line("ret void")
    head = "internal void @book_column(ptr %frame, ptr %ends, ptr %block, ptr %log) noinline"
    return function(head, text)

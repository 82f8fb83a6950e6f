"""The beginning of matches in walked playouts: the root's state and legal moves in the lanes of a mask.

Every word of a row begins at a state of its own, so a row of the root is all zeros or all ones in each word: one bit says
it. `note_root` writes these bits down, a byte for each row, which the first level of the cache holds where
the rows themselves would be megabytes. The state is replaced by `restart`; legal moves are replaced where they are read, by
`fresh_choice.FreshLanes`.
"""

from __future__ import annotations

from stratagem.native.emit.text import Text, VectorShape, function
from stratagem.native.emit.walked.fresh_choice import FreshLanes
from stratagem.native.phases.frame_layout import FrameLayout


def fresh_lanes(text: Text, layout: FrameLayout, lanes: str, masks: str) -> list[FreshLanes]:
    """For each role the *lanes* that begin, with the *masks* of the column."""
    firsts = [rows.first - layout.bases for rows in layout.moves]
    return [
        FreshLanes(lanes, text.let(f"getelementptr inbounds i8, ptr {masks}, i64 {first}"))
        for first in firsts
    ]


def emit_restart(layout: FrameLayout, shape: VectorShape) -> str:
    """`note_root(frame, root, masks)` and `restart(frame, masks, lanes)`, both for one column."""
    return _note_root(layout, shape) + _restart(layout, shape)


def _note_root(layout: FrameLayout, shape: VectorShape) -> str:
    """Also makes zero what code relies on: the rows after the last move of a role, and the row of zeros."""
    text = Text(shape)
    text.label("entry")
    words = shape.words
    ranges = [(layout.state, layout.bases, 0)]
    ranges.append((2 * layout.bases, layout.terminal - 2 * layout.bases, layout.bases))
    for first, count, number in ranges:
        if count:
            with text.repeat(count) as index:
                row = text.load("%root", text.let(f"add i64 {index}, {first}"))
                signs = text.let(f"icmp slt {text.row} {row}, zeroinitializer")
                bits = text.let(f"bitcast <{words} x i1> {signs} to i{words}")
                byte = bits if words == 8 else text.let(f"zext i{words} {bits} to i8")
                place = text.let(f"add i64 {index}, {number}")
                target = text.let(f"getelementptr inbounds i8, ptr %masks, i64 {place}")
                text.line(f"store i8 {byte}, ptr {target}")
    for own in layout.moves:
        for unused in range(own.first + own.moves, own.first + own.rows_needed(own.moves)[0]):
            text.store(text.splat(0), "%frame", unused)
    text.store(text.splat(0), "%frame", layout.scratch)
    text.line("ret void")
    return function("internal void @note_root(ptr %frame, ptr %root, ptr %masks) noinline", text)


def _restart(layout: FrameLayout, shape: VectorShape) -> str:
    text = Text(shape)
    text.label("entry")
    fresh = FreshLanes("%lanes", "%masks")
    if layout.bases:
        with text.repeat(layout.bases) as index:
            place = text.at("%frame", index)
            text.store(fresh.row(text, text.load(place), index), place)
    text.line("ret void")
    return function(f"internal void @restart(ptr %frame, ptr %masks, {text.row} %lanes) noinline", text)

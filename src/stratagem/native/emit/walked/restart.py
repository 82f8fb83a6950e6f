"""The beginning of matches in walked playouts: the root's state and legal moves in the lanes of a mask.

Every word of a row begins at a state of its own, so a row of the root is all zeros or all ones in each word: one bit says
it. `note_root` writes these bits down, a byte for each row, which the first level of the cache holds where
the rows themselves would be megabytes. `restart` puts them into the rows of the state and of the legal moves; where eight
rows of the root are zero in all words, as most are, the lanes are only cleared.
"""

from __future__ import annotations

from collections.abc import Sequence

from stratagem.native.emit.text import Text, VectorShape, function
from stratagem.native.logic.lut_mapping import TABLES
from stratagem.native.phases.frame_layout import FrameLayout
from stratagem.native.phases.steps import StepMoves

_A, _B, _C = TABLES
REPLACED = (_A & ~_B | _C) & 0xFF
"""(what was there, where it is replaced, what comes there)"""
AT_ONCE = 8


def emit_restart(layout: FrameLayout, moves: Sequence[StepMoves] | None, shape: VectorShape) -> str:
    """`note_root(frame, root, masks)` and `restart(frame, masks, lanes)`, both for one column.

    *moves*, for each role: what is looked at where matches begin, if that is not all.
    """
    return _note_root(layout, shape) + _restart(layout, moves, shape)


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


def _restart(layout: FrameLayout, moves: Sequence[StepMoves] | None, shape: VectorShape) -> str:
    text = Text(shape)
    text.label("entry")
    ranges = [(layout.state, layout.bases, 0)]
    for role, rows in enumerate(layout.moves):
        first, end = 0, rows.moves
        if moves is not None:
            numbers = moves[role].numbers
            first, end = (0, 0) if moves[role].certain or not numbers else (numbers[0], numbers[-1] + 1)
        ranges.append((rows.first + first, end - first, rows.first - layout.bases + first))
    for row, count, byte in ranges:
        frame = text.at("%frame", row)
        masks = text.let(f"getelementptr inbounds i8, ptr %masks, i64 {byte}")
        whole = count // AT_ONCE
        if whole:
            with text.repeat(whole) as number:
                _replace_eight(text, frame, masks, text.let(f"mul i64 {number}, {AT_ONCE}"))
        for index in range(whole * AT_ONCE, count):
            _replace(text, text.at(frame, index), masks, str(index))
    text.line("ret void")
    return function(f"internal void @restart(ptr %frame, ptr %masks, {text.row} %lanes) noinline", text)


def _replace_eight(text: Text, frame: str, masks: str, first: str) -> None:
    """Eight rows from number *first* on."""
    bits = text.let(
        f"load i64, ptr {text.let(f'getelementptr inbounds i8, ptr {masks}, i64 {first}')}, align 1"
    )
    some, none, done = text.name("some"), text.name("none"), text.name("replaced")
    rows = text.at(frame, first)
    text.branch(text.let(f"icmp eq i64 {bits}, 0"), none, some)
    text.label(none)
    for index in range(AT_ONCE):
        place = text.at(rows, index)
        text.store(text.but_not(text.load(place), "%lanes"), place)
    text.go(done)
    text.label(some)
    for index in range(AT_ONCE):
        _replace(text, text.at(rows, index), masks, text.let(f"add i64 {first}, {index}"))
    text.go(done)
    text.label(done)


def _replace(text: Text, place: str, masks: str, number: str) -> None:
    """One row, which has a byte of its own: the bits say in which words the root has it."""
    words = text.shape.words
    byte = text.let(f"load i8, ptr {text.let(f'getelementptr inbounds i8, ptr {masks}, i64 {number}')}")
    bits = byte if words == 8 else text.let(f"trunc i8 {byte} to i{words}")
    mask = text.let(f"bitcast i{words} {bits} to <{words} x i1>")
    begun = text.words_of(mask, "%lanes", text.splat(0))
    text.store(text.logic(REPLACED, text.load(place), "%lanes", begun), place)

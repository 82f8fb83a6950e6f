"""Columns: several rows' worth of matches side by side, each with a frame and a block of its own.

Callers have wide rows, the words of all columns one after the other. In the room of a walked kernel every column has its own
memory, whose rows lie close together: so the code of a piece reaches many of them over short distances, and they use
all sets of the cache.
"""

from __future__ import annotations

from stratagem.native.emit.text import Text


def own(text: Text, pointer: str, column: str, rows: int) -> str:
    """What belongs to a column, where each column has *rows* rows from *pointer* on."""
    return text.at(pointer, text.let(f"mul i64 {column}, {rows}"))


def from_wide(text: Text, wide: str, columns: int, column: str, target: str, rows: int) -> None:
    """Copy the words of one column out of wide rows."""
    _copy(text, wide, columns, column, target, rows, out=True)


def to_wide(text: Text, wide: str, columns: int, column: str, source: str, rows: int) -> None:
    """Copy the rows of one column into wide rows."""
    _copy(text, wide, columns, column, source, rows, out=False)


def _copy(text: Text, wide: str, columns: int, column: str, narrow: str, rows: int, *, out: bool) -> None:
    if rows:
        with text.repeat(rows) as row:
            place = text.let(f"add i64 {text.let(f'mul i64 {row}, {columns}')}, {column}")
            far, near = text.at(wide, place), text.at(narrow, row)
            source, target = (far, near) if out else (near, far)
            text.store(text.load(source), target)

"""Long straight-line code as several functions: values that a later one reads pass through rows of the frame."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from stratagem.native.gpu.lane_text import LaneText

NAME = re.compile(r"%[\w.]+")


def cut(text: LaneText, start: int, wanted: Sequence[str], most: int) -> list[str]:
    """Move the lines of *text* from *start* on into functions of at most so many lines, and call them.

    What comes back are the names of *wanted* afterwards.
    """
    lines = text.lines[start:]
    del text.lines[start:]
    pieces = _pieces(lines, most)
    home: dict[str, int] = {}
    last: dict[str, int] = {name: len(pieces) for name in wanted}
    for number, piece in enumerate(pieces):
        for line in piece:
            names = NAME.findall(line)
            if " = " in line:
                home[names.pop(0)] = number
            for name in names:
                if name not in text.memory_names:
                    last[name] = max(last.get(name, 0), number)
    outside = [name for name in last if name not in home and name.startswith("%")]
    rows = _rows(text, pieces, home, last, outside)
    for name in outside:
        if name in rows:
            text.store(name, "%frame", rows[name])
    for number, piece in enumerate(pieces):
        _function(text, number, piece, home, rows)
    return [text.load("%frame", rows[name]) if name in rows else name for name in wanted]


def _pieces(lines: list[str], most: int) -> list[list[str]]:
    """Lines in runs of at most about *most*; an address and its use stay together."""
    count = -(-len(lines) // most)
    size = -(-len(lines) // count)
    pieces: list[list[str]] = [[]]
    for line in lines:
        if len(pieces[-1]) >= size and "getelementptr" not in pieces[-1][-1]:
            pieces.append([])
        pieces[-1].append(line)
    return pieces


def _rows(
    text: LaneText,
    pieces: list[list[str]],
    home: dict[str, int],
    last: dict[str, int],
    outside: list[str],
) -> dict[str, int]:
    """A row of the frame for every value that passes from one function to another, free after its last reader."""
    rows: dict[str, int] = {}
    free: list[int] = []
    dying: dict[int, list[int]] = {}
    top = text.first_scratch
    made: list[list[str]] = [[] for _ in pieces]
    for name, number in home.items():
        if last.get(name, number) > number:
            made[number].append(name)
    made[0] += outside
    for number, names in enumerate(made):
        for name in names:
            if free:
                rows[name] = free.pop()
            else:
                rows[name] = top
                top += 1
            dying.setdefault(last[name], []).append(rows[name])
        # What is read for the last time here may be read after a value of this very function is stored.
        free += dying.pop(number, ())
    return rows


def _function(
    text: LaneText, number: int, piece: list[str], home: dict[str, int], rows: dict[str, int]
) -> None:
    """One piece as a function, and the call of it."""
    inner = text.inner()
    known: set[str] = set()
    renamed: dict[str, str] = {}
    for line in piece:
        names = NAME.findall(line)
        defined = names.pop(0) if " = " in line else None
        for name in names:
            if name in rows and home.get(name) != number and name not in known:
                known.add(name)
                renamed[name] = inner.load("%frame", rows[name])
        if renamed:
            line = NAME.sub(lambda found: renamed.get(found[0], found[0]), line)
        inner.lines.append(line)
        if defined is not None and defined in rows:
            inner.store(defined, "%frame", rows[defined])
    text.rows = max(text.rows, inner.rows)
    name = f"piece{len(text.functions)}"
    body = inner.body()
    text.functions.append(
        f"define internal void @{name}({text.memory_parameters}) noinline nounwind {{\n{body}\n  ret void\n}}\n"
    )
    text.meet()
    text.line(f"call void @{name}({text.memory_parameters})")

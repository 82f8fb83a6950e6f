"""Tables that never cut a number: on a narrow screen, whole columns move into a second table below.

The first column names the row and is repeated in every part. If not even one column fits beside it, every row becomes
a few lines. Columns of words wrap between words, other columns do not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console, JustifyMethod
from rich.table import Table
from rich.text import Text

EDGES: Final = 2
"""The width of a table besides its columns and the spaces between them."""
LOOSE, CLOSE = 2, 1
"""Spaces between two columns."""


class Screen(Console):
    """Standard output. A closed pipe ends the command as after any other print, not as an error."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


class Column(NamedTuple):
    """One column of a table: its *head*, whether its cells are *words*, which may wrap, and their alignment."""

    head: str
    words: bool = False
    left: bool = False


def print_table(
    console: Console,
    columns: Sequence[Column],
    rows: Sequence[Sequence[str]],
    *,
    title: str = "",
    total: Sequence[str] | None = None,
) -> None:
    """Prints *rows* below their *columns*, in as many tables as it takes to show every cell whole.

    *total* is a last row, set apart.
    """
    whole = [*rows, *([] if total is None else [total])]
    least = [_least(column, [row[number] for row in whole]) for number, column in enumerate(columns)]
    everything = list(range(len(columns)))
    space = LOOSE
    if _width(least, LOOSE) > console.width >= _width(least, CLOSE):
        parts, space = [everything], CLOSE
    else:
        parts = _parts(least, console.width)
    if not parts:
        _print_lines(console, columns, whole, title)
    for number, part in enumerate(parts):
        table = _table(columns, rows, total, part, console.width, space)
        table.title = title if number == 0 and title else None
        console.print(table)


def _least(column: Column, cells: Sequence[str]) -> int:
    """The least width of *column*: that of its longest cell, or of its longest word."""
    texts = [column.head, *cells]
    return max(cell_len(word) for text in texts for word in ([*text.split(), ""] if column.words else [text]))


def _width(widths: Sequence[int], space: int) -> int:
    return sum(widths) + space * (len(widths) - 1) + EDGES


def _parts(least: Sequence[int], width: int) -> list[list[int]]:
    """The columns of each table, by number; none where two columns do not fit beside each other."""
    parts: list[list[int]] = []
    part = [0]
    for number in range(1, len(least)):
        if _width([least[0], least[number]], LOOSE) > width:
            return []
        if _width([least[column] for column in (*part, number)], LOOSE) > width:
            parts.append(part)
            part = [0]
        part.append(number)
    return [*parts, part]


def _table(
    columns: Sequence[Column],
    rows: Sequence[Sequence[str]],
    total: Sequence[str] | None,
    part: Sequence[int],
    room: int,
    space: int,
) -> Table:
    """The columns numbered in *part*, with *space* between them; words get what *room* is left."""
    table = Table(title_justify="left", box=SIMPLE_HEAD, pad_edge=False, padding=(0, space - CLOSE, 0, 0))
    whole = [*rows, *([] if total is None else [total])]
    cells = {number: [columns[number].head, *(row[number] for row in whole)] for number in part}
    widths = {number: _least(columns[number], cells[number]) for number in part}
    wishes = {number: max(map(cell_len, cells[number])) for number in part}
    left_over = room - _width(list(widths.values()), space)
    while left_over > 0 and (narrow := [number for number in part if widths[number] < wishes[number]]):
        for number in narrow[:left_over]:
            widths[number] += 1
            left_over -= 1
    for number in part:
        head, words, left = columns[number]
        justify: JustifyMethod = "left" if words or left else "right"
        table.add_column(head, justify=justify, no_wrap=not words, width=widths[number])
    for row in rows:
        table.add_row(*(Text(row[number]) for number in part))
    if total is not None:
        table.add_section()
        table.add_row(*(Text(total[number]) for number in part))
    return table


def _print_lines(
    console: Console, columns: Sequence[Column], rows: Sequence[Sequence[str]], title: str
) -> None:
    """Every row as lines of its own: for very narrow screens."""

    def say(line: str) -> None:
        console.print(line, markup=False, highlight=False, soft_wrap=True)

    if title:
        say(title)
    for first, *rest in rows:
        say(f"{columns[0].head} {first}")
        for column, cell in zip(columns[1:], rest, strict=True):
            if cell:
                say(f"  {column.head}: {cell}")

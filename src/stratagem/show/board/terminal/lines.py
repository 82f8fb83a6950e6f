"""Lamps, piles, stacks and lists of facts for a terminal."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable
from typing import Final

from stratagem.gdl.terms import Term, arguments, functor
from stratagem.show.board.terminal.grid import BoardView
from stratagem.show.text import TextLine, side_by_side

LONGEST_BAR: Final = 40


def lamp_lines(view: BoardView) -> list[TextLine]:
    """Names, and below each the condition it is in."""
    board = view.board
    width = max(view.cell_width, max((len(label) for label in board.columns), default=1))
    names, marks = TextLine(), TextLine()
    for cell, label in zip(board.spots, board.columns, strict=True):
        mark = view.mark(cell)
        off = "o" if view.ascii else "○"
        blank = off if board.kind == "lamps" and not board.blank else "." if view.ascii else "·"
        names.add(label.center(width) + " ", "dim")
        text = view.written(mark, blank).center(width)
        marks.add(text, "grey" if mark is None else mark.colour or "bold", cell in view.lit).add(" ")
    return [names, marks]


def pile_lines(view: BoardView) -> list[TextLine]:
    """A bar and a number for each pile."""
    board = view.board
    left = max((len(label) for label in board.columns), default=0)
    counts = {cell: number_in(next(iter(view.contents.get(cell, ())), "")) for cell in board.spots}
    most = max((count or 0 for count in counts.values()), default=0)
    block = "#" if view.ascii else "■"
    lines = []
    for cell, label in zip(board.spots, board.columns, strict=True):
        count = counts[cell]
        length = (count or 0) if most <= LONGEST_BAR else round((count or 0) * LONGEST_BAR / most)
        known = next(iter(view.contents.get(cell, ())), "-")
        line = TextLine().add(label.rjust(left) + "  ", "dim").add(block * length, "blue", cell in view.lit)
        lines.append(line.add(" " * (min(most, LONGEST_BAR) - length)).add(f"  {known}", "bold"))
    return lines


def number_in(text: str) -> int | None:
    """The number at the end of *text*: 4 in ``s4``."""
    found = re.search(r"\d{1,9}$", text)
    return None if found is None else int(found[0])


def stack_lines(view: BoardView) -> list[TextLine]:
    """What lies on what: the top on top."""
    board = view.board
    piles = {cell: view.contents.get(cell, ()) for cell in board.spots}
    height = max((len(pile) for pile in piles.values()), default=0)
    things = [thing for pile in piles.values() for thing in pile]
    discs = all(thing.isdecimal() and 0 < int(thing) <= 12 for thing in things)
    rim = "=" if view.ascii else "═"
    rule = "-" if view.ascii else "─"
    blocks = []
    for (cell, pile), label in zip(piles.items(), board.columns, strict=True):
        drawn = [(rim * (int(thing) - 1)).join(("", thing, "")) if discs else thing for thing in pile]
        widths = [2 * int(thing) + 1 if discs else len(thing) for thing in things]
        width = max([len(label) + 2, *widths, 3])
        block = [TextLine().add(" " * width) for _ in range(height - len(pile))]
        block += [TextLine().add(thing.center(width), "bold", cell in view.lit) for thing in reversed(drawn)]
        blocks.append(
            [*block, TextLine().add(rule * width, "grey"), TextLine().add(label.center(width), "dim")]
        )
    return side_by_side(blocks, gap=2)


def fact_lines(facts: Iterable[Term], width: int) -> list[TextLine]:
    """Facts without a place on a board, one line for each relation; those without arguments share one."""
    grouped: dict[str, list[str]] = {}
    flags: list[str] = []
    for fact in facts:
        parts = arguments(fact)
        if parts:
            grouped.setdefault(functor(fact)[0], []).append(" ".join(map(str, parts)))
        else:
            flags.append(str(fact))
    entries = [f"{name}: {', '.join(several)}" for name, several in grouped.items()]
    if flags:
        entries.append(", ".join(flags))
    lines = []
    for entry in entries:
        wrapped = textwrap.wrap(
            entry, width, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
        )
        lines += [TextLine().add(text) for text in wrapped]
    return lines

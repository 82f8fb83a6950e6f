"""Lamps, piles, stacks and sides of boxes as SVG."""

from __future__ import annotations

from html import escape
from typing import Final

from stratagem.show.board.model import Square
from stratagem.show.board.svg.cells import MARGIN, Drawing, Highlight, clickable, place
from stratagem.show.board.svg.marks import MIDDLE, tag, word
from stratagem.show.board.terminal.grid import BoardView
from stratagem.show.board.terminal.lines import number_in

LAMP: Final = 56.0
STONE: Final = 18.0
MOST_STONES: Final = 30
STEP: Final = 44.0


def lamps(view: BoardView, number: int, highlight: Highlight) -> Drawing:
    """A lamp for each thing, with its name below."""
    board = view.board
    wide = max(LAMP, 9.0 * max((len(label) for label in board.columns), default=0))
    parts = []
    for column, (cell, label) in enumerate(zip(board.spots, board.columns, strict=True)):
        x = (column + 0.5) * wide
        shape = tag("rect", x=x - wide / 2, y=0, width=wide, height=LAMP, class_="place none")
        parts.append(place(view, number, cell, highlight, shape, x, LAMP / 2, LAMP))
        parts.append(word(label, x, LAMP + 12, 15, "ink"))
    return Drawing(wide * len(board.spots), LAMP + 24, "".join(parts))


def piles(view: BoardView, number: int, highlight: Highlight) -> Drawing:
    """A row of stones for each pile, and how many there are."""
    board = view.board
    left = 9.0 * max((len(label) for label in board.columns), default=1) + 12
    counts = {cell: number_in(next(iter(view.contents.get(cell, ())), "")) or 0 for cell in board.spots}
    most = max([*counts.values(), 1])
    stone = STONE if most <= MOST_STONES else STONE * MOST_STONES / most
    wide = left + most * stone + 50
    parts = []
    for row, (cell, label) in enumerate(zip(board.spots, board.columns, strict=True)):
        y = 16 + 30 * row
        lit = Square(number, cell) in highlight.lit
        drawn = [
            tag(
                "rect",
                x=0,
                y=y - 14,
                width=wide,
                height=28,
                rx=5,
                class_="place lit" if lit else "place none",
            )
        ]
        drawn.append(tag("text", escape(label), x=left - 8, y=y, dy=MIDDLE, font_size=15, class_="ink end"))
        drawn += [
            tag("rect", x=left + stone * index + 1, y=y - 9, width=stone - 2, height=18, rx=4, class_="blue")
            for index in range(counts[cell])
        ]
        known = next(iter(view.contents.get(cell, ())), "-")
        end = left + stone * counts[cell] + 8
        drawn.append(tag("text", escape(known), x=end, y=y, dy=MIDDLE, font_size=15, class_="ink bold start"))
        if Square(number, cell) in highlight.targets:
            drawn.append(tag("circle", cx=wide - 8, cy=y, r=4, class_="target"))
        parts.append(clickable("".join(drawn), number, cell, highlight))
    return Drawing(wide, 30.0 * len(board.spots) + 4, "".join(parts))


def stacks(view: BoardView, number: int, highlight: Highlight) -> Drawing:
    """Things on top of each other; numbers are discs of that size."""
    board = view.board
    towers = {cell: view.contents.get(cell, ()) for cell in board.spots}
    things = [thing for pile in towers.values() for thing in pile]
    discs = all(thing.isdecimal() and 0 < int(thing) <= 20 for thing in things)
    sizes = {
        thing: 26.0 + 14.0 * int(thing) if discs else max(60.0, 9.5 * len(thing) + 16) for thing in things
    }
    wide = max([*sizes.values(), 80.0, *(9.0 * len(label) for label in board.columns)]) + 20
    high = 26.0 * max([*(len(pile) for pile in towers.values()), 2]) + 12
    parts = []
    for column, ((cell, pile), label) in enumerate(zip(towers.items(), board.columns, strict=True)):
        x = (column + 0.5) * wide
        lit = Square(number, cell) in highlight.lit
        drawn = [
            tag(
                "rect",
                x=x - wide / 2 + 3,
                y=2,
                width=wide - 6,
                height=high,
                rx=6,
                class_="place lit" if lit else "place none",
            ),
            tag("line", x1=x, y1=12, x2=x, y2=high, class_="s-line", stroke_width=6, stroke_linecap="round"),
            tag(
                "line",
                x1=x - wide / 2 + 8,
                y1=high,
                x2=x + wide / 2 - 8,
                y2=high,
                class_="s-faint",
                stroke_width=4,
            ),
        ]
        for level, thing in enumerate(pile):
            y = high - 14 - 26 * level
            size = sizes[thing]
            drawn.append(
                tag("rect", x=x - size / 2, y=y - 11, width=size, height=22, rx=8, class_="blue s-line")
            )
            drawn.append(
                word(thing, x, y, 14, "bold on-blue")
                if len(thing) < 3
                else tag("text", escape(thing), x=x, y=y, dy=MIDDLE, font_size=14, class_="on-blue")
            )
        drawn.append(tag("text", escape(label), x=x, y=high + 16, dy=MIDDLE, font_size=15, class_="ink"))
        if Square(number, cell) in highlight.targets:
            drawn.append(tag("circle", cx=x, cy=6, r=4, class_="target"))
        parts.append(clickable("".join(drawn), number, cell, highlight))
    return Drawing(wide * len(towers), high + 28, "".join(parts))


def sides(view: BoardView, number: int, highlight: Highlight) -> Drawing:
    """Dots, lines that are drawn, and faint ones that are not yet."""
    board = view.board
    half = STEP / 2
    parts = [
        word(label, MARGIN + STEP * column, 10, 13, "faint") for column, label in enumerate(board.columns)
    ]
    parts += [word(label, 10, MARGIN + STEP * row, 13, "faint") for row, label in enumerate(board.rows)]
    for cell, spot in board.spots.items():
        x, y = MARGIN + half * spot.column, MARGIN + half * spot.row
        dx, dy = (half, 0.0) if spot.column % 2 else (0.0, half)
        drawn = bool(view.contents.get(cell))
        colour = "s-orange" if Square(number, cell) in highlight.lit else "s-ink" if drawn else "s-line"
        width = 5 if drawn else 1.5
        ends = {"x1": x - dx, "y1": y - dy, "x2": x + dx, "y2": y + dy}
        line = tag("line", **ends, class_=f"place {colour}", stroke_width=width)
        # An invisible wide line makes the thin one easy to hit.
        line += tag("line", **ends, stroke="transparent", stroke_width=16)
        if Square(number, cell) in highlight.targets:
            line += tag("circle", cx=x, cy=y, r=4, class_="target")
        line += f"<title>{escape(' '.join(map(str, cell)))}</title>"
        parts.append(clickable(line, number, cell, highlight))
    for row in range(len(board.rows)):
        for column in range(len(board.columns)):
            parts.append(tag("circle", cx=MARGIN + STEP * column, cy=MARGIN + STEP * row, r=5, class_="ink"))
    wide, high = len(board.columns) - 1, len(board.rows) - 1
    return Drawing(MARGIN + STEP * wide + 12, MARGIN + STEP * high + 12, "".join(parts))

"""Grids and boards of hexagons as SVG."""

from __future__ import annotations

from html import escape
from math import ceil, sqrt
from typing import Final

from stratagem.show.board.model import Board
from stratagem.show.board.svg.cells import GAP, MARGIN, Drawing, Highlight, place
from stratagem.show.board.svg.marks import MIDDLE, tag, word
from stratagem.show.board.terminal.grid import BoardView

SIZE: Final = 48.0
SMALL: Final = 32.0


def grid(view: BoardView, number: int, highlight: Highlight) -> Drawing:
    """All planes of a grid."""
    board = view.board
    size = SIZE if len(board.planes) == 1 and len(board.columns) <= 12 else SMALL
    title = 20.0 if len(board.planes) > 1 else 0.0
    left = MARGIN + max(0, 7 * (max(map(len, board.rows), default=0) - 2))
    wide, high = len(board.columns) * size + left + 6, len(board.rows) * size + MARGIN + 6 + title
    high += MARGIN if board.columns_above else 0
    inner = []
    for plane, name in enumerate(board.planes):
        x, y = plane % board.across * (wide + GAP), plane // board.across * (high + GAP)
        parts = [word(name, left + len(board.columns) * size / 2, 8, 13, "faint")] if title else []
        parts.append(one_plane(view, number, highlight, plane, size, left, title))
        inner.append(tag("g", "".join(parts), transform=f"translate({x:g} {y:g})"))
    across = min(board.across, len(board.planes))
    rows = ceil(len(board.planes) / board.across)
    return Drawing(across * (wide + GAP) - GAP, rows * (high + GAP) - GAP, "".join(inner))


def one_plane(
    view: BoardView, number: int, highlight: Highlight, plane: int, size: float, left: float, top: float
) -> str:
    board = view.board
    below = upward(board) and not board.columns_above
    y0 = top + (6 if below else MARGIN)
    bottom = y0 + len(board.rows) * size
    parts = []
    heads = board.columns_above or board.columns
    for column, label in enumerate(heads):
        x = left + (column + 0.5) * size
        parts.append(word(label, x, bottom + 13 if below else y0 - 13, 13, "faint"))
        if board.columns_above:
            parts.append(word(board.columns[column], x, bottom + 13, 13, "faint"))
    for row, label in enumerate(board.rows):
        y = y0 + (row + 0.5) * size
        parts.append(tag("text", escape(label), x=left - 8, y=y, dy=MIDDLE, font_size=13, class_="faint end"))
    parts += [chequers(board, size, left, y0), joining_lines(board, size, left, y0)]
    shaded = dark_squares(board)
    for (row, column), cell in view.rows(plane).items():
        x, y = left + (column + 0.5) * size, y0 + (row + 0.5) * size
        if board.lines:
            shape = tag("circle", cx=x, cy=y, r=0.14 * size, class_="place paper s-line", stroke_width=1.5)
        else:
            dark = board.chequered and (row + column) % 2 == shaded
            fill = "shade" if dark else "paper"
            shape = tag(
                "rect", x=x - size / 2, y=y - size / 2, width=size, height=size, class_=f"place {fill} s-line"
            )
        parts.append(place(view, number, cell, highlight, shape, x, y, size))
    return "".join(parts)


def upward(board: Board) -> bool:
    """Whether the rows are counted from the bottom."""
    ends = board.rows[:1] + board.rows[-1:]
    return all(end.isdecimal() for end in ends) and int(ends[0]) > int(ends[-1])


def dark_squares(board: Board) -> int:
    """The parity of row and column on dark squares: that of the cells where they have one, else a1 is dark."""
    parities = {(spot.row + spot.column) % 2 for spot in board.spots.values()}
    return parities.pop() if len(parities) == 1 else (len(board.rows) - 1) % 2


def chequers(board: Board, size: float, left: float, top: float) -> str:
    """The other half of a board on which only every second square is a cell."""
    if not board.chequered:
        return ""
    wide, high = len(board.columns) * size, len(board.rows) * size
    return tag("rect", x=left, y=top, width=wide, height=high, class_="paper s-line")


def joining_lines(board: Board, size: float, left: float, top: float) -> str:
    parts = []
    for one, two in board.lines:
        start, end = board.spots[one], board.spots[two]
        x1, y1 = left + (start.column + 0.5) * size, top + (start.row + 0.5) * size
        x2, y2 = left + (end.column + 0.5) * size, top + (end.row + 0.5) * size
        parts.append(tag("line", x1=x1, y1=y1, x2=x2, y2=y2, class_="s-faint", stroke_width=2))
    return "".join(parts)


def _corners(x: float, y: float, radius: float) -> str:
    """The corners of a hexagon that stands on one of them."""
    half = sqrt(3) * radius / 2
    ways = ((0, -1), (1, -0.5), (1, 0.5), (0, 1), (-1, 0.5), (-1, -0.5))
    return " ".join(f"{x + dx * half:.1f},{y + dy * radius:.1f}" for dx, dy in ways)


def hexagons(view: BoardView, number: int, highlight: Highlight) -> Drawing:
    """Hexagons that stand on a corner."""
    board = view.board
    radius = 24.0 if len(board.columns) <= 9 else 19.0
    pitch = sqrt(3) * radius
    left, top = MARGIN, MARGIN
    cells = view.rows()
    parts = []
    widest = 0.0
    first: dict[int, float] = {}
    for (row, column), cell in cells.items():
        x = left + (column + 0.5 + board.offsets[row] / 2) * pitch
        y = top + radius + 1.5 * radius * row
        widest = max(widest, x + pitch / 2)
        first[row] = min(x, first.get(row, x))
        shape = tag("polygon", points=_corners(x, y, radius), class_="place paper s-line", stroke_width=1.5)
        lit = tag("polygon", points=_corners(x, y, 0.9 * radius), class_="lit")
        parts.append(place(view, number, cell, highlight, shape, x, y, 1.75 * radius, lit))
    for row, x in first.items():
        y = top + radius + 1.5 * radius * row
        parts.append(
            tag(
                "text",
                escape(board.rows[row]),
                x=x - pitch / 2 - 6,
                y=y,
                dy=MIDDLE,
                font_size=12,
                class_="faint end",
            )
        )
    full = [row for row in first if all((row, column) in cells for column in range(len(board.columns)))]
    if 0 in full:
        for column, label in enumerate(board.columns):
            x = left + (column + 0.5 + board.offsets[0] / 2) * pitch
            parts.append(word(label, x, top - 10, 12, "faint"))
    return Drawing(widest + 8, top + radius * 2 + 1.5 * radius * (len(board.rows) - 1) + 6, "".join(parts))

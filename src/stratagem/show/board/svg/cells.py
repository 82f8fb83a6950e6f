"""The cells of SVG boards: contents, highlights, and the attributes that make them clickable."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from html import escape
from typing import Final

from stratagem.show.board.model import Cell, Square
from stratagem.show.board.svg.marks import box, draw_mark, tag, unlit
from stratagem.show.board.terminal.grid import BoardView

MARGIN: Final = 26.0
GAP: Final = 18.0


@dataclass(frozen=True, slots=True)
class Highlight:
    """Highlighted squares, and whether cells can be clicked."""

    lit: Collection[Square] = frozenset()
    targets: Collection[Square] = frozenset()
    clickable: bool = False


@dataclass(frozen=True, slots=True)
class Drawing:
    """Elements in a box of their own, from (0, 0) to (width, height)."""

    width: float
    height: float
    inner: str


def place(
    view: BoardView,
    board: int,
    cell: Cell,
    highlight: Highlight,
    shape: str,
    x: float,
    y: float,
    size: float,
    lit: str = "",
) -> str:
    """One cell: its *shape*, its content and its highlights; *lit* is drawn where it stands out, by default a square."""
    square = Square(board, cell)
    parts = [shape]
    if square in highlight.lit:
        parts.append(lit or box(x, y, 0.92 * size, "lit", 0.1 * size))
    under = view.board.backdrop.get(cell)
    mark = view.mark(cell)
    if under is not None and view.contents.get(cell):
        parts.append(draw_mark(view.board.mark(under), x, y, 1.6 * size))
    if mark is not None:
        parts.append(draw_mark(mark, x, y, size))
    elif all(known.shape == "lit" for known in view.board.marks.values()) and view.board.marks:
        parts.append(unlit(x, y, size))
    if square in highlight.targets:
        parts.append(tag("circle", cx=x, cy=y, r=0.1 * size, class_="target"))
    contents = ", ".join(view.contents.get(cell, ())) or "empty"
    parts.append(f"<title>{escape(' '.join(map(str, cell)))}: {escape(contents)}</title>")
    return clickable("".join(parts), board, cell, highlight)


def clickable(inner: str, board: int, cell: Cell, highlight: Highlight) -> str:
    """The group of a cell, with its coordinates if cells can be clicked."""
    if not highlight.clickable:
        return tag("g", inner)
    key = ",".join(map(str, cell))
    return tag("g", inner, data_board=str(board), data_cell=key, tabindex="0", role="button")

"""Grids for a terminal: boards with lines between the cells, close-set boards, hexagons, and sides of boxes.

boxed      1   2   3         close     a b c         hex    1 2 3        sides    1   2
         ┌───┬───┬───┐             3 │ · x · │ 3          1 · · ·               1 ●───●
       1 │ x │   │   │             2 │ · · · │ 2           2 · x ·                │
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final

from stratagem.show.board.model import Board, Cell, Mark, Spot
from stratagem.show.text import TextLine, side_by_side

BOXED_ROWS: Final = 6
BOXED_COLUMNS: Final = 9
CORNERS: Final = " ╴╶─╵┘└┴╷┐┌┬│┤├┼"
"""Box drawing by the arms of a corner: 1 left, 2 right, 4 up, 8 down."""
ASCII_CORNERS: Final = " --" + "-" + "|+++|+++|+++"


@dataclass(frozen=True, slots=True)
class BoardView:
    """What is in the cells of one board, and how to write it."""

    board: Board
    contents: Mapping[Cell, tuple[str, ...]]
    ascii: bool = False
    lit: Collection[Cell] = frozenset()

    def mark(self, cell: Cell) -> Mark | None:
        """The mark of what is on top of *cell*, or None where it is empty."""
        found = next(iter(self.contents.get(cell, ())), self.board.backdrop.get(cell))
        return None if found is None or found in self.board.blank else self.board.mark(found)

    def written(self, mark: Mark | None, blank: str = "") -> str:
        return blank if mark is None else mark.plain if self.ascii else mark.text

    def rows(self, plane: int = 0) -> dict[tuple[int, int], Cell]:
        """The cells of a plane by row and column."""
        return {
            (spot.row, spot.column): cell for cell, spot in self.board.spots.items() if spot.plane == plane
        }

    @property
    def cell_width(self) -> int:
        written = (self.written(self.mark(cell)) for cell in self.board.spots)
        return max((len(text) for text in written), default=1) or 1


def grid_lines(view: BoardView, width: int) -> list[TextLine]:
    """A grid with all its planes, as many side by side as fit into *width*."""
    board = view.board
    blocks = []
    for plane, title in enumerate(board.planes):
        block = one_plane(view, plane)
        if title and len(board.planes) > 1:
            block.insert(0, TextLine().add(f"{' ' * margin(board)} {board.name} {title}", "dim"))
        blocks.append(block)
    widest = max((line.width for block in blocks for line in block), default=0)
    across = max(1, min(board.across, (width + 3) // (widest + 3)))
    lines: list[TextLine] = []
    for start in range(0, len(blocks), across):
        lines += [*([TextLine()] if start else []), *side_by_side(blocks[start : start + across])]
    return lines


def margin(board: Board) -> int:
    return max((len(label) for label in board.rows), default=0)


def one_plane(view: BoardView, plane: int) -> list[TextLine]:
    rows, columns = len(view.board.rows), len(view.board.columns)
    if view.board.lines:
        return point_lines(view)
    boxed = rows <= BOXED_ROWS and columns <= BOXED_COLUMNS
    return boxed_plane(view, plane) if boxed else close_plane(view, plane)


def boxed_plane(view: BoardView, plane: int) -> list[TextLine]:
    """Every cell in a box of its own."""
    board, cells = view.board, view.rows(plane)
    inner = max(3, view.cell_width + 2, *(len(label) for label in board.columns))
    left = margin(board)
    above = board.columns_above or board.columns
    lines = [
        TextLine().add(" " * (left + 1)).add(" ".join(["", *(label.center(inner) for label in above)]), "dim")
    ]
    rows, columns = len(board.rows), len(board.columns)
    for row in range(rows + 1):
        rule = TextLine().add(" " * (left + 1))
        for column in range(columns + 1):
            rule.add(corner(view, cells, row, column), "grey")
            if column < columns:
                rule.add(horizontal(view, cells, row, column) * inner, "grey")
        lines.append(rule)
        if row == rows:
            break
        line = TextLine().add(board.rows[row].rjust(left) + " ", "dim")
        for column in range(columns + 1):
            line.add(vertical(view, cells, row, column), "grey")
            if column < columns:
                put(view, line, cells.get((row, column)), inner, " ")
        lines.append(line)
    if board.columns_above:
        below = [label.center(inner) for label in board.columns]
        lines.append(TextLine().add(" " * (left + 1)).add(" ".join(["", *below]), "dim"))
    return lines


def put(view: BoardView, line: TextLine, cell: Cell | None, width: int, blank: str) -> None:
    """Write what is in *cell* into the middle of *width* characters."""
    mark = None if cell is None else view.mark(cell)
    text = view.written(mark, blank if cell is not None else " ")
    if mark is not None and mark.shape == "wall" and not view.ascii and len(text) == 1:
        text *= width
    line.add(text.center(width), None if mark is None else mark.colour or "bold", cell in view.lit)


def horizontal(view: BoardView, cells: Mapping[tuple[int, int], Cell], row: int, column: int) -> str:
    """The line above a cell, which is there if a cell is above or below it."""
    there = (row, column) in cells or (row - 1, column) in cells
    return ("-" if view.ascii else "─") if there else " "


def vertical(view: BoardView, cells: Mapping[tuple[int, int], Cell], row: int, column: int) -> str:
    there = (row, column) in cells or (row, column - 1) in cells
    return ("|" if view.ascii else "│") if there else " "


def corner(view: BoardView, cells: Mapping[tuple[int, int], Cell], row: int, column: int) -> str:
    arms = (
        1 * (horizontal(view, cells, row, column - 1) != " ")
        + 2 * (horizontal(view, cells, row, column) != " ")
        + 4 * (vertical(view, cells, row - 1, column) != " ")
        + 8 * (vertical(view, cells, row, column) != " ")
    )
    return (ASCII_CORNERS if view.ascii else CORNERS)[arms]


def close_plane(view: BoardView, plane: int) -> list[TextLine]:
    """Cells set close, with a frame around them all and the labels of the rows on both sides."""
    board, cells = view.board, view.rows(plane)
    width = max(view.cell_width, max((len(label) for label in board.columns), default=1))
    left = margin(board)
    side, rule = ("|", "-") if view.ascii else ("│", "─")
    ends = "++++" if view.ascii else "┌┐└┘"
    heads = " ".join(label.rjust(width) for label in board.columns)
    length = len(heads) + 2
    lines = [TextLine().add(" " * (left + 3) + heads, "dim")]
    lines.append(TextLine().add(" " * (left + 1)).add(ends[0] + rule * length + ends[1], "grey"))
    for row, label in enumerate(board.rows):
        line = TextLine().add(label.rjust(left) + " ", "dim").add(side + " ", "grey")
        wall = False
        for column in range(len(board.columns)):
            cell = cells.get((row, column))
            mark = None if cell is None else view.mark(cell)
            dot = " " if cell is None else "." if view.ascii else "·"
            text = view.written(mark, dot).rjust(width)
            before, wall = wall, mark is not None and mark.shape == "wall" and not view.ascii
            if wall:
                text = text.strip() * width
            line.add("" if column == 0 else text[0] if wall and before else " ")
            line.add(text, "grey" if mark is None else mark.colour or "bold", cell in view.lit)
        lines.append(line.add(" " + side, "grey").add(" " + label, "dim"))
    lines.append(TextLine().add(" " * (left + 1)).add(ends[2] + rule * length + ends[3], "grey"))
    return lines


def point_lines(view: BoardView) -> list[TextLine]:
    """Points joined by lines."""
    board, left = view.board, margin(view.board)
    across, down, dot = ("-", "|", "+") if view.ascii else ("─", "│", "·")
    drawn: dict[tuple[int, int], str] = {}
    for one, two in board.lines:
        (_, left_end, top), (_, right_end, bottom) = sorted((board.spots[one], board.spots[two]))
        for column in range(4 * left_end + 1, 4 * right_end):
            drawn[2 * top, column] = across
        for row in range(2 * min(top, bottom) + 1, 2 * max(top, bottom)):
            drawn[row, 4 * left_end] = down
    cells = view.rows()
    lines = [TextLine().add(" " * (left + 2) + "".join(label.ljust(4) for label in board.columns), "dim")]
    for row in range(2 * len(board.rows) - 1):
        line = TextLine().add((board.rows[row // 2] if row % 2 == 0 else "").rjust(left) + "  ", "dim")
        for column in range(4 * len(board.columns) - 3):
            cell = cells.get((row // 2, column // 4)) if row % 2 == 0 and column % 4 == 0 else None
            mark = None if cell is None else view.mark(cell)
            blank = drawn.get((row, column), " ") if cell is None else dot
            line.add(
                view.written(mark, blank)[:1],
                "grey" if mark is None else mark.colour or "bold",
                cell in view.lit,
            )
        lines.append(line)
    return lines


def hex_lines(view: BoardView) -> list[TextLine]:
    """Rows of hexagons: each row shifted by its half cells."""
    board, cells = view.board, view.rows()
    width = max(view.cell_width, max((len(label) for label in board.columns), default=1))
    pitch = width + 1 + (width + 1) % 2
    left = margin(board)
    lines = []
    full = [
        row for row in range(len(board.rows)) if all((row, c) in cells for c in range(len(board.columns)))
    ]
    heads = "".join(label.rjust(width).ljust(pitch) for label in board.columns)
    for row, label in enumerate(board.rows):
        shift = " " * (board.offsets[row] * pitch // 2)
        if row == 0 and row in full:
            lines.append(TextLine().add(" " * (left + 2) + shift + heads, "dim"))
        line = TextLine().add(shift + label.rjust(left) + "  ", "dim")
        for column in range(len(board.columns)):
            cell = cells.get((row, column))
            mark = None if cell is None else view.mark(cell)
            dot = " " if cell is None else "." if view.ascii else "·"
            text = view.written(mark, dot).rjust(width)
            line.add(text, "grey" if mark is None else mark.colour or "bold", cell in view.lit)
            line.add(" " * (pitch - width))
        lines.append(line)
        if row == len(board.rows) - 1 and row in full and 0 not in full:
            lines.append(TextLine().add(" " * (left + 2) + shift + heads, "dim"))
    return lines


def sides_lines(view: BoardView) -> list[TextLine]:
    """Dots and the lines between them."""
    board = view.board
    drawn: defaultdict[Spot, str | None] = defaultdict(lambda: None)
    lit = set()
    for cell, spot in board.spots.items():
        if view.contents.get(cell):
            drawn[spot] = "bold"
        if cell in view.lit:
            lit.add(spot)
    left = margin(board)
    dot, across, down = ("+", "---", "|") if view.ascii else ("•", "───", "│")
    heads = "".join(label.ljust(4) for label in board.columns)
    lines = [TextLine().add(" " * (left + 1) + heads, "dim")]
    for row in range(2 * len(board.rows) - 1):
        label = board.rows[row // 2] if row % 2 == 0 else ""
        line = TextLine().add(label.rjust(left) + " ", "dim")
        for column in range(2 * len(board.columns) - 1):
            spot = Spot(0, column, row)
            text = across if column % 2 else down if row % 2 else dot
            if row % 2 and column % 2:
                text = "   "
            elif (row % 2 or column % 2) and drawn[spot] is None:
                text = " " * len(text)
            line.add(text, drawn[spot] or "grey", spot in lit)
        lines.append(line)
    return lines

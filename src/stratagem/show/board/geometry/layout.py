"""Layout: a place for every cell: rows and columns, planes side by side, half cells for hexagons, sides of boxes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from itertools import product
from typing import Final

from stratagem.gdl.terms import Symbol, Term
from stratagem.show.board.geometry.neighbours import centred, points_and_lines, six_neighbours
from stratagem.show.board.geometry.sequences import Axis, coded
from stratagem.show.board.geometry.shapes import FactShape
from stratagem.show.board.geometry.survey import GameSurvey
from stratagem.show.board.geometry.trials import Orientation
from stratagem.show.board.model import Board, Cell, FactLayer, Spot

PLANES_ACROSS: Final = 3
SIDES: Final = (("across", "down"), ("horizontal", "vertical"), ("h", "v"), ("horizontally", "vertically"))


def laid_out(survey: GameSurvey, main: FactShape, cells: set[Cell], turn: Orientation) -> Board:
    """A board with a spot for every cell of *cells*; its layers are left to the caller."""
    if main.code:
        codes = coded(cell[0] for cell in cells) or {}
        stood = placed(
            main.axes, {cell: codes[cell[0]] for cell in cells if cell[0] in codes}, Orientation(0)
        )
        shifted = centred(by_rows(stood.spots))
        if shifted is not None:
            return Board("hex", main.key[0], (), stood.spots, stood.columns, stood.rows, offsets=shifted)
        return placed(
            main.axes, {cell: codes[cell[0]] for cell in cells if cell[0] in codes}, turn, main.key[0]
        )
    board = placed(main.axes, {cell: cell for cell in cells}, turn, main.key[0])
    shifts = hexagons(survey, main, board.spots, turn) if len(main.cell) == 2 else None
    if shifts is None:
        return replace(board, lines=points_and_lines(survey, board.spots))
    return Board("hex", board.name, (), board.spots, board.columns, board.rows, offsets=shifts)


def placed(
    axes: tuple[Axis, ...], cells: Mapping[Cell, tuple[Term, ...]], turn: Orientation, name: str = ""
) -> Board:
    """A grid with a spot for each cell, given the coordinates of each."""
    inner = axes[-2:]
    rows = spread(inner[turn.vertical], {parts[-2:][turn.vertical] for parts in cells.values()})
    columns = spread(inner[1 - turn.vertical], {parts[-2:][1 - turn.vertical] for parts in cells.values()})
    if turn.up:
        rows.reverse()
    if turn.leftward:
        columns.reverse()
    outer = axes[:-2]
    planes: list[tuple[Term, ...]] = list(product(*(axis.values for axis in outer)))
    across = len(outer[-1]) if len(outer) == 2 else min(len(planes), PLANES_ACROSS)
    where_row = {label: number for number, label in enumerate(rows)}
    where_column = {label: number for number, label in enumerate(columns)}
    where_plane = {plane: number for number, plane in enumerate(planes)}
    spots: dict[Cell, Spot] = {}
    for cell, parts in cells.items():
        plane = where_plane.get(parts[:-2])
        row = where_row.get(parts[-2:][turn.vertical])
        column = where_column.get(parts[-2:][1 - turn.vertical])
        if plane is not None and row is not None and column is not None:
            spots[cell] = Spot(plane, column, row)
    spots = dict(sorted(spots.items(), key=lambda item: (item[1].plane, item[1].row, item[1].column)))
    titles = tuple(" ".join(map(str, plane)) for plane in planes)
    return Board("grid", name, (), spots, tuple(map(str, columns)), tuple(map(str, rows)), titles, across)


def spread(axis: Axis, used: set[Term]) -> list[Term]:
    """The labels of an axis from the first to the last one in use."""
    places = [number for number, label in enumerate(axis.values) if label in used]
    return list(axis.values[min(places) : max(places) + 1]) if places else list(axis.values)


def by_rows(spots: Mapping[Cell, Spot]) -> dict[int, list[int]]:
    rows: defaultdict[int, list[int]] = defaultdict(list)
    for spot in spots.values():
        rows[spot.row].append(spot.column)
    return dict(rows)


def hexagons(
    survey: GameSurvey, main: FactShape, spots: Mapping[Cell, Spot], turn: Orientation
) -> tuple[int, ...] | None:
    """By how many half cells the rows are shifted where cells have six neighbours; None where they are square."""
    rows = by_rows(spots)
    shifted = centred(rows)
    if shifted is not None:
        return shifted
    slant = six_neighbours(survey, (main.axes[0], main.axes[1]))
    if slant == 0:
        return None
    # Rows drawn upwards or columns drawn leftwards turn the slant over.
    slant = -slant if turn.up != turn.leftward else slant
    count = max(rows) + 1
    return tuple(row if slant < 0 else count - 1 - row for row in range(count))


def sides_laid_out(survey: GameSurvey, main: FactShape, cells: set[Cell]) -> Board | None:
    """The board of facts such as ``(line across 1 2)``: sides of boxes between dots; None for other facts.

    A side is a cell of its own; dots have even columns and rows, sides across odd columns, sides down odd rows.
    """
    if len(main.cell) != 2 or len(main.content) != 1:
        return None
    values = {str(value) for value in survey.facts[main.key][main.content[0]]}
    ways = next((ways for ways in SIDES if values == {*ways}), None)
    if ways is None:
        return None
    rows, columns = (spread(main.axes[place], {cell[place] for cell in cells}) for place in (0, 1))
    declared = survey.base.get(main.key, frozenset())
    order = (main.content[0], *main.cell)
    spots: dict[Cell, Spot] = {}
    for (down, way), (i, row), (j, column) in product(enumerate(ways), enumerate(rows), enumerate(columns)):
        cell: Cell = (Symbol(way), row, column)
        fact = tuple(cell[order.index(place)] for place in range(3))
        if not declared or fact in declared:
            spots[cell] = Spot(0, 2 * j + 1 - down, 2 * i + down)
    layer = FactLayer(main.key, (main.content[0], *main.cell), ())
    return Board("sides", main.key[0], (layer,), spots, tuple(map(str, columns)), tuple(map(str, rows)))

"""Neighbours: boards of hexagons, told by their neighbour relations or by the lengths of their rows, and boards of
points and lines, where few places of the grid are cells and a relation joins those that are."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from itertools import pairwise
from typing import Final

from stratagem.gdl.terms import Term
from stratagem.show.board.geometry.sequences import Axis
from stratagem.show.board.geometry.survey import GameSurvey
from stratagem.show.board.model import Cell, Spot

STRAIGHT: Final = frozenset({(1, 0), (-1, 0), (0, 1), (0, -1)})
SPARSE: Final = 0.6
FALLING: Final = STRAIGHT | {(1, 1), (-1, -1)}
RISING: Final = STRAIGHT | {(1, -1), (-1, 1)}


def six_neighbours(survey: GameSurvey, axes: tuple[Axis, Axis]) -> int:
    """Whether the rules have a relation between cells with six neighbours each.

    1: cells touch along (1, 1) and (-1, -1) as well as along the axes; -1: along (1, -1) and (-1, 1); 0: neither.
    """
    places: list[Mapping[Term, int]] = [
        {label: number for number, label in enumerate(axis.values)} for axis in axes
    ]
    for key, rows in survey.static.items():
        if key[1] != 4:
            continue
        steps = set()
        for a, b, c, d in rows:
            if not (a in places[0] and c in places[0] and b in places[1] and d in places[1]):
                break
            steps.add((places[0][c] - places[0][a], places[1][d] - places[1][b]))
            if len(steps) > 6:
                break
        else:
            # A relation that lists every pair of neighbours once has half of the steps.
            both = steps | {(-x, -y) for x, y in steps}
            if both == FALLING:
                return 1
            if both == RISING:
                return -1
    return 0


def points_and_lines(survey: GameSurvey, spots: Mapping[Cell, Spot]) -> tuple[tuple[Cell, Cell], ...]:
    """The lines of a board on which less than `SPARSE` of the grid are cells; none where no relation draws any.

    The relation must join every cell with another, along a row or a column, and over no third cell.
    """
    rows = {spot.row for spot in spots.values()}
    columns = {spot.column for spot in spots.values()}
    if len(spots) > SPARSE * len(rows) * len(columns):
        return ()
    taken = {(spot.row, spot.column) for spot in spots.values()}
    for key, table in survey.static.items():
        if key[1] != 4 or not all(row[:2] in spots and row[2:] in spots for row in table):
            continue
        lines = {tuple(sorted((row[:2], row[2:]), key=str)) for row in table}
        ends = {cell for line in lines for cell in line}
        if ends == {*spots} and all(is_line(spots[one], spots[two], taken) for one, two in lines):
            return tuple(sorted(((one, two) for one, two in lines), key=str))
    return ()


def is_line(one: Spot, two: Spot, taken: set[tuple[int, int]]) -> bool:
    """Whether two spots are in one row or column, with nothing between them."""
    if (one.row == two.row) == (one.column == two.column):
        return False
    rows = range(min(one.row, two.row), max(one.row, two.row) + 1)
    columns = range(min(one.column, two.column), max(one.column, two.column) + 1)
    return sum((row, column) in taken for row in rows for column in columns) == 2


def centred(rows: Mapping[int, list[int]]) -> tuple[int, ...] | None:
    """By how many half cells each row is shifted where rows of different lengths stand centred; else None.

    All rows must begin at their first column, have no gaps, and differ from the next by an odd number of cells, as
    in triangles, hexagons and stars.

    >>> centred({0: [0], 1: [0, 1], 2: [0, 1, 2]})
    (2, 1, 0)
    >>> centred({0: [0, 1], 1: [0, 1]}) is None
    True
    """
    lengths: defaultdict[int, int] = defaultdict(int)
    for row, columns in rows.items():
        if sorted(columns) != list(range(len(columns))):
            return None
        lengths[row] = len(columns)
    widths = [lengths[row] for row in range(max(lengths, default=-1) + 1)]
    odd = all((before - after) % 2 for before, after in pairwise(widths))
    if len(widths) < 3 or not odd:
        return None
    return tuple(max(widths) - width for width in widths)

"""Grids: boards of cells in rows and columns, put together from the shapes of facts that have coordinates."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Final

from stratagem.show.board.geometry.layout import laid_out, sides_laid_out
from stratagem.show.board.geometry.links import Links
from stratagem.show.board.geometry.orientation import orientation_of
from stratagem.show.board.geometry.sequences import Axis
from stratagem.show.board.geometry.shapes import ENOUGH, FactShape, grid_shapes
from stratagem.show.board.geometry.survey import GameSurvey
from stratagem.show.board.marks import MAYBE_NOTHING, NOTHING, MarkChooser
from stratagem.show.board.model import Board, Cell, FactLayer

MOST_BOARDS: Final = 4
MOST_CELLS: Final = 1_600
SECOND_BOARD: Final = 5
"""How weighty a shape must be to get a board of its own beside another."""
ENOUGH_AT_FIRST: Final = 4
"""How many facts of the first state show that a second board is no mere bookkeeping."""
BACKDROPS: Final = frozenset(
    ["wall", "block", "obstacle", "target", "hole", "blocked", "exit", "home", "storage"]
)


def grid_boards(survey: GameSurvey, links: Links, chooser: MarkChooser) -> tuple[Board, ...]:
    """The boards of all facts with coordinates, the weightiest first."""
    waiting = grid_shapes(survey, links)
    boards: list[Board] = []
    mains: list[FactShape] = []
    while waiting and len(boards) < MOST_BOARDS:
        main, *waiting = waiting
        if main.weight < (SECOND_BOARD if mains else ENOUGH) or not worth_a_board(survey, mains, main):
            continue
        joined = [shape for shape in waiting if joins(links, main, shape)]
        waiting = [shape for shape in waiting if shape not in joined]
        mains.append(main)
        boards.append(board_of(survey, links, chooser, main, joined))
    return tuple(boards)


def worth_a_board(survey: GameSurvey, mains: list[FactShape], shape: FactShape) -> bool:
    """Whether a further shape is a board of its own and not bookkeeping about an earlier one."""
    if not mains:
        return True
    if not shape.content:
        return False
    if len(survey.init.get(shape.key, frozenset())) >= ENOUGH_AT_FIRST:
        return True
    return not any(
        len(main.cell) == len(shape.cell)
        and all(
            {*small.values} <= {*large.values} for small, large in zip(shape.axes, main.axes, strict=True)
        )
        for main in mains
    )


def joins(links: Links, main: FactShape, other: FactShape) -> bool:
    """Whether facts of shape *other* are drawn on the board of *main*: they mark cells and say nothing else."""
    if other.content or main.code != other.code or len(main.cell) != len(other.cell):
        return False
    if not all({*mine.values} & {*theirs.values} for mine, theirs in zip(main.axes, other.axes, strict=True)):
        return False
    return main.code or links.linked(main.pair, other.pair)


def board_of(
    survey: GameSurvey, links: Links, chooser: MarkChooser, main: FactShape, joined: list[FactShape]
) -> Board:
    """The board of the facts of *main*, with those of *joined* drawn on it."""
    cells = cells_of(survey, [main, *joined], main.axes)
    sides = sides_laid_out(survey, main, cells)
    if sides is not None:
        return sides
    backdrop = {} if main.code or len(main.cell) != 2 else scenery(survey, links, main, cells)
    cells |= set(backdrop)
    turn = orientation_of(survey, main, lambda content: chooser.part(content).owner)
    layers = tuple(FactLayer(shape.key, shape.cell, shape.content) for shape in (main, *joined))
    return replace(laid_out(survey, main, cells, turn), layers=layers, backdrop=backdrop)


def cells_of(survey: GameSurvey, shapes: list[FactShape], axes: tuple[Axis, ...]) -> set[Cell]:
    """Every cell there is: those declared, those that have something to begin with, or all in the product."""
    main = shapes[0]
    if main.code:
        return {(value,) for shape in shapes for value in survey.facts[shape.key][shape.cell[0]]}
    everything = set[Cell](product(*(axis.values for axis in axes)))
    first = {tuple(row[place] for place in main.cell) for row in survey.init.get(main.key, frozenset())}
    if 2 * len(first) > len(everything) and stores_blanks(survey, main):
        return first
    declared: set[Cell] = set()
    for shape in shapes:
        declared |= {
            tuple(row[place] for place in shape.cell) for row in survey.base.get(shape.key, frozenset())
        }
    if len(declared) >= ENOUGH_AT_FIRST:
        return declared | first
    return everything | first if len(everything) <= MOST_CELLS else first


def stores_blanks(survey: GameSurvey, main: FactShape) -> bool:
    """Whether the first state also has the cells that are empty, so that what it has not is no cell."""
    rows = survey.init[main.key]
    cells = {tuple(row[place] for place in main.cell) for row in rows}
    words = {str(row[place]) for row in rows for place in main.content}
    return len(cells) == len(rows) and bool(words & NOTHING or words & {*MAYBE_NOTHING})


def scenery(survey: GameSurvey, links: Links, main: FactShape, cells: set[Cell]) -> dict[Cell, str]:
    """What static relations say of cells, for relations with the name of something to be seen.

    A relation that holds of all cells only says that they are there.
    """
    found: dict[Cell, str] = {}
    for world, key, left, right in links.class_of(main.pair):
        if world == "relation" and key[1] == 2 and (left, right) == (0, 1) and key[0] in BACKDROPS:
            rows = survey.static.get(key, frozenset())
            if not cells <= rows:
                found.update((row, key[0]) for row in sorted(rows, key=str))
    return found

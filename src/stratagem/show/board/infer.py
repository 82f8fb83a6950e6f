"""Inference of the board of a game from its rules alone.

No game is known by name. The rules are surveyed (domains, links between facts and moves, names, declared facts, the
initial state), facts with coordinates become grids, hexagonal cells are distinguished from square ones, and facts without
geometry stay a list. Rules without evidence, or with relations too large to enumerate, get a model without boards:
drawing never fails.

>>> from stratagem.loading import load
>>> model = model_of(load("connectfour", columns=5, rows=4))
>>> board = model.boards[0]
>>> board.columns, board.rows, board.spots["1", "1"].row  # pieces fall: row 1 is at the bottom
(('1', '2', '3', '4', '5'), ('4', '3', '2', '1'), 3)
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from stratagem.errors import StratagemError
from stratagem.show.board.geometry.clicks import clicks_of
from stratagem.show.board.geometry.contents import mark_chooser_of, with_marks
from stratagem.show.board.geometry.grids import grid_boards
from stratagem.show.board.geometry.lines import line_boards
from stratagem.show.board.geometry.links import Links
from stratagem.show.board.geometry.survey import GameSurvey, survey_of
from stratagem.show.board.model import BoardModel

if TYPE_CHECKING:
    from stratagem.gdl_game import GdlGame

_KNOWN: WeakKeyDictionary[GdlGame, BoardModel] = WeakKeyDictionary()


def model_of(game: GdlGame) -> BoardModel:
    """The model of *game*, cached with the game."""
    model = _KNOWN.get(game)
    if model is None:
        model = _KNOWN[game] = infer(game)
    return model


def infer(game: GdlGame) -> BoardModel:
    """The model of *game*, without the cache."""
    try:
        survey = survey_of(game)
    except StratagemError:
        return BoardModel()
    links = Links(game.sheet, orders(survey))
    chooser = mark_chooser_of(survey)
    boards = grid_boards(survey, links, chooser) or line_boards(survey)
    boards = tuple(with_marks(survey, board, chooser) for board in boards)
    return BoardModel(boards, clicks_of(survey, links, boards))


def orders(survey: GameSurvey) -> frozenset[tuple[str, int]]:
    """The relations that put terms in order: successors, and comparisons built on them."""
    found = set(survey.chains)
    for key, rows in survey.static.items():
        if key[1] == 2 and any(
            all(row[0] in chain and row[1] in chain and chain[row[0]] <= chain[row[1]] for row in rows)
            for chain in survey.chains.values()
        ):
            found.add(key)
    return frozenset(found)

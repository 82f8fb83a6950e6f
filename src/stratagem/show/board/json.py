"""A position as JSON: the boards with the contents of their cells, for other renderers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from stratagem.show.board.infer import model_of
from stratagem.show.board.model import Board, Cell

if TYPE_CHECKING:
    from stratagem.state import State


def picture_json(state: State) -> dict[str, Any]:
    """``boards``: kind, labels and cells of each; ``rest``: the facts that have no place on a board.

    >>> from stratagem.loading import load
    >>> found = picture_json(load("tictactoe").initial())
    >>> found["boards"][0]["kind"], len(found["boards"][0]["cells"]), found["rest"]
    ('grid', 9, ['(control xplayer)'])
    """
    model = model_of(state.game)
    picture = model.picture(state.facts())
    boards = [
        board_json(board, contents) for board, contents in zip(model.boards, picture.contents, strict=True)
    ]
    return {"boards": boards, "rest": [str(fact) for fact in picture.rest]}


def board_json(board: Board, contents: Any) -> dict[str, Any]:
    """One board; ``blank`` lists the contents that mean an empty cell."""
    return {
        "kind": board.kind,
        "name": board.name,
        "columns": list(board.columns),
        "rows": list(board.rows),
        "planes": list(board.planes),
        "blank": sorted(board.blank),
        "cells": [cell_json(board, cell, contents.get(cell, ())) for cell in board.spots],
    }


def cell_json(board: Board, cell: Cell, contents: tuple[str, ...]) -> dict[str, Any]:
    spot = board.spots[cell]
    return {
        "cell": [str(part) for part in cell],
        "plane": spot.plane,
        "column": spot.column,
        "row": spot.row,
        "contents": list(contents),
        "marks": [board.mark(content).text for content in contents if content not in board.blank],
    }

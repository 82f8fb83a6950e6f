"""Orientation: which of two coordinates runs across, and whether rows are counted from the top or the bottom.

What is looked at, the stronger evidence first:

    play         gravity and compass: a few moves tried in the first state (see trials.py)
    names        the rules call a coordinate row or column, rank or file
    armies       the pieces of two sides face each other: the first side sits at the bottom
    x and y      weaker names
    letters      a letter and a number: files from a, ranks from the bottom, as on a chess board

Otherwise the first coordinate is the row, counted from the top, as in a matrix.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable
from itertools import count
from typing import Final

from stratagem.gdl.terms import Term
from stratagem.show.board.geometry.sequences import NUMBERED
from stratagem.show.board.geometry.shapes import FactShape
from stratagem.show.board.geometry.survey import GameSurvey, Row
from stratagem.show.board.geometry.trials import Orientation, seen_in_play

ROWS: Final = frozenset(["row", "rows", "rank", "ranks"])
COLUMNS: Final = frozenset(["column", "columns", "col", "cols", "file", "files"])


def orientation_of(survey: GameSurvey, shape: FactShape, owner: Callable[[str], str | None]) -> Orientation:
    """How the board of *shape* is turned."""
    seen = seen_in_play(survey, shape)
    if seen is not None:
        return seen
    facing = armies(survey, shape, owner)
    named = row_by_names(survey, shape)
    if facing is not None and named in (None, facing.vertical):
        return facing
    first, second = (axis.style for axis in shape.axes[-2:])
    lettered = (first == "letter") != (second == "letter")
    if named is not None:
        # Rows called by letters are written downwards; files by letters mean a chess board.
        return Orientation(named, up=lettered and shape.axes[named - 2].style != "letter")
    if lettered:
        return Orientation(1 if first == "letter" else 0, up=True)
    return Orientation(weak_row(survey, shape))


def row_by_names(survey: GameSurvey, shape: FactShape) -> int | None:
    """Which of the two coordinates the rules call a row."""
    if shape.code:
        return None
    for place in (0, 1):
        here, there = (called(survey, shape, number) for number in (place, 1 - place))
        if (here & ROWS and not there & ROWS) or (there & COLUMNS and not here & COLUMNS):
            return place
    stems = [stem(shape, place) for place in (0, 1)]
    return stems.index("r") if stems in (["r", "c"], ["c", "r"]) else None


def stem(shape: FactShape, place: int) -> str:
    """What the labels of an axis begin with: ``r`` for r1 r2 r3."""
    match = NUMBERED.fullmatch(shape.axes[place - 2].values[0])
    return "" if match is None else match[1][0]


def weak_row(survey: GameSurvey, shape: FactShape) -> int:
    """The second coordinate if the rules call them x and y, otherwise the first."""
    if shape.code:
        return 0
    first, second = (called(survey, shape, place) for place in (0, 1))
    return 1 if "x" in first and "y" in second and "y" not in first else 0


def called(survey: GameSurvey, shape: FactShape, place: int) -> frozenset[str]:
    """The words for one of the last two coordinates, without numbers and prefixes: ``to_row2`` is ``row``."""
    words = survey.words.get((shape.key, shape.cell[place - 2]), frozenset())
    return frozenset(re.split(r"[_-]", word.rstrip("0123456789'"))[-1] for word in words)


def armies(survey: GameSurvey, shape: FactShape, owner: Callable[[str], str | None]) -> Orientation | None:
    """Two sides that are apart along exactly one axis at first."""
    if shape.code or len(shape.cell) != 2 or not shape.content:
        return None
    sides: defaultdict[str, list[Row]] = defaultdict(list)
    for row in survey.init.get(shape.key, frozenset()):
        whose = owner(" ".join(str(row[place]) for place in shape.content))
        if whose is not None:
            sides[whose].append(tuple(row[place] for place in shape.cell))
    roles = [role for role in survey.game.roles if len(sides[role]) > 1]
    if len(roles) != 2:
        return None
    found = []
    for place in (0, 1):
        places = dict[Term, int](zip(shape.axes[place].values, count(), strict=False))
        first, second = ([places.get(cell[place], 0) for cell in sides[role]] for role in roles)
        if max(first) < min(second) or max(second) < min(first):
            found.append(Orientation(place, up=max(first) < min(second)))
    return found[0] if len(found) == 1 else None

"""Trials: a few moves played in the first state, to see which way things go.

    gravity    a move names a column and something appears at one end of it: that end is the bottom
    compass    a move called up, north, left ... takes something along an axis

Legal moves can be dear to work out, so they are asked for only where some move has such a shape.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from stratagem.errors import StratagemError
from stratagem.gdl.terms import Term, arguments, functor
from stratagem.show.geometry.shapes import Shape
from stratagem.show.geometry.survey import Row, Survey

MOST_TRIALS: Final = 8
COMPASS: Final = {
    "up": (True, 1),
    "north": (True, 1),
    "down": (True, -1),
    "south": (True, -1),
    "right": (False, 1),
    "east": (False, 1),
    "left": (False, -1),
    "west": (False, -1),
}
"""For each word: whether it is along the vertical axis, and 1 if it is up or to the right."""


@dataclass(frozen=True, slots=True)
class Orientation:
    """*vertical*: which of the last two coordinates is the row. *up*: its first label is at the bottom."""

    vertical: int = 0
    up: bool = False
    leftward: bool = False


def seen_in_play(survey: Survey, shape: Shape) -> Orientation | None:
    """What gravity or the compass says about the board of *shape*."""
    if shape.code or len(shape.cell) != 2:
        return None
    try:
        if any(
            key[1] == 1 and columns[0] <= {*labels(shape, 0), *labels(shape, 1)}
            for key, columns in survey.moves.items()
        ):
            found = gravity(survey, shape)
            if found is not None:
                return found
        if any(directions(survey, key) for key in survey.moves):
            return compass(survey, shape)
    except StratagemError:
        # Moves that cannot be worked out within the limits say nothing about the board.
        return None
    return None


def labels(shape: Shape, place: int) -> tuple[Term, ...]:
    return shape.axes[place].values


def directions(survey: Survey, key: tuple[str, int]) -> bool:
    """Whether moves of shape *key* can have a word of the compass in them."""
    words = {key[0], *(str(value) for column in survey.moves[key] for value in column)}
    return any(direction(part) for word in words for part in re.split(r"[^a-z]+", word))


def choices(survey: Survey) -> Iterator[tuple[int, tuple[tuple[Term, ...], ...]]]:
    """The roles that have a choice at first, each with the moves of all roles."""
    if survey.first.terminal:
        return
    moves = tuple(survey.first.legals(role) for role in survey.game.roles)
    if all(moves):
        yield from ((role, moves) for role in range(len(moves)) if len(moves[role]) > 1)


def after(survey: Survey, moves: tuple[tuple[Term, ...], ...], role: int, move: Term) -> frozenset[Term]:
    """The facts after *move* of a role, the others making their first moves."""
    joint = tuple(move if number == role else several[0] for number, several in enumerate(moves))
    return survey.first.next(joint).facts()


def rows(shape: Shape, facts: frozenset[Term]) -> set[Row]:
    return {arguments(fact) for fact in facts if functor(fact) == shape.key}


def gravity(survey: Survey, shape: Shape) -> Orientation | None:
    for role, moves in choices(survey):
        dropped = [move for move in moves[role] if functor(move)[1] == 1]
        if len(dropped) < 2 or len({functor(move) for move in dropped}) > 1:
            continue
        across = {0, 1}
        landed: list[Row] = []
        for move in (dropped[0], dropped[-1]):
            fresh = rows(shape, after(survey, moves, role, move)) - rows(shape, survey.first.facts())
            if len(fresh) != 1:
                return None
            row = fresh.pop()
            cell = tuple(row[place] for place in shape.cell)
            across &= {place for place in (0, 1) if cell[place] == arguments(move)[0]}
            landed.append(cell)
        if len(across) == 1:
            vertical = 1 - across.pop()
            ends = {cell[vertical] for cell in landed}
            known = labels(shape, vertical)
            if len(ends) == 1 and ends <= {*known}:
                return Orientation(vertical, up=2 * known.index(ends.pop()) < len(known))
    return None


def compass(survey: Survey, shape: Shape) -> Orientation | None:
    vertical: int | None = None
    up = leftward = False
    trials = 0
    for role, moves in choices(survey):
        for move in moves[role]:
            words = {found for word in re.split(r"[^a-z]+", str(move)) if (found := direction(word))}
            if len(words) != 1 or trials == MOST_TRIALS:
                continue
            trials += 1
            way = step(shape, survey.first.facts(), after(survey, moves, role, move), survey.game.roles[role])
            if way is None:
                continue
            place, forward = way
            upright, sign = COMPASS[words.pop()]
            vertical = place if upright else 1 - place
            if upright:
                up = forward == (sign > 0)
            else:
                leftward = forward != (sign > 0)
    return None if vertical is None else Orientation(vertical, up, leftward)


def direction(word: str) -> str | None:
    """The word of the compass in *word*: ``moveup`` goes up."""
    return next((name for name in COMPASS if word in (name, f"move{name}", f"go{name}")), None)


def step(shape: Shape, before: frozenset[Term], now: frozenset[Term], role: str) -> tuple[int, bool] | None:
    """Along which coordinate a thing of *role*, or the only one that moved, went, and whether to later labels."""
    old, new = rows(shape, before), rows(shape, now)
    moved: defaultdict[Row, tuple[list[Row], list[Row]]] = defaultdict(lambda: ([], []))
    for number, several in enumerate((old - new, new - old)):
        for row in several:
            content = tuple(row[place] for place in shape.content)
            moved[content][number].append(tuple(row[place] for place in shape.cell))
    own = [ways for content, ways in moved.items() if role in content]
    for gone, come in own or (list(moved.values()) if len(moved) == 1 else []):
        if len(gone) == len(come) == 1:
            ways = [position(shape, place, come[0]) - position(shape, place, gone[0]) for place in (0, 1)]
            if (ways[0] == 0) != (ways[1] == 0):
                place = 0 if ways[0] else 1
                return place, ways[place] > 0
    return None


def position(shape: Shape, place: int, cell: Row) -> int:
    known = labels(shape, place)
    return known.index(cell[place]) if cell[place] in known else 0

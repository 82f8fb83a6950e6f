"""Trials: a few moves from the initial state, to find the direction of gravity and of named steps.

    gravity    a move names a column and something appears at one end of it: that end is the bottom
    compass    a move called up, north, left ... takes something along an axis

Legal moves can be expensive to compute, so they are used only where some move has such a shape.
"""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from stratagem.errors import StratagemError
from stratagem.gdl.terms import Term, arguments, functor
from stratagem.show.board.geometry.shapes import FactShape
from stratagem.show.board.geometry.survey import GameSurvey, Row

if TYPE_CHECKING:
    from stratagem.state import State

MOST_TRIALS: Final = 24
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


def seen_in_play(survey: GameSurvey, shape: FactShape) -> Orientation | None:
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


def labels(shape: FactShape, place: int) -> tuple[Term, ...]:
    return shape.axes[place].values


def directions(survey: GameSurvey, key: tuple[str, int]) -> bool:
    """Whether moves of shape *key* can have a word of the compass in them."""
    words = {key[0], *(str(value) for column in survey.moves[key] for value in column)}
    return any(direction(part) for word in words for part in re.split(r"[^a-z]+", word))


def movers(state: State) -> Iterator[tuple[int, tuple[tuple[Term, ...], ...]]]:
    """The roles in *state*, each with the moves of all roles; none once the match is over."""
    if state.terminal:
        return
    moves = tuple(state.legals(role) for role in state.game.roles)
    if all(moves):
        yield from ((role, moves) for role in range(len(moves)))


def after(state: State, moves: tuple[tuple[Term, ...], ...], role: int, move: Term) -> State:
    """The state after *move* of a role, the others making their first moves."""
    return state.next(tuple(move if number == role else several[0] for number, several in enumerate(moves)))


def rows(shape: FactShape, state: State) -> set[Row]:
    return {arguments(fact) for fact in state.facts() if functor(fact) == shape.key}


def gravity(survey: GameSurvey, shape: FactShape) -> Orientation | None:
    first = survey.first
    for role, moves in movers(first):
        dropped = [move for move in moves[role] if functor(move)[1] == 1]
        if len(dropped) < 2 or len({functor(move) for move in dropped}) > 1:
            continue
        across = {0, 1}
        landed: list[Row] = []
        for move in (dropped[0], dropped[-1]):
            fresh = rows(shape, after(first, moves, role, move)) - rows(shape, first)
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


def compass(survey: GameSurvey, shape: FactShape) -> Orientation | None:
    """What steps in named directions say, from the first state on, until both axes are known."""
    vertical: int | None = None
    up: bool | None = None
    leftward: bool | None = None
    trials = 0
    seen, waiting = {survey.first}, deque([survey.first])
    while waiting and trials < MOST_TRIALS and (up is None or leftward is None):
        state = waiting.popleft()
        for role, moves in movers(state):
            for move in moves[role]:
                words = {found for word in re.split(r"[^a-z]+", str(move)) if (found := direction(word))}
                if len(words) != 1 or trials == MOST_TRIALS:
                    continue
                trials += 1
                reached = after(state, moves, role, move)
                way = step(shape, state, reached, survey.game.roles[role])
                if reached not in seen:
                    seen.add(reached)
                    waiting.append(reached)
                if way is None:
                    continue
                place, forward = way
                upright, sign = COMPASS[words.pop()]
                vertical = place if upright else 1 - place
                if upright:
                    up = forward == (sign > 0)
                else:
                    leftward = forward != (sign > 0)
    return None if vertical is None else Orientation(vertical, bool(up), bool(leftward))


def direction(word: str) -> str | None:
    """The word of the compass in *word*: ``moveup`` goes up."""
    return next((name for name in COMPASS if word in (name, f"move{name}", f"go{name}")), None)


def step(shape: FactShape, before: State, now: State, role: str) -> tuple[int, bool] | None:
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


def position(shape: FactShape, place: int, cell: Row) -> int:
    known = labels(shape, place)
    return known.index(cell[place]) if cell[place] in known else 0

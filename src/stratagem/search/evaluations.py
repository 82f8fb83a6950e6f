"""Evaluations for the horizon: what a state that is not the end may be worth to MAX.

They know nothing of the game but what its rules say: a goal where one is given before the end, and how many
moves each side has. Between 0 and 100, with 50 for "nobody knows".
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from stratagem.errors import UsageError
from stratagem.game import Game, Role

EVEN: Final = 50.0


def even(game: Game[Any], role: Role) -> Callable[[Any], float]:
    """The goal where the rules give one before the end, else 50: the search decides by what it sees alone."""

    def evaluate(state: Any) -> float:
        goal = game.goal(state, role)
        return EVEN if goal is None else goal

    return evaluate


def mobility(game: Game[Any], role: Role) -> Callable[[Any], float]:
    """50, and more the larger the share of all moves that is MAX's: from 40 to 60."""

    def evaluate(state: Any) -> float:
        mine = len(game.legals(state, role))
        all_moves = sum(len(game.legals(state, other)) for other in game.roles)
        return EVEN if all_moves == 0 else 40 + 20 * mine / all_moves

    return evaluate


EVALUATIONS: Final[dict[str, Callable[[Game[Any], Role], Callable[[Any], float]]]] = {
    "even": even,
    "mobility": mobility,
}


def evaluation(name: str, game: Game[Any], role: Role) -> Callable[[Any], float]:
    """The evaluation of that *name* for *game*, as *role* sees it."""
    make = EVALUATIONS.get(name)
    if make is None:
        raise UsageError(f"no evaluation is called {name}", hint=f"there are {', '.join(EVALUATIONS)}")
    return make(game, role)

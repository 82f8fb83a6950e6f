"""Evaluations for the horizon: what a state that is not the end may be worth to MAX.

They know nothing of the game but what its rules say: a goal where one is given before the end, and how many
moves each side has. Between 0 and 100, with 50 for "nobody knows". The values in a tree may be any numbers, so there
50 says nothing: a tree's horizon is worth the estimates written in it, or a number that is asked for.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final, TypeAlias

from stratagem.errors import UsageError
from stratagem.game import Game, Role
from stratagem.search.adversarial_table import ADVERSARIAL
from stratagem.search.framework.duel import Extensive

EVEN: Final = 50.0
NUMBER: Final = re.compile(r"[+-]?\d{1,15}(\.\d{1,15})?")
FROM_THE_GOAL: Final = ("backward", "bidirectional")
"""Searches that go backward: they meet no horizon that could be evaluated."""

Evaluation: TypeAlias = Callable[[Any], float]


def otherwise(game: Game[Any], role: Role, value: float) -> Evaluation:
    """The goal, or a tree's estimate, where there is one before the end; *value* otherwise."""

    def evaluate(state: Any) -> float:
        goal = game.goal(state, role)
        return value if goal is None else goal

    return evaluate


def even(game: Game[Any], role: Role) -> Evaluation:
    """The goal where the rules give one before the end, else 50: the search decides by what it sees alone."""
    return otherwise(game, role, EVEN)


def mobility(game: Game[Any], role: Role) -> Evaluation:
    """50, and more the larger the share of all moves that is MAX's: from 40 to 60."""

    def evaluate(state: Any) -> float:
        mine = len(game.legals(state, role))
        all_moves = sum(len(game.legals(state, other)) for other in game.roles)
        return EVEN if all_moves == 0 else 40 + 20 * mine / all_moves

    return evaluate


EVALUATIONS: Final[dict[str, Callable[[Game[Any], Role], Evaluation]]] = {
    "even": even,
    "mobility": mobility,
}


def evaluation(name: str, game: Game[Any], role: Role) -> Evaluation | None:
    """The evaluation of that *name* for *game*, as *role* sees it; a *name* like "12" is one value for all states, in
    trees for those without an estimate.

    Without a name: even for games. For trees None, and a search takes the estimates in the tree, or is refused.
    """
    if not name:
        return None if isinstance(game, Extensive) else even(game, role)
    if NUMBER.fullmatch(name):
        value = float(name)
        return otherwise(game, role, value) if isinstance(game, Extensive) else lambda _state: value
    make = EVALUATIONS.get(name)
    if make is None:
        raise UsageError(
            f"no evaluation is called {name}", hint=f"there are {', '.join(EVALUATIONS)}, or give a number"
        )
    if isinstance(game, Extensive):
        raise UsageError(
            f"the evaluation {name} is for games, whose goals go from 0 to 100, and not for trees",
            hint='give a number, or write estimates into the tree: {"estimate": 5, "children": [...]}',
        )
    return make(game, role)


def at_horizon(
    algorithm: str, game: Game[Any], role: Role, *, depth: int | None, name: str = ""
) -> Evaluation | None:
    """What *algorithm* is to be given for the states *depth* plies ahead, if anything: the evaluation of that *name*.

    Searches for one player do without unless one is named, and so does whatever has no horizon.
    """
    deepening = algorithm == "iterative-deepening"
    if algorithm in FROM_THE_GOAL and name:
        raise UsageError(f"{algorithm} asks no evaluation", hint="leave it out")
    if depth is None and not deepening:
        if name:
            evaluation(name, game, role)
            raise UsageError(
                "an evaluation is for states at the horizon, and a search without a depth limit has none",
                hint="give a depth too",
            )
        return None
    if not name and (algorithm not in ADVERSARIAL or depth is None):
        return None
    return evaluation(name, game, role)

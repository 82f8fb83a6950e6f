"""Evaluations by name, for the states at the horizon of a search.

They use the rules alone: a goal where one is given before the end, and how many moves each side has. They lie between 0 and
100, with 50 for an unknown state. The values in a tree may be any numbers, so there 50 has no meaning: a node at the horizon
is worth the estimate written in the tree, or a number that the caller gives.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

from stratagem.errors import UsageError
from stratagem.game import Game, Role
from stratagem.search.framework.options import Evaluation
from stratagem.search.framework.zero_sum import Extensive
from stratagem.search.registry import ADVERSARIAL, FROM_THE_GOAL

EVEN: Final = 50.0
NUMBER: Final = re.compile(r"[+-]?\d{1,15}(\.\d{1,15})?")


def goal_or(game: Game[Any], role: Role, value: float) -> Evaluation:
    """The goal, or a tree's estimate, where there is one before the end; *value* otherwise."""

    def evaluate(state: Any) -> float:
        goal = game.goal(state, role)
        return value if goal is None else goal

    return evaluate


def even(game: Game[Any], role: Role) -> Evaluation:
    """The goal where the rules give one before the end, otherwise 50: only terminal states make a difference."""
    return goal_or(game, role, EVEN)


def mobility(game: Game[Any], role: Role) -> Evaluation:
    """From 40 to 60, in proportion to the share of *role* in the moves of all roles."""

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
    """The evaluation called *name* for *game*, from the point of view of *role*; a number such as "12" is one value for
    all states, in trees for those without an estimate.

    The empty name stands for "even" in games and for None in trees: the search takes the estimates in the tree, or is
    refused.
    """
    if not name:
        return None if isinstance(game, Extensive) else even(game, role)
    if NUMBER.fullmatch(name):
        value = float(name)
        return goal_or(game, role, value) if isinstance(game, Extensive) else lambda _state: value
    make = EVALUATIONS.get(name)
    if make is None:
        raise UsageError(
            f"no evaluation is called {name}",
            hint=f"choose one of {', '.join(EVALUATIONS)}, or give a number",
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
    """The evaluation called *name* for the states *depth* plies ahead, or None where *algorithm* needs none.

    Single-player searches use one only if it is named; a search without a horizon uses none.
    """
    deepening = algorithm == "iterative-deepening"
    if algorithm in FROM_THE_GOAL and name:
        raise UsageError(f"{algorithm} uses no evaluation", hint="leave it out")
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

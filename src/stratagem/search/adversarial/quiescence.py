"""Quiescence search: no state is evaluated in the middle of an exchange (Shannon, 1950; Kaindl, 1982).

At the horizon an evaluation may count a capture and not the recapture. A quiet evaluation first plays out the noisy moves,
and only those; the player to move may also stand pat, that is, take the evaluation as it is. The result is itself an
evaluation, to be given to any search as ``evaluate=``.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import Any

from stratagem.game import Game, Move, Role
from stratagem.search.framework.game_tree import MAX
from stratagem.search.framework.options import Evaluation
from stratagem.search.framework.zero_sum import ZeroSumGame, ZeroSumPosition

Noise = Callable[[Any, Move], bool]
"""Whether a move in a state is noisy: the state must not be evaluated before it is played out."""


def quiet(
    game: Game[Any],
    evaluate: Evaluation,
    noisy: Noise,
    *,
    extension: int = 8,
    maximiser: Role | None = None,
) -> Evaluation:
    """*evaluate*, after the *noisy* moves have been played out, *extension* plies at most.

    *maximiser* must be the one that the search is given.
    """
    rules = ZeroSumGame(game, maximiser=maximiser)

    def settle(position: ZeroSumPosition, alpha: float, beta: float, plies: int) -> float:
        if position.terminal:
            return rules.goal(position)
        value = evaluate(position.state)  # standing pat
        if plies == 0:
            return value
        for index, move in enumerate(position.moves):
            if position.player == MAX:
                alpha = max(alpha, value)
            else:
                beta = min(beta, value)
            if alpha >= beta:
                break
            if noisy(position.state, move):
                after = settle(rules.successor(position, index), alpha, beta, plies - 1)
                value = max(value, after) if position.player == MAX else min(value, after)
        return value

    return lambda state: settle(rules.position(state), -inf, inf, extension)

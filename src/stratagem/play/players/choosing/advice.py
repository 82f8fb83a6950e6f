"""Whether what was learned about a game is good enough to be mixed into the values of MCTS."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from stratagem.engine.evaluation.features import is_amount

if TYPE_CHECKING:
    from stratagem.engine.evaluation.model import Evaluation

LEAST_EXPLAINED: Final = 0.15
"""The share of the variance of outcomes that an evaluation must explain."""
SHARPNESS: Final = 1.5
"""A search plays better than the matches that an evaluation was learned from, so that being ahead is worth more to it."""


def advice_for_mcts(evaluation: Evaluation | None) -> Evaluation | None:
    """*evaluation* as MCTS is to use it beside random matches; None where matches alone are better.

    Only in games with amounts: there it was measured to win (decision 42), and elsewhere to lose or to change nothing.
    """
    if evaluation is None or not any(map(is_amount, evaluation.features)):
        return None
    good = min(one.explained for one in evaluation.accuracy) >= LEAST_EXPLAINED
    return evaluation.sharper(SHARPNESS) if good else None

"""The taught algorithms, one readable file each, for explicit trees and for any game.

All are called the same way, ``alpha_beta(problem, start=None, *, limit, trace, progress, ...)``, and return a `Result`; each
is imported when it is first used. `ALGORITHMS` maps the names of the command line to them. The names listed here are
public; the modules below are internal.

>>> import stratagem as st
>>> tree = st.Tree.of([[3, 12, 8], [2, 4, 6], [14, 5, 2]])
>>> st.search.minimax(tree).value, ALGORITHMS["sss-star"](tree).value
(3, 3)
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from stratagem.lazy import lazy_names
from stratagem.search.registry import ADVERSARIAL, ALGORITHMS, INFORMED, SINGLE

if TYPE_CHECKING:
    from stratagem.search import incremental as incremental
    from stratagem.search import theory as theory
    from stratagem.search.adversarial.alpha_beta import alpha_beta as alpha_beta
    from stratagem.search.adversarial.dual_star import dual_star as dual_star
    from stratagem.search.adversarial.expectiminimax import expectiminimax as expectiminimax
    from stratagem.search.adversarial.fail_soft import fail_soft as fail_soft
    from stratagem.search.adversarial.game_play import game_play as game_play
    from stratagem.search.adversarial.iterative_deepening import iterative_deepening as iterative_deepening
    from stratagem.search.adversarial.minimax import best_move as best_move
    from stratagem.search.adversarial.minimax import minimax as minimax
    from stratagem.search.adversarial.mtd import by_path as by_path
    from stratagem.search.adversarial.mtd import by_state as by_state
    from stratagem.search.adversarial.mtd import mtd_minus_inf as mtd_minus_inf
    from stratagem.search.adversarial.mtd import mtd_plus_inf as mtd_plus_inf
    from stratagem.search.adversarial.mtd import mtdf as mtdf
    from stratagem.search.adversarial.negamax import negamax as negamax
    from stratagem.search.adversarial.negascout import negascout as negascout
    from stratagem.search.adversarial.printed_variants import alpha_beta_second as alpha_beta_second
    from stratagem.search.adversarial.printed_variants import alpha_beta_shallow as alpha_beta_shallow
    from stratagem.search.adversarial.printed_variants import alpha_beta_strict as alpha_beta_strict
    from stratagem.search.adversarial.proof_number import proof_number as proof_number
    from stratagem.search.adversarial.quiescence import quiet as quiet
    from stratagem.search.adversarial.scout import scout as scout
    from stratagem.search.adversarial.sss_star import sss_star as sss_star
    from stratagem.search.framework.evaluations import even as even
    from stratagem.search.framework.evaluations import mobility as mobility
    from stratagem.search.framework.game_tree import MoveOrder as MoveOrder
    from stratagem.search.framework.puzzle import Puzzle as Puzzle
    from stratagem.search.framework.strategy import Strategy as Strategy
    from stratagem.search.single.a_star import a_star as a_star
    from stratagem.search.single.backward import backward as backward
    from stratagem.search.single.bidirectional import bidirectional as bidirectional
    from stratagem.search.single.breadth_first import breadth_first as breadth_first
    from stratagem.search.single.depth_first import depth_first as depth_first
    from stratagem.search.single.greedy_best_first import greedy_best_first as greedy_best_first
    from stratagem.search.single.ida_star import ida_star as ida_star
    from stratagem.search.single.iterative_deepening import (
        iterative_deepening_blind as iterative_deepening_blind,
    )
    from stratagem.search.single.uniform_cost import uniform_cost as uniform_cost

_HOMES = {
    **{
        function: f"{__name__}.{module}"
        for module, function in (place.split(":") for place in {**ADVERSARIAL, **SINGLE}.values())
    },
    "MoveOrder": "stratagem.search.framework.game_tree",
    "Puzzle": "stratagem.search.framework.puzzle",
    "Strategy": "stratagem.search.framework.strategy",
    "by_path": "stratagem.search.adversarial.mtd",
    "by_state": "stratagem.search.adversarial.mtd",
    "even": "stratagem.search.framework.evaluations",
    "game_play": "stratagem.search.adversarial.game_play",
    "mobility": "stratagem.search.framework.evaluations",
    "quiet": "stratagem.search.adversarial.quiescence",
}

_names, __getattr__, __dir__ = lazy_names(__name__, _HOMES, ("incremental", "theory"))
__all__ = [*_names, "ADVERSARIAL", "ALGORITHMS", "INFORMED", "SINGLE"]

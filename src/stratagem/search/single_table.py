"""The table of searches for a single player: name -> ``module:function`` below `stratagem.search`."""

from __future__ import annotations

SINGLE: dict[str, str] = {
    "breadth-first": "single.breadth_first:breadth_first",
    "depth-first": "single.depth_first:depth_first",
    "iterative-deepening-blind": "single.iterative_deepening:iterative_deepening_blind",
    "uniform-cost": "single.uniform_cost:uniform_cost",
    "a-star": "single.a_star:a_star",
    "ida-star": "single.ida_star:ida_star",
    "greedy": "single.greedy_best_first:greedy_best_first",
    "backward": "single.backward:backward",
    "bidirectional": "single.bidirectional:bidirectional",
}
INFORMED = ("a-star", "ida-star", "greedy")
"""Those that ask a heuristic."""

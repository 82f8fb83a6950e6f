"""The table of searches for a single player: name -> ``module:function`` below `stratagem.search`."""

from __future__ import annotations

SINGLE: dict[str, str] = {
    "breadth-first": "breadth_first:breadth_first",
    "depth-first": "depth_first:depth_first",
    "iterative-deepening-blind": "iterative_deepening_blind:iterative_deepening_blind",
    "uniform-cost": "uniform_cost:uniform_cost",
    "a-star": "a_star:a_star",
    "ida-star": "ida_star:ida_star",
    "greedy": "greedy_best_first:greedy_best_first",
    "backward": "backward:backward",
    "bidirectional": "bidirectional:bidirectional",
}
INFORMED = ("a-star", "ida-star", "greedy")
"""Those that ask a heuristic."""

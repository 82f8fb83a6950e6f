"""The table of searches for MAX against MIN: name -> ``module:function`` below `stratagem.search`."""

from __future__ import annotations

ADVERSARIAL: dict[str, str] = {
    "minimax": "minimax:minimax",
    "best-move": "best_move:best_move",
    "negamax": "negamax:negamax",
    "alpha-beta": "alpha_beta:alpha_beta",
    "alpha-beta-second": "alpha_beta:alpha_beta_second",
    "alpha-beta-strict": "alpha_beta_strict:alpha_beta_strict",
    "alpha-beta-shallow": "alpha_beta_shallow:alpha_beta_shallow",
    "fail-soft": "fail_soft:fail_soft",
    "sss-star": "sss_star:sss_star",
    "dual-star": "dual_star:dual_star",
    "scout": "scout:scout",
    "negascout": "negascout:negascout",
    "mtdf": "mtd:mtdf",
    "mtd-plus-inf": "mtd:mtd_plus_inf",
    "mtd-minus-inf": "mtd:mtd_minus_inf",
    "iterative-deepening": "iterative_deepening:iterative_deepening",
    "proof-number": "proof_number:proof_number",
    "expectiminimax": "expectiminimax:expectiminimax",
}

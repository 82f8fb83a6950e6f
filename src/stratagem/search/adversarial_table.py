"""The table of searches for MAX against MIN: name -> ``module:function`` below `stratagem.search`."""

from __future__ import annotations

ADVERSARIAL: dict[str, str] = {
    "minimax": "adversarial.minimax:minimax",
    "best-move": "adversarial.best_move:best_move",
    "negamax": "adversarial.negamax:negamax",
    "alpha-beta": "adversarial.alpha_beta:alpha_beta",
    "alpha-beta-second": "adversarial.alpha_beta:alpha_beta_second",
    "alpha-beta-strict": "adversarial.alpha_beta_strict:alpha_beta_strict",
    "alpha-beta-shallow": "adversarial.alpha_beta_shallow:alpha_beta_shallow",
    "fail-soft": "adversarial.fail_soft:fail_soft",
    "sss-star": "adversarial.sss_star:sss_star",
    "dual-star": "adversarial.dual_star:dual_star",
    "scout": "adversarial.scout:scout",
    "negascout": "adversarial.negascout:negascout",
    "mtdf": "adversarial.mtd:mtdf",
    "mtd-plus-inf": "adversarial.mtd:mtd_plus_inf",
    "mtd-minus-inf": "adversarial.mtd:mtd_minus_inf",
    "iterative-deepening": "adversarial.iterative_deepening:iterative_deepening",
    "proof-number": "adversarial.proof_number:proof_number",
    "expectiminimax": "adversarial.expectiminimax:expectiminimax",
}

"""The taught algorithms by name: each is a function ``module:function`` below `stratagem.search`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from types import MappingProxyType
from typing import Final

from stratagem.errors import UsageError
from stratagem.result import Result

ADVERSARIAL: Final[dict[str, str]] = {
    "minimax": "adversarial.minimax:minimax",
    "best-move": "adversarial.minimax:best_move",
    "negamax": "adversarial.negamax:negamax",
    "alpha-beta": "adversarial.alpha_beta:alpha_beta",
    "alpha-beta-second": "adversarial.printed_variants:alpha_beta_second",
    "alpha-beta-strict": "adversarial.printed_variants:alpha_beta_strict",
    "alpha-beta-shallow": "adversarial.printed_variants:alpha_beta_shallow",
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
"""MAX against MIN."""
SINGLE: Final[dict[str, str]] = {
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
"""A single player."""
INFORMED: Final = ("a-star", "ida-star", "greedy")
"""Those that take a heuristic."""
FROM_THE_GOAL: Final = ("backward", "bidirectional")
"""Those that need predecessors, and evaluate nothing at the horizon."""


class Algorithms(Mapping[str, Callable[..., Result]]):
    """Names to search functions, each imported when it is first asked for."""

    def __init__(self, places: Mapping[str, str]) -> None:
        self._places = MappingProxyType(dict(places))

    def __getitem__(self, name: str) -> Callable[..., Result]:
        module, _, function = self._places[name].partition(":")
        found: Callable[..., Result] = getattr(import_module(f"stratagem.search.{module}"), function)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def find(self, name: str) -> Callable[..., Result]:
        """The function of that *name*, or a `UsageError` that lists the names there are."""
        if name not in self._places:
            raise UsageError(
                f"there is no algorithm {name!r}", hint=f"choose one of {', '.join(self._places)}"
            )
        return self[name]


ALGORITHMS: Final = Algorithms({**ADVERSARIAL, **SINGLE})
"""Every taught algorithm by its name on the command line."""

"""What every search returns: one `Result`, whatever the algorithm, with one set of counters.

`search/` and the fast searches share it, so that they can be compared field by field. Moves are the game's own;
`Result.as_json` turns them into numbers or text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from math import inf, isinf
from typing import TYPE_CHECKING

from stratagem.game import Move
from stratagem.search.framework.budget import UNLIMITED, Budget, BudgetSpent, Counters, Tally

if TYPE_CHECKING:
    from stratagem.search.theory.strategy import Strategy

__all__ = ["UNLIMITED", "Budget", "BudgetSpent", "Counters", "Json", "Result", "Tally", "json_number"]

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]


@dataclass(frozen=True, slots=True)
class Result:
    """The outcome of one search from one state.

    A search whose budget ran out says ``complete=False`` and gives what it has: *value* is then its best guess
    (None: no guess at all) and only ``low <= true value <= high`` is proved.
    """

    algorithm: str
    value: float | None
    """What the start is worth to MAX; in a single-player search the goal value reached."""
    best_move: Move | None = None
    """A move that keeps the value, for whoever is to move; None where the start is an end."""
    best_moves: tuple[Move, ...] = ()
    """Every move proved to keep the value: all of them from minimax, fewer from a search that cuts."""
    principal_variation: tuple[Move, ...] = ()
    """Best play of both sides from the start to a leaf."""
    counters: Counters = field(default_factory=Counters)
    complete: bool = True
    stopped: str | None = None
    """What ended an incomplete search: "nodes", "seconds", "interrupted", or "depth", the horizon of a puzzle."""
    low: float = -inf
    high: float = inf
    strategy: Strategy | None = None
    """The plan that secures the value against every reply: MAX's, or MIN's where the algorithm finds that one."""
    leaf_order: tuple[int, ...] | None = None
    """Explicit trees only: the numbers of the distinct leaves, in the order of first evaluation."""
    solution: tuple[Move, ...] | None = None
    """Single-player only: the moves from the start to a goal; None where none was found."""
    cost: float | None = None
    """Single-player only: the cost of *solution*; its length unless moves have costs."""

    def as_json(self) -> dict[str, Json]:
        """The result as plain data for a JSON writer: infinities become None, moves numbers or text."""
        solution = None if self.solution is None else _plain_moves(self.solution)
        return {
            "algorithm": self.algorithm,
            "value": json_number(self.value),
            "best_move": _plain(self.best_move),
            "best_moves": _plain_moves(self.best_moves),
            "principal_variation": _plain_moves(self.principal_variation),
            "complete": self.complete,
            "stopped": self.stopped,
            "low": json_number(self.low),
            "high": json_number(self.high),
            "counters": asdict(self.counters),
            "leaf_order": None if self.leaf_order is None else list(self.leaf_order),
            "solution": solution,
            "cost": json_number(self.cost),
        }


def json_number(value: float | None) -> float | None:
    """*value* for JSON, which has no infinities: they become None, "no bound"."""
    return None if value is None or isinf(value) else value


def _plain(move: Move | None) -> Json:
    return move if isinstance(move, int | float | str) or move is None else str(move)


def _plain_moves(moves: Sequence[Move]) -> list[Json]:
    return [_plain(move) for move in moves]

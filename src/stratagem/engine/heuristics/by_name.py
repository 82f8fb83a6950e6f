"""Estimates of the moves to the goal, by name, for the taught A*, IDA* and greedy search on any rules.

The taught searches take a function of a state; the engine makes lower bounds for packed states from the rules. An `Estimate` is
the one seen as the other. None of them ever says too much, so that A* and IDA* find shortest solutions.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any, Final

from stratagem.engine.heuristics.pattern_database import ENTRIES, pattern_database
from stratagem.engine.heuristics.pattern_tables import HOPELESS
from stratagem.engine.heuristics.relaxation import relaxation
from stratagem.errors import UnsuitableGame, UsageError, require_type
from stratagem.gdl_game import GdlGame, State

if TYPE_CHECKING:
    from stratagem.engine.heuristics.pattern_database import LowerBound
    from stratagem.game import Game

NONE: Final = "none"
ESTIMATES: Final = (NONE, "patterns", "relaxed")
MOST: Final = 1 << 26
"""Entries of one database at most."""


@dataclass(frozen=True, slots=True, eq=False)
class Estimate:
    """How far the goal is from a state at least; infinity where no way leads there."""

    game: GdlGame
    bound: LowerBound

    def __call__(self, state: State) -> float:
        found = int(self.bound.bounds(state.packed.copy().reshape(1, -1))[0])
        return inf if found >= HOPELESS else found

    def __str__(self) -> str:
        return str(self.bound)


def estimate(name: str, game: Game[Any], start: State | None = None) -> Estimate | None:
    """The estimate of that *name* for the states that can be reached from *start*; None where none is wanted.

    ``patterns:1000`` has databases of at most 1,000 entries each.

    >>> from stratagem.loading import load
    >>> game = load("hanoi", discs=4)
    >>> estimate("patterns", game)(game.initial()), estimate("relaxed", game)(game.initial())
    (15, 4)
    """
    require_type(name, str, "the name of a heuristic")
    kind, _, entries = name.partition(":")
    sized = kind == "patterns" and entries.isascii() and entries.isdecimal() and 0 < int(entries[:10]) <= MOST
    if kind not in ESTIMATES or ((entries or ":" in name) and not sized):
        raise UsageError(
            f"no heuristic is called {name}", hint=f"choose one of {', '.join(ESTIMATES)} or patterns:1000"
        )
    if kind == NONE:
        return None
    if not isinstance(game, GdlGame):
        raise UnsuitableGame("heuristics are made from rules, and a tree has none", hint="leave it out")
    if not game.compilable:
        raise UnsuitableGame(
            f"heuristics are made from compiled rules, and these run on {game.runs_on}", hint="leave it out"
        )
    if kind == "patterns":
        most = int(entries) if entries else ENTRIES
        return Estimate(game, pattern_database(game, start, entries=most))
    return Estimate(game, relaxation(game))

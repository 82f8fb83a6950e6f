"""Solving rules that cannot be compiled: by the taught searches, on the machine that runs the rules."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from stratagem.errors import UnsuitableGame
from stratagem.result import Interval, Result
from stratagem.search import ALGORITHMS

if TYPE_CHECKING:
    from stratagem.engine.request import Progress
    from stratagem.gdl_game import GdlGame, State
    from stratagem.limit import Limit

TAUGHT: Final = {"auto", "breadth-first"}
"""Methods of `solve` that there are for such rules."""


def reason(game: GdlGame) -> str:
    """Why *game* is not compiled."""
    if game.fallback is None and game.settle().name not in ("reasoner", "joins"):
        return "a goal of the rules does not fit into 16 bits"
    return game.fallback or f"{game.runs_on} {'were' if game.runs_on == 'joins' else 'was'} requested"


def solve_uncompiled(
    game: GdlGame, state: State, method: str, limit: Limit, progress: Progress | None
) -> Result:
    """What *state* is worth, by breadth-first search for one player and by MTD(f) for two."""
    if method not in TAUGHT:
        raise UnsuitableGame(
            f"{method} needs compiled rules, and these run on {game.runs_on}: {reason(game)}",
            hint="use --method auto",
        )
    why = f"on {game.runs_on}: {reason(game)}"
    if len(game.roles) > 2:
        note = f"solving on {game.runs_on} is for one player or two"
        return Result("none", values={role: Interval(0, 100) for role in game.roles}, why=why, note=note)
    algorithm = "breadth-first" if method == "breadth-first" or len(game.roles) == 1 else "mtdf"
    if progress is not None:
        progress(f"searching with {algorithm} on {game.runs_on}")
    try:
        found = ALGORITHMS[algorithm](game, state, limit=limit)
    except UnsuitableGame as refused:
        values = {role: Interval(0, 100) for role in game.roles}
        return Result("none", values=values, why=why, note=refused.message)
    return replace(found, why=why)

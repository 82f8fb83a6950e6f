"""The players by name. Each is a small class in a module of its own, imported when it is asked for."""

from __future__ import annotations

from importlib import import_module
from typing import Final

from stratagem.errors import UsageError
from stratagem.play.interface import Player

PLAYERS: Final[dict[str, tuple[str, str]]] = {
    "stratagem": ("stratagem:Stratagem", "Chooses by the kind of game and what fits the clock."),
    "mcts": ("mcts:MctsPlayer", "MCTS with lanes of playouts; any number of roles, simultaneous moves too."),
    "uct": ("uct:Uct", "Plain UCT with single playouts; any number of roles, simultaneous moves too."),
    "alphabeta": (
        "engine_alpha_beta:AlphaBetaPlayer",
        "Alpha-beta with a learned evaluation, deeper and deeper; two roles that take turns.",
    ),
    "database": ("database:DatabasePlayer", "Works the whole game out and plays perfectly; small games."),
    "solver": ("solver:Solver", "Finds a way through a puzzle in the start clock and plays it."),
    "puzzle": ("puzzle:PuzzleSolver", "Looks for a solution of a puzzle and plays it."),
    "random": ("random:Random", "Any legal move."),
    "legal": ("legal:Legal", "The first legal move."),
}


def player_names() -> tuple[str, ...]:
    """The names of our players."""
    return tuple(PLAYERS)


def player_named(name: str, *, seed: int | None = None) -> Player:
    """A new player of that kind; *seed* makes its chances repeatable.

    >>> player_named("legal").name
    'legal'
    """
    if name not in PLAYERS:
        raise UsageError(f"no player called {name!r}", hint=f"there are {', '.join(PLAYERS)}")
    module, _, kind = PLAYERS[name][0].partition(":")
    made: Player = getattr(import_module(f"{__name__}.{module}"), kind)(seed=seed)
    return made

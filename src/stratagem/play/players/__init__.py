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
        "alpha_beta:AlphaBetaPlayer",
        "Alpha-beta with a learned evaluation, deeper and deeper; two roles that take turns.",
    ),
    "database": (
        "database:DatabasePlayer",
        "Works the whole game out and plays perfectly, or reads database:FILE; small games.",
    ),
    "solver": ("solver:Solver", "Finds a solution of a puzzle in the start clock and plays it."),
    "puzzle": ("puzzle:PuzzleSolver", "Looks for a solution of a puzzle and plays it."),
    "random": ("baselines:RandomPlayer", "Any legal move."),
    "legal": ("baselines:LegalPlayer", "The first legal move."),
}

BASELINES: Final = frozenset({"random", "legal"})
"""Players that are to know nothing."""


def player_names() -> tuple[str, ...]:
    """The names of our players."""
    return tuple(PLAYERS)


def player_named(name: str, *, seed: int | None = None, remember: bool = False) -> Player:
    """A new player of that kind; *seed* makes its chances repeatable. ``database:FILE`` plays by a database file.

    With *remember* it uses what is on disk about its rules, and keeps what it learns.

    >>> player_named("legal").name
    'legal'
    """
    if not isinstance(name, str) or not is_player(name):
        raise UsageError(f"no player called {name!r}", hint=f"choose one of {', '.join(PLAYERS)}")
    known, _, file = name.partition(":")
    module, _, kind = PLAYERS[known][0].partition(":")
    options = {"file": file} if file else {}
    made: Player = getattr(import_module(f"{__name__}.{module}"), kind)(seed=seed, **options)
    made.remember = remember
    return made if not remember or known in BASELINES else _with_perfect_play(made)


def _with_perfect_play(player: Player) -> Player:
    from stratagem.play.players.perfect_play import WithPerfectPlay

    return WithPerfectPlay(player)


def is_player(name: str) -> bool:
    """Whether *name* is that of a player of ours, or of the database player with a file.

    >>> is_player("uct"), is_player("database:hexapawn.db"), is_player("localhost:9147")
    (True, True, False)
    """
    return name in PLAYERS or (name.startswith("database:") and name != "database:")

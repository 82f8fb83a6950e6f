"""Stratagem plays, solves and explains any game you can write down.

>>> import stratagem
>>> game = stratagem.load("tictactoe")
>>> game.roles
('xplayer', 'oplayer')
>>> state = game.initial()
>>> game.legals(state, "xplayer")[:2]
((mark 1 1), (mark 1 2))

Everything heavy is imported where it is used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

# Imported here and now, because `stratagem.loading` is the name of the module too: whoever imports the module
# first would otherwise find it in the place of the function.
from stratagem.loading import load as load

__version__ = "0.1.0"

if TYPE_CHECKING:
    from stratagem.errors import StratagemError as StratagemError
    from stratagem.game import Game as Game
    from stratagem.gdl_game import GdlGame as GdlGame
    from stratagem.gdl_game import State as State
    from stratagem.machines.trees.tree import Tree as Tree

_HOMES = {
    "Game": "stratagem.game",
    "GdlGame": "stratagem.gdl_game",
    "State": "stratagem.gdl_game",
    "StratagemError": "stratagem.errors",
    "Tree": "stratagem.machines.trees.tree",
}

__all__ = ["Game", "GdlGame", "State", "StratagemError", "Tree", "__version__", "load"]


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'stratagem' has no attribute {name!r}")
    value = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)

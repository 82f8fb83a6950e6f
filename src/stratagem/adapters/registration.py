"""What Gymnasium's registry makes the bundled games with: ``gymnasium.make("stratagem/connectfour-v0")``."""

from __future__ import annotations

from inspect import signature
from typing import TYPE_CHECKING, Any

from stratagem.adapters.libraries import gymnasium
from stratagem.loading import load

if TYPE_CHECKING:
    from stratagem.adapters.gymnasium_env import GameEnv, GameVectorEnv


def make_environment(game: str, **options: Any) -> GameEnv | GameVectorEnv:
    """The environment of a bundled game; what is no option of the environment is a size of the game."""
    known = signature(gymnasium).parameters
    sizes = {name: value for name, value in options.items() if name not in known}
    return gymnasium(load(game, **sizes), **{name: value for name, value in options.items() if name in known})

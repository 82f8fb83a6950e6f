"""Any game as the environment that other libraries expect: Gymnasium, PettingZoo, OpenSpiel, JAX.

Each needs its library: the extras `rl` (Gymnasium and PettingZoo), `open-spiel` and `jax`. All of them number
actions and observations as ``game.encoding`` does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from stratagem.lazy import lazy_names

if TYPE_CHECKING:
    from stratagem.adapters.libraries import gymnasium as gymnasium
    from stratagem.adapters.libraries import jax as jax
    from stratagem.adapters.libraries import open_spiel as open_spiel
    from stratagem.adapters.libraries import pettingzoo as pettingzoo
    from stratagem.adapters.libraries import register as register

_NAMES = ("gymnasium", "jax", "open_spiel", "pettingzoo", "register")

__all__, __getattr__, __dir__ = lazy_names(__name__, dict.fromkeys(_NAMES, "stratagem.adapters.libraries"))

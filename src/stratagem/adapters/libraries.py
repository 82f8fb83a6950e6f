"""One function for each library: a game in, its environment out. The library is imported when its function is called."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, Literal

from stratagem import sheets
from stratagem.adapters.one_role import Illegal, OneRole, Opponent
from stratagem.errors import MissingExtra, UsageError, require_whole
from stratagem.gdl_game import require_rules

if TYPE_CHECKING:
    from gymnasium.vector import AutoresetMode

    from stratagem.adapters.gymnasium_env import GameEnv, GameVectorEnv
    from stratagem.adapters.jax_env import JaxEnv
    from stratagem.adapters.open_spiel_game import SpielGame
    from stratagem.adapters.pettingzoo_env import GameAECEnv, GameParallelEnv
    from stratagem.gdl_game import GdlGame

NAMESPACE: Final = "stratagem"
REGISTERED: Final = "stratagem.adapters.registration"
"""The module that Gymnasium's registry makes environments with."""
LONGEST_MATCH: Final = 10_000
"""Steps after which OpenSpiel is told that a match is over."""


def gymnasium(
    game: GdlGame,
    role: str | None = None,
    *,
    opponents: Opponent | Mapping[str, Opponent] = "random",
    num_envs: int | None = None,
    observation: Literal["vector", "planes"] = "vector",
    reward_range: tuple[float, float] = (-1.0, 1.0),
    illegal: Illegal = "lose",
    render_mode: str | None = None,
    autoreset_mode: AutoresetMode | Literal["NextStep", "SameStep", "Disabled"] = "NextStep",
    max_episode_steps: int | None = None,
    threads: int | None = None,
) -> GameEnv | GameVectorEnv:
    """*game* as a Gymnasium environment of *role* (by default the first); with *num_envs*, a `VectorEnv` of that many matches.

    *opponents* play the other roles: ``"random"``, ``"greedy"`` (looks one ply ahead), a function of a batch, a
    role and a seed that returns an action for every match, or a mapping from roles to these. The learner acts
    only where its role has a choice. *observation* is the ``vector`` of propositions or the board as ``planes``.
    An illegal action loses the match at once, or raises (*illegal*). A match of *max_episode_steps* is truncated.
    """
    from stratagem.adapters.gymnasium_env import GameEnv, GameVectorEnv, autoreset

    mode = autoreset(autoreset_mode)
    if num_envs is not None:
        require_whole("number of environments", num_envs, least=1)
        matches = OneRole(
            game, role, opponents, num_envs, reward_range=reward_range, illegal=illegal, threads=threads
        )
        return GameVectorEnv(matches, observation, mode, render_mode, max_episode_steps)
    alone = OneRole(game, role, opponents, 1, reward_range=reward_range, illegal=illegal, threads=1)
    return GameEnv(alone, observation, render_mode, max_episode_steps)


def register() -> list[str]:
    """Register every bundled game with Gymnasium, once per process; returns their ids.

    Without it ``gymnasium.make`` finds no namespace called stratagem. With it
    ``gymnasium.make`` and ``gymnasium.make_vec`` take the options of `stratagem.adapters.gymnasium` and the sizes
    of the game: ``gymnasium.make("stratagem/connectfour-v0", role="yellow", columns=5)``.
    """
    try:
        from gymnasium.envs.registration import register as enter
        from gymnasium.envs.registration import registry
    except ImportError as missing:
        raise MissingExtra("rl", needs="gymnasium") from missing
    ids = []
    for name in sheets.names():
        ids.append(f"{NAMESPACE}/{name}-v0")
        if ids[-1] not in registry:
            enter(
                id=ids[-1],
                entry_point=f"{REGISTERED}:make_environment",
                vector_entry_point=f"{REGISTERED}:make_environment",
                kwargs={"game": name},
            )
    return ids


def pettingzoo(
    game: GdlGame,
    *,
    kind: Literal["aec", "parallel"] | None = None,
    observation: Literal["vector", "planes"] = "vector",
    reward_range: tuple[float, float] = (-1.0, 1.0),
    illegal: Literal["raise", "lose"] = "lose",
    render_mode: str | None = None,
) -> GameAECEnv | GameParallelEnv:
    """*game* as a PettingZoo environment: AEC for games in turn, parallel where players choose at the same time.

    Random matches decide which, unless *kind* is given. The agents are the roles, without ``random``, which
    is moved by chance. Observations are dictionaries with ``observation`` and ``action_mask``. An illegal action
    ends the match with the lowest reward, or raises (*illegal*).
    """
    require_rules(game, by="an environment")
    from stratagem.adapters.pettingzoo_env import GameAECEnv, GameParallelEnv, ZooMatch
    from stratagem.adapters.turns import observe

    if kind is None:
        kind = "parallel" if observe(game).simultaneous else "aec"
    if kind not in ("aec", "parallel"):
        raise UsageError(f"no kind of environment called {kind}", hint='give "aec" or "parallel"')
    if render_mode not in (None, "ansi"):
        raise UsageError(f"no render mode called {render_mode}", hint="the only one is ansi")
    if illegal not in ("raise", "lose"):
        raise UsageError(f"illegal={illegal!r} is not known", hint='give "lose" or "raise"')
    match = ZooMatch(game, observation, reward_range, illegal == "raise")
    return GameAECEnv(match, render_mode) if kind == "aec" else GameParallelEnv(match, render_mode)


def open_spiel(
    game: GdlGame,
    *,
    dynamics: Literal["sequential", "simultaneous"] | None = None,
    reward_range: tuple[float, float] = (-1.0, 1.0),
    max_game_length: int = LONGEST_MATCH,
) -> SpielGame:
    """*game* as a `pyspiel.Game`, registered with OpenSpiel under ``stratagem_NAME_FINGERPRINT``.

    Random matches decide whether players move in turn or simultaneously (unless *dynamics* says so), and whether the
    rewards have a constant sum. Players are the roles in order, without ``random``. A match of
    *max_game_length* steps is ended there, with the goals as they stand.
    """
    require_rules(game, by="an environment")
    from stratagem.adapters.open_spiel_game import registered_game

    return registered_game(game, dynamics, reward_range, max_game_length)


def jax(game: GdlGame, *, reward_range: tuple[float, float] = (-1.0, 1.0)) -> JaxEnv:
    """*game* as pure functions in the style of pgx: ``init(key)`` and ``step(state, action, key)``.

    They are made from the circuit and nothing else, and may be transformed by `jax.jit`, `jax.vmap` and `jax.lax.scan`.
    """
    require_rules(game, by="an environment")
    from stratagem.adapters.jax_env import JaxEnv

    return JaxEnv(game, reward_range)

"""Gymnasium: a game as an `Env` of one role, or as a native `VectorEnv` of many matches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from stratagem.errors import MissingExtra, UsageError, require_type, require_whole
from stratagem.simulation.encoding import one_action, whole_numbers

try:
    from gymnasium import Env, spaces
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space
except ImportError as missing:
    raise MissingExtra("rl", needs="gymnasium") from missing

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stratagem.adapters.one_role import OneRole

Observed: TypeAlias = Literal["vector", "planes"]


class _Observer:
    """What the learner sees: its space, and how it is read off a batch."""

    def __init__(self, matches: OneRole, kind: Observed) -> None:
        if kind not in ("vector", "planes"):
            raise UsageError(f"no observation called {kind}", hint='give "vector" or "planes"')
        encoding = matches.batch.encoding
        self.batch, self.kind = matches.batch, kind
        if kind == "planes":
            self.space = spaces.Box(0, 1, encoding.planes.shape, np.int8)
        else:
            self.space = spaces.Box(0, 1, (len(encoding.propositions),), np.int8)

    def __call__(self) -> NDArray[np.int8]:
        seen = self.batch.planes() if self.kind == "planes" else self.batch.observations()
        return seen.view(np.int8)


class GameEnv(Env):
    """One match as a Gymnasium environment; ``info["action_mask"]`` and `action_masks` say what is legal."""

    metadata = {"render_modes": ["ansi"], "render_fps": 1}  # noqa: RUF012

    def __init__(
        self,
        matches: OneRole,
        observation: Observed,
        render_mode: str | None,
        max_episode_steps: int | None = None,
    ) -> None:
        _check(render_mode, max_episode_steps)
        self.matches, self.render_mode, self.max_episode_steps = matches, render_mode, max_episode_steps
        self._begun, self._steps = False, 0
        self._observe = _Observer(matches, observation)
        self.observation_space = self._observe.space
        self.action_space = spaces.Discrete(len(matches.batch.encoding.actions[matches.role]))

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.int8], dict[str, Any]]:
        """A new match."""
        super().reset(seed=_seed(seed))
        self.matches.seed(int(self.np_random.integers(1 << 63)))
        self.matches.reset()
        self._begun, self._steps = True, 0
        return self._observe()[0], self._info()

    def step(self, action: int) -> tuple[NDArray[np.int8], float, bool, bool, dict[str, Any]]:
        """One action of the role, and what the others do after it."""
        _require_begun(self._begun)
        earned = self.matches.step(whole_numbers([one_action(action)]))
        self._steps += 1
        terminated = bool(self.matches.terminated[0])
        truncated = self.max_episode_steps is not None and self._steps >= self.max_episode_steps
        return self._observe()[0], float(earned[0]), terminated, truncated and not terminated, self._info()

    def action_masks(self) -> NDArray[np.bool_]:
        """The legal actions, as sb3-contrib's MaskablePPO asks for them."""
        mask: NDArray[np.bool_] = self.matches.masks()[0]
        return mask

    def render(self) -> str:
        """The board as text."""
        return str(self.matches.batch.state(0))

    def _info(self) -> dict[str, Any]:
        info: dict[str, Any] = {"action_mask": self.action_masks().view(np.int8)}
        if self.matches.lost[0]:
            info["illegal_action"] = True
        return info


class GameVectorEnv(VectorEnv):
    """Many matches as one Gymnasium vector environment: a step of all of them is a few calls of machine code.

    ``info["action_mask"]`` has the legal actions [num_envs, actions]. With `AutoresetMode.DISABLED` a match that
    is over stands still until ``reset(options={"reset_mask": ...})``.
    """

    def __init__(
        self,
        matches: OneRole,
        observation: Observed,
        autoreset_mode: AutoresetMode,
        render_mode: str | None = None,
        max_episode_steps: int | None = None,
    ) -> None:
        _check(render_mode, max_episode_steps)
        self.matches, self.num_envs, self.render_mode = matches, len(matches.batch), render_mode
        self.autoreset_mode, self.max_episode_steps = autoreset_mode, max_episode_steps
        self.metadata = {"autoreset_mode": autoreset_mode, "render_modes": ["ansi"]}
        self._observe = _Observer(matches, observation)
        self.single_observation_space = self._observe.space
        self.single_action_space = spaces.Discrete(len(matches.batch.encoding.actions[matches.role]))
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._every = np.ones(self.num_envs, np.bool_)
        self._done, self._begun = ~self._every, False
        self._steps = np.zeros(self.num_envs, np.int64)

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.int8], dict[str, Any]]:
        """New matches: all of them, or those of ``options["reset_mask"]``. A list of seeds counts as a whole."""
        if options is not None:
            require_type(options, dict, "a dictionary of options", hint='as in {"reset_mask": array}')
        which = (options or {}).get("reset_mask")
        if which is not None and (
            not isinstance(which, np.ndarray) or which.shape != (self.num_envs,) or which.dtype != np.bool_
        ):
            raise UsageError(f"reset_mask is an array of {self.num_envs} bools")
        if isinstance(seed, list):
            if len(seed) != self.num_envs:
                raise UsageError(f"one seed for each of {self.num_envs} matches is needed, not {len(seed)}")
            self.matches.seed([_seed(each) or 0 for each in seed])
        elif seed is not None or which is None:
            super().reset(seed=_seed(seed))
            self.matches.seed(int(self.np_random.integers(1 << 63)))
        chosen = self._every if which is None else which
        self._begin(chosen)
        self._begun |= which is None
        self._done &= ~chosen
        return self._observe(), self._info()

    def step(
        self, actions: NDArray[np.int_]
    ) -> tuple[NDArray[np.int8], NDArray[np.float32], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """One action of the role in every match, and what the others do after it."""
        _require_begun(self._begun)
        given = whole_numbers(actions)
        if given.shape != (self.num_envs,):
            raise UsageError(f"one action for each of {self.num_envs} matches is needed, not {given.shape}")
        before = self._done
        rewards = self.matches.step(given, ~before)
        self._steps += 1
        if self.autoreset_mode == AutoresetMode.NEXT_STEP and before.any():
            self._begin(before)
            rewards[before] = 0
        elif self.autoreset_mode == AutoresetMode.DISABLED:
            rewards[before] = 0
        terminated = self.matches.terminated
        if self.max_episode_steps is None:
            truncated = np.zeros(self.num_envs, np.bool_)
        else:
            truncated = (self._steps >= self.max_episode_steps) & ~terminated
        self._done = terminated | truncated
        seen, info = self._observe(), {}
        if self.autoreset_mode == AutoresetMode.SAME_STEP and self._done.any():
            done = self._done
            info = self._final(seen, done)
            self._begin(done)
            seen, self._done = self._observe(), np.zeros(self.num_envs, np.bool_)
        return seen, rewards, terminated, truncated, info | self._info()

    def action_masks(self) -> NDArray[np.bool_]:
        """The legal actions [num_envs, actions]."""
        return self.matches.masks()

    def render(self) -> tuple[str, ...]:
        """The boards as text."""
        return tuple(str(self.matches.batch.state(lane)) for lane in range(self.num_envs))

    def _begin(self, which: NDArray[np.bool_]) -> None:
        self.matches.reset(which)
        self._steps[which] = 0

    def _info(self) -> dict[str, Any]:
        info = {"action_mask": self.action_masks().view(np.int8), "_action_mask": self._every}
        lost = self.matches.lost
        if lost.any():
            info |= {"illegal_action": lost, "_illegal_action": lost}
        return info

    def _final(self, seen: NDArray[np.int8], done: NDArray[np.bool_]) -> dict[str, Any]:
        """What Gymnasium keeps of matches that are begun anew in the same step."""
        final = np.full(self.num_envs, None, object)
        for lane in np.flatnonzero(done):
            final[lane] = seen[lane].copy()
        return {"final_obs": final, "_final_obs": done, "final_info": self._info(), "_final_info": done}


def _check(render_mode: str | None, max_episode_steps: int | None) -> None:
    if render_mode not in (None, "ansi"):
        raise UsageError(f"no render mode called {render_mode}", hint="the only one is ansi")
    if max_episode_steps is not None:
        require_whole("number of steps of an episode", max_episode_steps, least=1)


def _seed(seed: int | None) -> int | None:
    """The seed as Gymnasium takes it: from 0."""
    return None if seed is None else require_whole("seed", seed, least=0)


def _require_begun(begun: bool) -> None:
    if not begun:
        raise UsageError("no match has begun", hint="call reset() first")


def autoreset(mode: AutoresetMode | str) -> AutoresetMode:
    """Gymnasium's mode of that name."""
    try:
        return AutoresetMode(mode)
    except ValueError:
        names = ", ".join(each.value for each in AutoresetMode)
        raise UsageError(f"no autoreset mode called {mode}", hint=f"choose one of {names}") from None

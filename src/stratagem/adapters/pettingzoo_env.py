"""PettingZoo: a game as an AEC environment where roles choose in turn, as a parallel one where they choose at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from stratagem.errors import MissingExtra, UnsuitableGame, UsageError, require_type, require_whole
from stratagem.simulation.encoding import CHANCE, checked_range, one_action, require_player

try:
    from gymnasium import spaces
    from pettingzoo import AECEnv, ParallelEnv
except ImportError as missing:
    raise MissingExtra("rl", needs="pettingzoo") from missing

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stratagem.gdl_game import GdlGame
    from stratagem.state import State

ObservedBy = dict[str, "NDArray[np.int8]"]
BEGUN_BY_RESET: Final = frozenset(
    ("agent_selection", "rewards", "_cumulative_rewards", "terminations", "truncations", "infos")
)
"""What an AEC environment has once a match has begun."""


class ZooMatch:
    """One match by action numbers, with the spaces of its agents."""

    def __init__(
        self, game: GdlGame, observation: str, reward_range: tuple[float, float], strict: bool
    ) -> None:
        if observation not in ("vector", "planes"):
            raise UsageError(f"no observation called {observation}", hint='give "vector" or "planes"')
        self.game, self.encoding = game, game.encoding
        require_player(self.encoding)
        self.agents, self.strict = list(self.encoding.players), strict
        self.reward_range, self.planes = checked_range(reward_range), observation == "planes"
        shape = self.encoding.planes.shape if self.planes else (len(self.encoding.propositions),)
        self.actions = {role: spaces.Discrete(len(self.encoding.actions[role])) for role in self.agents}
        self.observations = {
            role: spaces.Dict(
                {
                    "observation": spaces.Box(0, 1, shape, np.int8),
                    "action_mask": spaces.Box(0, 1, (len(self.encoding.actions[role]),), np.int8),
                }
            )
            for role in self.agents
        }
        self.random = np.random.default_rng()
        self.state: State = game.initial()
        self.loser: str | None = None
        self.begun = False

    def begin(self, seed: int | None) -> None:
        if seed is not None:
            self.random = np.random.default_rng(require_whole("seed", seed, least=0))
        self.state, self.loser, self.begun = self.game.initial(), None, True
        self.skip_chance()

    def space(self, spaces_of: Mapping[str, spaces.Space], agent: str) -> spaces.Space:
        """One of the spaces of *agent*."""
        if agent not in self.agents:
            raise UsageError(f"no agent {agent}", hint=f"the agents are {', '.join(self.agents)}")
        return spaces_of[agent]

    @property
    def over(self) -> bool:
        return self.loser is not None or self.state.terminal

    def choosing(self) -> list[str]:
        """The agents with a choice; in a forced state, those that move."""
        if self.over:
            return []
        found = [role for role in self.state.choosing if role != CHANCE]
        return found or [role for role in self.state.to_move if role != CHANCE]

    def skip_chance(self) -> None:
        """Make the moves of states in which chance alone moves."""
        while not self.over and not self.choosing():
            self.move({})

    def move(self, actions: Mapping[str, int]) -> None:
        """Make *actions*, the only moves of those who are left out, and those of chance."""
        given = dict(actions)
        if CHANCE in self.encoding.roles:
            given[CHANCE] = int(self.random.choice(self.encoding.legal_actions(self.state, CHANCE)))
        self.state = self.encoding.next(self.state, given)

    def play(self, actions: Mapping[str, int]) -> None:
        """The agents' *actions*; the first illegal one loses, unless it is to raise."""
        given = {role: one_action(action) for role, action in actions.items()}
        for role, action in given.items():
            legal = self.encoding.legal_actions(self.state, role)
            if action not in legal:
                if self.strict:
                    raise self.encoding.refusal(role, action, legal)
                self.loser = role
                return
        self.move(given)
        self.skip_chance()

    def seen_by(self, role: str) -> ObservedBy:
        """What an agent observes; the mask is empty once the match is over."""
        truth = self.encoding.observation(self.state)
        seen = self.encoding.planes(truth) if self.planes else truth
        return {
            "observation": seen.view(np.int8),
            "action_mask": self.encoding.mask(self.state, role).view(np.int8),
        }

    def rewards(self) -> dict[str, float]:
        """What the end of the match is worth to each agent, 0 before."""
        if self.loser is not None:
            return {role: self.reward_range[0] if role == self.loser else 0.0 for role in self.agents}
        if not self.state.terminal:
            return dict.fromkeys(self.agents, 0.0)
        return {role: self.encoding.reward(self.state.goal(role), self.reward_range) for role in self.agents}


class GameAECEnv(AECEnv):
    """A game in turn as a PettingZoo AEC environment."""

    def __init__(self, match: ZooMatch, render_mode: str | None = None) -> None:
        super().__init__()
        self.match, self.render_mode = match, render_mode
        self.metadata = {
            "name": f"{match.game.identity.name}_v0",
            "render_modes": ["ansi"],
            "is_parallelizable": False,
        }
        self.possible_agents = list(match.agents)
        self.agents = list(match.agents)

    def __getattr__(self, name: str) -> Any:
        if name in BEGUN_BY_RESET:
            raise UsageError("no match has begun", hint="call reset() first")
        raise AttributeError(f"{type(self).__name__} has no attribute {name}")

    def observation_space(self, agent: str) -> spaces.Space:
        return self.match.space(self.match.observations, agent)

    def action_space(self, agent: str) -> spaces.Space:
        return self.match.space(self.match.actions, agent)

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """A new match."""
        self.match.begin(seed)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self._whose_turn()

    def observe(self, agent: str) -> ObservedBy:
        return self.match.seen_by(agent)

    def step(self, action: int | None) -> None:
        """The action of the agent whose turn it is; None for one whose match is over."""
        agent = self.agent_selection
        if not self.agents:
            raise UsageError("the match is over", hint="reset() begins the next one")
        if self.terminations[agent] or self.truncations[agent]:
            if action is not None:
                raise UsageError(f"the match is over for {agent}", hint="its last step is step(None)")
            self._was_dead_step(action)
            return
        if action is None:
            raise UsageError(f"None is not an action of {agent}, whose match is not over")
        self._cumulative_rewards[agent] = 0.0
        self.match.play({agent: action})
        self.rewards = self.match.rewards()
        if self.match.over:
            self.terminations = dict.fromkeys(self.agents, True)
            self.agent_selection = self.agents[(self.agents.index(agent) + 1) % len(self.agents)]
        else:
            self.agent_selection = self._whose_turn()
        self._accumulate_rewards()

    def render(self) -> str:
        """The board as text."""
        return str(self.match.state)

    def close(self) -> None:
        """Nothing is held."""

    def _whose_turn(self) -> str:
        able = self.match.choosing()
        if len(able) > 1 and len(self.match.state.choosing) > 1:
            raise UnsuitableGame(
                f"{', '.join(able)} choose at the same time", hint='make the environment with kind="parallel"'
            )
        if not able:
            raise UnsuitableGame("the match is over before anybody moves", hint="the rules have no decisions")
        return able[0]


class GameParallelEnv(ParallelEnv):
    """A game with simultaneous moves as a PettingZoo parallel environment: all agents act at every step."""

    def __init__(self, match: ZooMatch, render_mode: str | None = None) -> None:
        self.match, self.render_mode = match, render_mode
        self.metadata = {"name": f"{match.game.identity.name}_v0", "render_modes": ["ansi"]}
        self.possible_agents = list(match.agents)
        self.agents = list(match.agents)

    def observation_space(self, agent: str) -> spaces.Space:
        return self.match.space(self.match.observations, agent)

    def action_space(self, agent: str) -> spaces.Space:
        return self.match.space(self.match.actions, agent)

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, ObservedBy], dict[str, dict[str, Any]]]:
        """A new match."""
        self.match.begin(seed)
        self.agents = list(self.possible_agents)
        return self._seen(), {agent: {} for agent in self.agents}

    def step(
        self, actions: Mapping[str, int]
    ) -> tuple[
        dict[str, ObservedBy], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]
    ]:
        """One action of every agent; an agent that is left out makes its only move."""
        require_type(
            actions, Mapping, "a dictionary of actions", hint=f'as in {{"{self.possible_agents[0]}": 0}}'
        )
        if not self.match.begun:
            raise UsageError("no match has begun", hint="call reset() first")
        if not self.agents:
            if actions:
                raise UsageError("the match is over", hint="reset() begins the next one")
            return {}, {}, {}, {}, {}
        self.match.play(actions)
        over = self.match.over
        results = (
            self._seen(),
            self.match.rewards(),
            dict.fromkeys(self.agents, over),
            dict.fromkeys(self.agents, False),
            {agent: dict[str, Any]() for agent in self.agents},
        )
        if over:
            self.agents = []
        return results

    def render(self) -> str:
        """The board as text."""
        return str(self.match.state)

    def close(self) -> None:
        """Nothing is held."""

    def _seen(self) -> dict[str, ObservedBy]:
        return {agent: self.match.seen_by(agent) for agent in self.agents}

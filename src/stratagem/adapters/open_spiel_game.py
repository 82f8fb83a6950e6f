"""OpenSpiel: a game as a `pyspiel.Game`, for its search, CFR, exploitability and learning.

The role ``random`` is OpenSpiel's chance player. Where it moves together with players they choose first and chance
after them, which is the same: no role sees a move of the same step.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from stratagem.adapters.turns import observe
from stratagem.errors import MissingExtra, UnsuitableGame, UsageError, require_whole
from stratagem.gdl_game import GdlGame
from stratagem.simulation.encoding import CHANCE, checked_range, require_player
from stratagem.state import State

try:
    import pyspiel
except ImportError as missing:
    raise MissingExtra("open-spiel", needs="open_spiel") from missing

if TYPE_CHECKING:
    from stratagem.simulation.encoding import Encoding


def registered_game(
    game: GdlGame, dynamics: str | None, reward_range: tuple[float, float], max_game_length: int
) -> SpielGame:
    """*game* in OpenSpiel: see `adapters.open_spiel`."""
    if dynamics not in (None, "sequential", "simultaneous"):
        raise UsageError(f"no dynamics called {dynamics}", hint='give "sequential" or "simultaneous"')
    require_player(game.encoding)
    require_whole("maximal length of a match", max_game_length, least=1)
    reward_range = low, high = checked_range(reward_range)
    seen = observe(game)
    at_once = seen.simultaneous if dynamics is None else dynamics == "simultaneous"
    encoding = game.encoding
    players, kinds = len(encoding.players), pyspiel.GameType
    middle, half = (low + high) / 2, (high - low) / 2
    total = half * next(iter(seen.sums)) + middle * players if len(seen.sums) == 1 else None
    utility = kinds.Utility.GENERAL_SUM
    if players > 1 and total is not None:
        utility = kinds.Utility.ZERO_SUM if abs(total) < 1e-6 else kinds.Utility.CONSTANT_SUM
    name = re.sub(r"\W+", "_", game.identity.name)
    chance = CHANCE in encoding.roles
    settings = (at_once, reward_range, max_game_length)
    kind = kinds(
        short_name=f"stratagem_{name}_{game.identity.rules[:8]}_{abs(hash(settings)) % 10**6}",
        long_name=f"{name}, by the rules of Stratagem",
        dynamics=kinds.Dynamics.SIMULTANEOUS if at_once else kinds.Dynamics.SEQUENTIAL,
        chance_mode=kinds.ChanceMode.EXPLICIT_STOCHASTIC if chance else kinds.ChanceMode.DETERMINISTIC,
        information=kinds.Information.PERFECT_INFORMATION,
        utility=utility,
        reward_model=kinds.RewardModel.TERMINAL,
        max_num_players=players,
        min_num_players=players,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={},
    )
    info = pyspiel.GameInfo(
        num_distinct_actions=max(len(encoding.actions[role]) for role in encoding.players),
        max_chance_outcomes=len(encoding.actions[CHANCE]) if chance else 0,
        num_players=players,
        min_utility=float(low),
        max_utility=float(high),
        utility_sum=total if utility != kinds.Utility.GENERAL_SUM else None,
        max_game_length=int(max_game_length),
    )

    class RegisteredGame(SpielGame):
        """The class that OpenSpiel's registry makes this one game from."""

        def __init__(self, params: dict[str, Any] | None = None) -> None:
            super().__init__(game, kind, info, at_once, reward_range, params)

    if kind.short_name not in pyspiel.registered_names():
        pyspiel.register_game(kind, RegisteredGame)
    return RegisteredGame()


class SpielGame(pyspiel.Game):
    """A game of ours in OpenSpiel."""

    def __init__(
        self,
        rules: GdlGame,
        kind: Any,
        info: Any,
        at_once: bool,
        reward_range: tuple[float, float],
        params: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(kind, info, params or {})
        self.rules, self.encoding = rules, rules.encoding
        self.at_once, self.reward_range = at_once, reward_range

    def new_initial_state(self, state: object = None) -> SpielState:
        if state is not None:
            raise UsageError(
                "a state of this game is made by its actions", hint="apply them to the initial state"
            )
        return SpielState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> SpielObserver:
        if params:
            raise UsageError(f"observers of this game take no parameters; got {params}")
        return SpielObserver(self.encoding, recall=iig_obs_type is not None and iig_obs_type.perfect_recall)


class SpielState(pyspiel.State):
    """A node: a state of the game, and the players' actions where chance has yet to move."""

    def __init__(self, game: SpielGame) -> None:
        super().__init__(game)
        self.state: State = game.rules.initial()
        self.pending: dict[str, int] | None = None
        self.steps_left: int = game.max_game_length()

    @property
    def _encoding(self) -> Encoding:
        return self.state.game.encoding

    def current_player(self) -> int:
        """The player to move, chance, all at once, or none."""
        if self.is_terminal():
            return int(pyspiel.PlayerId.TERMINAL)
        if self.pending is not None:
            return int(pyspiel.PlayerId.CHANCE)
        encoding = self._encoding
        able = [role for role in self.state.choosing if role != CHANCE]
        if self.get_game().at_once and able:
            return int(pyspiel.PlayerId.SIMULTANEOUS)
        if len(able) > 1:
            raise UnsuitableGame(
                f"{', '.join(able)} choose at the same time",
                hint='make the game with dynamics="simultaneous"',
            )
        if not able:
            if CHANCE in self.state.choosing:
                return int(pyspiel.PlayerId.CHANCE)
            able = [role for role in self.state.to_move if role != CHANCE] or list(encoding.players)
        return encoding.players.index(able[0])

    def _legal_actions(self, player: int) -> list[int]:
        if self.is_terminal():
            return []
        return self._encoding.legal_actions(self.state, self._encoding.players[player])

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """What chance may do: everything that is legal for it is equally likely."""
        legal = self._encoding.legal_actions(self.state, CHANCE)
        return [(action, 1 / len(legal)) for action in legal]

    def _apply_action(self, action: int) -> None:
        player = self.current_player()
        if player == int(pyspiel.PlayerId.CHANCE):
            self._go_on({**(self.pending or {}), CHANCE: action})
        else:
            self._choose({self._encoding.players[player]: action})

    def _apply_actions(self, actions: Sequence[int]) -> None:
        players = self._encoding.players
        if len(actions) != len(players):
            raise UsageError(
                f"one action for each of {', '.join(players)} is needed; there are {len(actions)}"
            )
        self._choose(dict(zip(players, actions, strict=True)))

    def _choose(self, actions: dict[str, int]) -> None:
        """The players' actions: chance is waited for where it has a choice."""
        for role, action in actions.items():
            legal = self._encoding.legal_actions(self.state, role)
            if action not in legal:
                raise self._encoding.refusal(role, action, legal)
        if CHANCE in self.state.choosing:
            self.pending = actions
        else:
            self._go_on(actions)

    def _go_on(self, actions: dict[str, int]) -> None:
        self.state, self.pending = self._encoding.next(self.state, actions), None
        self.steps_left -= 1

    def _action_to_string(self, player: int, action: int) -> str:
        role = CHANCE if player == int(pyspiel.PlayerId.CHANCE) else self._encoding.players[player]
        return str(self._encoding.action_to_move(role, action))

    def is_terminal(self) -> bool:
        """Whether the match is over, or as long as it may be."""
        return self.state.terminal or self.steps_left == 0

    def returns(self) -> list[float]:
        """What each player gets, 0 before the end."""
        encoding = self._encoding
        if not self.is_terminal():
            return [0.0] * len(encoding.players)
        span = self.get_game().reward_range
        return [encoding.reward(self.state.goal(role), span) for role in encoding.players]

    def __str__(self) -> str:
        told = "" if self.pending is None else f" {self.pending}"
        return f"{self.state!r}{told}"


class SpielObserver:
    """The propositions as a tensor, and the facts, or with *recall* the moves so far, as text."""

    def __init__(self, encoding: Encoding, *, recall: bool) -> None:
        self._encoding, self._recall = encoding, recall
        self.tensor = np.zeros(len(encoding.propositions), np.float32)
        self.dict = {"observation": self.tensor}

    def set_from(self, state: SpielState, player: int) -> None:
        self.tensor[:] = self._encoding.observation(state.state)

    def string_from(self, state: SpielState, player: int) -> str:
        """Every player sees everything, except what others have chosen in the same step."""
        return state.history_str() if self._recall else repr(state.state)

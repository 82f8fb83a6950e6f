"""One role among opponents: the matches of a batch as a single learner meets them.

The learner is asked where its role has a choice, and nowhere else: moves that leave it none, and those of the
opponents, are made in between.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import numpy as np

from stratagem.errors import UnsuitableGame, UsageError
from stratagem.gdl_game import require_rules
from stratagem.simulation.batch import LONGEST_WAIT, Batch
from stratagem.simulation.encoding import CHANCE, require_player, whole_numbers

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stratagem.gdl_game import GdlGame

Policy: TypeAlias = "Callable[[Batch, str, int], NDArray[np.int_]]"
"""A function of a batch, a role and a seed that returns an action of the role for every match [n]."""
Opponent: TypeAlias = "Literal['random', 'greedy'] | Policy"
Illegal: TypeAlias = Literal["lose", "raise"]
NAMED: Final = ("random", "greedy")
BEGINNINGS: Final = 100
"""Matches in a row that may end before the role has a choice."""


class OneRole:
    """*n* matches in which *role* is played by the caller of `step`, and the others by *opponents*."""

    def __init__(
        self,
        game: GdlGame,
        role: str | None,
        opponents: Opponent | Mapping[str, Opponent],
        n: int,
        *,
        reward_range: tuple[float, float],
        illegal: Illegal,
        threads: int | None = None,
    ) -> None:
        require_rules(game, by="an environment")
        encoding = game.encoding
        require_player(encoding)
        if role is None:
            role = encoding.players[0]
        self.role, self.number = encoding.roles[encoding.number(role)], encoding.number(role)
        if self.role == CHANCE:
            raise UsageError(
                "the role random is moved by chance", hint=f"play one of {', '.join(encoding.players)}"
            )
        if illegal not in ("lose", "raise"):
            raise UsageError(f"illegal={illegal!r} is not known", hint='give "lose" or "raise"')
        self.illegal = illegal
        self.opponents = self._policies(game, opponents)
        self.all_random = all(policy == "random" for policy in self.opponents.values())
        self.batch = Batch(game, n, threads=threads, reward_range=reward_range)
        self._others = [encoding.number(other) for other in self.opponents]
        self._lost = np.zeros(n, np.bool_)
        self._random = np.random.default_rng(0)

    def _policies(self, game: GdlGame, opponents: Opponent | Mapping[str, Opponent]) -> dict[str, Opponent]:
        """The opponent of every other role; chance is chance."""
        if isinstance(opponents, Mapping):
            given = {game.roles[game.number(role)]: policy for role, policy in opponents.items()}
            if given.get(CHANCE, "random") != "random":
                raise UsageError("the role random is moved by chance", hint="leave it out of the opponents")
        else:
            given = dict.fromkeys(game.roles, opponents)
        found: dict[str, Opponent] = {}
        for role in game.roles:
            if role != self.role:
                policy: Opponent = "random" if role == CHANCE else given.get(role, "random")
                if not callable(policy) and policy not in NAMED:
                    raise UsageError(
                        f"no opponent called {policy}",
                        hint=f"choose {' or '.join(NAMED)}, or give a function",
                    )
                found[role] = policy
        return found

    def seed(self, seed: int | list[int]) -> None:
        """Let all that is random depend on *seed*."""
        self._random = np.random.default_rng(seed)

    def reset(self, which: NDArray[np.bool_] | None = None) -> None:
        """Begin matches anew and go on to where the role has a choice."""
        chosen = np.ones(len(self.batch), np.bool_) if which is None else which
        self._lost &= ~chosen
        for _ in range(BEGINNINGS):
            self.batch.reset(chosen)
            self._let_others_move()
            chosen = chosen & self.batch.terminated
            if not chosen.any():
                return
        raise UnsuitableGame(
            f"{self.role} had no choice in {BEGINNINGS} matches",
            hint="let the environment be of another role",
        )

    def step(self, actions: NDArray[np.int32], which: NDArray[np.bool_] | None = None) -> NDArray[np.float32]:
        """Make the role's *actions* [n] and let the others move; what that earned the role [n]."""
        batch = self.batch
        mine = batch.choosing(self.role)
        if which is not None:
            mine &= which
        mine &= ~self._lost
        joint = self._joint(mine)
        joint[:, self.number] = actions
        batch.step(joint, where=mine, illegal="raise" if self.illegal == "raise" else "refuse")
        lost = batch.refused
        self._lost |= lost
        earned = self._let_others_move()
        earned[lost] = batch.reward_range[0]
        return earned

    @property
    def terminated(self) -> NDArray[np.bool_]:
        """Which matches are over, by the rules or by an illegal action [n]."""
        return self.batch.terminated | self._lost

    @property
    def lost(self) -> NDArray[np.bool_]:
        """Which matches an illegal action has ended [n]."""
        return self._lost.copy()

    def masks(self) -> NDArray[np.bool_]:
        """The legal actions of the role [n, actions]."""
        return self.batch.legal(self.role)

    def _draw(self) -> int:
        return int(self._random.integers(1 << 63))

    def _joint(self, where: NDArray[np.bool_]) -> NDArray[np.int32]:
        """What the opponents do where they have a choice; elsewhere their only move, -1."""
        batch = self.batch
        joint = np.full((len(batch), len(batch.roles)), -1, np.int32)
        chance: NDArray[np.int32] | None = None
        greedy: NDArray[np.int32] | None = None
        for (role, policy), number in zip(self.opponents.items(), self._others, strict=True):
            asked = batch.choosing(role) & where
            if not asked.any():
                continue
            if callable(policy):
                own = whole_numbers(policy(batch, role, self._draw()))
                if own.shape != (len(batch),):
                    raise UsageError(
                        f"the opponent of {role} gave actions of shape {own.shape}",
                        hint=f"it must give one for each of {len(batch)} matches",
                    )
            elif policy == "greedy":
                greedy = batch.greedy_actions(self._draw()) if greedy is None else greedy
                own = greedy[:, number]
            else:
                chance = batch.random_actions(self._draw()) if chance is None else chance
                own = chance[:, number]
            joint[:, number] = np.where(asked, own, -1)
        return joint

    def _let_others_move(self) -> NDArray[np.float32]:
        """Let the others move until the role has a choice or the match is over; what all since the last step earned."""
        batch = self.batch
        if self.all_random:
            batch.advance_to_choice(self.role, self._draw())
            return np.ascontiguousarray(batch.rewards[:, self.number])
        earned = np.ascontiguousarray(batch.rewards[:, self.number])
        for _ in range(LONGEST_WAIT):
            waiting = ~(batch.terminated | batch.choosing(self.role) | self._lost)
            if not waiting.any():
                return earned
            batch.step(self._joint(waiting), where=waiting)
            earned += batch.rewards[:, self.number]
        raise UnsuitableGame(
            f"{self.role} had no choice in {LONGEST_WAIT:,} moves, and a match did not end",
            hint="GDL's matches must end: `stratagem judge` looks for such rules",
        )

"""Many matches of one game at once, as arrays: what reinforcement learning and statistics ask for.

>>> from stratagem.loading import load
>>> batch = load("tictactoe").batch(3)
>>> batch.legal("xplayer").sum(axis=1)
array([9, 9, 9])
>>> batch.step({"xplayer": [1, 5, 9]})          # oplayer has one move, noop: it is filled in
>>> batch.state(1).legals("oplayer")[:2]
((mark 1 1), (mark 1 2))
>>> for ply in range(8):
...     batch.step_random(seed=ply)
>>> batch.terminated, batch.rewards.shape
(array([ True,  True,  True]), (3, 2))
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final, Literal, SupportsIndex

import numpy as np

from stratagem.errors import (
    IllegalMove,
    LimitExceeded,
    UnsuitableGame,
    UsageError,
    require_type,
    require_whole,
)
from stratagem.simulation.encoding import as_array

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from stratagem.gdl_game import GdlGame
    from stratagem.native.device_batch import DeviceBatch
    from stratagem.simulation.encoding import Encoding
    from stratagem.state import State

LONGEST_WAIT: Final = 10_000
"""Moves after which a role that never has a choice is given up."""
LOOKED_AHEAD: Final = 4096
"""Matches whose children are made at a time."""


class Batch:
    """*n* matches of *game*, all at the start. A batch is mutable: its methods change it.

    Actions are numbered as in ``game.encoding``. Results depend on the seed alone, not on threads or the device. With *device*
    ``"cuda"`` arrays are `DeviceArray`s on the first GPU, and those of other libraries on it are taken as they are.
    """

    def __init__(
        self,
        game: GdlGame,
        n: int,
        *,
        device: str = "cpu",
        threads: int | None = None,
        reward_range: tuple[float, float] = (-1.0, 1.0),
    ) -> None:
        self.game, self.device, self.reward_range = game, device, reward_range
        self.encoding: Encoding = game.encoding
        self._worth = self.encoding.worth(reward_range)
        self._numbers = {role: number for number, role in enumerate(self.encoding.roles)}
        require_type(device, str, "the name of a device", hint='choose "cpu" or "cuda"')
        try:
            self._lanes: DeviceBatch = game.compiled.batch(n, threads=threads, device=device)
        except (MemoryError, ValueError) as failure:  # numpy's, of an array that is too large
            raise LimitExceeded(
                f"{n:,} matches of {game.identity.name} do not fit into memory", hint="make fewer"
            ) from failure

    def __len__(self) -> int:
        return self._lanes.count

    def __repr__(self) -> str:
        return f"<batch of {len(self):,} matches of {self.game.identity.name} ({self.device})>"

    def __reduce__(self) -> tuple[object, ...]:
        states = np.asarray(self.states)
        return restore, (self.game, self.device, self._lanes.threads, self.reward_range, states)

    @property
    def roles(self) -> tuple[str, ...]:
        return self.encoding.roles

    # looking

    @property
    def terminated(self) -> NDArray[np.bool_]:
        """Which matches are over [n]."""
        return self._lanes.terminated()

    @property
    def rewards(self) -> NDArray[np.float32]:
        """The rewards of the last step [n, roles]: a role's goal, mapped to the reward range, where the match ended; else 0."""
        return self._lanes.rewards(self._worth)

    @property
    def goals(self) -> NDArray[np.int16]:
        """The goals of the states [n, roles]; -1 where the rules give none, or several."""
        return self._lanes.goals()

    @property
    def refused(self) -> NDArray[np.bool_]:
        """In which matches the last step refused an action [n]."""
        return self._lanes.refused()

    def legal(self, role: str) -> NDArray[np.bool_]:
        """The mask of the legal actions of *role* [n, actions]."""
        return self._lanes.legal(self.encoding.number(role))

    @property
    def masks(self) -> dict[str, NDArray[np.bool_]]:
        """The masks of all roles."""
        return {role: self.legal(role) for role in self.roles}

    def choosing(self, role: str) -> NDArray[np.bool_]:
        """The matches that are not over and in which *role* has more than one legal action [n]."""
        return self._lanes.choices(self.encoding.number(role))

    def observations(self, out: NDArray[np.bool_] | None = None) -> NDArray[np.bool_]:
        """The propositions that hold [n, propositions], written to *out* where that is given."""
        shape = (len(self), len(self.encoding.propositions))
        plain = not isinstance(out, np.ndarray) or (out.dtype == np.bool_ and out.flags.carray)
        if out is not None and (tuple(getattr(out, "shape", ())) != shape or not plain):
            raise UsageError(f"observations are written to a writeable, contiguous array of bools {shape}")
        return self._lanes.observations(out)

    def planes(self) -> NDArray[np.bool_]:
        """The boards [n, channels, rows, columns]; ``game.encoding.planes`` names the channels."""
        return self._lanes.gathered(self.encoding.planes.index)

    @property
    def states(self) -> NDArray[np.uint64]:
        """The packed states [n, words], as ``State.packed`` and ``game.compiled`` have them."""
        return self._lanes.states()

    def state(self, lane: int) -> State:
        """The state of one match."""
        return self.game.state_from_packed(self.states[self._lane(lane)])

    # going on

    def step(
        self,
        actions: Mapping[str, ArrayLike] | ArrayLike,
        *,
        where: ArrayLike | None = None,
        illegal: Literal["raise", "refuse"] = "raise",
    ) -> None:
        """Make one action of every role in all matches that are not over, or in those of them *where* it is true.

        *actions*: an array [n, roles], or a mapping from roles to arrays [n]. -1 is the only legal action of a
        role, and so is a role that the mapping leaves out. An illegal action raises `IllegalMove` before anything
        has changed; with *illegal* = ``"refuse"`` its match stays as it is and is marked in `refused`.
        """
        if illegal not in ("raise", "refuse"):
            raise UsageError(f"illegal={illegal!r} is not known", hint='give "raise" or "refuse"')
        given = self._lanes.joint(actions, self._numbers)
        if given is None:
            given = self.encoding.joint(actions, len(self))
        wrong = self._lanes.step(given, self._flags(where, "where"), strict=illegal == "raise")
        if wrong >= 0 and illegal == "raise":
            raise self._illegal(wrong, given[wrong])

    def random_actions(self, seed: int) -> NDArray[np.int32]:
        """For every match and role a uniformly random legal action [n, roles]; -1 where there is none."""
        return self._lanes.random_actions(require_whole("seed", seed))

    def step_random(self, seed: int) -> None:
        """One uniformly random legal joint move in every match that is not over, the same for the same seed."""
        self._lanes.step_random(require_whole("seed", seed))

    def greedy_actions(
        self, seed: int = 0, scores: Mapping[str, NDArray[Any]] | None = None
    ) -> NDArray[np.int32]:
        """For every match and role the best legal action [n, roles]; -1 where there is none.

        With *scores* ({role: [n, actions]}) the one with the highest score, where -inf is no score; without any a
        role moves at random.
        Without, one ply is looked ahead: an action is worth the mean goal of what it leads to, where what is not
        over counts 50; ties fall by the seed.
        """
        actions = np.asarray(self.random_actions(seed))
        if scores is None:
            self._look_ahead(actions, require_whole("seed", seed))
            return actions
        require_type(scores, Mapping, "a mapping from roles to scores", hint='as in {"red": array}')
        for role, own in scores.items():
            mask = np.asarray(self.legal(role))
            scored = np.where(mask, _scores(own, role, mask.shape), -np.inf)
            if np.isnan(scored).any():
                raise UsageError(f"the score of a legal action of {role} is no number (NaN)")
            number = self.encoding.number(role)
            choosable = (actions[:, number] >= 0) & (scored > -np.inf).any(axis=1)
            actions[:, number] = np.where(choosable, scored.argmax(axis=1), actions[:, number])
        return actions

    def step_greedy(self, seed: int = 0, scores: Mapping[str, NDArray[Any]] | None = None) -> None:
        """One joint move of `greedy_actions` in every match that is not over."""
        actions = self.greedy_actions(seed, scores)
        self.step(actions, where=(actions >= 0).all(axis=1))

    def advance_to_choice(self, role: str, seed: int) -> None:
        """Random moves in the matches in which *role* has no choice, until it has one or the match is over.

        `rewards` are then those of all moves since the last step.
        """
        stuck = self._lanes.advance_to_choice(
            self.encoding.number(role), require_whole("seed", seed), LONGEST_WAIT
        )
        if stuck >= 0:
            raise UnsuitableGame(
                f"{role} had no choice in {LONGEST_WAIT:,} moves, and a match did not end",
                hint="GDL's matches must end: `stratagem judge` looks for such rules",
            )

    def reset(self, which: ArrayLike | None = None) -> None:
        """Begin all matches anew, or those *which* (one bool for each)."""
        self._lanes.reset(self._flags(which, "which"))

    def reset_finished(self) -> NDArray[np.bool_]:
        """Begin anew the matches that are over; which they were [n]."""
        over = self.terminated
        self._lanes.reset(over)
        return over

    def set_states(self, states: NDArray[np.uint64] | Iterable[State]) -> None:
        """Replace the states of the matches: packed [n, words], or one `State` for each match."""
        if hasattr(states, "__array__"):
            states = np.asarray(states)
        else:
            require_type(states, Iterable, "a list of states, or an array")
            listed = [self.game.pack(state) for state in states]
            states = np.array(listed, np.uint64).reshape(len(listed), self.game.compiled.words)
        packed = self.game.compiled.checked(states)
        if len(packed) != len(self):
            raise UsageError(f"{len(self)} states are needed, one for each match; got {len(packed)}")
        self._lanes.load(packed)

    # others like this one

    def copy(self) -> Batch:
        """An independent copy of these matches."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other._lanes = self._lanes.copy()
        return other

    def select(self, which: ArrayLike) -> Batch:
        """A batch of the matches *which*: indices, which may repeat, or one bool for each match."""
        chosen = as_array(which, "the chosen matches")
        if chosen.dtype.kind not in "iub" and chosen.size:
            raise UsageError(f"matches are chosen by numbers or by truth values, not by {chosen.dtype}")
        if chosen.ndim != 1 or (chosen.dtype == np.bool_ and len(chosen) != len(self)):
            raise UsageError(
                f"matches are chosen by a row of numbers, or by one bool for each of {len(self)}, not by {chosen.shape}"
            )
        if chosen.dtype.kind in "iu" and ((chosen < 0) | (chosen >= len(self))).any():
            raise UsageError(f"there is no such match; the matches are 0 to {len(self) - 1}")
        states = np.asarray(self.states)[chosen if chosen.size else chosen.astype(np.int64)]
        return restore(self.game, self.device, self._lanes.threads, self.reward_range, states)

    # what the others use

    def _lane(self, lane: int) -> int:
        if isinstance(lane, bool) or not isinstance(lane, SupportsIndex) or not 0 <= lane < len(self):
            raise UsageError(f"there is no match {lane!r}", hint=f"the matches are 0 to {len(self) - 1}")
        return int(lane)

    def _flags(self, flags: ArrayLike | None, name: str) -> Any:
        """Flags for every match as the device takes them, or None for all."""
        if flags is None or (self.device != "cpu" and hasattr(flags, "__dlpack_device__")):
            return flags
        chosen = np.ascontiguousarray(as_array(flags, f"*{name}*"))
        if chosen.shape != (len(self),) or chosen.dtype != np.bool_:
            raise UsageError(f"*{name}* is one bool for each of {len(self)} matches")
        return chosen

    def _look_ahead(self, actions: NDArray[np.int32], seed: int) -> None:
        """Put in the place of random *actions* those that are best one ply ahead."""
        playing = np.flatnonzero((actions >= 0).all(axis=1))
        states = np.asarray(self.states)
        for first in range(0, len(playing), LOOKED_AHEAD):
            lanes = playing[first : first + LOOKED_AHEAD]
            children = self.game.compiled.expand(states[lanes])
            for number, moves in enumerate(self.encoding.actions.values()):
                goals = np.where(children.terminal, np.maximum(children.goals[:, number], 0), 50)
                place = children.parents.astype(np.int64) * len(moves) + children.moves[:, number]
                size = len(lanes) * len(moves)
                count = np.bincount(place, minlength=size)
                mean = np.bincount(place, goals, minlength=size) / np.maximum(count, 1)
                # Below any difference between means of whole goals: only ties fall by it.
                noise = np.random.default_rng((seed & 0xFFFF_FFFF_FFFF_FFFF, number, first)).random(size)
                values = np.where(count > 0, mean + 1e-6 * noise, -1.0).reshape(len(lanes), len(moves))
                actions[lanes, number] = values.argmax(axis=1)

    def _illegal(self, lane: int, actions: NDArray[np.int32]) -> IllegalMove:
        """The refusal of *actions* in *lane*: whose action it is that is not legal, and what is."""
        there = self.select([lane])
        for role, action in zip(self.roles, actions.tolist(), strict=True):
            legal = np.flatnonzero(there.legal(role)[0]).tolist()
            if action not in legal and not (action == -1 and len(legal) == 1):
                return self.encoding.refusal(role, action, legal, match=lane)
        return IllegalMove(f"match {lane}: these actions are not legal together")


def _scores(own: ArrayLike, role: str, shape: tuple[int, ...]) -> NDArray[np.float64]:
    """The scores of a role as numbers."""
    try:
        given = np.asarray(own, np.float64)
    except (TypeError, ValueError):
        raise UsageError(f"the scores of {role} are an array of numbers {shape}") from None
    if given.shape != shape:
        raise UsageError(f"the scores of {role} are an array of {shape}, not {given.shape}")
    return given


def restore(
    game: GdlGame,
    device: str,
    threads: int,
    reward_range: tuple[float, float],
    states: NDArray[np.uint64],
) -> Batch:
    """A batch at *states*: what unpickling calls."""
    batch = Batch(game, len(states), device=device, threads=threads, reward_range=reward_range)
    batch.set_states(states)
    return batch

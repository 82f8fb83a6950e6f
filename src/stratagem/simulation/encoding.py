"""How a game is written as numbers: actions, observations, planes and rewards. The same everywhere, and stable.

*Actions* of a role are the moves that could ever be legal for it, counted from 0 in canonical order: numbers by
value, then words, then compound terms by name, number of arguments and arguments. *Propositions* are the facts
that may change, in the same order. *Planes* lie over the board that the rules suggest; a fact without a place
fills a plane of its own.

>>> from stratagem.loading import load
>>> encoding = load("tictactoe").encoding
>>> encoding.actions["xplayer"][:3], encoding.action_to_move("xplayer", 5)
(('noop', (mark 1 1), (mark 1 2)), (mark 2 2))
>>> encoding.move_to_action("xplayer", "(mark 2 2)")
5
>>> encoding.planes.shape, encoding.planes.channels[:2]
((5, 3, 3), ('cell b', 'cell o'))
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Real
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from stratagem.errors import IllegalMove, UnsuitableGame, UsageError, require_type, require_whole
from stratagem.gdl.terms import Term, functor
from stratagem.native.packing import truth_of
from stratagem.state import require_state

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from stratagem.gdl_game import GdlGame
    from stratagem.state import State

CHANCE: Final = "random"
"""The role that GDL lets move at random."""
HIGHEST_GOAL: Final = 100
LARGEST_REWARD: Final = float(np.finfo(np.float32).max)
"""Rewards are of this type."""
SHOWN: Final = 8
"""Legal actions that a refusal names."""


@dataclass(frozen=True, slots=True, eq=False)
class Planes:
    """Where each proposition stands: *index* [channels, rows, columns] holds its number, or -1 for a cell that is never set."""

    channels: tuple[str, ...]
    """What each plane shows: the name of the board and the content of a cell, or a fact."""
    index: NDArray[np.int32]

    @property
    def shape(self) -> tuple[int, int, int]:
        """Channels, rows and columns."""
        channels, rows, columns = self.index.shape
        return channels, rows, columns

    def __call__(self, observations: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """The planes [..., channels, rows, columns] of observations [..., propositions]."""
        given, count = as_array(observations, "observations"), int(self.index.max(initial=-1)) + 1
        if given.shape[-1:] != (count,):
            raise UsageError(f"an observation has {count} propositions; these are an array of {given.shape}")
        padded = np.zeros((*given.shape[:-1], count + 1), np.bool_)
        padded[..., :-1] = given
        return padded[..., self.index]


class Encoding:
    """The encodings of one game. Rules that cannot be compiled have none: their moves cannot be listed."""

    def __init__(self, game: GdlGame) -> None:
        self._game = game
        circuit = game.circuit
        if not circuit.goals_fit:
            raise UnsuitableGame("a goal value does not fit into 16 bits", hint="GDL's goals are 0 to 100")
        self.roles: tuple[str, ...] = circuit.roles
        self.players: tuple[str, ...] = tuple(role for role in circuit.roles if role != CHANCE)
        """The roles that somebody plays: all but ``random``."""
        self.actions: Mapping[str, tuple[Term, ...]] = dict(zip(circuit.roles, circuit.moves, strict=True))
        """For each role its moves; an action is an index into them."""
        self.propositions: tuple[Term, ...] = circuit.bases
        """What an observation has one truth value for; facts that always hold are left out."""
        self._numbers = {
            role: {move: number for number, move in enumerate(moves)} for role, moves in self.actions.items()
        }

    def __repr__(self) -> str:
        actions = ", ".join(f"{role} {len(moves)}" for role, moves in self.actions.items())
        return f"<encoding of {self._game.identity.name}: actions {actions}; {len(self.propositions)} propositions>"

    def action_to_move(self, role: str, action: int) -> Term:
        """The move that *action* stands for."""
        moves = self.actions[self._role(role)]
        require_whole("action", action)
        if not 0 <= action < len(moves):
            raise UsageError(f"{role} has no action {action}", hint=f"its actions are 0 to {len(moves) - 1}")
        return moves[action]

    def move_to_action(self, role: str, move: Term | str) -> int:
        """The action of a move, which may be text."""
        term = self._game.move(move)
        action = self._numbers[self._role(role)].get(term)
        if action is None:
            raise IllegalMove(f"{term} is never a legal move of {role}")
        return action

    def legal_actions(self, state: State, role: str) -> list[int]:
        """What *role* may do in *state*, ascending; nothing once the match is over."""
        require_state(self._game, state)
        if state.terminal:
            return []
        numbers = self._numbers[self._role(role)]
        return sorted(numbers[move] for move in state.legals(role))

    def mask(self, state: State, role: str) -> NDArray[np.bool_]:
        """The legal actions of *role* in *state* [actions]."""
        mask = np.zeros(len(self.actions[self._role(role)]), np.bool_)
        mask[self.legal_actions(state, role)] = True
        return mask

    def observation(self, state: State) -> NDArray[np.bool_]:
        """The propositions that hold in *state* [propositions]."""
        return truth_of(self._game.pack(state), len(self.propositions)).copy()

    def next(self, state: State, actions: Mapping[str, int]) -> State:
        """The state after *actions*; a role that is left out, or given -1, makes its only move."""
        require_type(actions, Mapping, "a mapping from roles to actions", hint='as in {"red": 4}')
        given = {self._role(role): one_action(action) for role, action in actions.items()}
        joint = []
        for role in self.roles:
            legal = self.legal_actions(state, role)
            action = given.get(role, -1)
            if action == -1 and len(legal) == 1:
                action = legal[0]
            if action not in legal:
                raise self.refusal(role, action if role in given else None, legal)
            joint.append(self.actions[role][action])
        return self._game.next(state, tuple(joint))

    def refusal(
        self, role: str, action: int | None, legal: Sequence[int], *, match: int | None = None
    ) -> IllegalMove:
        """Why *action* of *role* is refused where *legal* are its legal ones; None is no action at all."""
        moves = self.actions[role]
        if not legal:
            what = f"{role} has no legal action here"
        elif action is None:
            what = f"{role} has {len(legal)} legal actions and was given none"
        elif action == -1:
            what = f"-1 stands for an only move, but {role} has {len(legal)}"
        else:
            move = f" {moves[action]}" if 0 <= action < len(moves) else ""
            what = f"action {action}{move} is not legal for {role}"
        shown = ", ".join(f"{number} {moves[number]}" for number in legal[:SHOWN])
        more = ", ..." if len(legal) > SHOWN else ""
        return IllegalMove(
            what if match is None else f"match {match}: {what}",
            hint=f"legal: {shown}{more}" if legal else "the match is over, or the rules leave it no move",
        )

    def worth(self, reward_range: tuple[float, float]) -> NDArray[np.float32]:
        """The reward of every goal value, role by role in the order of ``circuit.goals``, then that of no goal.

        Goals 0 to 100 go to the two ends of *reward_range*; where a sheet has a larger goal, that takes the place
        of 100.
        """
        low, high = checked_range(reward_range)
        values = [value for goals in self._game.circuit.goals for value, _ in goals]
        most = max([HIGHEST_GOAL, *values])
        return np.array([low + (high - low) * value / most for value in [*values, 0]], np.float32)

    def reward(self, goal: int | None, reward_range: tuple[float, float] = (-1.0, 1.0)) -> float:
        """The reward of one *goal*; None, no goal, counts as 0.

        >>> from stratagem.loading import load
        >>> encoding = load("tictactoe").encoding
        >>> [encoding.reward(goal) for goal in (0, 50, 100, None)], encoding.reward(50, (0, 1))
        ([-1.0, 0.0, 1.0, -1.0], 0.5)
        """
        low, high = checked_range(reward_range)
        values = [value for goals in self._game.circuit.goals for value, _ in goals]
        return low + (high - low) * (goal or 0) / max([HIGHEST_GOAL, *values])

    @cached_property
    def planes(self) -> Planes:
        """The board as planes; `UnsuitableGame` where the rules suggest no board."""
        from stratagem.show.board.infer import model_of

        boards = model_of(self._game).boards
        if not boards:
            raise UnsuitableGame(
                f"the rules of {self._game.identity.name} suggest no board",
                hint="use the observations as a vector",
            )
        rows = 1 + max(spot.row for board in boards for spot in board.spots.values())
        columns = 1 + max(spot.column for board in boards for spot in board.spots.values())
        layers = {layer.key: (board, layer) for board in boards for layer in board.layers}
        planes: dict[str, NDArray[np.int32]] = {}
        rest: dict[str, NDArray[np.int32]] = {}
        for number, fact in enumerate(self.propositions):
            board, layer = layers.get(functor(fact), (None, None))
            if board is not None and layer is not None:
                cell, content = layer.read(fact)
                spot = board.spots.get(cell)
                if spot is not None:
                    where = f" on {board.planes[spot.plane]}" if len(board.planes) > 1 else ""
                    name = " ".join(dict.fromkeys([layer.key[0], content])) + where
                    plane = planes.setdefault(name, np.full((rows, columns), -1, np.int32))
                    if plane[spot.row, spot.column] < 0:
                        plane[spot.row, spot.column] = number
                        continue
            rest[str(fact)] = np.full((rows, columns), number, np.int32)
        named = {name: planes[name] for name in sorted(planes)} | rest
        index = np.stack(list(named.values())) if named else np.empty((0, rows, columns), np.int32)
        return Planes(tuple(named), index)

    def joint(self, actions: Mapping[str, ArrayLike] | ArrayLike, n: int) -> NDArray[np.int32]:
        """Actions as an array [n, roles]: given as one, as a mapping from roles, or [n] where there is one role.

        A role that the mapping leaves out makes its only move (-1).
        """
        if isinstance(actions, Mapping):
            joint = np.full((n, len(self.roles)), -1, np.int32)
            for role, several in actions.items():
                own = whole_numbers(several)
                if own.shape != (n,):
                    raise UsageError(f"the actions of {role} are {n} indices, not {own.shape}")
                joint[:, self.number(role)] = own
            return joint
        given = whole_numbers(actions)
        if given.shape == (n,) and len(self.roles) == 1:
            given = given[:, None]
        if given.shape != (n, len(self.roles)):
            raise UsageError(f"actions are an array of {n} by {len(self.roles)} indices, not {given.shape}")
        return given

    def number(self, role: str) -> int:
        """The place of *role* among the roles."""
        return self.roles.index(self._role(role))

    def _role(self, role: str) -> str:
        return self.roles[self._game.number(role)]


def require_player(encoding: Encoding) -> None:
    """Refuses a game that nobody plays."""
    if not encoding.players:
        raise UnsuitableGame(
            "nobody plays this game: its only role is random", hint="an environment needs a player"
        )


def checked_range(reward_range: tuple[float, float]) -> tuple[float, float]:
    """The two ends of a range of rewards."""
    if not isinstance(reward_range, Sequence) or len(reward_range) != 2:
        raise UsageError(f"{reward_range!r} is no range of rewards", hint="give (0, 1) or (-1, 1)")
    low, high = reward_range
    numbers = isinstance(low, Real) and isinstance(high, Real)
    if not numbers or not low < high or max(abs(low), abs(high)) > LARGEST_REWARD:
        raise UsageError(f"rewards from {low} to {high} are no range", hint="give (0, 1) or (-1, 1)")
    return low, high


def as_array(values: Any, what: str) -> NDArray[Any]:
    """*values* as numpy's array; rows of different lengths are none."""
    try:
        return np.asarray(values)
    except ValueError:
        raise UsageError(f"{what} are an array; rows of different lengths are none") from None


def one_action(action: ArrayLike) -> int:
    """A single action, which may be an array of one."""
    given = whole_numbers(action)
    if given.size != 1:
        raise UsageError(f"one action is needed; this is an array of {given.shape}")
    return int(given.flat[0])


def whole_numbers(values: ArrayLike) -> NDArray[np.int32]:
    """Actions as int32; a fraction is refused, never cut, and what is too large stays too large."""
    given = as_array(values, "actions")
    if given.dtype.kind not in "iu":
        raise UsageError(f"actions are whole numbers, not {given.dtype}")
    if not np.can_cast(given.dtype, np.int32):
        most = np.iinfo(np.int32)
        given = given.clip(max(most.min, np.iinfo(given.dtype).min), most.max)
    return np.ascontiguousarray(given, np.int32)

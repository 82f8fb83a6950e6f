"""The interface `Game`: all that a search sees of a game.

Any class with these six members is a `Game`; its states may be any hashable value and its moves too.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Final, Protocol, TypeAlias, TypeVar, runtime_checkable

from stratagem.errors import UnsuitableGame

Role: TypeAlias = str
Move: TypeAlias = Hashable
JointMove: TypeAlias = Mapping[Role, Any] | Sequence[Any]

StateT = TypeVar("StateT")


@runtime_checkable
class Game(Protocol[StateT]):
    """A finite game in the sense of GDL: at every step every role makes one move.

    A role with nothing to decide still has exactly one legal move (GDL's noop).
    States are values: no call changes one, so they may be kept, hashed and sent away. The answers of a
    game never change, and several threads may call it at once.
    """

    @property
    def roles(self) -> Sequence[Role]:
        """The names of the players, in the order in which joint moves list their moves."""

    def initial(self) -> StateT:
        """The state in which every match begins."""

    def legals(self, state: StateT, role: Role) -> Sequence[Any]:
        """What *role* may do in *state*, in ascending order; never empty before the end."""

    def next(self, state: StateT, joint: JointMove) -> StateT:
        """The state after *joint*: a mapping role -> move, or the moves in the order of the roles.

        The moves must be legal: that is not checked here.
        """

    def terminal(self, state: StateT) -> bool:
        """Whether the match is over in *state*."""

    def goal(self, state: StateT, role: Role) -> float | None:
        """What *state* is worth to *role*, 0..100 in GDL, any number in a lecture tree; None: nothing says."""


MEMBERS: Final = ("roles", "initial", "legals", "next", "terminal", "goal")


@runtime_checkable
class ChecksStates(Protocol):
    """A game that can tell its states from those of other games."""

    def check_state(self, state: Any) -> None:
        """Refuses what is not a state of this game."""


def first_state(game: Game[StateT], start: StateT | None) -> StateT:
    """The state in which a search of *game* begins: *start*, or the initial state."""
    if start is None:
        return game.initial()
    if isinstance(game, ChecksStates):
        game.check_state(start)
    return start


def require_game(game: object) -> None:
    """Refuses what is not a `Game`, such as the name of one."""
    if not isinstance(game, Game):
        missing = ", ".join(name for name in MEMBERS if not hasattr(game, name))
        raise UnsuitableGame(
            f"a game is needed; this is of the type {type(game).__name__}, which has no {missing}",
            hint="stratagem.load makes one from rules, stratagem.Tree.of from a tree; or write a class with these members",
        )

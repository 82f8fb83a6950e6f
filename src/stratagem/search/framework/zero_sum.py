"""A game as MAX against MIN: who decides in each state, with which moves, and what a terminal state is worth to MAX.

This is where a game is checked to be of the kind that the lectures treat: two players (or one), at most one of whom has
a choice in each state, and goals with a constant sum. Any other game is refused with the reason.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

from stratagem.errors import UnsuitableGame, UsageError
from stratagem.game import Game, Move, Role, require_game
from stratagem.result import Interval

MAX, MIN, CHANCE = "max", "min", "chance"
RANDOM = "random"  # GDL's name for the role that chance plays
NOOP = "noop"
MOST_STATES = 1 << 17
"""States whose positions are kept, so that a transposition need not be worked out again."""


def opponent(player: str) -> str:
    """MIN for MAX, MAX for MIN."""
    return MIN if player == MAX else MAX


@runtime_checkable
class Extensive(Protocol):
    """A game in extensive form, given as a tree, which says of each state what a `Game` leaves open."""

    def player(self, state: Any) -> str:
        """The role that decides in *state*, or "chance"; also where it has only one move."""

    def chances(self, state: Any) -> Sequence[float]:
        """The probabilities of the moves of chance."""

    def leaf_number(self, state: Any) -> int:
        """Which leaf *state* is, from the left; -1 for an inner node."""


class ZeroSumPosition:
    """A state with all that a search asks of it: whether it is terminal, who decides, the moves, and their successors.

    *idle* is a joint move in which only the move of the role number *seat* is a choice; *shared* says whether other
    paths to the state get the same object.
    """

    __slots__ = ("goal", "idle", "moves", "player", "seat", "shared", "state", "successors", "terminal")

    def __init__(self, state: Any, terminal: bool, shared: bool) -> None:
        self.state = state
        self.terminal = terminal
        self.shared = shared
        self.player = ""
        self.moves: Sequence[Move] = ()
        self.successors: list[ZeroSumPosition | None] = []
        self.seat = 0
        self.idle: tuple[Any, ...] = ()
        self.goal: float | None = None

    def joint(self, move: Move) -> tuple[Move, ...]:
        """*move* of the deciding role, with the only moves of all others."""
        joint = list(self.idle)
        joint[self.seat] = move
        return tuple(joint)


class ZeroSumGame:
    """*game* seen as MAX (the role *maximiser*) against MIN; *chance* admits a role "random" beside them."""

    def __init__(self, game: Game[Any], *, maximiser: Role | None = None, chance: bool = False) -> None:
        require_game(game)
        self.game = game
        self.roles = tuple(game.roles)
        self.maximiser, self.minimiser = _sides(self.roles, maximiser, chance=chance)
        self.extensive: Extensive | None = game if isinstance(game, Extensive) else None
        self._positions: dict[Any, ZeroSumPosition] = {}
        self._sum: float | None = None

    def position(self, state: Any, *, deep: bool = True) -> ZeroSumPosition:
        """The position of *state*; without *deep* it says only whether the state is terminal."""
        position = self._positions.get(state)
        if position is None:
            shared = len(self._positions) < MOST_STATES
            position = ZeroSumPosition(state, self.game.terminal(state), shared)
            if shared:
                self._positions[state] = position
        return self._with_moves(position) if deep else position

    def successor(self, position: ZeroSumPosition, index: int, *, deep: bool = True) -> ZeroSumPosition:
        """The position after move number *index* of the role that decides in *position*."""
        after = position.successors[index]
        if after is None:
            joint = position.joint(position.moves[index])
            after = self.position(self.game.next(position.state, joint), deep=deep)
            if after.shared:
                position.successors[index] = after
        return self._with_moves(after) if deep else after

    def goal(self, position: ZeroSumPosition) -> float:
        """What the terminal *position* is worth to MAX; the sum of the goals is checked."""
        if position.goal is None:
            position.goal = self._checked_goal(position.state)
        return position.goal

    def estimates(self, value: float) -> dict[Role, float]:
        """*value* to MAX as the value to each player; MIN's is known once a terminal state was evaluated."""
        found = {self.maximiser: value}
        if self.minimiser is not None and self._sum is not None:
            found[self.minimiser] = self._sum - value
        return found

    def intervals(self, interval: Interval) -> dict[Role, Interval]:
        """The same for the bounds of a value."""
        found = {self.maximiser: interval}
        if self.minimiser is not None and self._sum is not None:
            found[self.minimiser] = Interval(self._sum - interval.high, self._sum - interval.low)
        return found

    def joint_moves(self, position: ZeroSumPosition, line: Sequence[Move]) -> tuple[tuple[Move, ...], ...]:
        """*line*, the moves of the deciding roles from *position* on, as joint moves."""
        joints = []
        for number, move in enumerate(line, 1):
            joints.append(position.joint(move))
            position = self.successor(position, position.moves.index(move), deep=number < len(line))
        return tuple(joints)

    def _checked_goal(self, state: Any) -> float:
        value = self._goal(state, self.maximiser)
        if self.minimiser is None:
            return value
        other = self._goal(state, self.minimiser)
        total = 0 if other == -value else value + other  # infinities cancel, too
        if self._sum is None:
            self._sum = total
        elif total != self._sum:
            raise UnsuitableGame(
                f"a zero-sum game is needed: the goals of {self.maximiser} and {self.minimiser} add up to "
                f"{self._sum} in one terminal state of this game and to {total} in another",
                hint="mcts takes any goals",
            )
        return value

    def _goal(self, state: Any, role: Role) -> float:
        value = self.game.goal(state, role)
        if value is None:
            raise UnsuitableGame(
                f"the rules give {role} no goal in a terminal state: {state}",
                hint="every terminal state needs one goal for every role",
            )
        return value

    def chances(self, state: Any, count: int) -> Sequence[float]:
        """The probabilities of the *count* moves of chance in *state*: as the tree says, or all the same."""
        given = self.extensive.chances(state) if self.extensive is not None else ()
        return given or (1 / count,) * count

    def side(self, state: Any) -> str | None:
        """Whose turn an `Extensive` game says it is in *state*, as MAX, MIN or CHANCE; None for other games."""
        if self.extensive is None:
            return None
        return self._name(self.extensive.player(state))

    def _name(self, role: str) -> str:
        if role == self.maximiser:
            return MAX
        return CHANCE if role in (RANDOM, CHANCE) else MIN

    def _with_moves(self, position: ZeroSumPosition) -> ZeroSumPosition:
        """*position* with the role that decides in it, and its moves."""
        if position.moves or position.terminal:
            return position
        state = position.state
        legals = [self.game.legals(state, role) for role in self.roles]
        deciding = [seat for seat, moves in enumerate(legals) if len(moves) > 1]
        if len(deciding) > 1:
            found = " and ".join(f"{self.roles[seat]} ({len(legals[seat])} moves)" for seat in deciding)
            raise UnsuitableGame(
                f"at most one player may have a choice at a time; in one state of this game {found} have",
                hint="mcts takes simultaneous moves",
            )
        if not all(legals):
            stuck = next(role for role, moves in zip(self.roles, legals, strict=True) if not moves)
            raise UnsuitableGame(
                f"{stuck} has no legal move in a state that is not terminal: {state}",
                hint="every role needs a move, at least noop, until the game is over",
            )
        position.seat = deciding[0] if deciding else self._seat_without_choice(state, legals)
        position.player = self._name(self.roles[position.seat])
        position.moves = tuple(legals[position.seat])
        position.successors = [None] * len(position.moves)
        position.idle = tuple(moves[0] for moves in legals)
        return position

    def _seat_without_choice(self, state: Any, legals: list[Sequence[Move]]) -> int:
        """The role that counts as deciding in *state*, where no role has a choice: this matters to pictures only."""
        if self.extensive is not None:
            role = self.extensive.player(state)
            return self.roles.index(RANDOM if role == CHANCE else role)
        acting = [seat for seat, moves in enumerate(legals) if moves and moves[0] != NOOP]
        return acting[0] if acting else 0


def require_no_chance(roles: Sequence[Role]) -> None:
    """Refuses a game in which chance moves."""
    if RANDOM in roles:
        raise UnsuitableGame(
            f"a game without chance is needed; this one has the role {RANDOM}",
            hint="expectiminimax takes chance",
        )


def _sides(roles: Sequence[Role], maximiser: Role | None, *, chance: bool) -> tuple[Role, Role | None]:
    """The roles of MAX and MIN; MIN is None in a game of one role."""
    players = [role for role in roles if role != RANDOM]
    if not chance:
        require_no_chance(roles)
    if not 1 <= len(players) <= 2:
        raise UnsuitableGame(
            f"one or two roles needed; this game has {len(players)}: {', '.join(players)}",
            hint="mcts takes any number of roles",
        )
    if maximiser is None:
        maximiser = players[0]
    elif maximiser not in players:
        raise UsageError(
            f"there is no role {maximiser!r} to be MAX", hint=f"the roles are {', '.join(players)}"
        )
    others = [role for role in players if role != maximiser]
    return maximiser, others[0] if others else None

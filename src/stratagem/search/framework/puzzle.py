"""A game as a problem for a single player: the form in which all single-player searches see it.

A puzzle has one role that decides. Other roles are allowed as long as they never have a choice: their only move is filled
in. A goal is a terminal state worth at least *threshold*: 100, the best value in GDL, unless given.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Generic, Protocol, runtime_checkable

from stratagem.errors import UnsuitableGame, UsageError
from stratagem.game import Game, Move, Role, StateT, require_game

WORST, BEST = 0, 100
"""The range of goals in GDL."""


@runtime_checkable
class HasCosts(Protocol):
    """A game whose moves cost something; in any other game every move costs 1."""

    def cost(self, state: Any, move: Any) -> float:
        """What *move* costs in *state*: 0 or more."""


@runtime_checkable
class HasPredecessors(Protocol):
    """A game that can be played backward."""

    def predecessors(self, state: Any) -> Iterable[tuple[Any, Any]]:
        """All (move, previous state) pairs such that *move*, legal there, leads to *state*."""

    def goal_states(self) -> Iterable[Any]:
        """All goal states."""


class Puzzle(Generic[StateT]):
    """The problem of *role* (the first unless given) in *game*: to reach a state worth at least *threshold*.

    >>> from stratagem.machines.trees.graph import maze
    >>> puzzle = Puzzle(maze({"a": "bc", "b": "d", "c": "de"}, start="a", goal="e"))
    >>> list(puzzle.successors("a"))
    [(0, 'b', 1), (1, 'c', 1)]
    >>> puzzle.value("d"), puzzle.value("e"), puzzle.value("a")
    (0, 100, None)
    """

    __slots__ = ("_costs", "_others", "game", "role", "threshold")

    def __init__(self, game: Game[StateT], *, role: Role | None = None, threshold: float = BEST) -> None:
        require_game(game)
        if not game.roles:
            raise UnsuitableGame("a puzzle needs a role to play it, and this game has none")
        if role is not None and role not in game.roles:
            raise UsageError(f"there is no role {role!r}", hint=f"the roles are {', '.join(game.roles)}")
        self.game = game
        self.role = game.roles[0] if role is None else role
        self.threshold = threshold
        self._others = tuple(other for other in game.roles if other != self.role)
        self._costs = game if isinstance(game, HasCosts) else None

    @classmethod
    def of(cls, problem: Game[StateT] | Puzzle[StateT]) -> Puzzle[StateT]:
        """*problem* itself if it is a puzzle, otherwise the puzzle of the first role of that game."""
        return problem if isinstance(problem, Puzzle) else cls(problem)

    def initial(self) -> StateT:
        return self.game.initial()

    def terminal(self, state: StateT) -> bool:
        return self.game.terminal(state)

    def value(self, state: StateT) -> float | None:
        """The value of a terminal state, 0 where the rules give none; None for a state that is not terminal."""
        if not self.game.terminal(state):
            return None
        worth = self.game.goal(state, self.role)
        return 0 if worth is None else worth

    def is_goal(self, state: StateT) -> bool:
        value = self.value(state)
        return value is not None and value >= self.threshold

    def moves(self, state: StateT) -> tuple[Move, ...]:
        """The legal moves of the role in *state*, in the game's order; none in a terminal state."""
        return () if self.game.terminal(state) else tuple(self.game.legals(state, self.role))

    def joint(self, state: StateT, move: Move) -> dict[Role, Move]:
        """*move*, with the only moves of the others filled in."""
        joint: dict[Role, Move] = {self.role: move}
        for other in self._others:
            joint[other] = self._only_move(state, other)
        return joint

    def step(self, state: StateT, move: Move) -> StateT:
        """The state after *move*."""
        return self.game.next(state, self.joint(state, move))

    def joint_moves(self, state: StateT, line: Sequence[Move]) -> tuple[tuple[Move, ...], ...]:
        """*line*, the role's moves from *state* on, as moves of all roles in the order of the roles."""
        if not self._others:
            return tuple((move,) for move in line)
        joints = []
        for move in line:
            joint = self.joint(state, move)
            joints.append(tuple(joint[role] for role in self.game.roles))
            state = self.game.next(state, joint)
        return tuple(joints)

    def cost(self, state: StateT, move: Move) -> float:
        """What *move* costs in *state*: 1 unless the game says otherwise."""
        if self._costs is None:
            return 1
        cost = self._costs.cost(state, move)
        if not cost >= 0:
            raise UnsuitableGame(
                f"the move {move} costs {cost}, and a search for a cheapest path needs costs of 0 or more"
            )
        return cost

    def successors(self, state: StateT) -> Iterator[tuple[Move, StateT, float]]:
        """(move, next state, cost) for every move, in the game's order; none in a terminal state."""
        for move in self.moves(state):
            yield move, self.step(state, move), self.cost(state, move)

    def predecessors(self, state: StateT) -> Iterator[tuple[Move, StateT]]:
        """(move, previous state) for every step that leads to *state*. No step leaves a terminal state."""
        for move, before in self._backward().predecessors(state):
            if not self.game.terminal(before):
                yield move, before

    def goal_states(self) -> Iterator[StateT]:
        """The terminal states worth at least the threshold."""
        return (state for state in self._backward().goal_states() if self.is_goal(state))

    def _only_move(self, state: StateT, other: Role) -> Move:
        legal = self.game.legals(state, other)
        if len(legal) != 1:
            raise UnsuitableGame(
                f"a puzzle has one role with a choice, and here {other} has {len(legal)} moves "
                f"beside {self.role}",
                hint="minimax takes two roles that take turns, mcts any number",
            )
        move: Move = legal[0]
        return move

    def _backward(self) -> HasPredecessors:
        if not isinstance(self.game, HasPredecessors):
            raise UnsuitableGame(
                "a search from the goal needs a game that knows its predecessors, and this one does not",
                hint="BackwardGame computes them for rules in GDL; breadth-first needs none",
            )
        return self.game

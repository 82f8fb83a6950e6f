"""Mazes: a graph written down as a dictionary, as a puzzle for one walker.

    {"a": "bc", "b": "d", "c": "de"}             from a one can go to b and to c, and so on
    {"a": {"b": 2, "c": 5}, "b": {"c": 1}}       the same idea with what each step costs

A state is a place, a move the number of a way out of it, from 0. The walk is over at a goal, worth 100, and at
a place with no way out, worth 0. A maze knows its ways backward too, so that searches from the goal can use it.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping
from typing import Generic, TypeVar

from stratagem.errors import UsageError
from stratagem.game import JointMove, Role

WALKER = "walker"

PlaceT = TypeVar("PlaceT", bound=Hashable)


class Maze(Generic[PlaceT]):
    """A `Game` with one role, costs and predecessors; see `maze`."""

    __slots__ = ("_backward", "_costs", "_goals", "_start", "_ways")

    def __init__(
        self,
        ways: Mapping[PlaceT, tuple[PlaceT, ...]],
        costs: Mapping[PlaceT, tuple[float, ...]],
        start: PlaceT,
        goals: frozenset[PlaceT],
    ) -> None:
        self._ways = ways
        self._costs = costs
        self._start = start
        self._goals = goals
        self._backward: dict[PlaceT, list[tuple[int, PlaceT]]] = {}
        for place, targets in ways.items():
            if place not in goals:
                for move, target in enumerate(targets):
                    self._backward.setdefault(target, []).append((move, place))

    @property
    def roles(self) -> tuple[Role, ...]:
        return (WALKER,)

    def initial(self) -> PlaceT:
        return self._start

    def legals(self, state: PlaceT, role: Role) -> tuple[int, ...]:
        return tuple(range(len(self._ways.get(state, ()))))

    def next(self, state: PlaceT, joint: JointMove) -> PlaceT:
        move = joint[WALKER] if isinstance(joint, Mapping) else joint[0]
        return self._ways[state][move]

    def terminal(self, state: PlaceT) -> bool:
        return state in self._goals or not self._ways.get(state)

    def goal(self, state: PlaceT, role: Role) -> int:
        return 100 if state in self._goals else 0

    def cost(self, state: PlaceT, move: int) -> float:
        """What the step *move* out of *state* costs: 1 unless the maze says otherwise."""
        return self._costs[state][move]

    def predecessors(self, state: PlaceT) -> Collection[tuple[int, PlaceT]]:
        """The (move, place) pairs from which one step leads to *state*."""
        return self._backward.get(state, ())

    def goal_states(self) -> Collection[PlaceT]:
        """The places where the walker wants to be."""
        return sorted(self._goals, key=str)

    def __repr__(self) -> str:
        return f"Maze({len(self._ways)} places, start={self._start!r}, goals={self.goal_states()!r})"


def maze(
    ways: Mapping[PlaceT, Iterable[PlaceT] | Mapping[PlaceT, float]],
    start: PlaceT,
    goal: PlaceT,
    *more_goals: PlaceT,
) -> Maze[PlaceT]:
    """The puzzle of walking *ways* from *start* to *goal* (or to any of *more_goals*).

    >>> game = maze({"a": {"b": 2, "c": 5}, "b": {"c": 1}}, start="a", goal="c")
    >>> game.next("a", {"walker": 0}), game.cost("a", 0), game.terminal("c")
    ('b', 2, True)
    """
    targets = {place: tuple(onward) for place, onward in ways.items()}
    costs = {
        place: tuple(onward.values()) if isinstance(onward, Mapping) else (1,) * len(targets[place])
        for place, onward in ways.items()
    }
    places = {*targets, *(target for onward in targets.values() for target in onward)}
    for role, place in (("start", start), *(("goal", place) for place in (goal, *more_goals))):
        if place not in places:
            raise UsageError(
                f"the {role} {place!r} is not a place of the maze", hint="give it a line in ways"
            )
    return Maze(targets, costs, start, frozenset((goal, *more_goals)))

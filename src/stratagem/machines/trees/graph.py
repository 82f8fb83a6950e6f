"""Mazes: puzzles on a graph that is given as a dictionary.

    {"a": "bc", "b": "d", "c": "de"}             edges from a to b and to c, and so on
    {"a": {"b": 2, "c": 5}, "b": {"c": 1}}       edges with costs

A state is a vertex; a move is the number of an edge that leaves it, from 0. Terminal are the goals, worth 100, and the vertices
without edges, worth 0. A maze has predecessors, so that backward search works on it.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping
from typing import Generic, TypeVar

from stratagem.errors import UsageError, require_type
from stratagem.game import JointMove, Role

WALKER = "walker"

VertexT = TypeVar("VertexT", bound=Hashable)


class Maze(Generic[VertexT]):
    """A `Game` with one role, costs and predecessors; see `maze`."""

    __slots__ = ("_backward", "_costs", "_edges", "_goals", "_start")

    def __init__(
        self,
        edges: Mapping[VertexT, tuple[VertexT, ...]],
        costs: Mapping[VertexT, tuple[float, ...]],
        start: VertexT,
        goals: frozenset[VertexT],
    ) -> None:
        self._edges = edges
        self._costs = costs
        self._start = start
        self._goals = goals
        self._backward: dict[VertexT, list[tuple[int, VertexT]]] = {}
        for vertex, targets in edges.items():
            if vertex not in goals:
                for move, target in enumerate(targets):
                    self._backward.setdefault(target, []).append((move, vertex))

    @property
    def roles(self) -> tuple[Role, ...]:
        return (WALKER,)

    def initial(self) -> VertexT:
        return self._start

    def legals(self, state: VertexT, role: Role) -> tuple[int, ...]:
        return tuple(range(len(self._edges.get(state, ()))))

    def next(self, state: VertexT, joint: JointMove) -> VertexT:
        move = joint[WALKER] if isinstance(joint, Mapping) else joint[0]
        return self._edges[state][move]

    def terminal(self, state: VertexT) -> bool:
        return state in self._goals or not self._edges.get(state)

    def goal(self, state: VertexT, role: Role) -> int:
        return 100 if state in self._goals else 0

    def cost(self, state: VertexT, move: int) -> float:
        """The cost of edge number *move* of *state*: 1 unless given."""
        return self._costs[state][move]

    def predecessors(self, state: VertexT) -> Collection[tuple[int, VertexT]]:
        """All (move, vertex) pairs whose edge leads to *state*."""
        return self._backward.get(state, ())

    def goal_states(self) -> Collection[VertexT]:
        """The goals."""
        return sorted(self._goals, key=str)

    def __repr__(self) -> str:
        return f"Maze({len(self._edges)} vertices, start={self._start!r}, goals={self.goal_states()!r})"


def maze(
    edges: Mapping[VertexT, Iterable[VertexT] | Mapping[VertexT, float]],
    start: VertexT,
    goal: VertexT,
    *more_goals: VertexT,
) -> Maze[VertexT]:
    """The puzzle of a path along *edges* from *start* to *goal* (or to any of *more_goals*).

    >>> game = maze({"a": {"b": 2, "c": 5}, "b": {"c": 1}}, start="a", goal="c")
    >>> game.next("a", {"walker": 0}), game.cost("a", 0), game.terminal("c")
    ('b', 2, True)
    """
    require_type(edges, Mapping, "a mapping from each vertex to those that it leads to")
    targets = {vertex: tuple(onward) for vertex, onward in edges.items()}
    costs = {
        vertex: tuple(onward.values()) if isinstance(onward, Mapping) else (1,) * len(targets[vertex])
        for vertex, onward in edges.items()
    }
    vertices = {*targets, *(target for onward in targets.values() for target in onward)}
    for role, vertex in (("start", start), *(("goal", vertex) for vertex in (goal, *more_goals))):
        if vertex not in vertices:
            raise UsageError(
                f"the {role} {vertex!r} is not a vertex of the maze", hint="give it an entry in edges"
            )
    return Maze(targets, costs, start, frozenset((goal, *more_goals)))

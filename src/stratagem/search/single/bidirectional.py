"""Bidirectional search (Nicholson, 1966; Pohl, 1971): from the start and from the goals, until they meet.

Two searches of half the depth cost about 2 b^(k/2) instead of b^k. The side with the smaller fringe advances, by one whole
level: as long as no state is known to both, every solution is longer than the levels done by both together, so that the
first meeting is on a shortest one. Needs a game that `HasPredecessors`, and keeps every state seen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias, Unpack

from stratagem.game import StateT
from stratagem.result import Result
from stratagem.search.framework.fringe import Queue
from stratagem.search.framework.options import SearchOptions
from stratagem.search.framework.single_run import PathNode, Problem, SingleRun
from stratagem.trace.events import Meet

Side: TypeAlias = dict[StateT, PathNode[StateT]]
"""The nodes that one of the two searches has reached, by state."""


def bidirectional(
    problem: Problem[StateT],
    start: StateT | None = None,
    **options: Unpack[SearchOptions],
) -> Result:
    """A solution with the fewest moves; `Result.solution` is None if there is none.

    >>> from stratagem.machines.trees.graph import maze
    >>> graph = {"a": "bcd", "b": "ef", "c": "gh", "d": "ij"}
    >>> bidirectional(maze(graph, start="a", goal="j")).solution
    (2, 1)
    """
    run = SingleRun("bidirectional", problem, start, **options)
    deepest, run.depth = run.depth, None  # the limit is on the levels of both sides together
    from_start: Side[StateT] = {}
    from_goal: Side[StateT] = {}

    def add(node: PathNode[StateT], side: Side[StateT], fringe: Queue[StateT]) -> bool:
        """Adds *node* to its *side*; whether the two sides meet in its state."""
        run.visit(node)
        side[node.state] = node
        fringe.put(node)
        run.tally.holds(len(forward) + len(backward))
        return node.state in from_start and node.state in from_goal

    def advance(
        side: Side[StateT],
        fringe: Queue[StateT],
        neighbours: Callable[[PathNode[StateT]], Iterator[PathNode[StateT]]],
    ) -> PathNode[StateT] | None:
        """One whole level more on *side*; the node in whose state the two sides meet, if they do."""
        for _ in range(len(fringe)):
            for node in neighbours(fringe.take()):
                if node.state in side:
                    run.duplicate(node)
                elif add(node, side, fringe):
                    return node
        return None

    def joined(state: StateT) -> PathNode[StateT]:
        ahead, behind = from_start[state], from_goal[state]
        if run.trace is not None:
            run.trace(Meet(run.number(state), ahead.cost, behind.cost))
        return run.replay(ahead.moves() + behind.moves_onward())

    forward, backward = Queue(run), Queue(run)

    def search() -> PathNode[StateT] | None:
        add(run.start, from_start, forward)
        for goal in run.puzzle.goal_states():
            if goal not in from_goal and add(PathNode(goal), from_goal, backward):
                return joined(goal)
        levels = 0
        while forward and backward:
            if levels == deepest:
                run.cut_short = True
                break
            if len(forward) <= len(backward):
                met = advance(from_start, forward, run.children)
            else:
                met = advance(from_goal, backward, run.parents)
            if met is not None:
                return joined(met.state)
            levels += 1
        return None

    return run.result(search)

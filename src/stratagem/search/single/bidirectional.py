"""Bidirectional search (Nicholson, 1966; Pohl, 1971): from the start and from the goals, until they meet.

Two searches of half the depth cost about 2 b^(k/2) instead of b^k. The side with the smaller fringe advances, by one whole
level: as long as no state is known to both, every solution is longer than the levels done by both together, so that the
first meeting is on a shortest one. Needs a game that `HasPredecessors`, and keeps every state seen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Generic, Unpack

from stratagem.game import StateT
from stratagem.result import Result
from stratagem.search.framework.fringe import Queue
from stratagem.search.framework.options import SearchOptions
from stratagem.search.framework.single_run import PathNode, Problem, SingleRun
from stratagem.trace.events import Meet


class SearchSide(Generic[StateT]):
    """One of the two searches: the nodes it has *reached*, by state, and its *fringe*."""

    def __init__(
        self,
        run: SingleRun[StateT],
        neighbours: Callable[[PathNode[StateT]], Iterator[PathNode[StateT]]],
    ) -> None:
        self.reached: dict[StateT, PathNode[StateT]] = {}
        self.fringe = Queue(run)
        self.neighbours = neighbours


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
    forward, backward = SearchSide(run, run.children), SearchSide(run, run.parents)

    def add(node: PathNode[StateT], side: SearchSide[StateT]) -> bool:
        """Adds *node* to its *side*; whether the two sides meet in its state."""
        run.visit(node)
        side.reached[node.state] = node
        side.fringe.put(node)
        run.tally.holds(len(forward.fringe) + len(backward.fringe))
        return node.state in forward.reached and node.state in backward.reached

    def advance(side: SearchSide[StateT]) -> PathNode[StateT] | None:
        """One whole level more on *side*; the node in whose state the two sides meet, if they do."""
        for _ in range(len(side.fringe)):
            for node in side.neighbours(side.fringe.take()):
                if node.state in side.reached:
                    run.duplicate(node)
                elif add(node, side):
                    return node
        return None

    def joined(state: StateT) -> PathNode[StateT]:
        ahead, behind = forward.reached[state], backward.reached[state]
        if run.trace is not None:
            run.trace(Meet(run.number(state), ahead.cost, behind.cost))
        return run.replay(ahead.moves() + behind.moves_onward())

    def search() -> PathNode[StateT] | None:
        add(run.start, forward)
        for goal in run.puzzle.goal_states():
            if goal not in backward.reached and add(PathNode(goal), backward):
                return joined(goal)
        levels = 0
        while forward.fringe and backward.fringe:
            if levels == deepest:
                run.cut_short = True
                break
            met = advance(forward if len(forward.fringe) <= len(backward.fringe) else backward)
            if met is not None:
                return joined(met.state)
            levels += 1
        return None

    return run.result(search)

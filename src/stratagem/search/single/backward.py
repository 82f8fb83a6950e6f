"""Backward search: breadth-first from the goals, against the direction of the moves, until the start is met.

Worthwhile where fewer moves lead into a state than out of it, or where one search from the goal serves many starts: that is
how endgame databases are made. Needs a game that `HasPredecessors`. Finds a shortest solution, and keeps every state it has
seen; some of them may be unreachable from the initial state.
"""

from __future__ import annotations

from typing import Unpack

from stratagem.game import StateT
from stratagem.result import Result
from stratagem.search.framework.fringe import Queue
from stratagem.search.framework.options import SearchOptions
from stratagem.search.framework.single_run import PathNode, Problem, SingleRun


def backward(
    problem: Problem[StateT],
    start: StateT | None = None,
    **options: Unpack[SearchOptions],
) -> Result:
    """A solution with the fewest moves; `Result.solution` is None if there is none.

    >>> from stratagem.machines.trees.graph import maze
    >>> graph = {"a": "bcd", "b": "ef", "c": "gh", "d": "ij"}
    >>> result = backward(maze(graph, start="a", goal="j"))
    >>> result.solution, result.counters.nodes
    ((2, 1), 3)
    """
    run = SingleRun("backward", problem, start, **options)

    def arrived(node: PathNode[StateT]) -> bool:
        run.visit(node)
        return node.state == run.start.state

    def search() -> PathNode[StateT] | None:
        known: set[StateT] = set()
        fringe = Queue(run)
        for goal in map(PathNode, run.puzzle.goal_states()):
            known.add(goal.state)
            fringe.put(goal)
            if arrived(goal):
                return run.replay(())
        while fringe:
            node = fringe.take()
            for earlier in run.parents(node):
                if earlier.state in known:
                    run.duplicate(earlier)
                    continue
                known.add(earlier.state)
                fringe.put(earlier)
                if arrived(earlier):
                    return run.replay(earlier.moves_onward())
        return None

    return run.result(search)

"""Breadth-first search (Moore, 1959): nearest states first.

Finds a shortest solution, and keeps every state it has seen: with b moves in every state, b^k of them for a goal k moves
away. A state is tested when it is generated, not when it is expanded: so the fringe need not hold the children of the
goal's own level (b times as many).
"""

from __future__ import annotations

from typing import Unpack

from stratagem.game import StateT
from stratagem.result import Result
from stratagem.search.framework.fringe import Queue
from stratagem.search.framework.options import HorizonOptions
from stratagem.search.framework.single_run import PathNode, Problem, SingleRun


def breadth_first(
    problem: Problem[StateT],
    start: StateT | None = None,
    **options: Unpack[HorizonOptions],
) -> Result:
    """A solution with the fewest moves; `Result.solution` is None if there is none.

    >>> from stratagem.machines.trees.graph import maze
    >>> graph = {"a": "bc", "b": "d", "c": "de"}
    >>> breadth_first(maze(graph, start="a", goal="e")).solution
    (1, 1)
    """
    run = SingleRun("breadth-first", problem, start, **options)

    def search() -> PathNode[StateT] | None:
        known = {run.start.state}
        fringe = Queue(run)
        fringe.put(run.start)
        if run.is_goal(run.start):
            return run.start
        while fringe:
            node = fringe.take()
            for child in run.children(node):
                if child.state in known:
                    run.duplicate(child)
                    continue
                known.add(child.state)
                fringe.put(child)
                if run.is_goal(child):
                    return child
        return None

    return run.result(search)

"""Depth-first search (Trémaux, 19th century; Tarjan, 1972): the newest state first.

It keeps the current path and the siblings still to visit, (b-1) per level: at most (b-1)(d-1)+1 in a tree with d levels. It
finds *a* solution, not the shortest, and may follow a long path without a solution to its end first. A state on the current
path is not entered again, so that it cannot follow a cycle; with *collapse* no state is entered twice, at the price of
keeping them all.
"""

from __future__ import annotations

from typing import Unpack

from stratagem.game import StateT
from stratagem.result import Result
from stratagem.search.framework.fringe import CurrentPath, Stack
from stratagem.search.framework.options import HorizonOptions
from stratagem.search.framework.single_run import PathNode, Problem, SingleRun


def depth_first(
    problem: Problem[StateT],
    start: StateT | None = None,
    *,
    collapse: bool = False,
    **options: Unpack[HorizonOptions],
) -> Result:
    """The first solution from the left; `Result.solution` is None if there is none.

    >>> from stratagem.machines.trees.graph import maze
    >>> graph = {"a": "bcd", "b": "ef", "c": "gh", "d": "ij"}
    >>> result = depth_first(maze(graph, start="a", goal="j"))
    >>> result.solution, result.counters.nodes
    ((2, 1), 10)
    """
    run = SingleRun("depth-first", problem, start, **options)
    entered: dict[StateT, int] = {}

    def entered_before(node: PathNode[StateT]) -> bool:
        """Whether all that lies below *node* has been, or will be, visited from an earlier node of its state."""
        if node.state not in entered:
            return False
        return run.depth is None or entered[node.state] <= node.depth  # a shorter path reaches farther down

    def search() -> PathNode[StateT] | None:
        current_path: CurrentPath[StateT] = CurrentPath()
        fringe = Stack(run)
        fringe.put(run.start)
        while fringe:
            node = fringe.take()
            if collapse and entered_before(node):
                run.duplicate(node)
                continue
            if run.is_goal(node):
                return node
            current_path.follow(node)
            if collapse:
                entered[node.state] = node.depth
            for child in reversed(list(run.children(node))):
                if child.state in current_path:
                    run.duplicate(child)
                else:
                    fringe.put(child)
        return None

    return run.result(search)

"""Uniform-cost search (Dijkstra, 1959): cheapest paths first.

Finds a cheapest solution where no move has a negative cost, and keeps every state it has seen. A state is tested when it is
expanded, not when it is generated: only then is the path to it known to be the cheapest. Where every move costs the same it
is breadth-first search, tested late.
"""

from __future__ import annotations

from typing import Unpack

from stratagem.game import StateT
from stratagem.result import Result
from stratagem.search.framework.fringe import Heap
from stratagem.search.framework.options import HorizonOptions
from stratagem.search.framework.single_run import PathNode, Problem, SingleRun


def uniform_cost(
    problem: Problem[StateT],
    start: StateT | None = None,
    **options: Unpack[HorizonOptions],
) -> Result:
    """A cheapest solution; `Result.solution` is None if there is none.

    >>> from stratagem.machines.trees.graph import maze
    >>> graph = {"a": {"b": 2, "c": 5}, "b": {"c": 1}}
    >>> result = uniform_cost(maze(graph, start="a", goal="c"))
    >>> result.solution, result.cost
    ((0, 0), 3)
    """
    run = SingleRun("uniform-cost", problem, start, **options)

    def search() -> PathNode[StateT] | None:
        cheapest = {run.key(run.start): run.start.cost}
        fringe = Heap(run)
        fringe.put(run.start, 0)
        while fringe:
            node = fringe.take()
            if run.is_goal(node):
                return node
            for child in run.children(node):
                key = run.key(child)
                if key in cheapest:
                    better = child.cost < cheapest[key]
                    run.duplicate(child, better=better)
                    if not better:
                        continue
                cheapest[key] = child.cost
                fringe.put(child, child.cost)
        return None

    return run.result(search)

"""A* (Hart, Nilsson and Raphael, 1968): least total cost first, f = g + h.

g is the cost of the path so far, h(state) an estimate of the cost from there to a goal. Where h never overestimates
(admissible) the first goal expanded is a cheapest one; where it also never drops by more than a move costs (consistent) no
state is expanded twice. A state is reopened when a cheaper path to it is found, so admissible is enough here. Keeps every
state it has seen. With h = 0 it is uniform-cost search.
"""

from __future__ import annotations

from math import inf
from typing import Unpack

from stratagem.game import StateT
from stratagem.result import Result
from stratagem.search.framework.fringe import Heap
from stratagem.search.framework.options import Heuristic, HorizonOptions
from stratagem.search.framework.single_run import PathNode, Problem, SingleRun


def a_star(
    problem: Problem[StateT],
    start: StateT | None = None,
    *,
    heuristic: Heuristic = lambda _state: 0,
    **options: Unpack[HorizonOptions],
) -> Result:
    """A cheapest solution where *heuristic* is admissible; `Result.solution` is None if there is none.

    A heuristic of infinity says that no path leads from there to a goal.

    >>> from stratagem.machines.trees.graph import maze
    >>> graph = {"a": {"b": 2, "c": 1}, "b": {"goal": 1}, "c": {"goal": 5}}
    >>> result = a_star(maze(graph, start="a", goal="goal"), heuristic={"a": 3, "b": 1, "c": 5, "goal": 0}.get)
    >>> result.solution, result.cost, result.counters.expanded
    ((0, 0), 3, 2)
    """
    run = SingleRun("a-star", problem, start, **options)

    def search() -> PathNode[StateT] | None:
        cheapest = {run.key(run.start): run.start.cost}
        fringe = Heap(run)
        fringe.put(run.start, heuristic(run.start.state))
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
                estimate = heuristic(child.state)
                if estimate < inf:
                    fringe.put(child, child.cost + estimate, estimate)  # among equals the nearest to the goal
        return None

    return run.result(search)

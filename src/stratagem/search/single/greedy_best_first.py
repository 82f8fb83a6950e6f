"""Greedy best-first search (Doran and Michie, 1966): the state first that seems nearest to the goal.

Follows the heuristic h alone and ignores the cost so far. Often quick; the solution may be long. It terminates where there
are finitely many states, for it enters each only once, and keeps them all.
"""

from __future__ import annotations

from math import inf
from typing import Unpack

from stratagem.game import StateT
from stratagem.result import Result
from stratagem.search.framework.fringe import Heap
from stratagem.search.framework.options import Heuristic, HorizonOptions
from stratagem.search.framework.single_run import PathNode, Problem, SingleRun


def greedy_best_first(
    problem: Problem[StateT],
    start: StateT | None = None,
    *,
    heuristic: Heuristic = lambda _state: 0,
    **options: Unpack[HorizonOptions],
) -> Result:
    """A solution that *heuristic* leads to soon; `Result.solution` is None if there is none.

    >>> from stratagem.machines.trees.graph import maze
    >>> graph = {"a": {"b": 2, "c": 1}, "b": {"goal": 1}, "c": {"goal": 5}}
    >>> result = greedy_best_first(maze(graph, "a", "goal"), heuristic={"a": 3, "b": 2, "c": 1, "goal": 0}.get)
    >>> result.solution, result.cost
    ((1, 0), 6)
    """
    run = SingleRun("greedy", problem, start, **options)

    def search() -> PathNode[StateT] | None:
        known = {run.key(run.start)}
        fringe = Heap(run)
        fringe.put(run.start, heuristic(run.start.state))
        if run.is_goal(run.start):
            return run.start
        while fringe:
            node = fringe.take()
            for child in run.children(node):
                if run.key(child) in known:
                    run.duplicate(child)
                    continue
                known.add(run.key(child))
                estimate = heuristic(child.state)
                if estimate == inf:
                    continue
                fringe.put(child, estimate)
                if run.is_goal(child):
                    return child
        return None

    return run.result(search)

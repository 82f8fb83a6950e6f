"""Iterative deepening for one player (Slate and Atkin, 1977; Korf, 1985): depth-first search, a level deeper each round.

It finds a shortest solution in the space of depth-first search. The upper levels are visited again in each round, yet all
rounds together cost only b/(b-1) - d/(b^d-1) times the last one. It keeps nothing but the current path: where many paths
lead to the same states it visits them all.
"""

from __future__ import annotations

from itertools import count
from typing import Unpack

from stratagem.game import StateT
from stratagem.result import Result
from stratagem.search.framework.fringe import CurrentPath, Stack
from stratagem.search.framework.options import HorizonOptions
from stratagem.search.framework.single_run import PathNode, Problem, SingleRun


def iterative_deepening_blind(
    problem: Problem[StateT],
    start: StateT | None = None,
    **options: Unpack[HorizonOptions],
) -> Result:
    """A solution with the fewest moves; `Result.solution` is None if there is none.

    >>> from stratagem.machines.trees.graph import maze
    >>> graph = {"a": "bcd", "b": "ef", "c": "gh", "d": "ij"}
    >>> result = iterative_deepening_blind(maze(graph, start="a", goal="j"))
    >>> result.solution, result.counters.nodes, result.counters.passes
    ((2, 1), 15, 3)
    """
    run = SingleRun("iterative-deepening-blind", problem, start, **options)
    deepest = run.depth

    def depth_limited() -> PathNode[StateT] | None:
        current_path: CurrentPath[StateT] = CurrentPath()
        fringe = Stack(run)
        fringe.put(run.start)
        while fringe:
            node = fringe.take()
            if run.is_goal(node):
                return node
            current_path.follow(node)
            for child in reversed(list(run.children(node))):
                if child.state in current_path:
                    run.duplicate(child)
                else:
                    fringe.put(child)
        return None

    def search() -> PathNode[StateT] | None:
        for depth in count() if deepest is None else range(deepest + 1):
            run.depth = depth
            run.begin_round(depth)
            found = depth_limited()
            if found is not None or not run.cut_short:  # success, or out of alternatives
                return found
        return None

    return run.result(search)

"""IDA* (Korf, 1985): iterative deepening on f = g + h, A* in the space of depth-first search.

Each round searches depth-first and backtracks where f exceeds the bound; the least f that did becomes the next bound. Where h
is admissible the first solution is a cheapest one. It keeps nothing but the current path, and so follows all paths to a
state; where the costs are all different a round may add a single state. With h = 0 and equal costs it is blind iterative
deepening.
"""

from __future__ import annotations

from math import inf
from typing import Unpack

from stratagem.game import StateT
from stratagem.result import Result
from stratagem.search.framework.fringe import CurrentPath, Stack
from stratagem.search.framework.options import Heuristic, HorizonOptions
from stratagem.search.framework.single_run import PathNode, Problem, SingleRun


def ida_star(
    problem: Problem[StateT],
    start: StateT | None = None,
    *,
    heuristic: Heuristic = lambda _state: 0,
    **options: Unpack[HorizonOptions],
) -> Result:
    """A cheapest solution where *heuristic* is admissible; `Result.solution` is None if there is none.

    >>> from stratagem.machines.trees.graph import maze
    >>> graph = {"a": {"b": 2, "c": 1}, "b": {"goal": 1}, "c": {"goal": 5}}
    >>> result = ida_star(maze(graph, start="a", goal="goal"))
    >>> result.solution, result.cost, result.counters.passes
    ((0, 0), 3, 4)
    """
    run = SingleRun("ida-star", problem, start, **options)

    def cost_limited(bound: float) -> tuple[PathNode[StateT] | None, float]:
        """A goal with f within *bound*, and the least f beyond it that was met."""
        beyond = inf
        current_path: CurrentPath[StateT] = CurrentPath()
        fringe = Stack(run)
        fringe.put(run.start)
        while fringe:
            node = fringe.take()
            if run.is_goal(node):
                return node, beyond
            current_path.follow(node)
            for child in reversed(list(run.children(node))):
                if child.state in current_path:
                    run.duplicate(child)
                    continue
                estimate = child.cost + heuristic(child.state)
                if estimate > bound:
                    beyond = min(beyond, estimate)
                else:
                    fringe.put(child)
        return None, beyond

    def search() -> PathNode[StateT] | None:
        bound = heuristic(run.start.state)
        while bound < inf:
            run.begin_round(bound)
            found, bound = cost_limited(bound)
            if found is not None:
                return found
        return None

    return run.result(search)

"""A* (Hart, Nilsson and Raphael, 1968): the way first that promises the least in all, f = g + h.

g is what the way has cost so far, h(state) an estimate of what is still to pay. Where h never says too much
(admissible) the first goal taken out is a cheapest one; where it also never drops by more than a move costs
(consistent) no state is expanded twice. States are opened again where a cheaper way turns up, so admissible is
enough here. Keeps every state it has seen. With h = 0 it is uniform-cost search.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf

from stratagem.game import Game, StateT
from stratagem.limit import UNLIMITED, Limit
from stratagem.result import Result
from stratagem.search.framework.fringe import Heap
from stratagem.search.framework.puzzle import Puzzle
from stratagem.search.framework.run import Evaluation, Quest, Way
from stratagem.search.framework.tally import Progress
from stratagem.trace.events import Trace


def a_star(
    problem: Game[StateT] | Puzzle[StateT],
    start: StateT | None = None,
    *,
    heuristic: Callable[[StateT], float] = lambda _state: 0,
    depth: int | None = None,
    evaluate: Evaluation[StateT] | None = None,
    limit: Limit = UNLIMITED,
    trace: Trace | None = None,
    progress: Progress | None = None,
) -> Result:
    """A cheapest solution where *heuristic* never says too much; `Result.solution` is None if there is none.

    A heuristic of infinity says that no way leads on from there.

    >>> from stratagem.machines.trees.maze import maze
    >>> ways = {"a": {"b": 2, "c": 1}, "b": {"goal": 1}, "c": {"goal": 5}}
    >>> result = a_star(maze(ways, start="a", goal="goal"), heuristic={"a": 3, "b": 1, "c": 5, "goal": 0}.get)
    >>> result.solution, result.cost, result.counters.expanded
    ((0, 0), 3, 2)
    """
    quest = Quest(
        "a-star", problem, start, depth=depth, evaluate=evaluate, limit=limit, trace=trace, progress=progress
    )

    def search() -> Way[StateT] | None:
        cheapest = {quest.key(quest.start): quest.start.cost}
        fringe = Heap(quest)
        fringe.put(quest.start, heuristic(quest.start.state))
        while fringe:
            way = fringe.take()
            if quest.is_goal(way):
                return way
            for child in quest.children(way):
                key = quest.key(child)
                if key in cheapest:
                    better = child.cost < cheapest[key]
                    quest.duplicate(child, better=better)
                    if not better:
                        continue
                cheapest[key] = child.cost
                estimate = heuristic(child.state)
                if estimate < inf:
                    fringe.put(child, child.cost + estimate, estimate)  # among equals the nearest to the goal
        return None

    return quest.result(search)

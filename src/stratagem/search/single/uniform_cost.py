"""Uniform-cost search (Dijkstra, 1959): cheapest ways first.

Finds a cheapest solution where no move costs less than nothing, and keeps every state it has seen. A state is
tested when its turn comes, not when it is made: only then is the way to it known to be the cheapest. Where every
move costs the same it is breadth-first search, tested late.
"""

from __future__ import annotations

from stratagem.game import Game, StateT
from stratagem.limit import UNLIMITED, Limit
from stratagem.result import Result
from stratagem.search.framework.fringe import Heap
from stratagem.search.framework.puzzle import Puzzle
from stratagem.search.framework.run import Evaluation, Quest, Way
from stratagem.search.framework.tally import Progress
from stratagem.trace.events import Trace


def uniform_cost(
    problem: Game[StateT] | Puzzle[StateT],
    start: StateT | None = None,
    *,
    depth: int | None = None,
    evaluate: Evaluation[StateT] | None = None,
    limit: Limit = UNLIMITED,
    trace: Trace | None = None,
    progress: Progress | None = None,
) -> Result:
    """A cheapest solution of at most *depth* moves; `Result.solution` is None if there is none.

    >>> from stratagem.machines.trees.maze import maze
    >>> ways = {"a": {"b": 2, "c": 5}, "b": {"c": 1}}
    >>> result = uniform_cost(maze(ways, start="a", goal="c"))
    >>> result.solution, result.cost
    ((0, 0), 3)
    """
    quest = Quest(
        "uniform-cost",
        problem,
        start,
        depth=depth,
        evaluate=evaluate,
        limit=limit,
        trace=trace,
        progress=progress,
    )

    def search() -> Way[StateT] | None:
        cheapest = {quest.key(quest.start): quest.start.cost}
        fringe = Heap(quest)
        fringe.put(quest.start, 0)
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
                fringe.put(child, child.cost)
        return None

    return quest.result(search)

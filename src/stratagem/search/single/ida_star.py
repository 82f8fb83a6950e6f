"""IDA* (Korf, 1985): iterative deepening on f = g + h, the space of depth-first search with the sense of A*.

Each round walks depth-first and turns back where f exceeds the limit; the least f that did becomes the next limit.
Where h never says too much the first solution is a cheapest one. It keeps nothing but the way it is on, and so
walks all ways to a state; where the costs are all different a round may add a single state. With h = 0 and equal
costs it is blind iterative deepening.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf

from stratagem.game import Game, StateT
from stratagem.limit import UNLIMITED, Limit
from stratagem.result import Result
from stratagem.search.framework.fringe import Stack, Trail
from stratagem.search.framework.puzzle import Puzzle
from stratagem.search.framework.run import Evaluation, Quest, Way
from stratagem.search.framework.tally import Progress
from stratagem.trace.events import Trace


def ida_star(
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

    >>> from stratagem.machines.trees.maze import maze
    >>> ways = {"a": {"b": 2, "c": 1}, "b": {"goal": 1}, "c": {"goal": 5}}
    >>> result = ida_star(maze(ways, start="a", goal="goal"))
    >>> result.solution, result.cost, result.counters.passes
    ((0, 0), 3, 4)
    """
    quest = Quest(
        "ida-star",
        problem,
        start,
        depth=depth,
        evaluate=evaluate,
        limit=limit,
        trace=trace,
        progress=progress,
    )

    def cost_limited(limit: float) -> tuple[Way[StateT] | None, float]:
        """A goal with f within *limit*, and the least f beyond it that was met."""
        beyond = inf
        trail: Trail[StateT] = Trail()
        fringe = Stack(quest)
        fringe.put(quest.start)
        while fringe:
            way = fringe.take()
            if quest.is_goal(way):
                return way, beyond
            trail.follow(way)
            for child in reversed(list(quest.children(way))):
                if child.state in trail:
                    quest.duplicate(child)
                    continue
                estimate = child.cost + heuristic(child.state)
                if estimate > limit:
                    beyond = min(beyond, estimate)
                else:
                    fringe.put(child)
        return None, beyond

    def search() -> Way[StateT] | None:
        limit = heuristic(quest.start.state)
        while limit < inf:
            quest.begin_round(limit)
            found, limit = cost_limited(limit)
            if found is not None:
                return found
        return None

    return quest.result(search)

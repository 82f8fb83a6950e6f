"""Iterative deepening for one player (Slate and Atkin, 1977; Korf, 1985): depth-first search, a level deeper
each round.

It finds a shortest solution in the space of depth-first search. The upper levels are walked again in each round,
yet all rounds together cost only b/(b-1) - d/(b^d-1) times the last one. Nothing is remembered but the way it is
on: where many ways lead to the same states it walks them all.
"""

from __future__ import annotations

from itertools import count

from stratagem.game import Game, StateT
from stratagem.limit import UNLIMITED, Limit
from stratagem.result import Result
from stratagem.search.framework.fringe import Stack, Trail
from stratagem.search.framework.puzzle import Puzzle
from stratagem.search.framework.run import Evaluation, Quest, Way
from stratagem.search.framework.tally import Progress
from stratagem.trace.events import Trace


def iterative_deepening_blind(
    problem: Game[StateT] | Puzzle[StateT],
    start: StateT | None = None,
    *,
    depth: int | None = None,
    evaluate: Evaluation[StateT] | None = None,
    limit: Limit = UNLIMITED,
    trace: Trace | None = None,
    progress: Progress | None = None,
) -> Result:
    """A solution with the fewest moves, at most *depth* of them; `Result.solution` is None if there is none.

    >>> from stratagem.machines.trees.maze import maze
    >>> ways = {"a": "bcd", "b": "ef", "c": "gh", "d": "ij"}
    >>> result = iterative_deepening_blind(maze(ways, start="a", goal="j"))
    >>> result.solution, result.counters.nodes, result.counters.passes
    ((2, 1), 15, 3)
    """
    quest = Quest(
        "iterative-deepening-blind",
        problem,
        start,
        depth=depth,
        evaluate=evaluate,
        limit=limit,
        trace=trace,
        progress=progress,
    )

    def depth_limited() -> Way[StateT] | None:
        trail: Trail[StateT] = Trail()
        fringe = Stack(quest)
        fringe.put(quest.start)
        while fringe:
            way = fringe.take()
            if quest.is_goal(way):
                return way
            trail.follow(way)
            for child in reversed(list(quest.children(way))):
                if child.state in trail:
                    quest.duplicate(child)
                else:
                    fringe.put(child)
        return None

    def search() -> Way[StateT] | None:
        for limit in count() if depth is None else range(depth + 1):
            quest.depth = limit
            quest.begin_round(limit)
            found = depth_limited()
            if found is not None or not quest.cut_short:  # success, or out of alternatives
                return found
        return None

    return quest.result(search)

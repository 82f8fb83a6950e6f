"""Depth-first search (Trémaux, 19th century; Tarjan, 1972): the newest state first.

It keeps the way it is on and the brothers still to try, (b-1) per level: at most (b-1)(d-1)+1 in a tree with d
levels. It finds *a* solution, not the shortest, and may walk a garden path to its end first. A state that is on the
way already is not entered again, so that it cannot walk in circles; with *collapse* no state is ever entered
twice, at the price of keeping them all.
"""

from __future__ import annotations

from stratagem.game import Game, StateT
from stratagem.limit import UNLIMITED, Limit
from stratagem.result import Result
from stratagem.search.framework.fringe import Stack, Trail
from stratagem.search.framework.puzzle import Puzzle
from stratagem.search.framework.run import Evaluation, Quest, Way
from stratagem.search.framework.tally import Progress
from stratagem.trace.events import Trace


def depth_first(
    problem: Game[StateT] | Puzzle[StateT],
    start: StateT | None = None,
    *,
    depth: int | None = None,
    evaluate: Evaluation[StateT] | None = None,
    collapse: bool = False,
    limit: Limit = UNLIMITED,
    trace: Trace | None = None,
    progress: Progress | None = None,
) -> Result:
    """The first solution from the left, at most *depth* moves deep; `Result.solution` is None if there is none.

    >>> from stratagem.machines.trees.maze import maze
    >>> ways = {"a": "bcd", "b": "ef", "c": "gh", "d": "ij"}
    >>> result = depth_first(maze(ways, start="a", goal="j"))
    >>> result.solution, result.counters.nodes
    ((2, 1), 10)
    """
    quest = Quest(
        "depth-first",
        problem,
        start,
        depth=depth,
        evaluate=evaluate,
        limit=limit,
        trace=trace,
        progress=progress,
    )
    entered: dict[StateT, int] = {}

    def entered_before(way: Way[StateT]) -> bool:
        """Whether all that lies below *way* has been, or will be, looked at from an earlier way to its state."""
        if way.state not in entered:
            return False
        return depth is None or entered[way.state] <= way.depth  # a shorter way reaches farther down

    def search() -> Way[StateT] | None:
        trail: Trail[StateT] = Trail()
        fringe = Stack(quest)
        fringe.put(quest.start)
        while fringe:
            way = fringe.take()
            if collapse and entered_before(way):
                quest.duplicate(way)
                continue
            if quest.is_goal(way):
                return way
            trail.follow(way)
            if collapse:
                entered[way.state] = way.depth
            for child in reversed(list(quest.children(way))):
                if child.state in trail:
                    quest.duplicate(child)
                else:
                    fringe.put(child)
        return None

    return quest.result(search)

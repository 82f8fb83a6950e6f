"""Breadth-first search (Moore, 1959): nearest states first.

Finds a shortest solution, and keeps every state it has seen: with b moves in every state, b^k of them for a
goal k moves away. A state is tested when it is made, not when its turn comes: that is why the fringe need not hold
the children of the goal's own level (b times as many).
"""

from __future__ import annotations

from stratagem.game import Game, StateT
from stratagem.limit import UNLIMITED, Limit
from stratagem.result import Result
from stratagem.search.framework.fringe import Queue
from stratagem.search.framework.puzzle import Puzzle
from stratagem.search.framework.run import Evaluation, Quest, Way
from stratagem.search.framework.tally import Progress
from stratagem.trace.events import Trace


def breadth_first(
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
    >>> ways = {"a": "bc", "b": "d", "c": "de"}
    >>> breadth_first(maze(ways, start="a", goal="e")).solution
    (1, 1)
    """
    quest = Quest(
        "breadth-first",
        problem,
        start,
        depth=depth,
        evaluate=evaluate,
        limit=limit,
        trace=trace,
        progress=progress,
    )

    def search() -> Way[StateT] | None:
        known = {quest.start.state}
        fringe = Queue(quest)
        fringe.put(quest.start)
        if quest.is_goal(quest.start):
            return quest.start
        while fringe:
            way = fringe.take()
            for child in quest.children(way):
                if child.state in known:
                    quest.duplicate(child)
                    continue
                known.add(child.state)
                fringe.put(child)
                if quest.is_goal(child):
                    return child
        return None

    return quest.result(search)

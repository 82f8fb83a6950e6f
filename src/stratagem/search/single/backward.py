"""Backward search: breadth-first from the goals, against the direction of the moves, until the start is met.

Worth it where fewer moves lead into a state than out of it, or where one search from the goal serves many starts:
that is how endgame databases are made. Needs a game that `HasPredecessors`. Finds a shortest solution, and keeps
every state it has seen; some of them may be states that no match ever comes to.
"""

from __future__ import annotations

from stratagem.game import Game, StateT
from stratagem.limit import UNLIMITED, Limit
from stratagem.result import Result
from stratagem.search.framework.fringe import Queue
from stratagem.search.framework.puzzle import Puzzle
from stratagem.search.framework.run import Quest, Way
from stratagem.search.framework.tally import Progress
from stratagem.trace.events import Trace


def backward(
    problem: Game[StateT] | Puzzle[StateT],
    start: StateT | None = None,
    *,
    depth: int | None = None,
    limit: Limit = UNLIMITED,
    trace: Trace | None = None,
    progress: Progress | None = None,
) -> Result:
    """A solution with the fewest moves, at most *depth* of them; `Result.solution` is None if there is none.

    >>> from stratagem.machines.trees.maze import maze
    >>> ways = {"a": "bcd", "b": "ef", "c": "gh", "d": "ij"}
    >>> result = backward(maze(ways, start="a", goal="j"))
    >>> result.solution, result.counters.nodes
    ((2, 1), 3)
    """
    quest = Quest("backward", problem, start, depth=depth, limit=limit, trace=trace, progress=progress)

    def arrived(way: Way[StateT]) -> bool:
        quest.visit(way)
        return way.state == quest.start.state

    def search() -> Way[StateT] | None:
        known: set[StateT] = set()
        fringe = Queue(quest)
        for goal in map(Way, quest.puzzle.goal_states()):
            known.add(goal.state)
            fringe.put(goal)
            if arrived(goal):
                return quest.replay(())
        while fringe:
            way = fringe.take()
            for earlier in quest.parents(way):
                if earlier.state in known:
                    quest.duplicate(earlier)
                    continue
                known.add(earlier.state)
                fringe.put(earlier)
                if arrived(earlier):
                    return quest.replay(earlier.moves_onward())
        return None

    return quest.result(search)

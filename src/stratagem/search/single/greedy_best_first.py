"""Greedy best-first search (Doran and Michie, 1966): the state first that looks nearest to the goal.

Follows the estimate h alone and never asks what a way has cost. Often quick, never sure to be short; it ends
where there are finitely many states, for it enters each only once, and keeps them all.
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


def greedy_best_first(
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
    """A solution that *heuristic* leads to soon; `Result.solution` is None if there is none.

    >>> from stratagem.machines.trees.maze import maze
    >>> ways = {"a": {"b": 2, "c": 1}, "b": {"goal": 1}, "c": {"goal": 5}}
    >>> result = greedy_best_first(maze(ways, "a", "goal"), heuristic={"a": 3, "b": 2, "c": 1, "goal": 0}.get)
    >>> result.solution, result.cost
    ((1, 0), 6)
    """
    quest = Quest(
        "greedy", problem, start, depth=depth, evaluate=evaluate, limit=limit, trace=trace, progress=progress
    )

    def search() -> Way[StateT] | None:
        known = {quest.key(quest.start)}
        fringe = Heap(quest)
        fringe.put(quest.start, heuristic(quest.start.state))
        if quest.is_goal(quest.start):
            return quest.start
        while fringe:
            way = fringe.take()
            for child in quest.children(way):
                if quest.key(child) in known:
                    quest.duplicate(child)
                    continue
                known.add(quest.key(child))
                estimate = heuristic(child.state)
                if estimate == inf:
                    continue
                fringe.put(child, estimate)
                if quest.is_goal(child):
                    return child
        return None

    return quest.result(search)

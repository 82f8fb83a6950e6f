"""Bidirectional search (Nicholson, 1966; Pohl, 1971): from the start and from the goals, until they meet.

Two searches of half the depth cost about 2 b^(k/2) instead of b^k. The side with the smaller fringe advances, by one
whole level: as long as no state is known to both, every solution is longer than the levels done by both together,
so that the first meeting is on a shortest one. Needs a game that `HasPredecessors`, and keeps every state seen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from stratagem.game import Game, StateT
from stratagem.limit import UNLIMITED, Limit
from stratagem.result import Result
from stratagem.search.framework.fringe import Queue
from stratagem.search.framework.puzzle import Puzzle
from stratagem.search.framework.run import Quest, Way
from stratagem.search.framework.tally import Progress
from stratagem.trace.events import Meet, Trace


def bidirectional(
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
    >>> bidirectional(maze(ways, start="a", goal="j")).solution
    (2, 1)
    """
    quest = Quest("bidirectional", problem, start, depth=None, limit=limit, trace=trace, progress=progress)
    from_start: dict[StateT, Way[StateT]] = {}
    from_goal: dict[StateT, Way[StateT]] = {}

    def add(way: Way[StateT], side: dict[StateT, Way[StateT]], fringe: Queue[StateT]) -> bool:
        """Adds *way* to its *side*; whether the two sides meet in its state."""
        quest.visit(way)
        side[way.state] = way
        fringe.put(way)
        quest.tally.holds(len(forward) + len(backward))
        return way.state in from_start and way.state in from_goal

    def advance(
        side: dict[StateT, Way[StateT]],
        fringe: Queue[StateT],
        neighbours: Callable[[Way[StateT]], Iterator[Way[StateT]]],
    ) -> Way[StateT] | None:
        """One whole level more on *side*; a way to a state where the two sides meet, if they do."""
        for _ in range(len(fringe)):
            for way in neighbours(fringe.take()):
                if way.state in side:
                    quest.duplicate(way)
                elif add(way, side, fringe):
                    return way
        return None

    def joined(state: StateT) -> Way[StateT]:
        ahead, behind = from_start[state], from_goal[state]
        if trace is not None:
            trace(Meet(quest.number(state), ahead.cost, behind.cost))
        return quest.replay(ahead.moves() + behind.moves_onward())

    forward, backward = Queue(quest), Queue(quest)

    def search() -> Way[StateT] | None:
        add(quest.start, from_start, forward)
        for goal in quest.puzzle.goal_states():
            if goal not in from_goal and add(Way(goal), from_goal, backward):
                return joined(goal)
        levels = 0
        while forward and backward:
            if levels == depth:
                quest.cut_short = True
                break
            if len(forward) <= len(backward):
                met = advance(from_start, forward, quest.children)
            else:
                met = advance(from_goal, backward, quest.parents)
            if met is not None:
                return joined(met.state)
            levels += 1
        return None

    return quest.result(search)

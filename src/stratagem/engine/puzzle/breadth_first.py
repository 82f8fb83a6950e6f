"""Breadth-first search over packed states, for one player: the shortest path to the best terminal state.

The search ends with the first layer that has a terminal state worth the *threshold*; where there is none, with the best
there is, proved best because the whole space was seen. Every state is kept, with its parent and the move that led to it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from stratagem.engine.states.frontier import Frontier
from stratagem.errors import UnsuitableGame
from stratagem.limit import Limit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stratagem.native.compiled import CompiledGame

PUZZLE_LIMIT = Limit(memory=4 << 30)
"""What a search for one player may use unless told otherwise."""


@dataclass(frozen=True, slots=True)
class PathResult:
    """What a search for one player found: the best terminal state and the joint moves that lead there.

    *value* is None where none was found; where that is *proved*, there is none to find. *proved* with a value says that
    nothing better exists and nothing as good is nearer. *bound*: nothing worth more can be closer than this many moves.
    """

    value: int | None
    moves: tuple[tuple[int, ...], ...] = ()
    proved: bool = False
    states: int = 0
    expanded: int = 0
    layers: tuple[int, ...] = ()
    bound: int = 0
    seconds: float = 0.0


def breadth_first(
    compiled: CompiledGame,
    start: NDArray[np.uint64] | None = None,
    *,
    role: int = 0,
    threshold: int = 100,
    limit: Limit = PUZZLE_LIMIT,
    progress: Callable[[int, int], None] | None = None,
) -> PathResult:
    """The shortest path from *start* to a terminal state worth at least *threshold* to *role*, or to the best there is.

    *progress* hears (states known, states expanded).
    """
    started = limit.start()
    frontier = Frontier(
        compiled, compiled.initial if start is None else start, limit=started, progress=progress, paths=True
    )
    best: tuple[int, int] | None = None
    if frontier.start.terminal[0]:
        best = int(frontier.start.goals[0, role]), 0
    if best is None or best[0] < threshold:
        for step in frontier:
            children = step.children
            refuse_others(children.moves, children.parents, role)
            ends = step.fresh[children.terminal[step.fresh]]
            if len(ends):
                goals = children.goals[ends, role]
                place = int(np.argmax(goals))
                if best is None or goals[place] > best[0]:
                    best = int(goals[place]), int(step.numbers[ends[place]])
            if best is not None and best[0] >= threshold:
                break
    return PathResult(
        None if best is None else best[0],
        () if best is None else tuple(reversed(frontier.path(best[1]))),
        frontier.stopped is None,
        frontier.known.used,
        frontier.passed,
        tuple(frontier.layers),
        len(frontier.layers),
        started.elapsed,
    )


def refuse_others(moves: NDArray[np.int32], parents: NDArray[np.int32], role: int) -> None:
    """Refuses a game in which another role than *role* has a choice."""
    for other in range(moves.shape[1]):
        if other == role or not len(moves):
            continue
        first = np.flatnonzero(np.diff(parents, prepend=-1))
        same = np.repeat(moves[first, other], np.diff(np.append(first, len(parents))))
        if np.any(same != moves[:, other]):
            raise UnsuitableGame("another role has a choice in this game", hint="puzzles are for one player")

"""From both ends where moves can be taken back: the goals' side goes by the game's own moves, at full speed.

In many puzzles every move has one that undoes it: sliding tiles, turning cubes, switching lights. There the states that
lead to the goal are those that it leads to, so that layers grow from both ends by the same native code, and meet half
way: b^(d/2) states on each side instead of b^d. Nobody says beforehand whether a puzzle is of that kind; the way that
was found is walked forward, and where a step cannot be made there is no way of this kind.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np

from stratagem.engine.states.child_buffer import Sower
from stratagem.engine.states.state_set import StateSet
from stratagem.errors import LimitExceeded, UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stratagem.gdl_game import GdlGame
    from stratagem.native.expand import Expander

BLOCK: Final = 1 << 12
MOST_GOALS: Final = 64
"""More ends that are worth the most are no place to start from."""


class _Side:
    """The layers from one end."""

    def __init__(self, expander: Expander, states: NDArray[np.uint64]) -> None:
        self.known = StateSet(expander.words)
        self.known.add(np.ascontiguousarray(states))
        self.origin = np.full(max(1024, self.known.used), -1, np.int64)
        self.layer = np.arange(self.known.used)

    def keep(self, numbers: NDArray[np.int64], before: NDArray[np.int64], first: int) -> NDArray[np.int64]:
        """Notes where the states from number *first* on come from; which of *numbers* they are."""
        if self.known.used > len(self.origin):
            origin = np.full(max(self.known.used, 3 * len(self.origin) // 2), -1, np.int64)
            origin[: len(self.origin)] = self.origin
            self.origin = origin
        fresh = np.flatnonzero(numbers >= first)
        _, places = np.unique(numbers[fresh], return_index=True)
        chosen: NDArray[np.int64] = fresh[places]
        self.origin[numbers[chosen]] = before[chosen]
        return chosen

    def way(self, number: int) -> list[NDArray[np.uint64]]:
        """The states from one of this side to its end."""
        found = []
        while number >= 0:
            found.append(self.known.pool[number].copy())
            number = int(self.origin[number])
        return found


def meet(
    game: GdlGame,
    start: NDArray[np.uint64] | None = None,
    *,
    threshold: int = 100,
    most: int = 1 << 40,
    memory: int = 1 << 30,
    stop: Callable[[], bool] | None = None,
    seconds: float = np.inf,
) -> tuple[int, ...] | None:
    """Moves, by their numbers, from *start* to an end worth at least *threshold*; None where none was found.

    It gives up beyond *most* states: layers that are still apart then will hardly meet.

    >>> from stratagem.loading import load
    >>> len(meet(load("hanoi", discs=4)))
    15
    """
    expander = game.expander
    deadline = time.monotonic() + seconds
    origin = (expander.initial if start is None else start).reshape(1, -1)
    goals = _goals(game, threshold)
    if not len(goals):
        return None
    sides = [_Side(expander, origin), _Side(expander, goals)]
    sower = Sower(expander, BLOCK)
    while all(len(side.layer) for side in sides):
        ours, other = sorted(sides, key=lambda side: len(side.layer))
        new: list[NDArray[np.int64]] = []
        for first in range(0, len(ours.layer), BLOCK):
            held = sum(side.known.bytes + side.origin.nbytes for side in sides)
            known = sum(side.known.used for side in sides)
            late = time.monotonic() >= deadline or (stop is not None and stop())
            if late or held > memory or known > most:
                return None
            found, numbers = _grown(ours, other, sower, ours.layer[first : first + BLOCK])
            if found is not None:
                own, theirs = ours.way(found[0]), other.way(found[1])
                if ours is sides[1]:
                    own, theirs = theirs, own
                return _walked(expander, [*reversed(own), *theirs[1:]])
            new.append(numbers)
        ours.layer = np.concatenate(new) if new else np.zeros(0, np.int64)
    return None


def _grown(
    ours: _Side, other: _Side, sower: Sower, layer: NDArray[np.int64]
) -> tuple[tuple[int, int] | None, NDArray[np.int64]]:
    """Where the children of a layer meet the other side, if they do; the new ones that are no ends."""
    further: list[NDArray[np.int64]] = []
    done = 0
    while done < len(layer):
        made, consumed = sower.sow(np.ascontiguousarray(ours.known.pool[layer[done:]]))
        before = layer[done + sower.parents[:made].astype(np.int64)]
        first = ours.known.used
        numbers = ours.known.add(sower.states[:made])
        chosen = ours.keep(numbers, before, first)
        met = other.known.find(sower.states[chosen])
        if (met >= 0).any():
            place = int(np.argmax(met >= 0))
            return (int(numbers[chosen[place]]), int(met[place])), numbers[:0]
        further.append(numbers[chosen[~sower.terminal[chosen]]])
        done += consumed
    return None, np.concatenate(further) if further else np.zeros(0, np.int64)


def _walked(expander: Expander, states: list[NDArray[np.uint64]]) -> tuple[int, ...] | None:
    """The moves from each state to the next; None where one cannot be reached, since moves cannot be taken back."""
    moves: list[int] = []
    for here, there in pairwise(states):
        made = expander.expand(here.reshape(1, -1))
        places = np.flatnonzero((made.states == there).all(axis=1))
        if not len(places):
            return None
        moves.append(int(made.moves[places[0], 0]))
    return tuple(moves)


def _goals(game: GdlGame, threshold: int) -> NDArray[np.uint64]:
    """The ends worth the threshold, packed; none where there are too many."""
    from stratagem.ground.solving.predecessors import goal_states, ground_sheet

    expander = game.expander
    packed: list[NDArray[np.uint64]] = []
    try:
        for facts in goal_states(
            ground_sheet(game.sheet), game.roles[0], threshold=threshold, limit=MOST_GOALS
        ):
            packed.append(expander.pack(facts))
    except (LimitExceeded, UsageError):
        packed = []
    return np.array(packed, np.uint64).reshape(-1, expander.words)

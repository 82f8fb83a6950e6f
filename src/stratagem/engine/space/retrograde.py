"""Retrograde analysis (backward induction) of a whole space: the value of every state and the distance to its end.

Zero-sum games of two players, with cycles: for each goal value v, the states from which MAX can force an end worth at
least v are found by working backwards from those ends (a retrograde analysis: Ströhlein, 1970). A MAX state joins
when one child has, a MIN state when all children have, so each edge is touched once for each value. `low` is the
most that MAX can force and `high` the least that MIN can hold MAX to; they differ exactly where either side can
keep the match from ending. The round in which a state joins is its distance: MAX hurries, MIN delays.

One player is the case without MIN states. For more players, or goals that do not add up, values are backed up in the
order of the longest distance to an end (max^n: Luckhart and Irani, 1986), which needs a space without cycles.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from stratagem.engine.stop_flag import watched
from stratagem.errors import UnsuitableGame
from stratagem.native.jit.numba_cache import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stratagem.engine.space.explore import Space

UNKNOWN = -1
"""The distance of a state from which no side can force an end."""


class Stopped(Exception):
    """The time was spent, or a stop was asked for, before all was known."""


@dataclass(frozen=True, slots=True, eq=False)
class Values:
    """For each state what MAX can force (*low*), what MIN can hold it to (*high*), and the distance to the end.

    *distance* counts the moves to the end where the winner hurries and the loser delays; UNKNOWN where low and high
    differ: there play need not end.
    """

    low: NDArray[np.int16]
    high: NDArray[np.int16]
    distance: NDArray[np.int32]

    @property
    def decided(self) -> NDArray[np.bool_]:
        return np.equal(self.low, self.high)


@njit(nogil=True)
def _reverse(offsets, children, count):  # type: ignore[no-untyped-def]
    """The parents of every state, in compressed rows."""
    starts = np.zeros(count + 1, np.int64)
    for edge in range(len(children)):
        starts[children[edge] + 1] += 1
    for state in range(count):
        starts[state + 1] += starts[state]
    parents = np.empty(len(children), np.int64)
    place = starts[:-1].copy()
    for state in range(len(offsets) - 1):
        for edge in range(offsets[state], offsets[state + 1]):
            child = children[edge]
            parents[place[child]] = state
            place[child] += 1
    return starts, parents


@njit(nogil=True)
def _force(offsets, starts, parents, chooses, winning, joined, stop):  # type: ignore[no-untyped-def]
    """The states from which the side that *chooses* can force an end in *winning*; *joined* gets the round, -1 for never.

    False where *stop* was raised before all were found.
    """
    count = len(chooses)
    left = np.empty(count, np.int64)
    queue = np.empty(count, np.int64)
    head = tail = 0
    for state in range(count):
        left[state] = offsets[state + 1] - offsets[state]
        joined[state] = -1
        if winning[state]:
            joined[state] = 0
            queue[tail] = state
            tail += 1
    while head < tail:
        if stop[0] != 0:
            return False
        state = queue[head]
        head += 1
        for edge in range(starts[state], starts[state + 1]):
            parent = parents[edge]
            if joined[parent] >= 0:
                continue
            left[parent] -= 1
            if chooses[parent] or left[parent] == 0:
                joined[parent] = joined[state] + 1
                queue[tail] = parent
                tail += 1
    return True


def movers(space: Space) -> NDArray[np.int8]:
    """Which role has the choice in each state; -1 where none has (one child, or an end).

    A state in which several roles have a choice is refused.
    """
    found = np.full(len(space), -1, np.int8)
    degrees = np.diff(space.offsets)
    chosen = np.flatnonzero(degrees > 1)
    for role in range(space.moves.shape[1]):
        lowest, highest = _ranges(space, chosen, role)
        has = lowest != highest
        if np.any(has & (found[chosen] >= 0)):
            raise UnsuitableGame(
                "several roles have a choice in the same state",
                hint="simultaneous moves have no value of this kind",
            )
        found[chosen[has]] = role
    return found


def _ranges(
    space: Space, chosen: NDArray[np.int64], role: int
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """The least and the greatest move of *role* among the children of each *chosen* state."""
    column = np.ascontiguousarray(space.moves[:, role])
    if not len(chosen):
        return column[:0], column[:0]
    bounds = np.stack([space.offsets[chosen], space.offsets[chosen + 1]], axis=1).ravel()
    tail = np.append(column, column[-1:])
    return np.minimum.reduceat(tail, bounds)[::2], np.maximum.reduceat(tail, bounds)[::2]


def solve_zero_sum(
    space: Space, *, maximiser: int = 0, deadline: float = np.inf, stop: Callable[[], bool] | None = None
) -> Values:
    """Values for the role *maximiser* against everybody else, who want its goal to be low.

    `Stopped` is raised at the *deadline*, or when *stop* says so.
    """
    flag = np.zeros(1, np.int64)
    with watched(flag, deadline, stop) as asked:
        values = _zero_sum(space, maximiser, flag)
    if values is None or asked.is_set():
        raise Stopped
    return values


def _zero_sum(space: Space, maximiser: int, flag: NDArray[np.int64]) -> Values | None:
    ends = np.flatnonzero(space.terminal)
    goals = space.goals[:, maximiser]
    if np.any(goals[ends] < 0):
        raise UnsuitableGame(
            "an end of this game gives no goal", hint="every end needs one goal for every role"
        )
    mover = movers(space)
    count = len(space)
    starts, parents = _reverse(space.offsets, space.children, count)
    low = np.full(count, np.int16(-1))
    high = np.full(count, np.int16(32767))
    distance = np.full(count, np.int32(UNKNOWN))
    joined = np.empty(count, np.int32)
    values = np.unique(goals[ends])
    mine = mover == maximiser
    theirs = ~mine & (mover >= 0)
    reach_up: dict[int, NDArray[np.int32]] = {}
    for value in values[::-1]:
        ends_there = space.terminal & (goals >= value)
        if not _force(space.offsets, starts, parents, mine, ends_there, joined, flag):
            return None
        new = (joined >= 0) & (low < 0)
        low[new] = value
        reach_up[int(value)] = joined.copy()
    if space.goals.shape[1] == 1:  # one player has no opponent, and hurries
        for value in values:
            distance[low == value] = reach_up[int(value)][low == value]
        return Values(low, low.copy(), distance)
    for value in values:
        ends_there = space.terminal & (goals <= value)
        if not _force(space.offsets, starts, parents, theirs, ends_there, joined, flag):
            return None
        new = (joined >= 0) & (high == 32767)
        high[new] = value
        both = new & (low == value)
        # The side that gains by it hurries: MAX above the middle of the scale, MIN below.
        distance[both] = joined[both] if 2 * value < values[0] + values[-1] else reach_up[int(value)][both]
    return Values(low, high, distance)


@njit(nogil=True)
def _topological(offsets, children, count):  # type: ignore[no-untyped-def]
    """The states in an order in which children come first; shorter than *count* where there is a cycle."""
    left = np.empty(count, np.int64)
    starts, parents = _reverse(offsets, children, count)
    order = np.empty(count, np.int64)
    tail = 0
    for state in range(count):
        left[state] = offsets[state + 1] - offsets[state]
        if left[state] == 0:
            order[tail] = state
            tail += 1
    head = 0
    while head < tail:
        state = order[head]
        head += 1
        for edge in range(starts[state], starts[state + 1]):
            parent = parents[edge]
            left[parent] -= 1
            if left[parent] == 0:
                order[tail] = parent
                tail += 1
    return order[:tail]


def topological(space: Space) -> NDArray[np.int64]:
    """The states in an order in which children come first; states on or before a cycle are left out."""
    order: NDArray[np.int64] = _topological(space.offsets, space.children, len(space))
    return order


@njit(nogil=True)
def _longest(order, offsets, children, length):  # type: ignore[no-untyped-def]
    """For every state the longest path to a state without children; *order* has children first."""
    for place in range(len(order)):
        state = order[place]
        for edge in range(offsets[state], offsets[state + 1]):
            length[state] = max(length[state], 1 + length[children[edge]])


def longest(space: Space, order: NDArray[np.int64]) -> int:
    """The moves of the longest match in a space without cycles, whose states are all in *order*."""
    length = np.zeros(len(space), np.int64)
    _longest(order, space.offsets, space.children, length)
    return int(length[0])


@njit(nogil=True)
def _max_n(order, offsets, children, mover, values, distance):  # type: ignore[no-untyped-def]
    """Backs up the goals of all roles: the role that moves takes the best for itself, of equals the nearest end."""
    for place in range(len(order)):
        state = order[place]
        first, last = offsets[state], offsets[state + 1]
        if first == last:
            continue
        best = first
        role = mover[state]
        for edge in range(first + 1, last):
            child, champion = children[edge], children[best]
            if role >= 0 and (
                values[child, role] > values[champion, role]
                or (values[child, role] == values[champion, role] and distance[child] < distance[champion])
            ):
                best = edge
        for other in range(values.shape[1]):
            values[state, other] = values[children[best], other]
        distance[state] = distance[children[best]] + 1


def solve_max_n(space: Space) -> tuple[NDArray[np.int16], NDArray[np.int32]]:
    """What every role gets in every state, if everybody takes the best for itself; and the distance to the end."""
    if np.any(space.goals[space.terminal] < 0):
        raise UnsuitableGame(
            "an end of this game gives no goal", hint="every end needs one goal for every role"
        )
    mover = movers(space)
    order = topological(space)
    if len(order) < len(space):
        raise UnsuitableGame(
            "play can come back to a state, and there are more than two players or goals that do not add up",
            hint="add a step limit to the rules",
        )
    values = space.goals.copy()
    distance = np.zeros(len(space), np.int32)
    _max_n(order, space.offsets, space.children, mover, values, distance)
    return values, distance


def is_zero_sum(space: Space) -> bool:
    """Whether two roles' goals add up to the same at every end."""
    if space.goals.shape[1] != 2:
        return False
    sums = space.goals[space.terminal].sum(axis=1)
    return (
        len(sums) > 0 and bool(np.all(sums == sums[0])) and not bool(np.any(space.goals[space.terminal] < 0))
    )

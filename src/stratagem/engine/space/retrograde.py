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
from typing import TYPE_CHECKING, Final

import numpy as np

from stratagem.engine.space.state_graph import StateGraph, children_of, graph_of, reverse_edges
from stratagem.engine.stop_flag import watched
from stratagem.errors import UnsuitableGame
from stratagem.kernels import (
    Array,
    Record,
    dims,
    inlined,
    int8,
    int16,
    int32,
    kernel,
    load_relaxed,
    size,
)
from stratagem.kernels.translate.family import KernelFamily
from stratagem.native.jit.kernel_families import compiled_family

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


class ForcedEnds(Record):
    """What one side can force: a state joins the *winning* ones where it *chooses* and one child has joined, or all have.

    *joined* is the round in which a state joins, -1 for never.
    """

    graph: StateGraph
    states: int = size()
    chooses: Array[bool] = dims("states")
    winning: Array[bool] = dims("states")
    joined: Array[int32] = dims("states")
    stop: Array[int] = dims(1)
    waiting: int = 0


@inlined
def join(ends: ForcedEnds, state: int, round: int) -> None:
    """Takes a state in, and lines it up for its parents to hear of it."""
    ends.joined[state] = round
    ends.graph.queue[ends.waiting] = state
    ends.waiting += 1


@inlined
def tell_parents(ends: ForcedEnds, state: int) -> None:
    """Takes in the parents of a state that has joined which now are forced to, or choose to, follow it."""
    graph = ends.graph
    for edge in range(graph.first_parent[state], graph.first_parent[state + 1]):
        parent = graph.parents[edge]
        if ends.joined[parent] < 0:
            graph.left[parent] -= 1
            if ends.chooses[parent] or graph.left[parent] == 0:
                join(ends, parent, ends.joined[state] + 1)


@kernel
def force_ends(ends: ForcedEnds) -> bool:
    """The states from which the side that *chooses* can force an end in *winning*; False where it was stopped."""
    ends.waiting = 0
    for state in range(ends.states):
        ends.graph.left[state] = children_of(ends.graph, state)
        ends.joined[state] = -1
        if ends.winning[state]:
            join(ends, state, 0)
    done = 0
    while done < ends.waiting:
        if load_relaxed(ends.stop, 0) != 0:
            return False
        tell_parents(ends, ends.graph.queue[done])
        done += 1
    return True


@kernel
def sort_topologically(graph: StateGraph) -> int:
    """Fills *queue* with the states, children first; fewer than all where there is a cycle. How many."""
    reverse_edges(graph)
    found = 0
    for state in range(graph.states):
        graph.left[state] = children_of(graph, state)
        if graph.left[state] == 0:
            graph.queue[found] = state
            found += 1
    done = 0
    while done < found:
        state = graph.queue[done]
        done += 1
        for edge in range(graph.first_parent[state], graph.first_parent[state + 1]):
            parent = graph.parents[edge]
            graph.left[parent] -= 1
            if graph.left[parent] == 0:
                graph.queue[found] = parent
                found += 1
    return found


@kernel
def longest_paths(graph: StateGraph, order: Array[int], count: int, length: Array[int]) -> None:
    """For every state the longest path to a state without children; *order* has children first."""
    for place in range(count):
        state = order[place]
        for edge in range(graph.first_child[state], graph.first_child[state + 1]):
            length[state] = max(length[state], 1 + length[graph.children[edge]])


class MaxN(Record):
    """Backward induction for any number of roles: *values* of all of them, in an *order* with children first."""

    graph: StateGraph
    states: int = size()
    roles: int = size()
    order: Array[int] = dims("states")
    mover: Array[int8] = dims("states")
    values: Array[int16] = dims("states", "roles")
    distance: Array[int32] = dims("states")


@inlined
def prefers(induction: MaxN, role: int, child: int, other: int) -> bool:
    """Whether a role would rather go to *child*: for its value, of equals for the nearest end."""
    one, two = induction.values[child, role], induction.values[other, role]
    return one > two or (one == two and induction.distance[child] < induction.distance[other])


@inlined
def best_child(induction: MaxN, state: int) -> int:
    """The child that the role to move prefers; the first one where none has a choice."""
    graph, role = induction.graph, induction.mover[state]
    best = graph.children[graph.first_child[state]]
    if role >= 0:
        for edge in range(graph.first_child[state] + 1, graph.first_child[state + 1]):
            if prefers(induction, role, graph.children[edge], best):
                best = graph.children[edge]
    return best


@kernel
def back_up(induction: MaxN) -> None:
    """Gives every state the values of its best child."""
    for place in range(induction.states):
        state = induction.order[place]
        if children_of(induction.graph, state) > 0:
            best = best_child(induction, state)
            for role in range(induction.roles):
                induction.values[state, role] = induction.values[best, role]
            induction.distance[state] = induction.distance[best] + 1


KERNELS: Final = KernelFamily(
    "retrograde analysis", (reverse_edges, force_ends, sort_topologically, longest_paths, back_up)
)


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
                hint="backward induction needs players that take turns",
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
            "a terminal state of this game gives no goal", hint="every terminal state needs one goal per role"
        )
    mover = movers(space)
    count = len(space)
    code, graph = compiled_family(KERNELS), graph_of(space)
    code[reverse_edges](graph)
    low = np.full(count, np.int16(-1))
    high = np.full(count, np.int16(32767))
    distance = np.full(count, np.int32(UNKNOWN))
    joined = np.empty(count, np.int32)
    values = np.unique(goals[ends])
    mine = mover == maximiser
    theirs = ~mine & (mover >= 0)

    def force(chooses: NDArray[np.bool_], winning: NDArray[np.bool_]) -> bool:
        ends = ForcedEnds(graph=graph, chooses=chooses, winning=winning, joined=joined, stop=flag)
        return code[force_ends](ends)

    reach_up: dict[int, NDArray[np.int32]] = {}
    for value in values[::-1]:
        if not force(mine, space.terminal & (goals >= value)):
            return None
        new = (joined >= 0) & (low < 0)
        low[new] = value
        reach_up[int(value)] = joined.copy()
    if space.goals.shape[1] == 1:  # one player has no opponent, and hurries
        for value in values:
            distance[low == value] = reach_up[int(value)][low == value]
        return Values(low, low.copy(), distance)
    for value in values:
        if not force(theirs, space.terminal & (goals <= value)):
            return None
        new = (joined >= 0) & (high == 32767)
        high[new] = value
        both = new & (low == value)
        # The side that gains by it hurries: MAX above the middle of the scale, MIN below.
        distance[both] = joined[both] if 2 * value < values[0] + values[-1] else reach_up[int(value)][both]
    return Values(low, high, distance)


def topological(space: Space) -> NDArray[np.int64]:
    """The states in an order in which children come first; states on or before a cycle are left out."""
    graph = graph_of(space)
    found = compiled_family(KERNELS)[sort_topologically](graph)
    return np.asarray(graph.queue.numpy[:found])


def longest(space: Space, order: NDArray[np.int64]) -> int:
    """The moves of the longest match in a space without cycles, whose states are all in *order*."""
    length = np.zeros(len(space), np.int64)
    compiled_family(KERNELS)[longest_paths](
        graph_of(space), Array(int, order), len(order), Array(int, length)
    )
    return int(length[0])


def solve_max_n(space: Space) -> tuple[NDArray[np.int16], NDArray[np.int32]]:
    """What every role gets in every state, if everybody takes the best for itself; and the distance to the end."""
    if np.any(space.goals[space.terminal] < 0):
        raise UnsuitableGame(
            "a terminal state of this game gives no goal", hint="every terminal state needs one goal per role"
        )
    if len(space.stuck):
        raise stuck()
    mover = movers(space)
    order = topological(space)
    if len(order) < len(space):
        raise UnsuitableGame(
            "states can repeat, and this is not a two-player zero-sum game",
            hint="add a step limit to the rules",
        )
    values = space.goals.copy()
    distance = np.zeros(len(space), np.int32)
    compiled_family(KERNELS)[back_up](
        MaxN(graph=graph_of(space), order=order, mover=mover, values=values, distance=distance)
    )
    return values, distance


def stuck() -> UnsuitableGame:
    """The refusal of a game in which play can come to a halt: nobody gets anything there."""
    return UnsuitableGame(
        "a state is not terminal and has no legal joint move",
        hint="every role needs a legal move in every state that is not terminal",
    )


def is_zero_sum(space: Space) -> bool:
    """Whether two roles' goals add up to the same at every end."""
    if space.goals.shape[1] != 2:
        return False
    sums = space.goals[space.terminal].sum(axis=1)
    return (
        len(sums) > 0 and bool(np.all(sums == sums[0])) and not bool(np.any(space.goals[space.terminal] < 0))
    )

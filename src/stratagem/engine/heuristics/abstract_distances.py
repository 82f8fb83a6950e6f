"""Distances in an abstract game: breadth-first backwards from its goals, where some moves are free.

States that a free move leads to are dealt with at once, the others with the next distance (a 0-1 breadth-first search).
"""

from __future__ import annotations

from typing import Final

from stratagem.engine.space.state_graph import StateGraph, reverse_edges
from stratagem.kernels import Array, Record, dims, inlined, int16, int32, kernel, size, uint64

GOAL: Final = 100
"""What the ends of an abstract game are worth that are solved."""


class AbstractSpace(Record):
    """An abstract space, and the distance of each of its states from the goal."""

    graph: StateGraph
    count: int = size()
    words: int = size()
    room: int = size()
    states: Array[uint64] = dims("count", "words")
    goals: Array[int16] = dims("count")
    counted: Array[uint64] = dims("words")
    """Moves that change none of these bits are free."""
    distance: Array[int32] = dims("count")
    waiting: Array[int32] = dims(2, "room")
    """Stacks of the states at this distance and at the next, in turns."""
    here: int = 0
    """How many wait at this distance."""
    next: int = 0


@inlined
def is_free(space: AbstractSpace, one: int, other: int) -> bool:
    """Whether the move between two states changes nothing that counts."""
    for word in range(space.words):
        if (space.states[one, word] ^ space.states[other, word]) & space.counted[word] != 0:
            return False
    return True


@inlined
def reach_parents(space: AbstractSpace, state: int, level: int) -> None:
    """Notes the parents of a state at distance *level* that were thought to be farther away."""
    graph = space.graph
    for edge in range(graph.first_parent[state], graph.first_parent[state + 1]):
        parent = graph.parents[edge]
        steps = level if is_free(space, parent, state) else level + 1
        if space.distance[parent] < 0 or steps < space.distance[parent]:
            space.distance[parent] = steps
            if steps == level:
                space.waiting[level & 1, space.here] = parent
                space.here += 1
            else:
                space.waiting[(level + 1) & 1, space.next] = parent
                space.next += 1


@kernel
def measure_distances(space: AbstractSpace) -> None:
    """Moves from every abstract state to a goal, -1 where there is no path."""
    reverse_edges(space.graph)
    for state in range(space.count):
        space.distance[state] = -1
        if space.goals[state] == GOAL:
            space.distance[state] = 0
            space.waiting[0, space.here] = state
            space.here += 1
    level = 0
    while space.here > 0:
        while space.here > 0:
            space.here -= 1
            state = space.waiting[level & 1, space.here]
            if space.distance[state] == level:
                reach_parents(space, state, level)
        space.here, space.next, level = space.next, 0, level + 1

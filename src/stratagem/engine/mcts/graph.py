"""The graph that MCTS grows: one row per state, and what has been learned about it.

Every state is there once, however many ways lead to it (state collapse). The children of a node lie one after another
in `child`, by all legal joint moves in lexicographic order, so that moves need not be stored: the i-th legal move of a
role is its i-th choice. Room is given once, by the memory that may be used; when the match has moved on, what can no
longer be reached is dropped and the rest pushed together in place.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from stratagem.kernels import (
    Array,
    Record,
    dims,
    float32,
    inlined,
    int8,
    int16,
    int32,
    kernel,
    size,
    try_lock,
    uint8,
    uint64,
)
from stratagem.kernels.library.exact_set import ExactSet, add_state, refill
from stratagem.kernels.library.hashing import copy_state

FRESH: Final = 0
OPENING: Final = 1
OPEN: Final = 2
STUCK: Final = 3
"""No end, but a role without a move; or more children than can be held. Never opened."""
NOBODY: Final = -1
SEVERAL: Final = -2

EDGES_PER_NODE: Final = 1.5
"""Edges for which room is made: more than one per node, since different moves lead to the same state."""


class SearchGraph(Record):
    """One graph, shared by all threads. Arms are the choices of roles that move at once."""

    nodes: int = size()
    roles: int = size()
    edges: int = size()
    arms: int = size()
    states: ExactSet
    """The state of every node, by its number."""
    visits: Array[float] = dims("nodes")
    totals: Array[float] = dims("nodes", "roles")
    """The sum of all values backed up, the first one from the node's own evaluation."""
    peaks: Array[float32] = dims("nodes")
    """The best end seen below, for games of one role."""
    status: Array[uint8] = dims("nodes")
    proved: Array[bool] = dims("nodes")
    goals: Array[int16] = dims("nodes", "roles")
    """The proved values."""
    distance: Array[int32] = dims("nodes")
    """Moves to the proved end."""
    mover: Array[int8] = dims("nodes")
    """The role that has a choice, NOBODY or SEVERAL."""
    choices: Array[int32] = dims("nodes", "roles")
    """How many legal moves each role has."""
    edge: Array[int] = dims("nodes")
    arm: Array[int] = dims("nodes")
    seen: Array[int] = dims("nodes")
    """The number of the last walk that came by, to notice cycles."""
    anchor: Array[int32] = dims("nodes")
    """The best proved child for whoever moves, or -1: what the mover has for certain."""
    child: Array[int32] = dims("edges")
    prior: Array[float32] = dims("edges")
    tries: Array[int32] = dims("edges")
    arm_visits: Array[float32] = dims("arms")
    """How often a choice was wanted: the mean strategy."""
    arm_totals: Array[float32] = dims("arms")
    """How much a choice is regretted."""
    lock: Array[int] = dims(1)
    stop: Array[int] = dims(1)
    edges_used: int = 0
    arms_used: int = 0
    simulations: int = 0
    deepest: int = 0
    matches: int = 0
    full: bool = False
    """Whether there was no room for the children of a node."""


def node_bytes(words: int, roles: int) -> float:
    """The memory one node takes with its share of the edges and of the table."""
    return (
        8 * words
        + 8
        + 8 * roles
        + 4
        + 3
        + 2 * roles
        + 4
        + 4 * roles
        + 16
        + 8
        + EDGES_PER_NODE * (12 + 8)
        + 24
    )


def new_graph(words: int, roles: int, memory: int) -> SearchGraph:
    """An empty graph that takes about *memory* bytes when it is full."""
    nodes = max(1024, min(int(memory / node_bytes(words, roles)), 1 << 30))
    edges = int(EDGES_PER_NODE * nodes) + 4096
    return SearchGraph(
        states=ExactSet(
            table=np.zeros(1 << max(10, (3 * nodes // 2).bit_length()), np.int64),
            pool=np.empty((nodes, words), np.uint64),
        ),
        visits=np.zeros(nodes, np.float64),
        totals=np.zeros((nodes, roles), np.float64),
        peaks=np.zeros(nodes, np.float32),
        status=np.zeros(nodes, np.uint8),
        proved=np.zeros(nodes, np.bool_),
        goals=np.zeros((nodes, roles), np.int16),
        distance=np.zeros(nodes, np.int32),
        mover=np.zeros(nodes, np.int8),
        choices=np.zeros((nodes, roles), np.int32),
        edge=np.zeros(nodes, np.int64),
        arm=np.zeros(nodes, np.int64),
        seen=np.zeros(nodes, np.int64),
        anchor=np.full(nodes, -1, np.int32),
        child=np.zeros(edges, np.int32),
        prior=np.zeros(edges, np.float32),
        tries=np.zeros(edges, np.int32),
        arm_visits=np.zeros(edges // 2, np.float32),
        arm_totals=np.zeros(edges // 2, np.float32),
        lock=np.zeros(1, np.int64),
        stop=np.zeros(1, np.int64),
    )


@inlined
def lock_graph(graph: SearchGraph) -> None:
    """Waits for the lock; held for a microsecond or two, so waiting is spinning."""
    while not try_lock(graph.lock, 0):
        pass


@kernel
def enter_state(graph: SearchGraph, state: Array[uint64]) -> int:
    """The node of a state; a new one has the highest number."""
    new = graph.states.used
    node = add_state(graph.states, state)
    if node == new:
        graph.visits[node] = 0.0
        for role in range(graph.roles):
            graph.totals[node, role] = 0.0
        graph.peaks[node] = 0.0
        graph.status[node] = FRESH
        graph.proved[node] = False
        graph.distance[node] = 0
        graph.seen[node] = 0
        graph.anchor[node] = -1
    return node


@inlined
def edge_count(graph: SearchGraph, node: int) -> int:
    """How many joint moves an open node has."""
    count = 1
    for role in range(graph.roles):
        count *= graph.choices[node, role]
    return count


@inlined
def arm_count(graph: SearchGraph, node: int) -> int:
    """How many choices the roles have together, where several move at once; else none."""
    if graph.mover[node] != SEVERAL:
        return 0
    count = 0
    for role in range(graph.roles):
        count += graph.choices[node, role]
    return count


@kernel
def keep_below(graph: SearchGraph, root: int, numbers: Array[int32], room: Array[int32]) -> int:
    """Drops all that cannot be reached from *root*; the new number of *root*.

    *numbers* has a place for every node in use, *room* one for every node and every edge in use.
    """
    mark_reachable(graph, root, numbers, room)
    push_edges(graph, numbers, room)
    push_nodes(graph, numbers)
    for slot in range(graph.states.slots):
        graph.states.table[slot] = 0
    refill(graph.states)
    graph.full = False
    return numbers[root]


@kernel
def mark_reachable(graph: SearchGraph, root: int, numbers: Array[int32], waiting: Array[int32]) -> None:
    """Marks what can be reached from *root* in *numbers* by 0, the rest by -1."""
    for node in range(graph.states.used):
        numbers[node] = -1
    numbers[root], waiting[0] = 0, root
    left = 1
    while left > 0:
        left -= 1
        node = waiting[left]
        if graph.status[node] == OPEN:
            for edge in range(graph.edge[node], graph.edge[node] + edge_count(graph, node)):
                child = graph.child[edge]
                if numbers[child] < 0:
                    numbers[child], waiting[left] = 0, child
                    left += 1


@kernel
def push_edges(graph: SearchGraph, numbers: Array[int32], owners: Array[int32]) -> None:
    """Pushes the edges and arms of kept open nodes together, in their order.

    A place for arms is taken together with the place for edges, so one order serves both.
    """
    for edge in range(graph.edges_used):
        owners[edge] = -1
    for node in range(graph.states.used):
        if numbers[node] >= 0 and graph.status[node] == OPEN:
            owners[graph.edge[node]] = node
    edges, arms = 0, 0
    for first in range(graph.edges_used):
        node = owners[first]
        if node >= 0:
            for old in range(first, first + edge_count(graph, node)):
                graph.child[edges] = graph.child[old]
                graph.prior[edges] = graph.prior[old]
                graph.tries[edges] = graph.tries[old]
                edges += 1
            graph.edge[node] = edges - edge_count(graph, node)
            for old in range(graph.arm[node], graph.arm[node] + arm_count(graph, node)):
                graph.arm_visits[arms] = graph.arm_visits[old]
                graph.arm_totals[arms] = graph.arm_totals[old]
                arms += 1
            graph.arm[node] = arms - arm_count(graph, node)
    graph.edges_used, graph.arms_used = edges, arms


@kernel
def push_nodes(graph: SearchGraph, numbers: Array[int32]) -> None:
    """Pushes the kept nodes together, in their order, and gives them their new numbers."""
    kept = 0
    for node in range(graph.states.used):
        if numbers[node] >= 0:
            if kept != node:
                move_node(graph, node, kept)
            graph.seen[kept], graph.anchor[kept] = 0, -1
            numbers[node] = kept
            kept += 1
    for edge in range(graph.edges_used):
        graph.child[edge] = numbers[graph.child[edge]]
    graph.states.used = kept


@inlined
def move_node(graph: SearchGraph, node: int, new: int) -> None:
    """All that is known of a node, to its new place."""
    copy_state(graph.states.pool.row(node), graph.states.pool.row(new), graph.states.words)
    for role in range(graph.roles):
        graph.totals[new, role] = graph.totals[node, role]
        graph.goals[new, role] = graph.goals[node, role]
        graph.choices[new, role] = graph.choices[node, role]
    graph.visits[new] = graph.visits[node]
    graph.peaks[new] = graph.peaks[node]
    graph.status[new] = graph.status[node]
    graph.proved[new] = graph.proved[node]
    graph.distance[new] = graph.distance[node]
    graph.mover[new] = graph.mover[node]
    graph.edge[new] = graph.edge[node]
    graph.arm[new] = graph.arm[node]


def forget(graph: SearchGraph) -> None:
    """Empties the graph."""
    graph.states.table.numpy[:] = 0
    graph.seen.numpy[:] = 0
    graph.states.used = graph.edges_used = graph.arms_used = 0
    graph.simulations = graph.deepest = graph.matches = 0
    graph.full = False

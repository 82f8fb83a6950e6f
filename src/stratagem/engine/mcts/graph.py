"""The graph that MCTS grows, as arrays: one row per state, and what has been learned about it.

Every state is there once, however many ways lead to it (state collapse). The children of a node lie one after another
in `child`, by all legal joint moves in lexicographic order, so that moves need not be stored: the i-th legal move of a
role is its i-th choice. Room is given once, by the memory that may be used; when the match has moved on, what can no
longer be reached is dropped and the rest pushed together in place.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from stratagem.engine.states.state_set import enter, fill, slot_of
from stratagem.native.jit.numba_cache import njit

FRESH: Final = 0
OPENING: Final = 1
OPEN: Final = 2
STUCK: Final = 3
"""No end, but a role without a move; or more children than can be held. Never opened."""
NOBODY: Final = -1
SEVERAL: Final = -2

NODES, EDGES, ARMS, SIMULATIONS, DEEPEST, MATCHES, FULL = range(7)
"""Places in `counters`."""
EDGES_PER_NODE: Final = 1.5
"""Edges for which room is made: more than one per node, since different moves lead to the same state."""


class SearchGraph(NamedTuple):
    """The arrays of one graph. N nodes, E edges, A arms (choices of roles that move at once)."""

    table: Any
    states: Any
    visits: Any
    totals: Any
    """[N, roles]: the sum of all values backed up, the first one from the node's own evaluation."""
    peaks: Any
    """[N]: the best end seen below, for games of one role."""
    status: Any
    proved: Any
    goals: Any
    """[N, roles]: the proved values."""
    distance: Any
    """[N]: moves to the proved end."""
    mover: Any
    choices: Any
    """[N, roles]: how many legal moves each role has."""
    edge: Any
    arm: Any
    seen: Any
    """[N]: the number of the last walk that came by, to notice cycles."""
    anchor: Any
    """[N]: the best proved child for whoever moves, or -1: what the mover has for certain."""
    child: Any
    prior: Any
    tries: Any
    arm_visits: Any
    """[A]: how often a choice was wanted: the mean strategy."""
    arm_totals: Any
    """[A]: how much a choice is regretted."""
    counters: Any
    lock: Any
    stop: Any


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


def new_tree(words: int, roles: int, memory: int) -> SearchGraph:
    """An empty graph that takes about *memory* bytes when it is full."""
    nodes = max(1024, min(int(memory / node_bytes(words, roles)), 1 << 30))
    edges = int(EDGES_PER_NODE * nodes) + 4096
    return SearchGraph(
        table=np.zeros(1 << max(10, (3 * nodes // 2).bit_length()), np.int64),
        states=np.empty((nodes, words), np.uint64),
        visits=np.zeros(nodes, np.float64),
        totals=np.zeros((nodes, roles), np.float64),
        peaks=np.zeros(nodes, np.float32),
        status=np.zeros(nodes, np.uint8),
        proved=np.zeros(nodes, np.uint8),
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
        counters=np.zeros(8, np.int64),
        lock=np.zeros(1, np.int64),
        stop=np.zeros(1, np.int64),
    )


@njit(nogil=True)
def find_node(tree, states, row):  # type: ignore[no-untyped-def]
    """The node of a state, or -1 - slot where it would have to be entered."""
    slot, entry = slot_of(tree.table, tree.states, states, row)
    return entry - 1 if entry != 0 else -1 - np.int64(slot)


@njit(nogil=True)
def enter_node(tree, states, row, slot):  # type: ignore[no-untyped-def]
    """A new node for a state that is not in the graph."""
    node = tree.counters[NODES]
    tree.counters[NODES] += 1
    enter(tree.table, slot, tree.states, node, states, row)
    tree.visits[node] = 0.0
    for role in range(tree.totals.shape[1]):
        tree.totals[node, role] = 0.0
    tree.peaks[node] = 0.0
    tree.status[node] = FRESH
    tree.proved[node] = 0
    tree.distance[node] = 0
    tree.seen[node] = 0
    tree.anchor[node] = -1
    return node


@njit(nogil=True)
def edge_count(tree, node):  # type: ignore[no-untyped-def]
    """How many joint moves an open node has."""
    count = 1
    for role in range(tree.choices.shape[1]):
        count *= tree.choices[node, role]
    return count


@njit(nogil=True)
def arm_count(tree, node):  # type: ignore[no-untyped-def]
    """How many choices the roles have together, where several move at once; else none."""
    if tree.mover[node] != SEVERAL:
        return 0
    count = 0
    for role in range(tree.choices.shape[1]):
        count += tree.choices[node, role]
    return count


@njit(nogil=True)
def _reachable(tree, root, numbers):  # type: ignore[no-untyped-def]
    """Marks what can be reached from *root* in *numbers* by 0, the rest by -1."""
    used = tree.counters[NODES]
    numbers[:used] = -1
    waiting = np.empty(used, np.int32)
    waiting[0] = root
    numbers[root] = 0
    left = 1
    while left > 0:
        left -= 1
        node = waiting[left]
        if tree.status[node] != OPEN:
            continue
        for edge in range(tree.edge[node], tree.edge[node] + edge_count(tree, node)):
            child = tree.child[edge]
            if numbers[child] < 0:
                numbers[child] = 0
                waiting[left] = child
                left += 1


@njit(nogil=True)
def _push_edges(tree, order, count):  # type: ignore[no-untyped-def]
    """Pushes the edges and arms of kept open nodes together; *order* has them by their place."""
    edges = arms = 0
    for place in range(count):
        node = order[place]
        size, first = edge_count(tree, node), tree.edge[node]
        for step in range(size):
            tree.child[edges + step] = tree.child[first + step]
            tree.prior[edges + step] = tree.prior[first + step]
            tree.tries[edges + step] = tree.tries[first + step]
        tree.edge[node] = edges
        edges += size
        own, first = arm_count(tree, node), tree.arm[node]
        for step in range(own):
            tree.arm_visits[arms + step] = tree.arm_visits[first + step]
            tree.arm_totals[arms + step] = tree.arm_totals[first + step]
        tree.arm[node] = arms
        arms += own
    tree.counters[EDGES] = edges
    tree.counters[ARMS] = arms


@njit(nogil=True)
def _push_nodes(tree, numbers):  # type: ignore[no-untyped-def]
    """Pushes the kept nodes together, in their order."""
    used = tree.counters[NODES]
    kept = 0
    for node in range(used):
        if numbers[node] >= 0:
            numbers[node] = kept
            kept += 1
    for node in range(used):
        new = numbers[node]
        if new < 0 or new == node:
            continue
        for word in range(tree.states.shape[1]):
            tree.states[new, word] = tree.states[node, word]
        for role in range(tree.totals.shape[1]):
            tree.totals[new, role] = tree.totals[node, role]
            tree.goals[new, role] = tree.goals[node, role]
            tree.choices[new, role] = tree.choices[node, role]
        tree.visits[new] = tree.visits[node]
        tree.peaks[new] = tree.peaks[node]
        tree.status[new] = tree.status[node]
        tree.proved[new] = tree.proved[node]
        tree.distance[new] = tree.distance[node]
        tree.mover[new] = tree.mover[node]
        tree.edge[new] = tree.edge[node]
        tree.arm[new] = tree.arm[node]
    tree.seen[:kept] = 0
    tree.anchor[:kept] = -1
    for edge in range(tree.counters[EDGES]):
        tree.child[edge] = numbers[tree.child[edge]]
    tree.counters[NODES] = kept


def keep_below(tree: SearchGraph, root: int) -> int:
    """Drops all that cannot be reached from *root*; the new number of *root*."""
    used = int(tree.counters[NODES])
    numbers = np.empty(used, np.int64)
    _reachable(tree, root, numbers)
    opened = np.flatnonzero((numbers >= 0) & (tree.status[:used] == OPEN))
    by_edge = opened[np.argsort(tree.edge[opened], kind="stable")]
    # A place for arms is taken together with the place for edges, so one order serves both.
    _push_edges(tree, by_edge, len(by_edge))
    _push_nodes(tree, numbers)
    tree.table[:] = 0
    fill(tree.table, tree.states, int(tree.counters[NODES]))
    tree.counters[FULL] = 0
    return int(numbers[root])


def forget(tree: SearchGraph) -> None:
    """Empties the graph."""
    tree.table[:] = 0
    tree.counters[:] = 0
    tree.seen[:] = 0

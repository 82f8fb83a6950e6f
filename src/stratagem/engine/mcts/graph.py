"""The graph that MCTS grows: one row per state, and what has been learned about it.

Every state is there once, however many ways lead to it (state collapse). A new node has the numbers of its roles' legal
moves in `move`. When it is walked through for the first time it is opened: its edges lie one after another in `child`, by all
legal joint moves in lexicographic order. A child is entered when its edge is taken for the first time. Room is given
once, by the memory that may be used; when the match has moved on, what can no longer be reached is dropped and
the rest pushed together in place.
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
from stratagem.kernels.library.exact_set import ExactSet, add_state

FRESH: Final = 0
OPEN: Final = 1
STUCK: Final = 2
"""No end, but a role without a move; or more joint moves than can be held. Never opened."""
NO_ROLE: Final = -1
SEVERAL: Final = -2
UNKNOWN: Final = -1
"""An edge that was never taken. Lower numbers: its child is being looked at, by the thread that the number names."""
NO_TABLE: Final = -1

EDGES_PER_NODE: Final = 8.0
MOVES_PER_NODE: Final = 12.0
"""Edges and moves for which room is made; in games with more of them the graph holds fewer nodes."""
TABLE_SHARE: Final = 0.15
"""How much of the memory goes to tables of moves, where these are kept."""


class SearchGraph(Record):
    """One graph, shared by all threads. Arms are the choices of roles that move at once."""

    nodes: int = size()
    roles: int = size()
    edges: int = size()
    arms: int = size()
    move_room: int = size()
    tables: int = size()
    all_moves: int = size()
    states: ExactSet
    """The state of every node, by its number."""
    visits: Array[int32] = dims("nodes")
    """Walks that came by,"""
    flying: Array[int32] = dims("nodes")
    """and how many of them have not been backed up yet."""
    totals: Array[float] = dims("nodes", "roles")
    """The sum of all values backed up."""
    peaks: Array[float32] = dims("nodes")
    """The best end seen below, for games of one role."""
    status: Array[uint8] = dims("nodes")
    proved: Array[bool] = dims("nodes")
    goals: Array[int16] = dims("nodes", "roles")
    """The proved values."""
    distance: Array[int32] = dims("nodes")
    """Moves to the proved end."""
    mover: Array[int8] = dims("nodes")
    """The role that has a choice, NO_ROLE or SEVERAL."""
    choices: Array[int32] = dims("nodes", "roles")
    """How many legal moves each role has."""
    moves: Array[int] = dims("nodes")
    """The place of the first in `move`, role by role."""
    edge: Array[int] = dims("nodes")
    arm: Array[int] = dims("nodes")
    seen: Array[int] = dims("nodes")
    """The number of the last walk that came by, to notice cycles."""
    anchor: Array[int32] = dims("nodes")
    """The best proved child for the mover, or -1: what the mover has for certain."""
    table: Array[int32] = dims("nodes")
    """The node's table of moves, or NO_TABLE."""
    move: Array[int32] = dims("move_room")
    child: Array[int32] = dims("edges")
    tries: Array[int32] = dims("edges")
    guess: Array[float32] = dims("edges")
    """What the matches of a child that was not entered say for the mover,"""
    prior: Array[float32] = dims("edges")
    """and the share of the visits that it deserves for that; 0 where children were not played, below while they are."""
    arm_visits: Array[float32] = dims("arms")
    """How often a choice was wanted: the mean strategy."""
    arm_totals: Array[float32] = dims("arms")
    """How much a choice is regretted."""
    owner: Array[int32] = dims("tables")
    """The node that a table of moves belongs to."""
    made_visits: Array[float32] = dims("tables", "all_moves")
    """For every move of every role: walks from the owner in which it was made anywhere,"""
    made_totals: Array[float32] = dims("tables", "all_moves")
    """and the sum of their values for that role (all moves as first, AMAF)."""
    lock: Array[int] = dims(1)
    stop: Array[int] = dims(1)
    moves_used: int = 0
    edges_used: int = 0
    arms_used: int = 0
    tables_used: int = 0
    simulations: int = 0
    deepest: int = 0
    matches: int = 0
    full: bool = False
    """Whether there was no room for a node or its edges."""


def node_bytes(words: int, roles: int, most_moves: int) -> float:
    """The memory one node takes with its share of the moves, edges, arms and of the table of states."""
    node = 8 * words + 8 + 8 * roles + 4 + 3 + 2 * roles + 4 + 4 * roles + 32 + 8
    per_move = min(MOVES_PER_NODE, most_moves)
    return node + 4 * per_move + 16 * EDGES_PER_NODE + 4 + 24


def new_graph(words: int, roles: int, memory: int, *, moves: int = 16, tables: bool = False) -> SearchGraph:
    """An empty graph that takes about *memory* bytes when it is full.

    *moves*: how many moves all roles have together; *tables*: with tables of moves.
    """
    room = int(TABLE_SHARE * memory) // (8 * moves + 4) if tables else 0
    nodes = max(64, min(int((memory - room * (8 * moves + 4)) / node_bytes(words, roles, moves)), 1 << 30))
    edges, arms = int(EDGES_PER_NODE * nodes) + 4096, nodes // 2 + 4096
    return SearchGraph(
        states=ExactSet(
            table=np.zeros(1 << max(8, (3 * nodes // 2).bit_length()), np.int64),
            pool=np.empty((nodes, words), np.uint64),
        ),
        visits=np.zeros(nodes, np.int32),
        flying=np.zeros(nodes, np.int32),
        totals=np.zeros((nodes, roles), np.float64),
        peaks=np.zeros(nodes, np.float32),
        status=np.zeros(nodes, np.uint8),
        proved=np.zeros(nodes, np.bool_),
        goals=np.zeros((nodes, roles), np.int16),
        distance=np.zeros(nodes, np.int32),
        mover=np.zeros(nodes, np.int8),
        choices=np.zeros((nodes, roles), np.int32),
        moves=np.zeros(nodes, np.int64),
        edge=np.zeros(nodes, np.int64),
        arm=np.zeros(nodes, np.int64),
        seen=np.zeros(nodes, np.int64),
        anchor=np.full(nodes, -1, np.int32),
        table=np.full(nodes, NO_TABLE, np.int32),
        move=np.zeros(int(min(MOVES_PER_NODE, moves) * nodes) + moves + 4096, np.int32),
        child=np.zeros(edges, np.int32),
        tries=np.zeros(edges, np.int32),
        guess=np.zeros(edges, np.float32),
        prior=np.zeros(edges, np.float32),
        arm_visits=np.zeros(arms, np.float32),
        arm_totals=np.zeros(arms, np.float32),
        owner=np.zeros(room, np.int32),
        made_visits=np.zeros((room, moves), np.float32),
        made_totals=np.zeros((room, moves), np.float32),
        lock=np.zeros(1, np.int64),
        stop=np.zeros(1, np.int64),
    )


@inlined
def lock_graph(graph: SearchGraph) -> None:
    """Waits for the lock; held for some microseconds, so waiting is spinning."""
    while not try_lock(graph.lock, 0):
        pass


@kernel
def enter_state(graph: SearchGraph, state: Array[uint64]) -> int:
    """The node of a state; a new one has the highest number."""
    new = graph.states.used
    node = add_state(graph.states, state)
    if node == new:
        graph.visits[node], graph.flying[node] = 0, 0
        for role in range(graph.roles):
            graph.totals[node, role] = 0.0
            graph.choices[node, role] = 0
        graph.peaks[node] = 0.0
        graph.status[node] = FRESH
        graph.proved[node] = False
        graph.distance[node] = 0
        graph.seen[node] = 0
        graph.anchor[node] = -1
        graph.table[node] = NO_TABLE
    return node


@inlined
def edge_count(graph: SearchGraph, node: int) -> int:
    """How many joint moves a node has."""
    count = 1
    for role in range(graph.roles):
        count *= graph.choices[node, role]
    return count


@inlined
def move_count(graph: SearchGraph, node: int) -> int:
    """How many moves all roles have together at a node."""
    count = 0
    for role in range(graph.roles):
        count += graph.choices[node, role]
    return count


@inlined
def arm_count(graph: SearchGraph, node: int) -> int:
    """How many choices the roles have together, where several move at once; else none."""
    if graph.mover[node] != SEVERAL:
        return 0
    return move_count(graph, node)


@inlined
def backed_up(graph: SearchGraph, node: int) -> int:
    """How many walks through a node have been backed up."""
    return graph.visits[node] - graph.flying[node]


@kernel
def open_node(graph: SearchGraph, node: int) -> bool:
    """Gives a node its edges; whether there was room for them."""
    count, arms = edge_count(graph, node), arm_count(graph, node)
    first, first_arm = graph.edges_used, graph.arms_used
    if first + count > graph.edges or first_arm + arms > graph.arms:
        graph.full = True
        return False
    graph.edge[node], graph.arm[node] = first, first_arm
    for edge in range(first, first + count):
        graph.child[edge], graph.tries[edge], graph.prior[edge] = UNKNOWN, 0, 0.0
    for arm in range(first_arm, first_arm + arms):
        graph.arm_visits[arm], graph.arm_totals[arm] = 0.0, 0.0
    graph.edges_used += count
    graph.arms_used += arms
    graph.status[node] = OPEN
    return True


@inlined
def children_played(graph: SearchGraph, node: int) -> bool:
    """Whether the children of an open node have been played, or are being played."""
    return graph.prior[graph.edge[node]] != 0.0


@kernel
def give_table(graph: SearchGraph, node: int) -> None:
    """Gives a node a table of moves, while there is one left."""
    table = graph.tables_used
    if table < graph.tables:
        graph.tables_used += 1
        graph.table[node], graph.owner[table] = table, node
        for move in range(graph.all_moves):
            graph.made_visits[table, move], graph.made_totals[table, move] = 0.0, 0.0


def forget(graph: SearchGraph) -> None:
    """Empties the graph."""
    graph.states.table.numpy[:] = 0
    graph.seen.numpy[:] = 0
    graph.states.used = graph.edges_used = graph.arms_used = graph.moves_used = graph.tables_used = 0
    graph.simulations = graph.deepest = graph.matches = 0
    graph.full = False

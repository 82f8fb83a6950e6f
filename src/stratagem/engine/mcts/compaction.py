"""Dropping what can no longer be reached from a new root: the rest of the graph is pushed together in place."""

from __future__ import annotations

from stratagem.engine.mcts.graph import (
    OPEN,
    SearchGraph,
    arm_count,
    edge_count,
    move_count,
)
from stratagem.kernels import Array, inlined, int32, kernel
from stratagem.kernels.library.exact_set import refill
from stratagem.kernels.library.hashing import copy_state


@kernel
def keep_below(graph: SearchGraph, root: int, numbers: Array[int32], room: Array[int32]) -> int:
    """Drops all that cannot be reached from *root*; the new number of *root*. No walk may be under way.

    *numbers* has a place for every node in use, *room* one for every node, every edge and every move in use.
    """
    mark_reachable(graph, root, numbers, room)
    push_edges(graph, numbers, room)
    push_moves(graph, numbers, room)
    push_nodes(graph, numbers)
    push_tables(graph, numbers)
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
                if child >= 0 and numbers[child] < 0:
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
                graph.tries[edges] = graph.tries[old]
                graph.guess[edges] = graph.guess[old]
                graph.prior[edges] = graph.prior[old]
                edges += 1
            graph.edge[node] = edges - edge_count(graph, node)
            for old in range(graph.arm[node], graph.arm[node] + arm_count(graph, node)):
                graph.arm_visits[arms] = graph.arm_visits[old]
                graph.arm_totals[arms] = graph.arm_totals[old]
                arms += 1
            graph.arm[node] = arms - arm_count(graph, node)
    graph.edges_used, graph.arms_used = edges, arms


@kernel
def push_moves(graph: SearchGraph, numbers: Array[int32], owners: Array[int32]) -> None:
    """Pushes the legal moves of kept nodes together, in their order."""
    for place in range(graph.moves_used):
        owners[place] = -1
    for node in range(graph.states.used):
        if numbers[node] >= 0 and move_count(graph, node) > 0:
            owners[graph.moves[node]] = node
    used = 0
    for first in range(graph.moves_used):
        node = owners[first]
        if node >= 0:
            graph.moves[node] = used
            for old in range(first, first + move_count(graph, node)):
                graph.move[used] = graph.move[old]
                used += 1
    graph.moves_used = used


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
        if graph.child[edge] >= 0:
            graph.child[edge] = numbers[graph.child[edge]]
    graph.states.used = kept


@kernel
def push_tables(graph: SearchGraph, numbers: Array[int32]) -> None:
    """Pushes the tables of kept nodes together, in their order."""
    kept = 0
    for table in range(graph.tables_used):
        node = numbers[graph.owner[table]]
        if node >= 0:
            for move in range(graph.all_moves):
                graph.made_visits[kept, move] = graph.made_visits[table, move]
                graph.made_totals[kept, move] = graph.made_totals[table, move]
            graph.owner[kept], graph.table[node] = node, kept
            kept += 1
    graph.tables_used = kept


@inlined
def move_node(graph: SearchGraph, node: int, new: int) -> None:
    """All that is known of a node, to its new place."""
    copy_state(graph.states.pool.row(node), graph.states.pool.row(new), graph.states.words)
    for role in range(graph.roles):
        graph.totals[new, role] = graph.totals[node, role]
        graph.goals[new, role] = graph.goals[node, role]
        graph.choices[new, role] = graph.choices[node, role]
    graph.visits[new], graph.flying[new] = graph.visits[node], graph.flying[node]
    graph.peaks[new] = graph.peaks[node]
    graph.status[new] = graph.status[node]
    graph.proved[new] = graph.proved[node]
    graph.distance[new] = graph.distance[node]
    graph.mover[new] = graph.mover[node]
    graph.moves[new] = graph.moves[node]
    graph.edge[new] = graph.edge[node]
    graph.arm[new] = graph.arm[node]
    graph.table[new] = graph.table[node]

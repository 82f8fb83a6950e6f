"""The walks of a batch: down from the root to a leaf, many before any of them is backed up."""

from __future__ import annotations

from stratagem.engine.mcts.backup import back_up
from stratagem.engine.mcts.graph import (
    FRESH,
    NO_TABLE,
    OPEN,
    UNKNOWN,
    backed_up,
    children_played,
    edge_count,
    give_table,
    open_node,
)
from stratagem.engine.mcts.memory import LONGEST_WALK, SearchThread
from stratagem.engine.mcts.selection import select
from stratagem.kernels import inlined, kernel, load_relaxed
from stratagem.kernels.library.hashing import copy_state


@kernel
def collect(thread: SearchThread, most: int) -> None:
    """Walks until the batch has its leaves, or there is nothing to look for; with the lock held.

    Walks whose value is known are backed up at once.
    """
    graph, batch = thread.graph, thread.batch
    batch.walks, batch.leaves, batch.again, batch.used, batch.queued = 0, 0, 0, 0, 0
    wanted = min(batch.capacity, max(8, graph.simulations // thread.settings.patience))
    walks = 0
    while batch.leaves + batch.again < wanted and walks < 2 * wanted:
        if batch.used + LONGEST_WALK >= batch.steps or batch.walks >= batch.walk_room:
            return
        if graph.simulations >= most or graph.proved[thread.root] or load_relaxed(graph.stop, 0) != 0:
            return
        graph.simulations += 1
        walks += 1
        walk_down(thread)


@kernel
def walk_down(thread: SearchThread) -> None:
    """Follows the promising moves from the root to a leaf."""
    graph, batch = thread.graph, thread.batch
    first, depth, node, table = batch.used, 0, thread.root, NO_TABLE
    walk = graph.simulations
    while True:
        batch.nodes[first + depth] = node
        graph.visits[node] += 1
        graph.flying[node] += 1
        graph.seen[node] = walk
        graph.deepest = max(graph.deepest, depth)
        if graph.proved[node]:
            finish(thread, first, depth, node)
            return
        if not can_go_on(thread, node) or depth + 1 >= LONGEST_WALK:
            if graph.status[node] == OPEN:
                finish(thread, first, depth, node)
            else:
                play_again(thread, first, depth, node, False)
            return
        if wants_children(thread, node):
            graph.prior[graph.edge[node]] = -1.0
            batch.queued += edge_count(graph, node)
            play_again(thread, first, depth, node, True)
            return
        if graph.tables > 0:
            if graph.table[node] == NO_TABLE and graph.visits[node] >= thread.settings.table_visits:
                give_table(graph, node)
            if graph.table[node] != NO_TABLE:
                table = graph.table[node]
        edge = select(thread, node, table)
        batch.edges[first + depth] = edge
        graph.tries[edge] += 1
        depth += 1
        child = graph.child[edge]
        if child < 0:
            end_at_edge(thread, first, depth, node, edge)
            return
        node = child
        if graph.seen[node] == walk:
            end_in_cycle(thread, first, depth)
            return


@inlined
def can_go_on(thread: SearchThread, node: int) -> bool:
    """Whether a node is open, or can be opened: it was backed up before, and there is room for its edges."""
    graph = thread.graph
    if graph.status[node] != FRESH:
        return graph.status[node] == OPEN
    if graph.full or (node != thread.root and backed_up(graph, node) == 0):
        return False
    return open_node(graph, node)


@inlined
def wants_children(thread: SearchThread, node: int) -> bool:
    """Whether it is time to play all children of an open node, and there are lanes left for them."""
    graph, batch, mover = thread.graph, thread.batch, thread.graph.mover[node]
    if mover < 0 or mover == thread.settings.chance or children_played(graph, node):
        return False
    if node != thread.root and backed_up(graph, node) < thread.settings.together:
        return False
    return 2 * (batch.queued + edge_count(graph, node)) <= batch.lanes


@inlined
def finish(thread: SearchThread, first: int, depth: int, node: int) -> None:
    """Ends a walk at a node that is proved, or too deep: its value is known."""
    graph, batch = thread.graph, thread.batch
    for role in range(graph.roles):
        if graph.proved[node]:
            batch.value[role] = float(graph.goals[node, role])
        else:
            batch.value[role] = graph.totals[node, role] / max(1, backed_up(graph, node))
    back_up(thread, first, depth, True)


@inlined
def end_in_cycle(thread: SearchThread, first: int, depth: int) -> None:
    """Ends a walk that has come back to a node on it: that counts as even."""
    for role in range(thread.graph.roles):
        thread.batch.value[role] = thread.rollouts.neutral[role]
    back_up(thread, first, depth, False)


@inlined
def add_walk(thread: SearchThread, first: int, depth: int, place: int) -> None:
    """Keeps a walk until its leaf has been looked at; there is room for its leaf's node."""
    batch = thread.batch
    batch.first[batch.walks], batch.depth[batch.walks], batch.place[batch.walks] = first, depth, place
    batch.walks += 1
    batch.used = first + depth + 1


@inlined
def play_again(thread: SearchThread, first: int, depth: int, node: int, children: bool) -> None:
    """Ends a walk at a node that cannot be opened, which is played once more, or whose children are played."""
    graph, batch = thread.graph, thread.batch
    batch.again += 1
    place = batch.capacity - batch.again
    copy_state(graph.states.pool.row(node), batch.states.row(place), batch.words)
    batch.leaf_node[place], batch.wanted[place] = node, children
    add_walk(thread, first, depth, place)


@kernel
def end_at_edge(thread: SearchThread, first: int, depth: int, node: int, edge: int) -> None:
    """Ends a walk at an edge without a child: a new leaf, or one that is being looked at already."""
    graph, batch = thread.graph, thread.batch
    mark = UNKNOWN - 1 - thread.number * batch.capacity
    child = graph.child[edge]
    if child == UNKNOWN:
        place = batch.leaves
        batch.leaves += 1
        graph.child[edge] = mark - place
        batch.leaf_edge[place], batch.leaf_node[place] = edge, -1
        copy_state(graph.states.pool.row(node), batch.parents.row(place), batch.words)
        rest, moves = edge - graph.edge[node], graph.moves[node]
        for role in range(graph.roles):
            moves += graph.choices[node, role]
        for role in range(graph.roles - 1, -1, -1):
            count = graph.choices[node, role]
            moves -= count
            batch.joint[place, role] = graph.move[moves + rest % count]
            rest //= count
        add_walk(thread, first, depth, place)
    elif mark - batch.capacity < child <= mark:
        add_walk(thread, first, depth, mark - child)
    else:
        # Another thread looks at it.
        for role in range(graph.roles):
            if backed_up(graph, node) > 0:
                batch.value[role] = graph.totals[node, role] / backed_up(graph, node)
            else:
                batch.value[role] = thread.rollouts.neutral[role]
        back_up(thread, first, depth, False)

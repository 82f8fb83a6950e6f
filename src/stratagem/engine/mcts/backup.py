"""Backing up: the value of a leaf goes to every node of the walk, proofs and best ends go up with it."""

from __future__ import annotations

from stratagem.engine.mcts.graph import NO_TABLE, SEVERAL
from stratagem.engine.mcts.memory import SearchThread
from stratagem.engine.mcts.selection import prove, regret
from stratagem.kernels import inlined, kernel


@inlined
def take_goals(thread: SearchThread, node: int) -> None:
    """What is backed up from a proved node."""
    for role in range(thread.graph.roles):
        thread.batch.value[role] = float(thread.graph.goals[node, role])


@inlined
def add_value(thread: SearchThread, node: int) -> None:
    """Adds the value to a node, and takes the walk off those that are under way."""
    graph = thread.graph
    if graph.proved[node]:
        # A proof replaces what was guessed on this walk, for everybody further up.
        take_goals(thread, node)
        graph.peaks[node] = float(graph.goals[node, 0])
    graph.flying[node] -= 1
    for role in range(graph.roles):
        graph.totals[node, role] += thread.batch.value[role]


@kernel
def back_up(thread: SearchThread, first: int, depth: int, entered: bool) -> None:
    """Backs `value` up a walk of *depth* edges; *entered*: the node after the last edge is part of it. With the lock held."""
    graph, batch = thread.graph, thread.batch
    below = -1
    if entered:
        below = batch.nodes[first + depth]
        add_value(thread, below)
    for step in range(first + depth - 1, first - 1, -1):
        node = batch.nodes[step]
        if below >= 0 and graph.proved[below] and not graph.proved[node]:
            prove(thread, node)
        anchor, mover = graph.anchor[node], graph.mover[node]
        if anchor >= 0 and mover >= 0 and not graph.proved[node]:
            if graph.goals[anchor, mover] > batch.value[mover]:
                take_goals(thread, anchor)
        if mover == SEVERAL:
            regret(graph, node, batch.edges[step], batch.value)
        if below >= 0 and graph.roles == 1 and graph.peaks[below] > graph.peaks[node]:
            graph.peaks[node] = graph.peaks[below]
        add_value(thread, node)
        if graph.tables > 0:
            note_moves(thread, node, batch.edges[step])
        below = node
    forget_moves(thread)


@inlined
def note_moves(thread: SearchThread, node: int, edge: int) -> None:
    """Adds the moves made from a node on, in the tree and then in the matches, to its table."""
    graph, batch = thread.graph, thread.batch
    rest, moves = edge - graph.edge[node], graph.moves[node]
    for role in range(graph.roles):
        moves += graph.choices[node, role]
    for role in range(graph.roles - 1, -1, -1):
        count = graph.choices[node, role]
        moves -= count
        if count > 1:
            add_move(thread, batch.first_move[role] + graph.move[moves + rest % count], batch.value[role])
        rest //= count
    table = graph.table[node]
    if table != NO_TABLE:
        for place in range(batch.found):
            move = batch.made[place]
            graph.made_visits[table, move] = float(graph.made_visits[table, move]) + float(
                batch.made_count[move]
            )
            graph.made_totals[table, move] = float(graph.made_totals[table, move]) + float(
                batch.made_total[move]
            )


@inlined
def add_move(thread: SearchThread, move: int, value: float) -> None:
    """A move of the walk was made in all of its matches."""
    batch = thread.batch
    if float(batch.made_count[move]) == 0.0:
        batch.made[batch.found] = move
        batch.found += 1
    batch.made_count[move], batch.made_total[move] = 1.0, value


@kernel
def forget_moves(thread: SearchThread) -> None:
    """Empties the list of moves made."""
    batch = thread.batch
    for place in range(batch.found):
        batch.made_count[batch.made[place]] = 0.0
    batch.found = 0

"""A node by its children: after a number of visits that depends on the price of matches, all its children are played.

The node is then worth the mean of its children, pulled towards the mover's best; what they are worth is the first guess at
its moves, from which their priors come.
"""

from __future__ import annotations

from stratagem.engine.mcts.decisive import only_mover
from stratagem.engine.mcts.graph import FRESH, STUCK, open_node
from stratagem.engine.mcts.memory import SearchThread
from stratagem.kernels import exp, inlined, kernel
from stratagem.kernels.library.hashing import copy_state


@inlined
def line_up_children(thread: SearchThread, place: int, count: int) -> int:
    """Adds the children of a leaf that are not ends to the *count* states that are played; the new count."""
    batch = thread.batch
    for child in range(batch.first_child[place], batch.first_child[place] + batch.child_count[place]):
        batch.child_lane[child] = -1
        if not batch.child_terminal[child]:
            copy_state(batch.children.row(child), batch.playing.row(count), batch.words)
            batch.child_lane[child] = count
            count += 1
    return count


@inlined
def child_value(thread: SearchThread, child: int, role: int) -> float:
    """What a child that was played, or is an end, is worth to a role."""
    batch, lane = thread.batch, thread.batch.child_lane[child]
    if lane < 0:
        return float(max(0, batch.child_goals[child, role]))
    return thread.rollouts.values[lane, role]


@kernel
def value_of_children(thread: SearchThread, place: int) -> None:
    """The value of a leaf from its children: their mean, pulled towards the mover's best."""
    batch = thread.batch
    first, count = batch.first_child[place], batch.child_count[place]
    mover, best = only_mover(thread, place), first
    for role in range(batch.roles):
        batch.values[place, role] = 0.0
    batch.peaks[place] = 0.0
    for child in range(first, first + count):
        if mover >= 0 and child_value(thread, child, mover) > child_value(thread, best, mover):
            best = child
        peak = child_value(thread, child, 0)
        if batch.child_lane[child] >= 0:
            peak = thread.rollouts.peaks[batch.child_lane[child]]
        batch.peaks[place] = max(batch.peaks[place], peak)
        for role in range(batch.roles):
            batch.values[place, role] += child_value(thread, child, role) / count
    if mover >= 0:
        for role in range(batch.roles):
            more = child_value(thread, best, role) - batch.values[place, role]
            batch.values[place, role] += thread.settings.best_share * more


@kernel
def guess_moves(thread: SearchThread, place: int, node: int) -> None:
    """Opens the node of a leaf whose children were played, and notes first guesses and priors; with the lock held."""
    graph, batch = thread.graph, thread.batch
    if graph.proved[node] or graph.status[node] == STUCK:
        return
    if graph.status[node] == FRESH and not open_node(graph, node):
        return
    mover, first, count = graph.mover[node], graph.edge[node], batch.child_count[place]
    if mover < 0:
        return
    highest, total = -1e30, 0.0
    for choice in range(count):
        value = child_value(thread, batch.first_child[place] + choice, mover)
        graph.guess[first + choice] = value
        highest = max(highest, value)
    for choice in range(count):
        weight = exp((float(graph.guess[first + choice]) - highest) / thread.settings.temperature)
        graph.prior[first + choice] = weight
        total += weight
    for choice in range(count):
        graph.prior[first + choice] = 0.9 * float(graph.prior[first + choice]) / total + 0.1 / count

"""How MCTS opens a leaf: all children in one native call, first guesses at them in another, priors from the guesses."""

from __future__ import annotations

from stratagem.engine.mcts.graph import FRESH, NOBODY, OPEN, SEVERAL, STUCK, enter_state, lock_graph
from stratagem.engine.mcts.learned import expected_goal, log_odds, see_legal_moves
from stratagem.engine.mcts.memory import SearchThread
from stratagem.engine.mcts.rollouts import LANES, play_leaves
from stratagem.engine.mcts.selection import mean, prove
from stratagem.kernels import Array, exp, inlined, kernel, uint64, unlock
from stratagem.kernels.library.exact_set import number_of
from stratagem.kernels.library.hashing import copy_state


@kernel
def guess_values(thread: SearchThread, states: Array[uint64], count: int) -> None:
    """First guesses for *count* states, into the rows `places` of the scratch's values: random matches, and what was learned."""
    scratch, rollouts, learned = thread.scratch, thread.rollouts, thread.learned
    for first in range(0, count, rollouts.words):
        some = min(rollouts.words, count - first)
        own = states.at(first * scratch.words)
        if thread.settings.learned_share < 1.0 or learned.roles == 0:
            play_leaves(rollouts, own, some)
            scratch.matches += LANES * rollouts.words
        see_legal_moves(learned, own, some)
        for row in range(some):
            for role in range(learned.roles):
                odds = log_odds(learned, own.at(row * scratch.words), row, role)
                more = expected_goal(odds) - rollouts.values[row, role]
                rollouts.values[row, role] += thread.settings.learned_share * more
            place = scratch.places[first + row]
            for role in range(scratch.roles):
                scratch.values[place, role] = rollouts.values[row, role]
            scratch.peaks[place] = rollouts.peaks[row]


@kernel
def guess_leaf(thread: SearchThread) -> float:
    """All lanes for the leaf itself; its value into `scratch.value`, the best end seen is returned."""
    scratch = thread.scratch
    scratch.places[0] = 0
    guess_values(thread, scratch.leaf, 1)
    for role in range(scratch.roles):
        scratch.value[role] = scratch.values[0, role]
    return scratch.peaks[0]


@inlined
def raise_peak(thread: SearchThread, node: int, peak: float) -> None:
    """Notes the best end seen below a node."""
    graph = thread.graph
    graph.peaks[node] = max(float(graph.peaks[node]), peak)


@kernel
def open_leaf(thread: SearchThread, node: int, together: int) -> None:
    """Gives a leaf its children; its value goes to `scratch.value`. Called and left with the lock, which is released meanwhile.

    The children are played where there are no more than *together* of them.
    """
    graph, scratch = thread.graph, thread.scratch
    unlock(graph.lock, 0)
    made = thread.expand(
        scratch.leaf,
        1,
        scratch.children.at(0),
        scratch.parents,
        scratch.moves.at(0),
        scratch.terminal,
        scratch.goals.at(0),
        scratch.capacity,
        scratch.consumed,
    )
    if made <= 0:
        scratch.needed = max(scratch.needed, -made)
        peak = guess_leaf(thread)
        lock_graph(graph)
        graph.status[node] = STUCK
        raise_peak(thread, node, peak)
        return
    lock_graph(graph)
    unknown = find_children(thread, made)
    unlock(graph.lock, 0)
    alone, peak = unknown > together, 0.0
    if alone:
        peak = guess_leaf(thread)
    else:
        guess_children(thread, made)
    lock_graph(graph)
    link(thread, node, made, alone, peak)


@inlined
def find_children(thread: SearchThread, made: int) -> int:
    """Which children are in the graph already; how many of the others must be played."""
    scratch, unknown = thread.scratch, 0
    for place in range(made):
        scratch.known[place] = number_of(thread.graph.states, scratch.children.row(place)) >= 0
        if not scratch.known[place] and not scratch.terminal[place]:
            unknown += 1
    return unknown


@inlined
def guess_children(thread: SearchThread, made: int) -> None:
    """First guesses for the children that are neither ends nor known."""
    scratch, waiting = thread.scratch, 0
    for place in range(made):
        if not scratch.known[place] and not scratch.terminal[place]:
            copy_state(scratch.children.row(place), scratch.waiting.row(waiting), scratch.words)
            scratch.places[waiting] = place
            waiting += 1
    guess_values(thread, scratch.waiting.at(0), waiting)


@inlined
def count_choices(thread: SearchThread, node: int, made: int) -> int:
    """Who has how many moves, read off the list of joint moves, and who moves; how many arms that takes."""
    graph, scratch = thread.graph, thread.scratch
    mover, arms = NOBODY, 0
    for role in range(graph.roles):
        highest, count = -1, 0
        for place in range(made):
            if scratch.moves[place, role] > highest:
                highest = scratch.moves[place, role]
                count += 1
        graph.choices[node, role] = count
        arms += count
        if count > 1:
            mover = role if mover == NOBODY else SEVERAL
    graph.mover[node] = mover
    return arms if mover == SEVERAL else 0


@inlined
def enter_child(thread: SearchThread, place: int, alone: bool) -> int:
    """The node of a child; a new one begins with its goals, or its first guess if there is one."""
    graph, scratch = thread.graph, thread.scratch
    new = graph.states.used
    child = enter_state(graph, scratch.children.row(place))
    if child == new and scratch.terminal[place]:
        graph.proved[child] = True
        for role in range(graph.roles):
            graph.goals[child, role] = max(0, scratch.goals[place, role])
    elif child == new and not alone and not scratch.known[place]:
        graph.visits[child] = 1.0
        graph.peaks[child] = scratch.peaks[place]
        for role in range(graph.roles):
            graph.totals[child, role] = scratch.values[place, role]
    return child


@kernel
def link(thread: SearchThread, node: int, made: int, alone: bool, peak: float) -> None:
    """Enters the children of a node into the graph; with the lock held."""
    graph, scratch = thread.graph, thread.scratch
    arms = count_choices(thread, node, made)
    first, first_arm = graph.edges_used, graph.arms_used
    too_many = graph.states.used + made > graph.nodes
    if too_many or first + made > graph.edges or first_arm + arms > graph.arms:
        graph.full = True
        if not alone:
            value_of_children(thread, node, made)
        graph.status[node] = FRESH
        return
    graph.edge[node], graph.arm[node] = first, first_arm
    for arm in range(first_arm, first_arm + arms):
        graph.arm_visits[arm], graph.arm_totals[arm] = 0.0, 0.0
    graph.edges_used += made
    graph.arms_used += arms
    for place in range(made):
        child = enter_child(thread, place, alone)
        graph.child[first + place], graph.tries[first + place] = child, 0
        known = graph.proved[child] or graph.visits[child] > 0
        for role in range(graph.roles):
            scratch.values[place, role] = mean(graph, child, role) if known else scratch.value[role]
        scratch.peaks[place] = float(graph.peaks[child]) if known else peak
        if graph.proved[child]:
            scratch.peaks[place] = float(graph.goals[child, 0])
    if not alone:
        peak = value_of_children(thread, node, made)
    raise_peak(thread, node, peak)
    set_priors(thread, node, made)
    graph.status[node] = OPEN
    prove(thread, node)


@kernel
def value_of_children(thread: SearchThread, node: int, made: int) -> float:
    """The value of a leaf from its children: their mean, pulled towards the mover's best; the best end seen is returned."""
    graph, scratch = thread.graph, thread.scratch
    mover = graph.mover[node]
    best, peak = 0, 0.0
    for role in range(graph.roles):
        scratch.value[role] = 0.0
    for place in range(made):
        if mover >= 0 and scratch.values[place, mover] > scratch.values[best, mover]:
            best = place
        peak = max(peak, scratch.peaks[place])
        for role in range(graph.roles):
            scratch.value[role] += scratch.values[place, role] / made
    if mover >= 0 and mover != thread.settings.chance:
        for role in range(graph.roles):
            more = scratch.values[best, role] - scratch.value[role]
            scratch.value[role] += thread.settings.best_share * more
    return peak


@inlined
def set_priors(thread: SearchThread, node: int, made: int) -> None:
    """How much of the attention each move deserves at first: more, the better its first guess."""
    graph, scratch = thread.graph, thread.scratch
    mover, first = graph.mover[node], graph.edge[node]
    if mover < 0:
        for place in range(made):
            graph.prior[first + place] = 1.0 / made
        return
    highest = -1e30
    for place in range(made):
        highest = max(highest, scratch.values[place, mover])
    total = 0.0
    for place in range(made):
        weight = exp((scratch.values[place, mover] - highest) / thread.settings.temperature)
        graph.prior[first + place] = weight
        total += weight
    for place in range(made):
        graph.prior[first + place] = 0.9 * float(graph.prior[first + place]) / total + 0.1 / made

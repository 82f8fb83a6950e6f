"""How MCTS opens a leaf: all children in one native call, first guesses at them in another, priors from the guesses."""

from __future__ import annotations

import numpy as np

from stratagem.engine.mcts.graph import (
    ARMS,
    EDGES,
    FRESH,
    FULL,
    NOBODY,
    NODES,
    OPEN,
    SEVERAL,
    STUCK,
    enter_node,
    find_node,
)
from stratagem.engine.mcts.rollouts import play_leaves
from stratagem.engine.mcts.selection import mean, prove
from stratagem.native.calls.expand import call_evaluate, call_expand
from stratagem.native.calls.playout import give, take
from stratagem.native.calls.rows import count_ones
from stratagem.native.jit.numba_cache import njit


@njit(nogil=True)
def _guess(scratch, settings, states, row, step, values):  # type: ignore[no-untyped-def]
    """Mixes the learned evaluation of a state into *values*; its legal moves are in row *step*."""
    for role in range(len(scratch.weights)):
        guess = scratch.weights[role, -1]
        for word in range(states.shape[1]):
            bits = states[row, word]
            base = 64 * word
            while bits != 0:
                if bits & np.uint64(1):
                    guess += scratch.weights[role, base]
                bits >>= np.uint64(1)
                base += 1
        for line in range(len(scratch.kinds)):
            barred = False
            held = np.uint64(0)
            for word in range(states.shape[1]):
                barred |= states[row, word] & scratch.barred_lines[line, word] != np.uint64(0)
                held += count_ones(states[row, word] & scratch.needed_lines[line, word])
            if not barred:
                guess += scratch.worth[role, scratch.kinds[line], held]
        for other in range(len(scratch.move_worth)):
            found = np.uint64(0)
            for word in range(scratch.legal.shape[2]):
                found += count_ones(scratch.legal[step, other, word])
            if found > np.uint64(1):
                guess += scratch.move_worth[role, other] * np.float64(found)
        guess = 100.0 / (1.0 + np.exp(-min(30.0, max(-30.0, guess))))
        values[role] += settings.learned_share * (guess - values[role])


@njit(nogil=True)
def _play_all(lanes, scratch, settings, waiting, count):  # type: ignore[no-untyped-def]
    """First guesses for the states *waiting[:count]*, into the rows `places` of the scratch's values."""
    words = lanes.block.shape[1]
    roles = scratch.values.shape[1]
    for first in range(0, count, words):
        size = min(words, count - first)
        if settings.learned_share < 1.0 or len(scratch.weights) == 0:
            play_leaves(lanes, waiting, first, size, scratch.found, scratch.found_peaks)
            scratch.needed[1] += 64 * words
        if len(scratch.move_worth) > 0:
            call_evaluate(
                scratch.evaluate,
                waiting[first:],
                size,
                scratch.legal,
                scratch.seen_terminal,
                scratch.seen_goals,
            )
        for step in range(size):
            if len(scratch.weights) > 0:
                _guess(scratch, settings, waiting, first + step, step, scratch.found[step])
            place = scratch.places[first + step]
            for role in range(roles):
                scratch.values[place, role] = scratch.found[step, role]
            scratch.peaks[place] = scratch.found_peaks[step]


@njit(nogil=True)
def play_itself(tree, lanes, scratch, settings):  # type: ignore[no-untyped-def]
    """All lanes for the state at hand; its value into `scratch.value`."""
    scratch.places[0] = 0
    _play_all(lanes, scratch, settings, scratch.state, np.int64(1))
    for role in range(len(scratch.value)):
        scratch.value[role] = scratch.values[0, role]
    return scratch.peaks[0]


@njit(nogil=True)
def open_leaf(tree, lanes, scratch, settings, expand_address, node, tops, together):  # type: ignore[no-untyped-def]
    """Gives a leaf its children; its value goes to `scratch.value`. Called and left without the lock.

    The children are played where there are no more than *together* of them.
    """
    capacity = len(scratch.parents)
    roles = tree.choices.shape[1]
    made = call_expand(
        expand_address,
        scratch.state,
        1,
        scratch.children,
        scratch.parents,
        scratch.moves,
        scratch.terminal,
        scratch.goals,
        capacity,
        scratch.consumed,
    )
    if made <= 0:
        scratch.needed[0] = max(scratch.needed[0], -made)
        peak = play_itself(tree, lanes, scratch, settings)
        take(tree.lock)
        tree.status[node] = STUCK
        tree.peaks[node] = max(tree.peaks[node], peak)
        give(tree.lock)
        return
    take(tree.lock)
    unknown = 0
    for place in range(made):
        found = find_node(tree, scratch.children, place)
        scratch.numbers[place] = found
        if found < 0 and not scratch.terminal[place]:
            unknown += 1
    give(tree.lock)
    waiting = np.int64(0)
    if unknown <= together:
        for place in range(made):
            if scratch.numbers[place] < 0 and not scratch.terminal[place]:
                for word in range(tree.states.shape[1]):
                    scratch.waiting[waiting, word] = scratch.children[place, word]
                scratch.places[waiting] = place
                waiting += 1
        _play_all(lanes, scratch, settings, scratch.waiting, waiting)
    peak = 0.0
    alone = unknown > together
    if alone:
        peak = play_itself(tree, lanes, scratch, settings)
    take(tree.lock)
    _link(tree, scratch, settings, node, made, roles, alone, peak, tops)
    give(tree.lock)


@njit(nogil=True)
def _choices(tree, scratch, node, made, roles):  # type: ignore[no-untyped-def]
    """Who has how many moves, read off the list of joint moves; who moves."""
    mover = NOBODY
    arms = 0
    for role in range(roles):
        highest = -1
        count = 0
        for place in range(made):
            if scratch.moves[place, role] > highest:
                highest = scratch.moves[place, role]
                count += 1
        tree.choices[node, role] = count
        arms += count
        if count > 1:
            mover = role if mover == NOBODY else SEVERAL
    tree.mover[node] = mover
    return arms if mover == SEVERAL else 0


@njit(nogil=True)
def _link(tree, scratch, settings, node, made, roles, alone, peak, tops):  # type: ignore[no-untyped-def]
    """Enters the children of a node into the graph; with the lock held."""
    arms = _choices(tree, scratch, node, made, roles)
    counters = tree.counters
    if (
        counters[NODES] + made > len(tree.states)
        or counters[EDGES] + made > len(tree.child)
        or counters[ARMS] + arms > len(tree.arm_visits)
    ):
        counters[FULL] = 1
        if not alone:
            _leaf_value(tree, scratch, settings, node, made, roles)
        tree.status[node] = FRESH
        return
    tree.edge[node] = counters[EDGES]
    tree.arm[node] = counters[ARMS]
    for arm in range(arms):
        tree.arm_visits[counters[ARMS] + arm] = 0
        tree.arm_totals[counters[ARMS] + arm] = 0
    counters[EDGES] += made
    counters[ARMS] += arms
    for place in range(made):
        child = find_node(tree, scratch.children, place)
        if child < 0:
            child = enter_node(tree, scratch.children, place, -1 - child)
            if scratch.terminal[place]:
                tree.proved[child] = 1
                for role in range(roles):
                    tree.goals[child, role] = max(0, scratch.goals[place, role])
            elif not alone and scratch.numbers[place] < 0:
                tree.visits[child] = 1.0
                tree.peaks[child] = scratch.peaks[place]
                for role in range(roles):
                    tree.totals[child, role] = scratch.values[place, role]
        tree.child[tree.edge[node] + place] = child
        tree.tries[tree.edge[node] + place] = 0
        if tree.proved[child] or tree.visits[child] > 0:
            for role in range(roles):
                scratch.values[place, role] = mean(tree, child, role)
            scratch.peaks[place] = tree.peaks[child]
            if tree.proved[child]:
                scratch.peaks[place] = tree.goals[child, 0]
        else:
            for role in range(roles):
                scratch.values[place, role] = scratch.value[role]
            scratch.peaks[place] = peak
    if not alone:
        peak = _leaf_value(tree, scratch, settings, node, made, roles)
    tree.peaks[node] = max(tree.peaks[node], peak)
    _set_priors(tree, scratch, settings, node, made)
    tree.status[node] = OPEN
    prove(tree, node, settings, tops)


@njit(nogil=True)
def _leaf_value(tree, scratch, settings, node, made, roles):  # type: ignore[no-untyped-def]
    """The value of a leaf from its children: their mean, pulled towards the mover's best; the best end seen."""
    mover = tree.mover[node]
    best = 0
    peak = 0.0
    for role in range(roles):
        scratch.value[role] = 0.0
    for place in range(made):
        if mover >= 0 and scratch.values[place, mover] > scratch.values[best, mover]:
            best = place
        peak = max(peak, scratch.peaks[place])
        for role in range(roles):
            scratch.value[role] += scratch.values[place, role] / made
    if mover >= 0 and mover != settings.chance:
        for role in range(roles):
            scratch.value[role] += settings.best_share * (scratch.values[best, role] - scratch.value[role])
    return peak


@njit(nogil=True)
def _set_priors(tree, scratch, settings, node, made):  # type: ignore[no-untyped-def]
    """How much of the attention each move deserves at first: more, the better its first guess."""
    mover = tree.mover[node]
    first = tree.edge[node]
    if mover < 0:
        for place in range(made):
            tree.prior[first + place] = 1.0 / made
        return
    highest = -1e30
    for place in range(made):
        highest = max(highest, scratch.values[place, mover])
    total = 0.0
    for place in range(made):
        weight = np.exp((scratch.values[place, mover] - highest) / settings.temperature)
        tree.prior[first + place] = weight
        total += weight
    for place in range(made):
        tree.prior[first + place] = 0.9 * tree.prior[first + place] / total + 0.1 / made

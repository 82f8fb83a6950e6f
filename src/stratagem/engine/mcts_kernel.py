"""The kernel of MCTS: walk down, open a leaf, play its children in lanes, back the value up, prove what is proved.

A walk follows the promising moves to a state that has not been opened. Opening it gives all children in one native call
and plays each of them 64 times or more in another, so that a node knows all its children from the start: the first
guess at a move is its own matches, and moves that look good get most of the visits (PUCT, Rosin 2011, with these
guesses as the prior). Ends among the children are proofs, and proofs are backed up (Winands et al., 2008): a state is
decided when a child wins for whoever moves, or when all children are decided.

Where several roles move at once every role has its own counts and chooses by regret matching (Hart and Mas-Colell, 2000;
in trees: Lanctot et al., 2013), which tends to an equilibrium where UCT would run in circles.

Threads share the graph. The lock is held for walking and backing up, a microsecond or two, and not while matches are
played; visits count from the walk on, so that threads spread out (virtual loss).
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numba import njit

from stratagem.engine.hash_table import hash_words
from stratagem.engine.mcts_lanes import next_random, play_leaves
from stratagem.engine.mcts_tree import (
    ARMS,
    DEEPEST,
    EDGES,
    FRESH,
    FULL,
    MATCHES,
    NOBODY,
    NODES,
    OPEN,
    OPENING,
    SEVERAL,
    SIMULATIONS,
    STUCK,
    edge_count,
)
from stratagem.native.expand_call import call_expand
from stratagem.native.kernel_cache import keep_kernels
from stratagem.native.playout_call import give, take

keep_kernels()

LONGEST_WALK: Final = 4096
CURIOSITY: Final = 0.1
"""How often a role that moves at the same time as others tries any move."""
DONE: Final = 0
TOO_WIDE: Final = 1
"""The scratch memory has no room for the children of a node; `Scratch.needed` says how many there are."""


class Settings(NamedTuple):
    """Numbers that steer the search; goals are on the scale 0..100."""

    exploration: float
    temperature: float
    """How sharply the prior prefers moves whose first guess is better."""
    best_share: float
    """How much of a new leaf's value is its best child, and how much the mean of its children."""
    together: int
    """So many children are played when a node is opened; of more, only the node itself."""
    chance: int
    """The role that moves at random, or -1."""
    learned_share: float
    """How much of a first guess comes from the learned evaluation."""


class Scratch(NamedTuple):
    """One thread's memory beside its lanes."""

    state: Any
    children: Any
    parents: Any
    moves: Any
    terminal: Any
    goals: Any
    consumed: Any
    numbers: Any
    waiting: Any
    """The states of children that are to be played."""
    places: Any
    values: Any
    """[capacity, roles]: what the children seem worth."""
    peaks: Any
    found: Any
    """[words, roles]: results of one call."""
    found_peaks: Any
    nodes: Any
    edges: Any
    value: Any
    needed: Any
    """[2]: the children for which there was no room; the matches played since they were counted."""
    weights: Any
    """[roles, 64 * words + 1]: the learned evaluation, the constant last; without rows there is none."""


@njit(nogil=True, cache=True)
def _mean(tree, node, role):  # type: ignore[no-untyped-def]
    """What a visited node seems worth to a role."""
    if tree.proved[node]:
        return np.float64(tree.goals[node, role])
    mean = tree.totals[node, role] / tree.visits[node]
    if tree.totals.shape[1] == 1:  # alone, the best end counts: nobody keeps one from it
        return 0.5 * mean + 0.5 * tree.peaks[node]
    return mean


@njit(nogil=True, cache=True)
def _selected(tree, node, settings, tops, seeds):  # type: ignore[no-untyped-def]
    """The edge that a walk takes from an open node."""
    mover = tree.mover[node]
    first = tree.edge[node]
    if mover == NOBODY:
        return first
    if mover == SEVERAL:
        return first + _joint(tree, node, settings, seeds)
    count = tree.choices[node, mover]
    if mover == settings.chance:
        return first + np.int64(next_random(seeds) % np.uint64(count))
    root = np.sqrt(tree.visits[node])
    unknown = tree.totals[node, mover] / max(1.0, tree.visits[node])
    best, best_score = -1, -1e30
    decided = -1
    for edge in range(first, first + count):
        child = np.int64(tree.child[edge])
        if tree.proved[child]:
            if decided < 0 or tree.goals[child, mover] > tree.goals[tree.child[decided], mover]:
                decided = edge
            continue
        score = _mean(tree, child, mover) if tree.visits[child] > 0 else unknown
        score += settings.exploration * tree.prior[edge] * root / (1.0 + tree.tries[edge])
        if score > best_score:
            best, best_score = edge, score
    if decided >= 0:
        # There is nothing to learn from a proved child; but the mover has at least what it is worth.
        tree.anchor[node] = tree.child[decided]
        if best < 0 or tree.goals[tree.child[decided], mover] >= tops[mover]:
            return np.int64(decided)
    return np.int64(best)


@njit(nogil=True, cache=True)
def _joint(tree, node, settings, seeds):  # type: ignore[no-untyped-def]
    """Every role chooses for itself, as often as it regrets not having chosen so; the joint move's place."""
    place = 0
    arm = tree.arm[node]
    for role in range(tree.choices.shape[1]):
        count = tree.choices[node, role]
        total = 0.0
        for choice in range(count):
            total += max(0.0, tree.arm_totals[arm + choice])
        random = np.float64(next_random(seeds) >> np.uint64(11)) / 9007199254740992.0
        chosen = 0
        if role == settings.chance or total <= 0.0 or random < CURIOSITY:
            chosen = np.int64(next_random(seeds) % np.uint64(count))
        else:
            left = total * (random - CURIOSITY) / (1.0 - CURIOSITY)
            while chosen < count - 1 and left >= max(0.0, tree.arm_totals[arm + chosen]):
                left -= max(0.0, tree.arm_totals[arm + chosen])
                chosen += 1
        for choice in range(count):
            share = 1.0 / count if total <= 0.0 else max(0.0, tree.arm_totals[arm + choice]) / total
            tree.arm_visits[arm + choice] += share
        place = place * count + chosen
        arm += count
    return place


@njit(nogil=True, cache=True)
def _regret(tree, node, edge, value):  # type: ignore[no-untyped-def]
    """What every role would have got by its other choices, the others' being the same, less what it got."""
    place = edge - tree.edge[node]
    roles = tree.choices.shape[1]
    arm = tree.arm[node]
    for role in range(roles):
        arm += tree.choices[node, role]
    stride = 1
    for back in range(roles):
        role = roles - 1 - back
        count = tree.choices[node, role]
        arm -= count
        own = (place // stride) % count
        for choice in range(count):
            child = np.int64(tree.child[tree.edge[node] + place + (choice - own) * stride])
            if tree.proved[child] or tree.visits[child] > 0:
                regret = tree.arm_totals[arm + choice] + _mean(tree, child, role) - value[role]
                tree.arm_totals[arm + choice] = max(0.0, regret)
        stride *= count


@njit(nogil=True, cache=True)
def prove(tree, node, settings, tops):  # type: ignore[no-untyped-def]
    """Whether the children of an open node decide it; then its value is entered.

    Of wins the quickest known is taken, of losses the one that takes longest.
    """
    first = tree.edge[node]
    count = edge_count(tree, node)
    mover = tree.mover[node]
    roles = tree.choices.shape[1]
    if mover == SEVERAL or (mover >= 0 and mover == settings.chance):
        longest = 0
        for edge in range(first, first + count):
            child = np.int64(tree.child[edge])
            if not tree.proved[child]:
                return False
            for role in range(roles):
                if tree.goals[child, role] != tree.goals[tree.child[first], role]:
                    return False
            longest = max(longest, tree.distance[child])
        _decide(tree, node, np.int64(tree.child[first]))
        tree.distance[node] = longest + 1
        return True
    judge = max(mover, 0)
    best = np.int64(-1)
    every = True
    for edge in range(first, first + count):
        child = np.int64(tree.child[edge])
        if not tree.proved[child]:
            every = False
            continue
        if best < 0 or tree.goals[child, judge] > tree.goals[best, judge]:
            best = child
        elif tree.goals[child, judge] == tree.goals[best, judge]:
            hurries = 2 * tree.goals[child, judge] > tops[judge]
            if (tree.distance[child] < tree.distance[best]) == hurries and (
                tree.distance[child] != tree.distance[best]
            ):
                best = child
    if best < 0 or (not every and tree.goals[best, judge] < tops[judge]):
        return False
    _decide(tree, node, best)
    return True


@njit(nogil=True, cache=True)
def _decide(tree, node, child):  # type: ignore[no-untyped-def]
    for role in range(tree.choices.shape[1]):
        tree.goals[node, role] = tree.goals[child, role]
    tree.distance[node] = tree.distance[child] + 1
    tree.proved[node] = 1


@njit(nogil=True, cache=True)
def find_node(tree, states, row):  # type: ignore[no-untyped-def]
    """The node of a state, or -1 - slot where it would have to be entered."""
    mask = np.uint64(len(tree.table) - 1)
    slot = hash_words(states, row) & mask
    while tree.table[slot] != 0:
        node = tree.table[slot] - 1
        same = True
        for word in range(states.shape[1]):
            if tree.states[node, word] != states[row, word]:
                same = False
                break
        if same:
            return node
        slot = (slot + np.uint64(1)) & mask
    return -1 - np.int64(slot)


@njit(nogil=True, cache=True)
def enter_node(tree, states, row, slot):  # type: ignore[no-untyped-def]
    """A new node for a state that is not in the graph."""
    node = tree.counters[NODES]
    tree.counters[NODES] += 1
    tree.table[slot] = node + 1
    for word in range(states.shape[1]):
        tree.states[node, word] = states[row, word]
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


@njit(nogil=True, cache=True)
def _guess(scratch, settings, states, row, values):  # type: ignore[no-untyped-def]
    """Mixes the learned evaluation of a state into *values*."""
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
        guess = min(100.0, max(0.0, guess))
        values[role] += settings.learned_share * (guess - values[role])


@njit(nogil=True, cache=True)
def _play_all(lanes, scratch, settings, waiting, count):  # type: ignore[no-untyped-def]
    """First guesses for the states *waiting[:count]*, into the rows `places` of the scratch's values."""
    words = lanes.block.shape[1]
    roles = scratch.values.shape[1]
    for first in range(0, count, words):
        size = min(words, count - first)
        if settings.learned_share < 1.0 or len(scratch.weights) == 0:
            play_leaves(lanes, waiting, first, size, scratch.found, scratch.found_peaks)
            scratch.needed[1] += 64 * words
        for step in range(size):
            if len(scratch.weights) > 0:
                _guess(scratch, settings, waiting, first + step, scratch.found[step])
            place = scratch.places[first + step]
            for role in range(roles):
                scratch.values[place, role] = scratch.found[step, role]
            scratch.peaks[place] = scratch.found_peaks[step]


@njit(nogil=True, cache=True)
def _play_itself(tree, lanes, scratch, settings):  # type: ignore[no-untyped-def]
    """All lanes for the state at hand; its value into `scratch.value`."""
    scratch.places[0] = 0
    _play_all(lanes, scratch, settings, scratch.state, np.int64(1))
    for role in range(len(scratch.value)):
        scratch.value[role] = scratch.values[0, role]
    return scratch.peaks[0]


@njit(nogil=True, cache=True)
def _open(tree, lanes, scratch, settings, expand_address, node, tops):  # type: ignore[no-untyped-def]
    """Gives a leaf its children; its value goes to `scratch.value`. Called and left without the lock."""
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
        peak = _play_itself(tree, lanes, scratch, settings)
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
    if unknown <= settings.together:
        for place in range(made):
            if scratch.numbers[place] < 0 and not scratch.terminal[place]:
                for word in range(tree.states.shape[1]):
                    scratch.waiting[waiting, word] = scratch.children[place, word]
                scratch.places[waiting] = place
                waiting += 1
        _play_all(lanes, scratch, settings, scratch.waiting, waiting)
    peak = 0.0
    alone = unknown > settings.together
    if alone:
        peak = _play_itself(tree, lanes, scratch, settings)
    take(tree.lock)
    _link(tree, scratch, settings, node, made, roles, alone, peak, tops)
    give(tree.lock)


@njit(nogil=True, cache=True)
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


@njit(nogil=True, cache=True)
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
                scratch.values[place, role] = _mean(tree, child, role)
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


@njit(nogil=True, cache=True)
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


@njit(nogil=True, cache=True)
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


@njit(nogil=True, cache=True)
def grow(tree, lanes, scratch, settings, expand_address, root, tops, most):  # type: ignore[no-untyped-def]
    """Walks until *most* simulations are counted, the root is proved, or `stop` is set. One thread's work."""
    roles = tree.choices.shape[1]
    counters = tree.counters
    while True:
        take(tree.lock)
        if tree.stop[0] != 0 or counters[SIMULATIONS] >= most or tree.proved[root]:
            give(tree.lock)
            return DONE
        counters[SIMULATIONS] += 1
        walk = counters[SIMULATIONS]
        depth = 0
        node = root
        cycle = False
        while True:
            scratch.nodes[depth] = node
            tree.visits[node] += 1.0
            tree.seen[node] = walk
            if tree.proved[node] or tree.status[node] != OPEN or depth + 1 >= LONGEST_WALK:
                break
            edge = _selected(tree, node, settings, tops, lanes.seeds)
            scratch.edges[depth] = edge
            tree.tries[edge] += 1
            node = np.int64(tree.child[edge])
            depth += 1
            if tree.seen[node] == walk:
                cycle = True
                scratch.nodes[depth] = node
                break
        counters[DEEPEST] = max(counters[DEEPEST], depth)
        if tree.proved[node]:
            for role in range(roles):
                scratch.value[role] = tree.goals[node, role]
        elif cycle:
            for role in range(roles):
                scratch.value[role] = lanes.neutral[role]
        elif tree.status[node] == FRESH or tree.status[node] == STUCK:
            wide = tree.status[node] == STUCK
            full = counters[FULL] != 0
            if not wide and not full:
                tree.status[node] = OPENING
            for word in range(tree.states.shape[1]):
                scratch.state[0, word] = tree.states[node, word]
            give(tree.lock)
            if wide or full:
                peak = _play_itself(tree, lanes, scratch, settings)
                take(tree.lock)
                tree.peaks[node] = max(tree.peaks[node], peak)
            else:
                _open(tree, lanes, scratch, settings, expand_address, node, tops)
                take(tree.lock)
            counters[MATCHES] += scratch.needed[1]
            scratch.needed[1] = 0
        else:
            for role in range(roles):
                scratch.value[role] = tree.totals[node, role] / tree.visits[node]
        _back_up(tree, scratch, settings, depth, cycle, roles, tops)
        give(tree.lock)
        if scratch.needed[0] > 0 and node == root:
            return TOO_WIDE


@njit(nogil=True, cache=True)
def _back_up(tree, scratch, settings, depth, cycle, roles, tops):  # type: ignore[no-untyped-def]
    """Adds the value to every node of the walk, and passes proofs and best ends up; with the lock held."""
    last = depth - 1 if cycle else depth
    below = scratch.nodes[depth]
    for back in range(last + 1):
        place = last - back
        node = scratch.nodes[place]
        if place < depth:
            if tree.proved[below] and not tree.proved[node]:
                prove(tree, node, settings, tops)
            anchor, mover = tree.anchor[node], tree.mover[node]
            if tree.proved[node]:
                # A proof replaces what was guessed on this walk, for everybody further up.
                for role in range(roles):
                    scratch.value[role] = tree.goals[node, role]
            elif anchor >= 0 and mover >= 0 and tree.goals[anchor, mover] > scratch.value[mover]:
                for role in range(roles):
                    scratch.value[role] = tree.goals[anchor, role]
            if mover == SEVERAL:
                _regret(tree, node, scratch.edges[place], scratch.value)
            if roles == 1 and tree.peaks[below] > tree.peaks[node]:
                tree.peaks[node] = tree.peaks[below]
        if tree.proved[node]:
            for role in range(roles):
                scratch.value[role] = tree.goals[node, role]
            tree.peaks[node] = tree.goals[node, 0]
        for role in range(roles):
            tree.totals[node, role] += scratch.value[role]
        below = node

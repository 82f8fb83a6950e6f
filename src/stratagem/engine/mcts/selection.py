"""How MCTS chooses its way down, and when the children of a node decide it.

One role that moves goes by promise and prior (PUCT, Rosin 2011); several that move at once choose by regret matching (Hart
and Mas-Colell, 2000; in trees: Lanctot et al., 2013), which tends to an equilibrium where UCT would run in circles. Proofs
go up as in Winands et al. (2008).
"""

from __future__ import annotations

from typing import Final

import numpy as np

from stratagem.engine.mcts.graph import NOBODY, SEVERAL, edge_count
from stratagem.engine.mcts.rollouts import next_random
from stratagem.native.jit.numba_cache import njit

CURIOSITY: Final = 0.1
"""How often a role that moves at the same time as others tries any move."""
SCATTER: Final = 40_503
"""Spreads the numbers of nodes over the moves with which they begin."""


@njit(nogil=True)
def mean(tree, node, role):  # type: ignore[no-untyped-def]
    """What a visited node seems worth to a role."""
    if tree.proved[node]:
        return np.float64(tree.goals[node, role])
    mean = tree.totals[node, role] / tree.visits[node]
    if tree.totals.shape[1] == 1:  # alone, the best end counts: nobody keeps one from it
        return 0.5 * mean + 0.5 * tree.peaks[node]
    return mean


@njit(nogil=True)
def selected(tree, node, settings, tops, seeds):  # type: ignore[no-untyped-def]
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
    # Where moves have no first guess, which one is tried first must not depend on their order in the rules.
    start = (np.int64(node) * SCATTER) % count if count > settings.together else 0
    for step in range(count):
        edge = first + (start + step) % count
        child = np.int64(tree.child[edge])
        if tree.proved[child]:
            if decided < 0 or tree.goals[child, mover] > tree.goals[tree.child[decided], mover]:
                decided = edge
            continue
        score = mean(tree, child, mover) if tree.visits[child] > 0 else unknown
        score += settings.exploration * tree.prior[edge] * root / (1.0 + tree.tries[edge])
        if score > best_score:
            best, best_score = edge, score
    if decided >= 0:
        # There is nothing to learn from a proved child; but the mover has at least what it is worth.
        tree.anchor[node] = tree.child[decided]
        if best < 0 or tree.goals[tree.child[decided], mover] >= tops[mover]:
            return np.int64(decided)
    return np.int64(best)


@njit(nogil=True)
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


@njit(nogil=True)
def regret(tree, node, edge, value):  # type: ignore[no-untyped-def]
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
                regret = tree.arm_totals[arm + choice] + mean(tree, child, role) - value[role]
                tree.arm_totals[arm + choice] = max(0.0, regret)
        stride *= count


@njit(nogil=True)
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


@njit(nogil=True)
def _decide(tree, node, child):  # type: ignore[no-untyped-def]
    for role in range(tree.choices.shape[1]):
        tree.goals[node, role] = tree.goals[child, role]
    tree.distance[node] = tree.distance[child] + 1
    tree.proved[node] = 1

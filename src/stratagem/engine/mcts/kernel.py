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

from typing import Final

import numpy as np

from stratagem.engine.mcts.graph import (
    DEEPEST,
    FRESH,
    FULL,
    MATCHES,
    OPEN,
    OPENING,
    SEVERAL,
    SIMULATIONS,
    STUCK,
)
from stratagem.engine.mcts.leaf import open_leaf, play_itself
from stratagem.engine.mcts.memory import LONGEST_WALK
from stratagem.engine.mcts.selection import prove, regret, selected
from stratagem.native.calls.playout import give, take
from stratagem.native.jit.numba_cache import njit

DONE: Final = 0
TOO_WIDE: Final = 1
"""The scratch memory has no room for the children of a node; `Scratch.needed` says how many there are."""
ROOT_TOGETHER: Final = 512
"""So many children of the root are played when it is opened: what is to be chosen from is never left without a guess."""


@njit(nogil=True)
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
            edge = selected(tree, node, settings, tops, lanes.seeds)
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
                peak = play_itself(tree, lanes, scratch, settings)
                take(tree.lock)
                tree.peaks[node] = max(tree.peaks[node], peak)
            else:
                together = max(settings.together, ROOT_TOGETHER) if node == root else settings.together
                open_leaf(tree, lanes, scratch, settings, expand_address, node, tops, together)
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


@njit(nogil=True)
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
                regret(tree, node, scratch.edges[place], scratch.value)
            if roles == 1 and tree.peaks[below] > tree.peaks[node]:
                tree.peaks[node] = tree.peaks[below]
        if tree.proved[node]:
            for role in range(roles):
                scratch.value[role] = tree.goals[node, role]
            tree.peaks[node] = tree.goals[node, 0]
        for role in range(roles):
            tree.totals[node, role] += scratch.value[role]
        below = node

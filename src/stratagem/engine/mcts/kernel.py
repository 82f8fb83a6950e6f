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

from stratagem.engine.mcts.graph import (
    FRESH,
    OPEN,
    OPENING,
    SEVERAL,
    STUCK,
    enter_state,
    keep_below,
    lock_graph,
)
from stratagem.engine.mcts.leaf import guess_leaf, open_leaf, raise_peak
from stratagem.engine.mcts.memory import LONGEST_WALK, SearchThread
from stratagem.engine.mcts.selection import prove, regret, select
from stratagem.kernels import inlined, kernel, load_relaxed, unlock
from stratagem.kernels.library.exact_set import number_of
from stratagem.kernels.library.hashing import copy_state
from stratagem.kernels.translate.family import KernelFamily

DONE: Final = 0
TOO_WIDE: Final = 1
"""The scratch memory has no room for the children of a node; `Scratch.needed` says how many there are."""
ROOT_TOGETHER: Final = 512
"""So many children of the root are played when it is opened: what is to be chosen from is never left without a guess."""


@kernel
def grow(thread: SearchThread, most: int) -> int:
    """Walks until *most* simulations are counted, the root is proved, or `stop` is set. One thread's work."""
    graph, scratch = thread.graph, thread.scratch
    while True:
        lock_graph(graph)
        stopped = load_relaxed(graph.stop, 0) != 0
        if stopped or graph.simulations >= most or graph.proved[thread.root]:
            unlock(graph.lock, 0)
            return DONE
        graph.simulations += 1
        depth, cycle = walk_down(thread, graph.simulations)
        graph.deepest = max(graph.deepest, depth)
        node = scratch.nodes[depth]
        if graph.proved[node]:
            take_goals(thread, node)
        elif cycle:
            for role in range(graph.roles):
                scratch.value[role] = thread.rollouts.neutral[role]
        elif graph.status[node] in (FRESH, STUCK):
            evaluate_leaf(thread, node)
        else:
            # Another thread is opening it, or the walk has become too long.
            for role in range(graph.roles):
                scratch.value[role] = graph.totals[node, role] / graph.visits[node]
        back_up(thread, depth, cycle)
        unlock(graph.lock, 0)
        if scratch.needed > 0 and node == thread.root:
            return TOO_WIDE


@inlined
def walk_down(thread: SearchThread, walk: int) -> tuple[int, bool]:
    """Follows the promising moves from the root; the depth of the last node, and whether it closes a cycle."""
    graph, scratch = thread.graph, thread.scratch
    depth, node = 0, thread.root
    while True:
        scratch.nodes[depth] = node
        graph.visits[node] += 1.0
        graph.seen[node] = walk
        if graph.proved[node] or graph.status[node] != OPEN or depth + 1 >= LONGEST_WALK:
            return depth, False
        edge = select(thread, node)
        scratch.edges[depth] = edge
        graph.tries[edge] += 1
        node = graph.child[edge]
        depth += 1
        if graph.seen[node] == walk:
            scratch.nodes[depth] = node
            return depth, True


@inlined
def evaluate_leaf(thread: SearchThread, node: int) -> None:
    """Opens a leaf, or plays it where it cannot be opened; its value into `scratch.value`. Others may go on meanwhile."""
    graph, scratch = thread.graph, thread.scratch
    copy_state(graph.states.pool.row(node), scratch.leaf, graph.states.words)
    if graph.status[node] == STUCK or graph.full:
        unlock(graph.lock, 0)
        peak = guess_leaf(thread)
        lock_graph(graph)
        raise_peak(thread, node, peak)
    else:
        graph.status[node] = OPENING
        together = thread.settings.together
        open_leaf(thread, node, max(together, ROOT_TOGETHER) if node == thread.root else together)
    graph.matches += scratch.matches
    scratch.matches = 0


@inlined
def take_goals(thread: SearchThread, node: int) -> None:
    """What is backed up from a proved node."""
    for role in range(thread.graph.roles):
        thread.scratch.value[role] = float(thread.graph.goals[node, role])


@kernel
def back_up(thread: SearchThread, depth: int, cycle: bool) -> None:
    """Adds the value to every node of the walk, and passes proofs and best ends up; with the lock held."""
    graph, scratch = thread.graph, thread.scratch
    below = scratch.nodes[depth]
    for place in range(depth - 1 if cycle else depth, -1, -1):
        node = scratch.nodes[place]
        if place < depth:
            if graph.proved[below] and not graph.proved[node]:
                prove(thread, node)
            anchor, mover = graph.anchor[node], graph.mover[node]
            if graph.proved[node]:
                # A proof replaces what was guessed on this walk, for everybody further up.
                take_goals(thread, node)
            elif anchor >= 0 and mover >= 0 and graph.goals[anchor, mover] > scratch.value[mover]:
                take_goals(thread, anchor)
            if mover == SEVERAL:
                regret(graph, node, scratch.edges[place], scratch.value)
            if graph.roles == 1 and graph.peaks[below] > graph.peaks[node]:
                graph.peaks[node] = graph.peaks[below]
        if graph.proved[node]:
            take_goals(thread, node)
            graph.peaks[node] = float(graph.goals[node, 0])
        for role in range(graph.roles):
            graph.totals[node, role] += scratch.value[role]
        below = node


KERNELS: Final = KernelFamily("mcts", (grow, number_of, enter_state, keep_below))

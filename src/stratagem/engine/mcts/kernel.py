"""The kernel of MCTS: walk down to many leaves, play them all in one call, back the values up, prove what is proved.

A batch is a number of walks from the root, each to an edge that was never taken (`walks`). Walks that are under way count as visits
(Liu et al., 2020), so that they go different ways. The states of all leaves come from one native call, and their random
matches from another, in which every lane begins at a leaf of its own (`leaf`). Then all values are backed up (`backup`).
Batches are small at first, when the graph has few leaves that are worth a look, and a leaf gets many lanes; they grow with
the graph, up to the number at which walking costs about as much as the matches do.

Ends among the leaves are proofs, and proofs are backed up (Winands et al., 2008): a state is decided when a child wins for
the mover, or when all children are decided.

Threads share the graph. The lock is held for walking and backing up, and not while matches are played.
"""

from __future__ import annotations

from typing import Final

from stratagem.engine.mcts.compaction import keep_below
from stratagem.engine.mcts.graph import lock_graph
from stratagem.engine.mcts.leaf import (
    back_up_leaves,
    enter_leaves,
    enter_root,
    look_at_leaves,
    play_batch,
)
from stratagem.engine.mcts.memory import SearchThread
from stratagem.engine.mcts.walks import collect
from stratagem.kernels import kernel, load_relaxed, unlock
from stratagem.kernels.library.exact_set import number_of
from stratagem.kernels.translate.family import KernelFamily


@kernel
def grow(thread: SearchThread, most: int) -> None:
    """Walks until *most* simulations are counted, the root is proved, or `stop` is set. One thread's work."""
    graph = thread.graph
    while True:
        lock_graph(graph)
        stopped = load_relaxed(graph.stop, 0) != 0
        if stopped or graph.simulations >= most or graph.proved[thread.root]:
            unlock(graph.lock, 0)
            return
        collect(thread, most)
        if thread.batch.walks > 0:
            unlock(graph.lock, 0)
            look_at_leaves(thread)
            lock_graph(graph)
            enter_leaves(thread)
            unlock(graph.lock, 0)
            play_batch(thread)
            lock_graph(graph)
            back_up_leaves(thread)
        unlock(graph.lock, 0)


KERNELS: Final = KernelFamily("mcts", (grow, number_of, enter_root, keep_below))

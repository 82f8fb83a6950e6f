"""The kernels of the engine, called before anybody waits for them.

numba compiles a kernel when it is first called, which takes the better part of a minute for all of them on a new
machine, and keeps it on disk; later processes find it there within the second. Processes forked from one that has called
them have them at once (see `stratagem.play.nursery`).
"""

from __future__ import annotations


def call_kernels() -> None:
    """Calls every kernel that players use, on games so small that the calls take no time."""
    from stratagem.engine.alpha_beta import EVEN, AlphaBeta
    from stratagem.engine.evaluation_learning import learn
    from stratagem.engine.mcts import Mcts
    from stratagem.engine.solve import solve
    from stratagem.load import load

    duel = load("tictactoe")
    duel.expander.compile(wait=True)  # whoever forks next must not find a compiler at work
    Mcts(duel, memory=1 << 20).search(duel.initial(), simulations=2)
    learned = learn(duel, states=40)
    AlphaBeta(duel, EVEN if learned is None else learned, memory=0).search(duel.initial(), depth=3)
    puzzle = load("hanoi", discs=3)
    puzzle.expander.compile(wait=True)
    solve(puzzle, seconds=5.0)

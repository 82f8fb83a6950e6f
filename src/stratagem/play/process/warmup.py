"""Calls the kernels of the engine once, so that no later call waits for the compiler.

numba compiles a kernel when it is first called, which takes the better part of a minute for all of them on a new
machine, and keeps it on disk; later processes find it there within the second. Processes forked from one that has called
them have them at once (see `stratagem.play.process.fork_server`).
"""

from __future__ import annotations

from stratagem.limit import Limit
from stratagem.play.process.kernel_compilation import ORDER, Kernels, note_compiled


def call_kernels(*which: Kernels) -> None:
    """Calls every kernel that players use, or *which* of them, on games so small that the calls take no time."""
    for kernels in which or ORDER:
        match kernels:
            case "puzzle":
                _call_for_puzzles()
            case "mcts":
                _call_for_mcts()
            case "alphabeta":
                _call_for_alpha_beta()
        note_compiled(kernels)


def _call_for_puzzles() -> None:
    from stratagem.engine.heuristics.relaxation import relaxation
    from stratagem.engine.puzzle.bidirectional import bidirectional
    from stratagem.engine.puzzle.restarting_dfs import restarting_depth_first
    from stratagem.engine.solve import solve
    from stratagem.loading import load

    puzzle = load("hanoi", discs=7)  # enough states for tables to grow
    puzzle.compiled.compile(wait=True)  # no compiler thread may be running at the next fork
    start = puzzle.initial().packed.copy()
    solve(puzzle, method="breadth-first", limit=Limit(seconds=5))
    limit = Limit(nodes=1000, memory=1 << 20)
    restarting_depth_first(puzzle.compiled, start, limit=limit)
    bidirectional(puzzle, start, undoing=True, limit=limit)
    solve(puzzle, method="a-star", limit=Limit(seconds=5))
    # The estimate of A* where pattern databases are of no use.
    relaxation(puzzle).bounds(start.reshape(1, -1))


def _call_for_mcts() -> None:
    from stratagem.engine.mcts.search import Mcts
    from stratagem.loading import load

    for game in (load("tictactoe"), load("rockpaperscissors")):
        game.compiled.compile(wait=True)
        Mcts(game, memory=1 << 20).search(game.initial(), Limit(nodes=2))


def _call_for_alpha_beta() -> None:
    from stratagem.engine.alpha_beta.search import AlphaBeta
    from stratagem.engine.evaluation.learning import learn_evaluation, sample
    from stratagem.loading import load

    duel = load("tictactoe")
    duel.compiled.compile(wait=True)
    AlphaBeta(duel, learn_evaluation(duel, Limit(nodes=40)), memory=0).search(duel.initial(), Limit(depth=3))
    sample(duel, Limit(nodes=40))

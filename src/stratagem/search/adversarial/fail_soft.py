"""Fail-soft alpha-beta (Fishburn, 1983): the same cuts, but a value outside the window says how far outside.

A node that fails returns the best value it has seen instead of the bound: still only a bound, but a tighter one. It visits
the nodes that alpha-beta visits. Tables of values and move ordering gain from the tighter bounds, so this is the form
that iterative deepening, GAME-PLAY and the searches with a table use.
"""

from __future__ import annotations

from math import inf
from typing import Any, Unpack

from stratagem.errors import UsageError
from stratagem.game import Game
from stratagem.result import Result
from stratagem.search.framework.adversarial_run import AdversarialRun
from stratagem.search.framework.game_tree import MAX, GameTreeNode, SolutionTree, solved
from stratagem.search.framework.options import AdversarialOptions


def fail_soft(
    problem: Game[Any],
    start: Any = None,
    *,
    alpha: float = -inf,
    beta: float = inf,
    **options: Unpack[AdversarialOptions],
) -> Result:
    """The value of *problem* if it lies inside (*alpha*, *beta*); otherwise a bound on it, past the window.

    >>> from stratagem.machines.trees.tree import Tree
    >>> tree = Tree.of([[3, 12, 8], [2, 4, 6], [14, 5, 2]])
    >>> fail_soft(tree).value
    3
    >>> fail_soft(tree, alpha=5, beta=9).interval
    Interval(low=-inf, high=5)
    """
    if not alpha < beta:
        raise UsageError(f"a window needs alpha < beta, not {alpha} and {beta}")
    run = AdversarialRun("fail-soft", problem, start, **options)
    return run.result(lambda: fail_soft_of(run, run.root, alpha, beta), window=(alpha, beta))


def fail_soft_of(run: AdversarialRun, node: GameTreeNode, alpha: float, beta: float) -> SolutionTree:
    """The solution of *node*: exact inside the window, a bound outside; `run.order` learns from it."""
    run.visit(node, alpha, beta)
    if node.is_leaf:
        return run.evaluate(node)
    tracer = run.tracer
    best: SolutionTree | None = None
    seen: list[SolutionTree] = []
    if node.player == MAX:
        value = -inf
        for child in run.children(node):
            solution = fail_soft_of(run, child, alpha, beta)
            seen.append(run.note(solution))
            if best is None or solution.value > value:
                best, value = solution, solution.value
            if value > alpha:
                if tracer is not None:
                    tracer.better(node, solution, alpha, value)
                alpha = value
            if alpha >= beta:
                run.cut(node, value, beta, len(seen))
                break
    else:
        value = inf
        for child in run.children(node):
            solution = fail_soft_of(run, child, alpha, beta)
            seen.append(run.note(solution))
            if best is None or solution.value < value:
                best, value = solution, solution.value
            if value < beta:
                if tracer is not None:
                    tracer.better(node, solution, beta, value)
                beta = value
            if alpha >= beta:
                run.cut(node, value, alpha, len(seen))
                break
    if run.order is not None:
        run.order.learn(node, best, seen)
    found = solved(node, value, best, seen)
    if tracer is not None:
        tracer.leave(node, found, tracer.kind(node, value))
    return found

"""ALPHA-BETA (after Pearl): minimax that leaves out what cannot change the result.

Every call gets a window (alpha, beta): further up, MAX has secured alpha, and MIN has limited MAX to beta. A node matters
only with a value strictly between; when the window closes (alpha >= beta) the rest of its children is cut. The value at
the root is minimax's. In the best order of moves it evaluates b^ceil(d/2) + b^floor(d/2) - 1 leaves, in the worst all b^d.

This is the first form of the lecture; `printed_variants` has the others.
"""

from __future__ import annotations

from math import inf
from typing import Any, Unpack

from stratagem.game import Game
from stratagem.result import Result
from stratagem.search.framework.adversarial_run import AdversarialRun
from stratagem.search.framework.game_tree import MAX, GameTreeNode, SolutionTree, greatest, least, solved
from stratagem.search.framework.options import AdversarialOptions


def alpha_beta(problem: Game[Any], start: Any = None, **options: Unpack[AdversarialOptions]) -> Result:
    """The value of *problem*, by the first form of ALPHA-BETA: alpha and beta move, and the window may close.

    A node that is cut returns the value that it has found, 13 in the lecture's picture, and not the bound of 12 that the
    printed lines return; this makes no difference further up, but it reads better in a trace.

    >>> from stratagem.machines.trees.tree import Tree
    >>> found = alpha_beta(Tree.of([[3, 12, 8], [2, 4, 6], [14, 5, 2]]))
    >>> found.value, found.leaf_order
    (3, (0, 1, 2, 3, 6, 7, 8))
    """
    run = AdversarialRun("alpha-beta", problem, start, **options)
    tracer = run.tracer

    def alpha_beta_of(node: GameTreeNode, alpha: float, beta: float) -> SolutionTree:
        run.visit(node, alpha, beta)
        if node.is_leaf:
            return run.evaluate(node)
        seen: list[SolutionTree] = []
        if node.player == MAX:
            for child in run.children(node):
                solution = alpha_beta_of(child, alpha, beta)
                seen.append(run.note(solution))
                if tracer is not None and solution.value > alpha:
                    tracer.better(node, solution, alpha, solution.value)
                alpha = max(alpha, solution.value)
                if alpha >= beta:
                    run.cut(node, alpha, beta, len(seen))
                    break
            best = greatest(seen)
        else:
            for child in run.children(node):
                solution = alpha_beta_of(child, alpha, beta)
                seen.append(run.note(solution))
                if tracer is not None and solution.value < beta:
                    tracer.better(node, solution, beta, solution.value)
                beta = min(beta, solution.value)
                if alpha >= beta:
                    run.cut(node, beta, alpha, len(seen))
                    break
            best = least(seen)
        found = solved(node, best.value, best, seen)
        if tracer is not None:
            tracer.leave(node, found, tracer.kind(node, found.value))
        return found

    return run.result(lambda: alpha_beta_of(run.root, -inf, inf))

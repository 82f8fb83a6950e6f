"""MINIMAX (Shannon, 1950): the value of a game when both sides play their best; and BEST-MOVE.

MAX takes the greatest of its children's values, MIN the least, from the leaves up to the root. It evaluates every leaf: b^d
of them at depth d. With a horizon this is k-ply search, which stops at "terminal or horizon".
"""

from __future__ import annotations

from typing import Any, Unpack

from stratagem.errors import UsageError
from stratagem.game import Game
from stratagem.result import Result
from stratagem.search.framework.adversarial_run import AdversarialRun
from stratagem.search.framework.game_tree import MAX, GameTreeNode, SolutionTree, greatest, least, solved
from stratagem.search.framework.options import AdversarialOptions


def minimax(problem: Game[Any], start: Any = None, **options: Unpack[AdversarialOptions]) -> Result:
    """The value of *problem*, with every best move.

    >>> from stratagem.machines.trees.tree import Tree
    >>> found = minimax(Tree.of([[3, 12, 8], [2, 4, 6], [14, 5, 2]]))
    >>> found.value, found.best_moves, found.principal_variation, found.counters.leaves
    (3, (0,), (0, 0), 9)
    """
    run = AdversarialRun("minimax", problem, start, **options)
    return run.result(lambda: minimax_of(run, run.root), exact=True)


def minimax_of(run: AdversarialRun, node: GameTreeNode) -> SolutionTree:
    """MINIMAX(N): the solution of *node*."""
    run.visit(node)
    if node.is_leaf:
        return run.evaluate(node)
    seen: list[SolutionTree] = []
    for child in run.children(node):
        seen.append(run.note(minimax_of(run, child)))
    best = greatest(seen) if node.player == MAX else least(seen)
    found = solved(node, best.value, best, seen)
    if run.tracer is not None:
        run.tracer.leave(node, found)
    return found


def best_move(problem: Game[Any], start: Any = None, **options: Unpack[AdversarialOptions]) -> Result:
    """The child of the root to move to, by MINIMAX of each: `Result.best_move` is the first of the best.

    The sheet starts with no move and a value of -LARGE, and so returns nothing where every child is worth -LARGE; here
    the first move is the best until a better one is found.

    >>> from stratagem.machines.trees.tree import Tree
    >>> best_move(Tree.of([[3, 12, 8], [2, 4, 6], [14, 5, 2]])).best_move
    0
    """
    run = AdversarialRun("best-move", problem, start, **options)
    root = run.root
    if root.is_leaf:
        raise UsageError("there is no move to choose: the game is over here, or the horizon is at 0 plies")

    def best_child() -> SolutionTree:
        run.visit(root)
        first, *others = run.children(root)
        best = run.note(minimax_of(run, first))
        seen = [best]
        for child in others:
            solution = run.note(minimax_of(run, child))
            seen.append(solution)
            better = solution.value > best.value if root.player == MAX else solution.value < best.value
            if better:
                best = solution
        found = solved(root, best.value, best, seen)
        if run.tracer is not None:
            run.tracer.leave(root, found)
        return found

    return run.result(best_child, exact=True)

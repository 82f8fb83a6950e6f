"""NEGAMAX: minimax with one rule instead of two (Knuth and Moore, 1975).

If every value is written from the point of view of the player to move, both players take the greatest, and a value changes
its sign on the way up. The sign changes only where the player does, so that games in which a player moves twice are
right too. It visits the nodes that minimax visits.
"""

from __future__ import annotations

from math import inf
from typing import Any, Unpack

from stratagem.game import Game
from stratagem.result import Result
from stratagem.search.framework.adversarial_run import AdversarialRun
from stratagem.search.framework.game_tree import MAX, GameTreeNode, SolutionTree, solved
from stratagem.search.framework.options import AdversarialOptions


def negamax(problem: Game[Any], start: Any = None, **options: Unpack[AdversarialOptions]) -> Result:
    """The value of *problem* to MAX, with every best move.

    >>> from stratagem.machines.trees.tree import Tree
    >>> negamax(Tree.of([[3, 12, 8], [2, 4, 6], [14, 5, 2]])).value
    3
    """
    run = AdversarialRun("negamax", problem, start, **options)
    tracer = run.tracer

    def negamax_of(node: GameTreeNode) -> tuple[float, SolutionTree]:
        """The value of *node* to the player to move in it, and its solution, which is always MAX's."""
        run.visit(node)
        if node.is_leaf:
            solution = run.evaluate(node)
            return (solution.value if node.player == MAX else -solution.value), solution
        best: SolutionTree | None = None
        best_value = -inf
        seen: list[SolutionTree] = []
        for child in run.children(node):
            value, solution = negamax_of(child)
            if child.player != node.player:
                value = -value
            seen.append(run.note(solution))
            if best is None or value > best_value:
                best_value, best = value, solution
        found = solved(node, best_value if node.player == MAX else -best_value, best, seen)
        if tracer is not None:
            tracer.leave(node, found)
        return best_value, found

    return run.result(lambda: negamax_of(run.root)[1], exact=True)

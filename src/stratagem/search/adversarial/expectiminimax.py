"""EXPECTIMINIMAX (Michie, 1966): minimax for games with chance.

A chance node is worth the mean of its children, weighted by their probabilities. So the values themselves matter and not
only their order, and nothing can be cut without bounds on them; every leaf is evaluated. Chance is the role "random" of a
game (all its moves equally likely, as in GDL) or the chance nodes of a tree.
"""

from __future__ import annotations

from typing import Any, Unpack

from stratagem.game import Game
from stratagem.result import Result
from stratagem.search.framework.adversarial_run import AdversarialRun
from stratagem.search.framework.game_tree import (
    CHANCE,
    MAX,
    GameTreeNode,
    SolutionTree,
    greatest,
    least,
    solved,
)
from stratagem.search.framework.options import AdversarialOptions


def expectiminimax(problem: Game[Any], start: Any = None, **options: Unpack[AdversarialOptions]) -> Result:
    """The expected value of *problem* to MAX. The principal variation ends at the first chance node.

    >>> from stratagem.machines.trees.tree import Tree
    >>> coin = {"chances": [0.5, 0.5], "children": [10, 0]}
    >>> found = expectiminimax(Tree.of([coin, [4, 7]]))
    >>> found.value, found.best_move
    (5.0, 0)
    """
    run = AdversarialRun("expectiminimax", problem, start, chance=True, **options)

    def expectiminimax_of(node: GameTreeNode) -> SolutionTree:
        run.visit(node)
        if node.is_leaf:
            return run.evaluate(node)
        seen: list[SolutionTree] = []
        for child in run.children(node):
            seen.append(run.note(expectiminimax_of(child)))
        if node.player == CHANCE:
            seen.sort(key=lambda solution: solution.node.index)  # the order of their chances
            found = solved(node, run.combine(node, [solution.value for solution in seen]), None, seen)
        else:
            best = greatest(seen) if node.player == MAX else least(seen)
            found = solved(node, best.value, best, seen)
        if run.tracer is not None:
            run.tracer.leave(node, found)
        return found

    return run.result(lambda: expectiminimax_of(run.root), exact=True)

"""SCOUT (Pearl, 1980): find the value of the first child, then only test whether another one is better.

A test is cheaper than a value: to prove that a MAX node is worth more than a bound one child is enough, to refute it one
child of each MIN node below. Only a child that passes its test is searched again for its value. Nothing is stored in
between, so a leaf may be evaluated twice; in distinct leaves SCOUT often needs fewer than alpha-beta.
"""

from __future__ import annotations

from math import inf
from typing import Any, Unpack

from stratagem.game import Game
from stratagem.result import Result
from stratagem.search.framework.adversarial_run import AdversarialRun
from stratagem.search.framework.game_tree import MAX, GameTreeNode, SolutionTree, least, solved
from stratagem.search.framework.options import AdversarialOptions
from stratagem.trace.events import Again, Test


def scout(problem: Game[Any], start: Any = None, **options: Unpack[AdversarialOptions]) -> Result:
    """The value of *problem*.

    >>> from stratagem.machines.trees.tree import Tree
    >>> found = scout(Tree.of([3, 9, 4]))
    >>> found.value, found.counters.leaves, found.counters.evaluations
    (9, 3, 4)
    """
    run = AdversarialRun("scout", problem, start, revisits=True, **options)
    tracer = run.tracer

    def eval_of(node: GameTreeNode) -> SolutionTree:
        """EVAL: the solution of *node*, exactly."""
        run.visit(node)
        if node.is_leaf:
            return run.evaluate(node)
        children = run.children(node)
        best = run.note(eval_of(next(children)))
        seen = [best]
        for child in children:
            proof = test(child, best.value, strict=node.player == MAX)
            if (proof is not None) == (node.player == MAX):  # better for the player to move
                if tracer is not None:
                    tracer.emit(Again(child.path, -inf, inf))
                best = run.note(eval_of(child))
                seen.append(best)
            elif proof is not None:
                seen.append(proof)
        found = solved(node, best.value, best, seen)
        if tracer is not None:
            tracer.leave(node, found)
        return found

    def test(node: GameTreeNode, bound: float, *, strict: bool) -> SolutionTree | None:
        """TEST: MAX's strategy by which *node* is worth more than *bound* (at least, if not *strict*), or None."""
        run.visit(node)
        proof = prove(node, bound, strict=strict)
        if tracer is not None:
            tracer.emit(Test(node.path, bound, strict, proof is not None))
        return proof

    def prove(node: GameTreeNode, bound: float, *, strict: bool) -> SolutionTree | None:
        if node.is_leaf:
            leaf = run.evaluate(node)
            return leaf if leaf.value > bound or (leaf.value == bound and not strict) else None
        proofs: list[SolutionTree] = []
        for visited, child in enumerate(run.children(node), 1):
            proof = test(child, bound, strict=strict)
            if (proof is not None) == (node.player == MAX):  # one child settles the question
                run.cut(node, bound, bound, visited)
                return None if proof is None else SolutionTree(node, proof.value, proof, (proof,))
            if proof is not None:
                proofs.append(proof)
        return None if node.player == MAX else SolutionTree(node, least(proofs).value, least(proofs), proofs)

    return run.result(lambda: eval_of(run.root))

"""SCOUT (Pearl, 1980): find the value of the first child, then only test whether another beats it.

A test is cheaper than a value: to prove that a MAX node is worth more than a bound one child is enough, to refute it
one child of each MIN node below. Only a child that passes its test is searched again for its value. Nothing is
remembered in between, so a leaf may be evaluated twice; counted once each, SCOUT often sees fewer than alpha-beta.
"""

from __future__ import annotations

from math import inf
from typing import Any, Unpack

from stratagem.game import Game
from stratagem.result import Result
from stratagem.search.framework.alternating import AlternatingGame, Options
from stratagem.search.framework.node import MAX, Node, Outcome, least, settled
from stratagem.trace.events import Again, Test, Trace


def scout(game: Game[Any], *, trace: Trace | None = None, **options: Unpack[Options]) -> Result:
    """The value of *game*.

    >>> from stratagem.machines.trees.tree import Tree
    >>> found = scout(Tree.of([3, 9, 4]))
    >>> found.value, found.counters.leaves, found.counters.evaluations
    (9, 3, 4)
    """
    view = AlternatingGame(game, trace=trace, comes_back=True, **options)
    story = view.story

    def eval_of(node: Node) -> Outcome:
        """EVAL: the outcome of *node*, exactly."""
        view.visit(node)
        if node.is_leaf:
            return view.evaluate(node)
        children = view.children(node)
        best = view.note(eval_of(next(children)))
        seen = [best]
        for child in children:
            if node.player == MAX:
                proof = test(child, best.value, strict=True)
                promising = proof is not None
            else:
                proof = test(child, best.value, strict=False)
                promising = proof is None
            if promising:
                if story is not None:
                    story.tell(Again(child.path, -inf, inf))
                best = view.note(eval_of(child))
                seen.append(best)
            elif proof is not None:
                seen.append(proof)
        found = settled(node, best.value, best, seen)
        if story is not None:
            story.leave(node, found)
        return found

    def test(node: Node, bound: float, *, strict: bool) -> Outcome | None:
        """TEST: MAX's plan that makes *node* worth more than *bound* (at least, if not *strict*), or None."""
        view.visit(node)
        proof = prove(node, bound, strict=strict)
        if story is not None:
            story.tell(Test(node.path, bound, strict, proof is not None))
        return proof

    def prove(node: Node, bound: float, *, strict: bool) -> Outcome | None:
        if node.is_leaf:
            leaf = view.evaluate(node)
            return leaf if leaf.value > bound or (leaf.value == bound and not strict) else None
        proofs: list[Outcome] = []
        for looked_at, child in enumerate(view.children(node), 1):
            proof = test(child, bound, strict=strict)
            if (proof is not None) == (node.player == MAX):  # one child settles the question
                view.cut(node, bound, bound, looked_at)
                return None if proof is None else Outcome(node, proof.value, proof, (proof,))
            if proof is not None:
                proofs.append(proof)
        return None if node.player == MAX else Outcome(node, least(proofs).value, least(proofs), proofs)

    return view.run("scout", lambda: eval_of(view.root))

"""NegaScout (Reinefeld, 1983), also known as principal variation search: SCOUT's idea inside alpha-beta.

The first child gets the whole window. Every other child gets an empty window, just above the best so far, which is enough to
show that it is no better; only a child that is better is searched again, for its value. In negamax form and fail-soft. A
child that is a leaf is never searched again: its value is exact already.

The empty window above a is (a, the next floating-point number): no value lies between.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, nextafter
from typing import Any, Unpack

from stratagem.game import Game
from stratagem.result import Result
from stratagem.search.framework.adversarial_run import AdversarialRun
from stratagem.search.framework.game_tree import MAX, GameTreeNode, SolutionTree
from stratagem.search.framework.options import AdversarialOptions
from stratagem.trace.events import Again


class TwoSidedSolution(SolutionTree):
    """A solution with two strategies: *for_max* proves that the value is no less, *for_min* that it is no more.

    An empty window proves only one of them. Where a child is searched again and is no better than its test, one search
    has proved the one and the other the other.
    """

    __slots__ = ("for_max", "for_min")

    def __init__(
        self,
        node: GameTreeNode,
        value: float,
        best: SolutionTree | None = None,
        for_max: Sequence[TwoSidedSolution] = (),
        for_min: Sequence[TwoSidedSolution] = (),
    ) -> None:
        super().__init__(node, value, best, for_max)
        self.for_max = for_max
        self.for_min = for_min


def negascout(problem: Game[Any], start: Any = None, **options: Unpack[AdversarialOptions]) -> Result:
    """The value of *problem* to MAX.

    >>> from stratagem.machines.trees.tree import Tree
    >>> found = negascout(Tree.of([[3, 12, 8], [2, 4, 6], [14, 5, 2]]))
    >>> found.value, found.counters.leaves
    (3, 7)
    """
    run = AdversarialRun("negascout", problem, start, revisits=True, **options)
    tracer = run.tracer

    def below(child: GameTreeNode, alpha: float, beta: float) -> tuple[float, TwoSidedSolution]:
        """The value of *child* to the player of its parent, with the window (*alpha*, *beta*)."""
        if child.player == child.above.player:
            return negascout_of(child, alpha, beta)
        value, proof = negascout_of(child, -beta, -alpha)
        return -value, proof

    def negascout_of(node: GameTreeNode, alpha: float, beta: float) -> tuple[float, TwoSidedSolution]:
        """The value of *node* to the player to move in it, with a proof, which is always from MAX's point of view."""
        sign = 1 if node.player == MAX else -1
        run.visit(node, *((alpha, beta) if node.player == MAX else (-beta, -alpha)))
        if node.is_leaf:
            leaf = run.evaluate(node)
            return sign * leaf.value, TwoSidedSolution(node, leaf.value)
        best: TwoSidedSolution | None = None
        best_value = -inf
        seen: list[TwoSidedSolution] = []
        window = (alpha, beta)
        upper = beta
        for child in run.children(node):
            value, proof = below(child, alpha, upper)
            if alpha < value < beta and seen and not child.is_leaf:
                if tracer is not None:
                    tracer.emit(Again(child.path, *sorted((sign * value, sign * beta))))
                tested = proof
                value, proof = below(child, value, beta)
                if proof.value == tested.value:
                    no_less, no_more = (tested, proof) if node.player == MAX else (proof, tested)
                    proof = TwoSidedSolution(child, proof.value, proof.best, no_less.for_max, no_more.for_min)
            seen.append(proof)
            run.note(proof)
            if best is None or value > best_value:
                best_value, best = value, proof
            if best_value > alpha:
                if tracer is not None:
                    tracer.better(node, proof, sign * alpha, sign * best_value)
                alpha = best_value
            if alpha >= beta:
                run.cut(node, sign * best_value, sign * beta, len(seen))
                break
            upper = nextafter(alpha, inf)
        found = _proof(node, best_value, best, seen, window)
        if tracer is not None:
            tracer.leave(node, found, tracer.kind(node, found.value))
        return best_value, found

    return run.result(lambda: _best_play(negascout_of(run.root, -inf, inf)[1]))


def _proof(
    node: GameTreeNode,
    value: float,
    best: TwoSidedSolution | None,
    seen: Sequence[TwoSidedSolution],
    window: tuple[float, float],
) -> TwoSidedSolution:
    """What the children *seen* prove of *node*: a value past its window is a bound, and proves one side only."""
    alpha, beta = window
    chosen = () if best is None else (best,)
    no_less = value > alpha or alpha == -inf
    no_more = value < beta or beta == inf
    if node.player == MAX:
        return TwoSidedSolution(node, value, best, chosen if no_less else (), seen if no_more else ())
    return TwoSidedSolution(node, -value, best, seen if no_more else (), chosen if no_less else ())


def _best_play(root: TwoSidedSolution) -> SolutionTree:
    """*root* with best play of both sides in it: MAX follows the one strategy, MIN the other."""
    pairs = [(root, root)]
    while True:
        max_side, min_side = pairs[-1]
        chosen = max_side.for_max if max_side.node.player == MAX else min_side.for_min
        indices = [child.node.index for child in chosen]
        ours = [child for child in max_side.for_max if child.node.index in indices]
        theirs = [child for child in min_side.for_min if child.node.index in indices]
        if not ours or not theirs:
            break
        pairs.append((ours[0], theirs[0]))
    best: SolutionTree | None = None
    for max_side, _ in reversed(pairs):
        best = SolutionTree(max_side.node, max_side.value, best, max_side.for_max)
    return root if best is None else best

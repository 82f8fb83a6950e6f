"""NegaScout (Reinefeld, 1983), also known as principal variation search: SCOUT's idea inside alpha-beta.

The first child gets the whole window. Every other gets an empty one, just above the best so far, which is enough to
find out that it is no better; only a child that is gets searched again, for its value. In negamax form and fail-soft.
A child that is a leaf is never searched again: its value is exact already.

The empty window above a is (a, the next number after a): nothing lies between, whole numbers or not.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, nextafter
from typing import Any, Unpack

from stratagem.game import Game
from stratagem.result import Result
from stratagem.search.framework.alternating import AlternatingGame, Options
from stratagem.search.framework.node import MAX, Node, Outcome
from stratagem.trace.events import Again, Trace


class TwoSided(Outcome):
    """An outcome with two plans: *shown* to MAX that the value is no less, *held* by MIN that it is no more.

    An empty window proves only one of them. Where a child is searched again and turns out no better than its test, one
    search has the one plan and the other the other.
    """

    __slots__ = ("held", "shown")

    def __init__(
        self,
        node: Node,
        value: float,
        best: Outcome | None = None,
        shown: Sequence[TwoSided] = (),
        held: Sequence[TwoSided] = (),
    ) -> None:
        super().__init__(node, value, best, shown)
        self.shown = shown
        self.held = held


def negascout(game: Game[Any], *, trace: Trace | None = None, **options: Unpack[Options]) -> Result:
    """The value of *game* to MAX.

    >>> from stratagem.machines.trees.tree import Tree
    >>> found = negascout(Tree.of([[3, 12, 8], [2, 4, 6], [14, 5, 2]]))
    >>> found.value, found.counters.leaves
    (3, 7)
    """
    view = AlternatingGame(game, trace=trace, comes_back=True, **options)
    story = view.story

    def below(child: Node, alpha: float, beta: float) -> tuple[float, TwoSided]:
        """What *child* is worth to the player of its parent, who has the window (*alpha*, *beta*)."""
        if child.player == child.above.player:
            return negascout_of(child, alpha, beta)
        value, proof = negascout_of(child, -beta, -alpha)
        return -value, proof

    def negascout_of(node: Node, alpha: float, beta: float) -> tuple[float, TwoSided]:
        """What *node* is worth to the player to move in it, with a proof, which is always as MAX sees it."""
        sign = 1 if node.player == MAX else -1
        view.visit(node, *((alpha, beta) if node.player == MAX else (-beta, -alpha)))
        if node.is_leaf:
            leaf = view.evaluate(node)
            return sign * leaf.value, TwoSided(node, leaf.value)
        best: TwoSided | None = None
        best_value = -inf
        seen: list[TwoSided] = []
        window = (alpha, beta)
        upper = beta
        for child in view.children(node):
            value, proof = below(child, alpha, upper)
            if alpha < value < beta and seen and not child.is_leaf:
                if story is not None:
                    story.tell(Again(child.path, *sorted((sign * value, sign * beta))))
                tested = proof
                value, proof = below(child, value, beta)
                if proof.value == tested.value:
                    no_less, no_more = (tested, proof) if node.player == MAX else (proof, tested)
                    proof = TwoSided(child, proof.value, proof.best, no_less.shown, no_more.held)
            seen.append(proof)
            view.note(proof)
            if best is None or value > best_value:
                best_value, best = value, proof
            if best_value > alpha:
                if story is not None:
                    story.better(node, proof, sign * alpha, sign * best_value)
                alpha = best_value
            if alpha >= beta:
                view.cut(node, sign * best_value, sign * beta, len(seen))
                break
            upper = nextafter(alpha, inf)
        found = _proof(node, best_value, best, seen, window)
        if story is not None:
            story.leave(node, found, story.kind(node, found.value))
        return best_value, found

    return view.run("negascout", lambda: _best_play(negascout_of(view.root, -inf, inf)[1]))


def _proof(
    node: Node, value: float, best: TwoSided | None, seen: Sequence[TwoSided], window: tuple[float, float]
) -> TwoSided:
    """What the children *seen* prove of *node*: a value past its window is a bound, and proves one side only."""
    alpha, beta = window
    chosen = () if best is None else (best,)
    no_less = value > alpha or alpha == -inf
    no_more = value < beta or beta == inf
    if node.player == MAX:
        return TwoSided(node, value, best, chosen if no_less else (), seen if no_more else ())
    return TwoSided(node, -value, best, seen if no_more else (), chosen if no_less else ())


def _best_play(root: TwoSided) -> Outcome:
    """*root* with best play of both in it: MAX follows the one plan, MIN the other, and they never part."""
    pairs = [(root, root)]
    while True:
        for_max, for_min = pairs[-1]
        chosen = for_max.shown if for_max.node.player == MAX else for_min.held
        indices = [child.node.index for child in chosen]
        ours = [child for child in for_max.shown if child.node.index in indices]
        theirs = [child for child in for_min.held if child.node.index in indices]
        if not ours or not theirs:
            break
        pairs.append((ours[0], theirs[0]))
    best: Outcome | None = None
    for for_max, _ in reversed(pairs):
        best = Outcome(for_max.node, for_max.value, best, for_max.shown)
    return root if best is None else best

"""NegaScout (Reinefeld, 1983), also known as principal variation search: SCOUT's idea inside alpha-beta.

The first child gets the whole window. Every other gets an empty one, just above the best so far, which is enough to
find out that it is no better; only a child that is gets searched again, for its value. In negamax form and fail-soft.
A child that is a leaf is never searched again: its value is exact already.

The empty window above a is (a, the next number after a): nothing lies between, whole numbers or not.
"""

from __future__ import annotations

from math import inf, nextafter
from typing import Any, Unpack

from stratagem.game import Game
from stratagem.search.outcome import MAX, Node, Outcome, settled
from stratagem.search.problems import AlternatingGame, Options
from stratagem.search.result import Result
from stratagem.trace.events import Again, Trace


def negascout(game: Game[Any], *, trace: Trace | None = None, **options: Unpack[Options]) -> Result:
    """The value of *game* to MAX.

    >>> from stratagem.machines.tree import Tree
    >>> found = negascout(Tree.of([[3, 12, 8], [2, 4, 6], [14, 5, 2]]))
    >>> found.value, found.counters.leaves
    (3, 7)
    """
    view = AlternatingGame(game, trace=trace, comes_back=True, **options)
    story = view.story

    def below(child: Node, alpha: float, beta: float) -> tuple[float, Outcome]:
        """What *child* is worth to the player of its parent, who has the window (*alpha*, *beta*)."""
        if child.player == child.above.player:
            return negascout_of(child, alpha, beta)
        value, outcome = negascout_of(child, -beta, -alpha)
        return -value, outcome

    def negascout_of(node: Node, alpha: float, beta: float) -> tuple[float, Outcome]:
        """What *node* is worth to the player to move in it, and the outcome, which is always MAX's."""
        sign = 1 if node.player == MAX else -1
        view.visit(node, *((alpha, beta) if node.player == MAX else (-beta, -alpha)))
        if node.is_leaf:
            leaf = view.evaluate(node)
            return sign * leaf.value, leaf
        best: Outcome | None = None
        best_value = -inf
        seen: list[Outcome] = []
        upper = beta
        for child in view.children(node):
            value, outcome = below(child, alpha, upper)
            if alpha < value < beta and seen and not child.is_leaf:
                if story is not None:
                    story.tell(Again(child.path, *sorted((sign * value, sign * beta))))
                again, found = below(child, value, beta)
                if again > value:
                    value, outcome = again, found
            seen.append(view.note(outcome))
            if best is None or value > best_value:
                best_value, best = value, outcome
            if best_value > alpha:
                if story is not None:
                    story.better(node, outcome, sign * alpha, sign * best_value)
                alpha = best_value
            if alpha >= beta:
                view.cut(node, sign * best_value, sign * beta, len(seen))
                break
            upper = nextafter(alpha, inf)
        outcome = settled(node, sign * best_value, best, seen)
        if story is not None:
            story.leave(node, outcome, story.kind(node, outcome.value))
        return best_value, outcome

    return view.run("negascout", lambda: negascout_of(view.root, -inf, inf)[1])

"""ALPHA-BETA in the two forms of the lecture (after Pearl): minimax that does not look where it cannot matter.

Every call gets a window: somewhere above MAX has alpha for certain, and MIN holds MAX down to beta. A node
matters only with a value strictly between; when the window closes (alpha >= beta) the rest of its children is
cut. The value at the root is minimax's. In the best order of moves it looks at b^ceil(d/2) + b^floor(d/2) - 1
leaves, in the worst at all b^d.

One sheet prints alpha > beta instead: see `alpha_beta_strict`.
"""

from __future__ import annotations

from math import inf
from typing import Any, Unpack

from stratagem.game import Game
from stratagem.result import Result
from stratagem.search.framework.alternating import AlternatingGame, Options
from stratagem.search.framework.node import MAX, Node, Outcome, greatest, least, settled
from stratagem.trace.events import Trace


def alpha_beta(game: Game[Any], *, trace: Trace | None = None, **options: Unpack[Options]) -> Result:
    """The value of *game*, by the first form of ALPHA-BETA: alpha and beta move, and the window may close.

    A node that is cut goes up with what it has found, 13 in the lecture's picture, and not with the bound of 12 that
    the printed lines return; nobody above can tell the difference, but a reader can.

    >>> from stratagem.machines.trees.tree import Tree
    >>> found = alpha_beta(Tree.of([[3, 12, 8], [2, 4, 6], [14, 5, 2]]))
    >>> found.value, found.leaf_order
    (3, (0, 1, 2, 3, 6, 7, 8))
    """
    view = AlternatingGame(game, trace=trace, **options)
    story = view.story

    def alpha_beta_of(node: Node, alpha: float, beta: float) -> Outcome:
        view.visit(node, alpha, beta)
        if node.is_leaf:
            return view.evaluate(node)
        seen: list[Outcome] = []
        if node.player == MAX:
            for child in view.children(node):
                outcome = alpha_beta_of(child, alpha, beta)
                seen.append(view.note(outcome))
                if story is not None and outcome.value > alpha:
                    story.better(node, outcome, alpha, outcome.value)
                alpha = max(alpha, outcome.value)
                if alpha >= beta:
                    view.cut(node, alpha, beta, len(seen))
                    break
            best = greatest(seen)
        else:
            for child in view.children(node):
                outcome = alpha_beta_of(child, alpha, beta)
                seen.append(view.note(outcome))
                if story is not None and outcome.value < beta:
                    story.better(node, outcome, beta, outcome.value)
                beta = min(beta, outcome.value)
                if alpha >= beta:
                    view.cut(node, beta, alpha, len(seen))
                    break
            best = least(seen)
        found = settled(node, best.value, best, seen)
        if story is not None:
            story.leave(node, found, story.kind(node, found.value))
        return found

    return view.run("alpha-beta", lambda: alpha_beta_of(view.root, -inf, inf))


def alpha_beta_second(game: Game[Any], *, trace: Trace | None = None, **options: Unpack[Options]) -> Result:
    """The value of *game*, by the second form of ALPHA-BETA, which asks where the child's value lies.

    Below the window, inside it, or past it: all three cases have alpha < beta, before and after. A node returns a
    bound of its window where the value lies outside, as printed. It visits the leaves that the first form visits.

    >>> from stratagem.machines.trees.tree import Tree
    >>> alpha_beta_second(Tree.of([[3, 12, 8], [2, 4, 6], [14, 5, 2]])).leaf_order
    (0, 1, 2, 3, 6, 7, 8)
    """
    view = AlternatingGame(game, trace=trace, **options)
    story = view.story

    def alpha_beta_of(node: Node, alpha: float, beta: float) -> Outcome:
        view.visit(node, alpha, beta)
        if node.is_leaf:
            return view.evaluate(node)
        best: Outcome | None = None
        seen: list[Outcome] = []
        if node.player == MAX:
            for child in view.children(node):
                outcome = alpha_beta_of(child, alpha, beta)
                seen.append(view.note(outcome))
                best = outcome if best is None else best
                if outcome.value <= alpha < beta:
                    continue
                best = outcome
                if story is not None:
                    story.better(node, outcome, alpha, outcome.value)
                if alpha < outcome.value < beta:
                    alpha = outcome.value
                elif alpha < beta <= outcome.value:
                    view.cut(node, outcome.value, beta, len(seen))
                    alpha = beta
                    break
            found = settled(node, alpha, best, seen)
        else:
            for child in view.children(node):
                outcome = alpha_beta_of(child, alpha, beta)
                seen.append(view.note(outcome))
                best = outcome if best is None else best
                if alpha < beta <= outcome.value:
                    continue
                best = outcome
                if story is not None:
                    story.better(node, outcome, beta, outcome.value)
                if alpha < outcome.value < beta:
                    beta = outcome.value
                elif outcome.value <= alpha < beta:
                    view.cut(node, outcome.value, alpha, len(seen))
                    beta = alpha
                    break
            found = settled(node, beta, best, seen)
        if story is not None:
            story.leave(node, found, story.kind(node, found.value))
        return found

    return view.run("alpha-beta-second", lambda: alpha_beta_of(view.root, -inf, inf))

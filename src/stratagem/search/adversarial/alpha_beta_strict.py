"""ALPHA-BETA as one sheet prints it: the window counts as closed only when alpha > beta.

The values stay right, but where alpha = beta nothing can matter any more, and this form looks all the same: on random
trees it does twice the work and more, and where all leaves are equal it cuts nothing at all. It is here to be compared
with `alpha_beta`, which cuts when alpha >= beta; everything else is as printed.
"""

from __future__ import annotations

from math import inf
from typing import Any, Unpack

from stratagem.game import Game
from stratagem.result import Result
from stratagem.search.framework.alternating import AlternatingGame, Options
from stratagem.search.framework.node import MAX, Node, Outcome, settled
from stratagem.trace.events import Trace


def alpha_beta_strict(game: Game[Any], *, trace: Trace | None = None, **options: Unpack[Options]) -> Result:
    """The value of *game*, with more work than it takes.

    >>> from stratagem.machines.trees.tree import Tree
    >>> alpha_beta_strict(Tree.of([[5, 5], [5, 5]])).counters.leaves
    4
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
                if best is None or outcome.value > alpha:
                    best = outcome
                if story is not None and outcome.value > alpha:
                    story.better(node, outcome, alpha, outcome.value)
                alpha = max(alpha, outcome.value)
                if alpha > beta:
                    view.cut(node, alpha, beta, len(seen))
                    alpha = beta
                    break
            found = settled(node, alpha, best, seen)
        else:
            for child in view.children(node):
                outcome = alpha_beta_of(child, alpha, beta)
                seen.append(view.note(outcome))
                if best is None or outcome.value < beta:
                    best = outcome
                if story is not None and outcome.value < beta:
                    story.better(node, outcome, beta, outcome.value)
                beta = min(beta, outcome.value)
                if alpha > beta:
                    view.cut(node, beta, alpha, len(seen))
                    beta = alpha
                    break
            found = settled(node, beta, best, seen)
        if story is not None:
            story.leave(node, found, story.kind(node, found.value))
        return found

    return view.run("alpha-beta-strict", lambda: alpha_beta_of(view.root, -inf, inf))

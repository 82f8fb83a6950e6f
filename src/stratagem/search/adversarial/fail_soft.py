"""Fail-soft alpha-beta (Fishburn, 1983): the same cuts, but a value outside the window says how far outside.

A node that fails returns the best it has seen instead of the bound: still only a bound on its value, but a closer
one. It visits what alpha-beta visits; whoever remembers values, or orders moves by them, gets more for the same work,
so this is the form that iterative deepening, GAME-PLAY and the searches with a table work with.
"""

from __future__ import annotations

from math import inf
from typing import Any, Unpack

from stratagem.errors import UsageError
from stratagem.game import Game
from stratagem.result import Result
from stratagem.search.framework.alternating import AlternatingGame, Options
from stratagem.search.framework.node import MAX, Node, Outcome, settled
from stratagem.trace.events import Trace


def fail_soft(
    game: Game[Any],
    *,
    alpha: float = -inf,
    beta: float = inf,
    trace: Trace | None = None,
    **options: Unpack[Options],
) -> Result:
    """The value of *game* if it lies inside (*alpha*, *beta*); otherwise a bound on it, past the window.

    >>> from stratagem.machines.trees.tree import Tree
    >>> tree = Tree.of([[3, 12, 8], [2, 4, 6], [14, 5, 2]])
    >>> fail_soft(tree).value
    3
    >>> fail_soft(tree, alpha=5, beta=9).interval
    Interval(low=-inf, high=5)
    """
    if not alpha < beta:
        raise UsageError(f"a window needs alpha < beta, not {alpha} and {beta}")
    view = AlternatingGame(game, trace=trace, **options)
    return view.run("fail-soft", lambda: fail_soft_of(view, view.root, alpha, beta), window=(alpha, beta))


def fail_soft_of(view: AlternatingGame, node: Node, alpha: float, beta: float) -> Outcome:
    """The outcome of *node*: exact inside the window, a bound outside; `view.order` learns from it."""
    view.visit(node, alpha, beta)
    if node.is_leaf:
        return view.evaluate(node)
    story = view.story
    best: Outcome | None = None
    seen: list[Outcome] = []
    if node.player == MAX:
        value = -inf
        for child in view.children(node):
            outcome = fail_soft_of(view, child, alpha, beta)
            seen.append(view.note(outcome))
            if best is None or outcome.value > value:
                best, value = outcome, outcome.value
            if value > alpha:
                if story is not None:
                    story.better(node, outcome, alpha, value)
                alpha = value
            if alpha >= beta:
                view.cut(node, value, beta, len(seen))
                break
    else:
        value = inf
        for child in view.children(node):
            outcome = fail_soft_of(view, child, alpha, beta)
            seen.append(view.note(outcome))
            if best is None or outcome.value < value:
                best, value = outcome, outcome.value
            if value < beta:
                if story is not None:
                    story.better(node, outcome, beta, value)
                beta = value
            if alpha >= beta:
                view.cut(node, value, alpha, len(seen))
                break
    if view.order is not None:
        view.order.learn(node, best, seen)
    found = settled(node, value, best, seen)
    if story is not None:
        story.leave(node, found, story.kind(node, value))
    return found

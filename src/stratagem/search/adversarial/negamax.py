"""NEGAMAX: minimax with one rule instead of two (Knuth and Moore, 1975).

What is good for one is bad for the other: if every value is written as the player to move sees it, both take the
greatest, and a value changes its sign on the way up. The sign changes only where the player does, so that games in
which somebody moves twice come out right too. It visits what minimax visits.
"""

from __future__ import annotations

from math import inf
from typing import Any, Unpack

from stratagem.game import Game
from stratagem.result import Result
from stratagem.search.framework.alternating import AlternatingGame, Options
from stratagem.search.framework.node import MAX, Node, Outcome, settled
from stratagem.trace.events import Trace


def negamax(game: Game[Any], *, trace: Trace | None = None, **options: Unpack[Options]) -> Result:
    """The value of *game* to MAX, with every best move.

    >>> from stratagem.machines.trees.tree import Tree
    >>> negamax(Tree.of([[3, 12, 8], [2, 4, 6], [14, 5, 2]])).value
    3
    """
    view = AlternatingGame(game, trace=trace, **options)
    story = view.story

    def negamax_of(node: Node) -> tuple[float, Outcome]:
        """What *node* is worth to the player to move in it, and the outcome, which is always MAX's."""
        view.visit(node)
        if node.is_leaf:
            outcome = view.evaluate(node)
            return (outcome.value if node.player == MAX else -outcome.value), outcome
        best: Outcome | None = None
        best_value = -inf
        seen: list[Outcome] = []
        for child in view.children(node):
            value, outcome = negamax_of(child)
            if child.player != node.player:
                value = -value
            seen.append(view.note(outcome))
            if best is None or value > best_value:
                best_value, best = value, outcome
        found = settled(node, best_value if node.player == MAX else -best_value, best, seen)
        if story is not None:
            story.leave(node, found)
        return best_value, found

    return view.run("negamax", lambda: negamax_of(view.root)[1], exact=True)

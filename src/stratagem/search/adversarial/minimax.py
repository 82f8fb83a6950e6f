"""MINIMAX (Shannon, 1950): what a game is worth when both play their best.

MAX takes the greatest of its children's values, MIN the least, all the way up from the leaves. It looks at every
leaf: b^d of them at depth d. With a horizon this is k-ply search, which stops at "terminal or horizon".
"""

from __future__ import annotations

from typing import Any, Unpack

from stratagem.game import Game
from stratagem.result import Result
from stratagem.search.framework.alternating import AlternatingGame, Options
from stratagem.search.framework.node import MAX, Node, Outcome, greatest, least, settled
from stratagem.trace.events import Trace


def minimax(game: Game[Any], *, trace: Trace | None = None, **options: Unpack[Options]) -> Result:
    """The value of *game*, with every best move.

    >>> from stratagem.machines.trees.tree import Tree
    >>> found = minimax(Tree.of([[3, 12, 8], [2, 4, 6], [14, 5, 2]]))
    >>> found.value, found.best_moves, found.principal_variation, found.counters.leaves
    (3, (0,), (0, 0), 9)
    """
    view = AlternatingGame(game, trace=trace, **options)
    return view.run("minimax", lambda: minimax_of(view, view.root), exact=True)


def minimax_of(view: AlternatingGame, node: Node) -> Outcome:
    """MINIMAX(N): the outcome of *node*."""
    view.visit(node)
    if node.is_leaf:
        return view.evaluate(node)
    seen: list[Outcome] = []
    for child in view.children(node):
        seen.append(view.note(minimax_of(view, child)))
    best = greatest(seen) if node.player == MAX else least(seen)
    found = settled(node, best.value, best, seen)
    if view.story is not None:
        view.story.leave(node, found)
    return found

"""EXPECTIMINIMAX (Michie, 1966): minimax for games in which dice are thrown.

A chance node is worth the mean of its children, each weighed by its probability. So the values themselves matter and
not only their order, and nothing can be cut without bounds on them; every leaf is looked at. Chance is the role
"random" of a game (all its moves equally likely, as in GDL) or the chance nodes of a tree.
"""

from __future__ import annotations

from typing import Any, Unpack

from stratagem.game import Game
from stratagem.result import Result
from stratagem.search.framework.alternating import AlternatingGame, Options
from stratagem.search.framework.node import CHANCE, MAX, Node, Outcome, greatest, least, settled
from stratagem.trace.events import Trace


def expectiminimax(game: Game[Any], *, trace: Trace | None = None, **options: Unpack[Options]) -> Result:
    """What MAX may expect of *game*. Best play stops where chance comes in, and so does the principal variation.

    >>> from stratagem.machines.trees.tree import Tree
    >>> coin = {"chances": [0.5, 0.5], "children": [10, 0]}
    >>> found = expectiminimax(Tree.of([coin, [4, 7]]))
    >>> found.value, found.best_move
    (5.0, 0)
    """
    view = AlternatingGame(game, trace=trace, chance=True, **options)

    def expectiminimax_of(node: Node) -> Outcome:
        view.visit(node)
        if node.is_leaf:
            return view.evaluate(node)
        seen: list[Outcome] = []
        for child in view.children(node):
            seen.append(view.note(expectiminimax_of(child)))
        if node.player == CHANCE:
            seen.sort(key=lambda outcome: outcome.node.index)  # the order of their chances
            found = settled(node, view.combine(node, [outcome.value for outcome in seen]), None, seen)
        else:
            best = greatest(seen) if node.player == MAX else least(seen)
            found = settled(node, best.value, best, seen)
        if view.story is not None:
            view.story.leave(node, found)
        return found

    return view.run("expectiminimax", lambda: expectiminimax_of(view.root), exact=True)

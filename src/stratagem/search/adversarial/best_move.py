"""BEST-MOVE: which child of the root to move to, by MINIMAX of each.

The sheet starts with no move and a value of -LARGE, and so returns nothing where every child is worth -LARGE; here
the first move stands from the start, and only a better one replaces it.
"""

from __future__ import annotations

from typing import Any, Unpack

from stratagem.errors import UsageError
from stratagem.game import Game
from stratagem.result import Result
from stratagem.search.adversarial.minimax import minimax_of
from stratagem.search.framework.alternating import AlternatingGame, Options
from stratagem.search.framework.node import MAX, Outcome, settled
from stratagem.trace.events import Trace


def best_move(game: Game[Any], *, trace: Trace | None = None, **options: Unpack[Options]) -> Result:
    """The result whose `best_move` is the first of the best moves, for whoever is to move.

    >>> from stratagem.machines.trees.tree import Tree
    >>> best_move(Tree.of([[3, 12, 8], [2, 4, 6], [14, 5, 2]])).best_move
    0
    """
    view = AlternatingGame(game, trace=trace, **options)
    root = view.root
    if root.is_leaf:
        raise UsageError("there is no move to choose: the game is over here, or the horizon is at 0 plies")

    def best_child() -> Outcome:
        view.visit(root)
        first, *others = view.children(root)
        best = view.note(minimax_of(view, first))
        seen = [best]
        for child in others:
            outcome = view.note(minimax_of(view, child))
            seen.append(outcome)
            better = outcome.value > best.value if root.player == MAX else outcome.value < best.value
            if better:
                best = outcome
        found = settled(root, best.value, best, seen)
        if view.story is not None:
            view.story.leave(root, found)
        return found

    return view.run("best-move", best_child, exact=True)

"""Alpha-beta with shallow cuts only: a node listens to its parent, not to those further up.

This is how alpha-beta was first drawn, and how it is often misremembered. The value is right, but from four plies on
it misses the deep cuts, those that a bound set two or more levels above allows.
"""

from __future__ import annotations

from math import inf
from typing import Any, Unpack

from stratagem.game import Game
from stratagem.result import Result
from stratagem.search.framework.alternating import AlternatingGame, Options
from stratagem.search.framework.node import MAX, Node, Outcome, settled
from stratagem.trace.events import Trace


def alpha_beta_shallow(game: Game[Any], *, trace: Trace | None = None, **options: Unpack[Options]) -> Result:
    """The value of *game*; compare its leaves with those of `alpha_beta`.

    >>> from stratagem.machines.trees.tree import Tree
    >>> alpha_beta_shallow(Tree.of([[3, 12, 8], [2, 4, 6], [14, 5, 2]])).counters.leaves
    7
    """
    view = AlternatingGame(game, trace=trace, **options)
    story = view.story

    def shallow(node: Node, bound: float) -> Outcome:
        """The outcome of *node*, whose parent has *bound* already; -inf or inf if it has nothing."""
        window = (-inf, bound) if node.player == MAX else (bound, inf)
        view.visit(node, *window)
        if node.is_leaf:
            return view.evaluate(node)
        best: Outcome | None = None
        seen: list[Outcome] = []
        nothing = value = -inf if node.player == MAX else inf
        for child in view.children(node):
            # a parent whose player moves again has no bound to give: it takes the better, not the worse
            outcome = shallow(child, value if child.player != node.player else -nothing)
            seen.append(view.note(outcome))
            better = outcome.value > value if node.player == MAX else outcome.value < value
            if best is None or better:
                if story is not None:
                    story.better(node, outcome, value, outcome.value)
                best, value = outcome, outcome.value
            if value >= bound if node.player == MAX else value <= bound:
                view.cut(node, value, bound, len(seen))
                break
        found = settled(node, value, best, seen)
        if story is not None:
            story.leave(node, found, story.kind(node, value))
        return found

    root = view.root
    return view.run("alpha-beta-shallow", lambda: shallow(root, inf if root.player == MAX else -inf))

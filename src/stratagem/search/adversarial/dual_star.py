"""DUAL* (Marsland, Reinefeld and Schaeffer, 1987): SSS* with the players exchanged.

It searches best-first in the space of MIN's strategies: OPEN starts with the root at -infinity and gives the
least h first, and what was said of MAX and MIN is said of MIN and MAX. Its strengths lie where those of SSS* do
not: where MAX has one ply more it keeps a factor b fewer records. It does, leaf for leaf, what MTD(-inf) does.

    LIVE    a leaf is evaluated, a MIN node yields all its children, a MAX node its first
    SOLVED  below MIN: the parent is solved, and all else below it purged;
            below MAX: the next sibling is tried, after the last the parent is solved
"""

from __future__ import annotations

from math import inf
from typing import Any, Unpack

from stratagem.game import Game
from stratagem.result import Interval, Result
from stratagem.search.framework.alternating import AlternatingGame, Options
from stratagem.search.framework.node import MIN, Outcome, greatest
from stratagem.search.framework.open_list import LIVE, SOLVED, OpenList
from stratagem.search.framework.tally import LimitReached
from stratagem.trace.events import Path, Trace


def dual_star(game: Game[Any], *, trace: Trace | None = None, **options: Unpack[Options]) -> Result:
    """The value of *game*, and the strategy that DUAL* has completed.

    >>> from stratagem.machines.trees.tree import Tree
    >>> found = dual_star(Tree.of([[3, 12, 8], [2, 4, 6], [14, 5, 2]]))
    >>> found.value, found.leaf_order, found.counters.peak_open
    (3, (0, 1, 2, 3, 6, 7, 8), 3)
    """
    view = AlternatingGame(game, trace=trace, **options)
    root = view.root
    replies: dict[Path, list[Outcome]] = {}  # below each MAX node: the solutions of its children so far
    view.begin("dual-star")
    open_list = OpenList(view, least_first=True)
    open_list.add(root, LIVE, -inf)
    while True:
        record = open_list.pop()
        node, h = record.node, record.h
        if node is root and record.status == SOLVED:
            return view.result("dual-star", record.solution, player=MIN)
        if record.status == LIVE:
            try:
                view.visit(node)
            except LimitReached:
                return view.unfinished("dual-star", line=node.line[:1], interval=Interval(low=h))
            if node.is_leaf:
                leaf = view.evaluate(node)
                open_list.add(node, SOLVED, max(h, leaf.value), leaf)
            elif node.player == MIN:
                for child in view.children(node):
                    open_list.add(child, LIVE, h)
            else:
                open_list.add(view.first_child(node), LIVE, h)
        else:
            parent, solution = node.above, record.solution
            if parent.player == MIN:
                open_list.purge(parent)
                open_list.solve(parent, h, node, Outcome(parent, h, solution, (solution,)))
            else:
                answered = replies.setdefault(parent.path, [])
                answered.append(solution)
                if node.is_last_child:
                    del replies[parent.path]
                    open_list.solve(parent, h, node, Outcome(parent, h, greatest(answered), answered))
                else:
                    open_list.add(view.child(parent, node.index + 1), LIVE, h)

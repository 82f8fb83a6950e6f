"""SSS* (Stockman, 1979): best-first search in the space of MAX's strategies.

It starts from clusters that cover all strategies, each bounded by one leaf, and always refines the cluster with the
highest bound, until the best strategy is complete. On leaves that all differ it evaluates none that alpha-beta would
not, and often fewer; it keeps up to b^ceil(d/2) records in OPEN.

    LIVE    a leaf is evaluated, a MAX node yields all its children, a MIN node its first
    SOLVED  below MAX: the parent is solved, and all else below it purged;
            below MIN: the next sibling is tried, after the last the parent is solved

What happens to a SOLVED node depends on the player of its parent, so that play need not alternate. The purge belongs
to the case of the MAX parent alone: two of the three printed indentations run it in other cases too, and OPEN then
runs empty. A solved h is min(bound, value): the value itself at the root only.
"""

from __future__ import annotations

from math import inf
from typing import Any, Unpack

from stratagem.game import Game
from stratagem.result import Interval, Result
from stratagem.search.framework.alternating import AlternatingGame, Options
from stratagem.search.framework.node import MAX, Outcome, least
from stratagem.search.framework.open_list import LIVE, SOLVED, OpenList
from stratagem.search.framework.tally import LimitReached
from stratagem.trace.events import Path, Trace


def sss_star(game: Game[Any], *, trace: Trace | None = None, **options: Unpack[Options]) -> Result:
    """The value of *game*, and the strategy that SSS* has completed.

    >>> from stratagem.machines.trees.tree import Tree
    >>> found = sss_star(Tree.of([[3, 12, 8], [2, 4, 6], [14, 5, 2]]))
    >>> found.value, found.leaf_order, found.counters.peak_open
    (3, (0, 3, 6, 7, 8, 1, 2), 3)
    """
    view = AlternatingGame(game, trace=trace, **options)
    root = view.root
    replies: dict[Path, list[Outcome]] = {}  # below each MIN node: the solutions of its children so far
    view.begin("sss-star")
    open_list = OpenList(view)
    open_list.add(root, LIVE, inf)
    while True:
        record = open_list.pop()
        node, h = record.node, record.h
        if node is root and record.status == SOLVED:
            return view.result("sss-star", record.solution)
        if record.status == LIVE:
            try:
                view.visit(node)
            except LimitReached:
                return view.unfinished("sss-star", line=node.line[:1], interval=Interval(high=h))
            if node.is_leaf:
                leaf = view.evaluate(node)
                open_list.add(node, SOLVED, min(h, leaf.value), leaf)
            elif node.player == MAX:
                for child in view.children(node):
                    open_list.add(child, LIVE, h)
            else:
                open_list.add(view.first_child(node), LIVE, h)
        else:
            parent, solution = node.above, record.solution
            if parent.player == MAX:
                open_list.purge(parent)
                open_list.solve(parent, h, node, Outcome(parent, h, solution, (solution,)))
            else:
                answered = replies.setdefault(parent.path, [])
                answered.append(solution)
                if node.is_last_child:
                    del replies[parent.path]
                    open_list.solve(parent, h, node, Outcome(parent, h, least(answered), answered))
                else:
                    open_list.add(view.child(parent, node.index + 1), LIVE, h)

"""SSS* (Stockman, 1979): best-first search in the space of MAX's strategies.

It starts from clusters that cover all strategies, each bounded by one leaf, and always refines the cluster with the
highest bound, until the best strategy is complete. Where all leaves differ it evaluates a subset of alpha-beta's leaves; it
keeps up to b^ceil(d/2) records in OPEN.

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
from stratagem.search.framework.adversarial_run import AdversarialRun
from stratagem.search.framework.game_tree import MAX, SolutionTree, least
from stratagem.search.framework.open_list import LIVE, SOLVED, OpenList
from stratagem.search.framework.options import AdversarialOptions
from stratagem.search.framework.tally import LimitReached
from stratagem.trace.events import Path


def sss_star(problem: Game[Any], start: Any = None, **options: Unpack[AdversarialOptions]) -> Result:
    """The value of *problem*, and the strategy that SSS* has completed.

    >>> from stratagem.machines.trees.tree import Tree
    >>> found = sss_star(Tree.of([[3, 12, 8], [2, 4, 6], [14, 5, 2]]))
    >>> found.value, found.leaf_order, found.counters.peak_open
    (3, (0, 3, 6, 7, 8, 1, 2), 3)
    """
    run = AdversarialRun("sss-star", problem, start, **options)
    root = run.root
    replies: dict[Path, list[SolutionTree]] = {}  # below each MIN node: the solutions of its children so far
    open_list = OpenList(run)
    open_list.add(root, LIVE, inf)
    while True:
        record = open_list.pop()
        node, h = record.node, record.h
        if node is root and record.status == SOLVED:
            return run.solved(record.solution)
        if record.status == LIVE:
            try:
                run.visit(node)
            except LimitReached:
                return run.stopped(line=node.line[:1], interval=Interval(high=h))
            if node.is_leaf:
                leaf = run.evaluate(node)
                open_list.add(node, SOLVED, min(h, leaf.value), leaf)
            elif node.player == MAX:
                for child in run.children(node):
                    open_list.add(child, LIVE, h)
            else:
                open_list.add(run.first_child(node), LIVE, h)
        else:
            parent, solution = node.above, record.solution
            if parent.player == MAX:
                open_list.purge(parent)
                open_list.solve(parent, h, node, SolutionTree(parent, h, solution, (solution,)))
            else:
                answered = replies.setdefault(parent.path, [])
                answered.append(solution)
                if node.is_last_child:
                    del replies[parent.path]
                    open_list.solve(parent, h, node, SolutionTree(parent, h, least(answered), answered))
                else:
                    open_list.add(run.child(parent, node.index + 1), LIVE, h)

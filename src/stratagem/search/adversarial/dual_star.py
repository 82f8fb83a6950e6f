"""DUAL* (Marsland, Reinefeld and Schaeffer, 1987): SSS* with the players exchanged.

It searches best-first in the space of MIN's strategies: OPEN starts with the root at -infinity, the record with the least h
comes first, and MAX and MIN change roles. Where MAX has one ply more than MIN it keeps a factor b fewer records than SSS*.
It evaluates the same leaves in the same order as MTD(-inf).

    LIVE    a leaf is evaluated, a MIN node yields all its children, a MAX node its first
    SOLVED  below MIN: the parent is solved, and all else below it purged;
            below MAX: the next sibling is tried, after the last the parent is solved
"""

from __future__ import annotations

from math import inf
from typing import Any, Unpack

from stratagem.game import Game
from stratagem.result import Interval, Result
from stratagem.search.framework.adversarial_run import AdversarialRun
from stratagem.search.framework.game_tree import MIN, SolutionTree, greatest
from stratagem.search.framework.open_list import LIVE, SOLVED, OpenList
from stratagem.search.framework.options import AdversarialOptions
from stratagem.search.framework.tally import LimitReached
from stratagem.trace.events import Path


def dual_star(problem: Game[Any], start: Any = None, **options: Unpack[AdversarialOptions]) -> Result:
    """The value of *problem*, and the strategy that DUAL* has completed.

    >>> from stratagem.machines.trees.tree import Tree
    >>> found = dual_star(Tree.of([[3, 12, 8], [2, 4, 6], [14, 5, 2]]))
    >>> found.value, found.leaf_order, found.counters.peak_open
    (3, (0, 1, 2, 3, 6, 7, 8), 3)
    """
    run = AdversarialRun("dual-star", problem, start, **options)
    root = run.root
    replies: dict[Path, list[SolutionTree]] = {}  # below each MAX node: the solutions of its children so far
    open_list = OpenList(run, least_first=True)
    open_list.add(root, LIVE, -inf)
    while True:
        record = open_list.pop()
        node, h = record.node, record.h
        if node is root and record.status == SOLVED:
            return run.solved(record.solution, player=MIN)
        if record.status == LIVE:
            try:
                run.visit(node)
            except LimitReached:
                return run.stopped(line=node.line[:1], interval=Interval(low=h))
            if node.is_leaf:
                leaf = run.evaluate(node)
                open_list.add(node, SOLVED, max(h, leaf.value), leaf)
            elif node.player == MIN:
                for child in run.children(node):
                    open_list.add(child, LIVE, h)
            else:
                open_list.add(run.first_child(node), LIVE, h)
        else:
            parent, solution = node.above, record.solution
            if parent.player == MIN:
                open_list.purge(parent)
                open_list.solve(parent, h, node, SolutionTree(parent, h, solution, (solution,)))
            else:
                answered = replies.setdefault(parent.path, [])
                answered.append(solution)
                if node.is_last_child:
                    del replies[parent.path]
                    open_list.solve(parent, h, node, SolutionTree(parent, h, greatest(answered), answered))
                else:
                    open_list.add(run.child(parent, node.index + 1), LIVE, h)

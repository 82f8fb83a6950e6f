"""The lecture's node expansion and evaluation letter by letter, faults included, to show what they do."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(eq=False)
class PrintedNode:
    data: Any
    alist: list[tuple[Any, PrintedNode]] = field(default_factory=list)
    score: float = -1


def printed_search(game, *, collapse: bool) -> PrintedNode:
    """The root after every node has been expanded as printed, with or without state collapse."""
    role = game.roles[0]
    hasher: set[Any] = set()
    root = PrintedNode(game.initial())
    fringe = [root]
    while fringe:
        node = fringe.pop(0)
        if node.score == -1:
            fringe += printed_expand(game, role, node, hasher if collapse else None)
    return root


def printed_expand(game, role, node: PrintedNode, hasher: set[Any] | None) -> list[PrintedNode]:
    al: list[tuple[Any, PrintedNode]] = []
    nl: list[PrintedNode] = []
    for action in game.legals(node.data, role):
        data = game.next(node.data, {role: action})
        if hasher is None or data not in hasher:
            new = PrintedNode(data)
            if hasher is not None:
                hasher.add(data)
            if game.terminal(data):
                new.score = game.goal(data, role)
            nl.insert(0, new)
            al.insert(0, (action, new))
    node.alist = al
    return nl


def printed_maxscore(node: PrintedNode) -> float:
    if node.score > -1:
        return node.score
    if not node.alist:
        return -1
    best = 0.0
    for _, child in node.alist:
        score = printed_maxscore(child)
        if score in (100, -1):
            return score
        best = max(best, score)
    return best

"""How many strategies a record of OPEN stands for.

A LIVE record stands for every strategy that leads to its node: free below the node, free in the replies that SSS* has
not come to yet (the siblings to the right below MIN ancestors), settled in those it has solved. So the sizes of the
records in OPEN add up to the strategies that are still in the race, and shrink when a cluster is purged. DUAL* is the
same with the players exchanged. Needs the whole tree.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from stratagem.show.walkthrough.model import WalkthroughNode


class Clusters:
    """Counts strategies of *player* in the tree of *nodes*, which are in pre-order."""

    def __init__(self, nodes: Sequence[WalkthroughNode], player: str) -> None:
        self._nodes = nodes
        self._player = player
        self._counts = [1] * len(nodes)
        for number in range(len(nodes) - 1, -1, -1):
            below = [self._counts[child] for child in nodes[number].children]
            if below:
                self._counts[number] = sum(below) if nodes[number].player == player else prod(below)

    def size(self, node: int, *, solved: bool) -> int:
        """The strategies behind a record for *node*; a *solved* one has settled everything below it.

        >>> from stratagem.machines.trees.models import lecture_tree
        >>> from stratagem.show.walkthrough.outline import outline_of
        >>> from stratagem.show.walkthrough.node_table import node_table_of
        >>> clusters = Clusters(node_table_of([], outline_of(lecture_tree())).nodes, "max")
        >>> clusters.size(0, solved=False), clusters.size(1, solved=False), clusters.size(3, solved=False)
        (8, 4, 2)
        """
        size = 1 if solved else self._counts[node]
        above = self._nodes[node].parent
        while above is not None:
            if self._nodes[above].player != self._player:
                siblings = self._nodes[above].children
                size *= prod(self._counts[later] for later in siblings if later > node)
            node, above = above, self._nodes[above].parent
        return size


def large(number: int) -> str:
    """A number that may have thousands of digits.

    >>> large(81), large(3**364)
    ('81', 'about 10^173')
    """
    text = f"{number:,}" if number < 10**9 else ""
    return text or f"about 10^{_digits(number) - 1}"


def _digits(number: int) -> int:
    return int(number.bit_length() * 0.30103) + 1

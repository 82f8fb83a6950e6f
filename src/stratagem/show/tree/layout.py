"""Tree layout: leaves side by side, every parent above the middle of its children.

Several roots, as in bidirectional search, stand side by side. The layout is iterative, so that depth is unlimited.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from stratagem.show.walkthrough.model import WalkthroughNode


@dataclass(frozen=True, slots=True)
class TreeLayout:
    """The middle of each node that is drawn, and the size of the whole."""

    places: dict[int, tuple[float, float]]
    width: float
    height: float


def layout_of(
    nodes: Sequence[WalkthroughNode],
    roots: Sequence[int],
    *,
    drawn: Callable[[int], bool] = lambda node: True,
    wide: Callable[[int], float] = lambda node: 38.0,
    row: float = 68.0,
    margin: float = 24.0,
) -> TreeLayout:
    """The places of all nodes that are *drawn*, together with their ancestors; *wide* is the width each needs.

    >>> from stratagem.machines.trees.tree import Tree
    >>> from stratagem.show.walkthrough.outline import outline_of
    >>> from stratagem.show.walkthrough.node_table import node_table_of
    >>> nodes = node_table_of([], outline_of(Tree.of([1, [2, 3]]))).nodes
    >>> layout_of(nodes, [0], wide=lambda node: 40, row=60, margin=20).places
    {1: (40.0, 80), 3: (80.0, 140), 4: (120.0, 140), 2: (100.0, 80), 0: (70.0, 20)}
    """
    places: dict[int, tuple[float, float]] = {}
    x = margin
    deepest = 0
    waiting = [(root, 0, False) for root in reversed(roots) if drawn(root)]
    while waiting:
        node, depth, below_done = waiting.pop()
        deepest = max(deepest, depth)
        children = [child for child in nodes[node].children if drawn(child)]
        y = margin + depth * row
        if children and not below_done:
            waiting.append((node, depth, True))
            waiting.extend((child, depth + 1, False) for child in reversed(children))
        elif children:
            places[node] = ((places[children[0]][0] + places[children[-1]][0]) / 2, y)
        else:
            room = wide(node)
            places[node] = (x + room / 2, y)
            x += room
    return TreeLayout(places, x + margin, 2 * margin + deepest * row)

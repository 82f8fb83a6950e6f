"""The outline of a search: its whole tree, so that a picture can also show what is never searched.

The tree of a game is expanded once, down to the horizon of the search and up to a number of nodes. Larger trees have no
outline: their picture grows with the search.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from stratagem.game import Game
from stratagem.machines.trees.tree import Tree
from stratagem.search.framework.game_tree import CHANCE, GameTree, GameTreeNode
from stratagem.search.framework.zero_sum import ZeroSumGame
from stratagem.trace.events import Path

MOST_NODES = 6_000


@dataclass(frozen=True, slots=True)
class OutlineNode:
    """A node of an outline: player, last move, number of moves, value of a leaf.

    *odds* is its probability below a chance node.
    """

    player: str
    move: str
    moves: int
    printed: float | None = None
    odds: float | None = None


def outline_of(
    game: Game[Any],
    *,
    start: Any = None,
    depth: int | None = None,
    maximiser: str | None = None,
    most: int = MOST_NODES,
) -> dict[Path, OutlineNode] | None:
    """All nodes of the tree of *game* from *start* down to *depth*; None where they are more than *most*.

    >>> places = outline_of(Tree.of([[3, 12], [2, 4]]))
    >>> places[1, 0]
    OutlineNode(player='max', move='0', moves=0, printed=2, odds=None)
    """
    if isinstance(game, Tree) and depth is None and len(game) > most and start in (None, 0):
        return None
    tree = GameTree(ZeroSumGame(game, maximiser=maximiser, chance=True), start, horizon=depth)
    places: dict[Path, OutlineNode] = {}
    waiting: list[tuple[Path, GameTreeNode]] = [((), tree.root)]
    while waiting:
        path, node = waiting.pop()
        if len(places) + len(waiting) + len(node.moves) >= most:
            return None
        printed = game.values[node.state] if isinstance(game, Tree) and node.terminal else None
        move = "" if node.move is None else str(node.move)
        odds = None
        if node.parent is not None and node.parent.player == CHANCE:
            odds = tree.game.chances(node.parent.state, len(node.parent.moves))[node.index]
        places[path] = OutlineNode(node.player, move, len(node.moves), printed, odds)
        waiting.extend(((*path, index), tree.child(node, index)) for index in range(len(node.moves)))
    return places

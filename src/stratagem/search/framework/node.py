"""Nodes of the tree that a search walks, and what it finds in them.

A `Node` is a place in the tree: a state and the way to it, so that the same state reached in two ways is two nodes,
as in the lectures. An `Outcome` is what a search brings back from a node: a value, and just as much of the tree
below as makes the value good for MAX: the move chosen where MAX decides, every reply where MIN or chance does.
That is a strategy in the lecture's sense, and best play of both sides runs through it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from stratagem.game import Move
from stratagem.search.framework.duel import CHANCE, MAX, MIN, Position, opponent
from stratagem.trace.events import Path

__all__ = ["CHANCE", "MAX", "MIN", "Node", "Outcome", "greatest", "least", "opponent", "plan", "settled"]


class Node:
    """One node of a game tree: the state of *position*, child number *index* of *parent*.

    *player* decides here; *moves* are there to choose from, none at a leaf, which is an end of the game
    (*terminal*) or lies at the horizon. Nodes are compared by identity.
    """

    __slots__ = ("depth", "index", "moves", "parent", "player", "position", "state", "terminal")

    def __init__(
        self,
        position: Position,
        player: str,
        moves: Sequence[Move],
        parent: Node | None,
        index: int,
        depth: int,
    ) -> None:
        self.position = position
        self.state: Any = position.state
        self.player = player
        self.moves = moves
        self.terminal = position.terminal
        self.parent = parent
        self.index = index
        self.depth = depth

    @property
    def move(self) -> Move | None:
        """The move that leads here; None at the root."""
        return None if self.parent is None else self.parent.moves[self.index]

    @property
    def is_leaf(self) -> bool:
        return not self.moves

    @property
    def is_last_child(self) -> bool:
        return self.parent is None or self.index == len(self.parent.moves) - 1

    @property
    def above(self) -> Node:
        """The parent; the root is its own."""
        return self if self.parent is None else self.parent

    @property
    def path(self) -> Path:
        """The numbers of the children taken from the root, which names this node in events."""
        steps = [node.index for node in self.ancestry() if node.parent is not None]
        return tuple(reversed(steps))

    @property
    def line(self) -> tuple[Move, ...]:
        """The moves from the root to this node."""
        moves = [node.move for node in self.ancestry() if node.parent is not None]
        return tuple(reversed(moves))

    def ancestry(self) -> Iterator[Node]:
        """This node, its parent, and so on up to the root."""
        node: Node | None = self
        while node is not None:
            yield node
            node = node.parent


class Outcome:
    """What a search found in *node*: *value*, the child it comes from (*best*), and MAX's plan (*kept*).

    *kept* holds the outcomes of those children that MAX's plan needs: one where MAX decides, all elsewhere.
    """

    __slots__ = ("best", "kept", "node", "value")

    def __init__(
        self, node: Node, value: float, best: Outcome | None = None, kept: Sequence[Outcome] = ()
    ) -> None:
        self.node = node
        self.value = value
        self.best = best
        self.kept = kept

    def best_play(self) -> Iterator[Outcome]:
        """This outcome and those below it along best play, down to the leaf where the value comes from."""
        outcome: Outcome | None = self
        while outcome is not None:
            yield outcome
            outcome = outcome.best

    @property
    def leaf(self) -> Node:
        """The leaf where the value comes from."""
        *_, last = self.best_play()
        return last.node

    @property
    def principal_variation(self) -> tuple[Move, ...]:
        """The moves of best play, from this node on."""
        _, *line = self.best_play()
        return tuple(outcome.node.move for outcome in line)


def settled(node: Node, value: float, best: Outcome | None, seen: Sequence[Outcome]) -> Outcome:
    """The outcome of an inner *node* of which the children in *seen* were searched, *best* the best of them."""
    if node.player == MAX:
        return Outcome(node, value, best, () if best is None else (best,))
    return Outcome(node, value, best, tuple(seen))


def plan(
    root: Node,
    value: float,
    below: Callable[[Node], Sequence[Node]],
    bounds: Callable[[Node], tuple[float, float]],
) -> Outcome:
    """MAX's strategy worth *value*, read from proved *bounds* (low, high), with best play of both in it.

    Where MAX decides, some child is worth at least *value* for certain; where MIN does, all are, and one of them, on
    the line of best play, is worth no more. *below* gives the children of a node of which anything is known.
    """
    order = [root]
    kept: dict[Node, Sequence[Node]] = {}
    for node in order:
        children = below(node)
        if node.player == MAX:
            children = [child for child in children if bounds(child)[0] >= value][:1]
        kept[node] = children
        order.extend(children)
    outcomes: dict[Node, Outcome] = {}
    for node in reversed(order):
        best = min(kept[node], key=lambda child: bounds(child)[1], default=None)
        outcomes[node] = Outcome(
            node,
            value if node is root else bounds(node)[0],
            None if best is None else outcomes[best],
            [outcomes[child] for child in kept[node]],
        )
    return outcomes[root]


def greatest(outcomes: Sequence[Outcome]) -> Outcome:
    """The first of those with the greatest value."""
    return max(outcomes, key=_value)


def least(outcomes: Sequence[Outcome]) -> Outcome:
    """The first of those with the least value."""
    return min(outcomes, key=_value)


def _value(outcome: Outcome) -> float:
    return outcome.value

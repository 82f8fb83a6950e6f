"""The game tree of a two-player zero-sum game, and the solution trees that searches find in it.

A `GameTreeNode` is a state together with the path to it, so that a state reached by two paths is two nodes, as in the
lectures. A `SolutionTree` is what a search returns for a node: its value, and the part of the tree that proves the value
for MAX, with one move where MAX decides and every reply where MIN or chance does: a strategy in the lecture's sense. Best
play of both sides is one path in it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any

from stratagem.game import Move, first_state
from stratagem.result import Interval
from stratagem.search.framework.zero_sum import CHANCE, MAX, MIN, ZeroSumGame, ZeroSumPosition, opponent
from stratagem.trace.events import Path

__all__ = [
    "CHANCE",
    "MAX",
    "MIN",
    "GameTree",
    "GameTreeNode",
    "MoveOrder",
    "SolutionTree",
    "extract_solution",
    "greatest",
    "least",
    "solved",
]  # fmt: skip


class GameTreeNode:
    """One node of a game tree: the state of *position*, child number *index* of *parent*.

    *player* decides here. *moves* are the choices; there are none at a leaf, which is a terminal state (*terminal*) or
    lies at the horizon. Nodes are compared by identity.
    """

    __slots__ = ("depth", "index", "moves", "parent", "player", "position", "state", "terminal")

    def __init__(
        self,
        position: ZeroSumPosition,
        player: str,
        moves: Sequence[Move],
        parent: GameTreeNode | None,
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
    def above(self) -> GameTreeNode:
        """The parent; the root is its own."""
        return self if self.parent is None else self.parent

    @property
    def path(self) -> Path:
        """The numbers of the children taken from the root, which name this node in events."""
        steps = [node.index for node in self.ancestry() if node.parent is not None]
        return tuple(reversed(steps))

    @property
    def line(self) -> tuple[Move, ...]:
        """The moves from the root to this node."""
        moves = [node.move for node in self.ancestry() if node.parent is not None]
        return tuple(reversed(moves))

    def ancestry(self) -> Iterator[GameTreeNode]:
        """This node, its parent, and so on up to the root."""
        node: GameTreeNode | None = self
        while node is not None:
            yield node
            node = node.parent


class GameTree:
    """The tree of MAX, MIN and chance nodes of *game* below *start*, cut off *horizon* plies down.

    *start* is the initial state and *horizon* is without limit unless given. Nodes are made when they are asked for.
    """

    def __init__(self, game: ZeroSumGame, start: Any = None, *, horizon: int | None = None) -> None:
        self.game = game
        self.horizon = horizon
        state = first_state(game.game, start)
        self.root = self._node(game.position(state, deep=horizon != 0), None, 0, 0)

    def child(self, node: GameTreeNode, index: int) -> GameTreeNode:
        """Child number *index* of *node*, in the game's own order."""
        depth = node.depth + 1
        inner = self.horizon is None or depth < self.horizon
        return self._node(self.game.successor(node.position, index, deep=inner), node, index, depth)

    def _node(
        self, position: ZeroSumPosition, parent: GameTreeNode | None, index: int, depth: int
    ) -> GameTreeNode:
        if not position.terminal and (self.horizon is None or depth < self.horizon):
            return GameTreeNode(position, position.player, position.moves, parent, index, depth)
        player = self.game.side(position.state) or (MAX if parent is None else opponent(parent.player))
        return GameTreeNode(position, player, (), parent, index, depth)


class SolutionTree:
    """What a search found for *node*: its *value*, the child it comes from (*best*), and MAX's strategy (*kept*).

    *kept* holds the solution trees of the children that belong to the strategy: one where MAX decides, all elsewhere.
    """

    __slots__ = ("best", "kept", "node", "value")

    def __init__(
        self,
        node: GameTreeNode,
        value: float,
        best: SolutionTree | None = None,
        kept: Sequence[SolutionTree] = (),
    ) -> None:
        self.node = node
        self.value = value
        self.best = best
        self.kept = kept

    def best_play(self) -> Iterator[SolutionTree]:
        """This tree and those below it along best play, down to the leaf that the value comes from."""
        solution: SolutionTree | None = self
        while solution is not None:
            yield solution
            solution = solution.best

    @property
    def leaf(self) -> GameTreeNode:
        """The leaf that the value comes from."""
        *_, last = self.best_play()
        return last.node

    @property
    def principal_variation(self) -> tuple[Move, ...]:
        """The moves of best play, from this node on."""
        _, *line = self.best_play()
        return tuple(solution.node.move for solution in line)


def solved(
    node: GameTreeNode, value: float, best: SolutionTree | None, seen: Sequence[SolutionTree]
) -> SolutionTree:
    """The solution tree of an inner *node*; *seen* are those of the children searched, *best* the best of them."""
    if node.player == MAX:
        return SolutionTree(node, value, best, () if best is None else (best,))
    return SolutionTree(node, value, best, tuple(seen))


def extract_solution(
    root: GameTreeNode,
    value: float,
    below: Callable[[GameTreeNode], Sequence[GameTreeNode]],
    bounds: Callable[[GameTreeNode], Interval],
) -> SolutionTree:
    """MAX's strategy worth *value*, read from proved *bounds*, with best play of both sides in it.

    Where MAX decides, some child is proved to be worth at least *value*; where MIN does, all are, and one of them, on the
    line of best play, is worth no more. *below* gives the children of a node of which anything is known.
    """
    order = [root]
    kept: dict[GameTreeNode, Sequence[GameTreeNode]] = {}
    for node in order:
        children = below(node)
        if node.player == MAX:
            children = [child for child in children if bounds(child).low >= value][:1]
        kept[node] = children
        order.extend(children)
    solutions: dict[GameTreeNode, SolutionTree] = {}
    for node in reversed(order):
        best = min(kept[node], key=lambda child: bounds(child).high, default=None)
        solutions[node] = SolutionTree(
            node,
            value if node is root else bounds(node).low,
            None if best is None else solutions[best],
            [solutions[child] for child in kept[node]],
        )
    return solutions[root]


def greatest(solutions: Sequence[SolutionTree]) -> SolutionTree:
    """The first of those with the greatest value."""
    return max(solutions, key=_value)


def least(solutions: Sequence[SolutionTree]) -> SolutionTree:
    """The first of those with the least value."""
    return min(solutions, key=_value)


def _value(solution: SolutionTree) -> float:
    return solution.value


class MoveOrder:
    """The order in which to visit the moves of each state, learned from one search for the next.

    The number of cutoffs depends on the order of moves, the value does not (lecture 55): the best move first cuts most.
    States that were not searched before keep the game's own order.
    """

    __slots__ = ("_first",)

    def __init__(self) -> None:
        self._first: dict[Hashable, tuple[int, ...]] = {}

    def __len__(self) -> int:
        return len(self._first)

    def learn(self, node: GameTreeNode, best: SolutionTree | None, seen: Sequence[SolutionTree]) -> None:
        """Remembers how the children *seen* of *node* compare; moves not seen come after them."""
        ranked = sorted(seen, key=_value, reverse=node.player == MAX)
        # values past a bound are only bounds, and equal ones tell nothing: the move that was chosen goes first
        first = [] if best is None else [best.node.index]
        self._first[node.state] = tuple(dict.fromkeys([*first, *(found.node.index for found in ranked)]))

    def indices(self, node: GameTreeNode) -> Sequence[int]:
        """The child numbers of *node*, in the order to visit them."""
        own = range(len(node.moves))
        first = self._first.get(node.state)
        if first is None:
            return own
        return tuple(dict.fromkeys([*(index for index in first if index < len(own)), *own]))

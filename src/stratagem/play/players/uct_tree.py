"""The tree of plain UCT (Kocsis and Szepesvári, 2006) for any game: one random playout per visit.

Every role chooses for itself at every node, by its own counts (decoupled UCT): where one role has the choice this is
the usual tree, where several move at once each learns against what the others do. Nodes do not know their parents:
the part of a tree that is left behind is freed at once, and the rest goes on to the next move.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import log, sqrt
from random import Random
from typing import Any, TypeAlias

from stratagem.game import Game
from stratagem.play.clock import never

LONGEST_PLAYOUT = 500
UNFINISHED = 50.0
"""What a playout counts that was cut short."""


class Arm:
    """What is known of the moves of one role at one node."""

    __slots__ = ("moves", "totals", "visits")

    def __init__(self, moves: tuple[Any, ...]) -> None:
        self.moves = moves
        self.visits = [0] * len(moves)
        self.totals = [0.0] * len(moves)

    def choose(self, log_visits: float, exploration: float, random: Random) -> int:
        """The move with the highest upper confidence bound; first each move once, in any order."""
        if len(self.moves) == 1:
            return 0
        untried = [index for index, visits in enumerate(self.visits) if visits == 0]
        if untried:
            return random.choice(untried)
        visits, totals = self.visits, self.totals
        return max(
            range(len(visits)),
            key=lambda index: totals[index] / visits[index] + exploration * sqrt(log_visits / visits[index]),
        )

    def ranked(self) -> list[tuple[int, float, int]]:
        """(move number, mean, visits), the most visited first."""
        known = [
            (index, self.totals[index] / visits, visits) for index, visits in enumerate(self.visits) if visits
        ]
        return sorted(known, key=lambda entry: (-entry[2], -entry[1]))


class TreeNode:
    """One position: its arms by role, its children by joint move, or its goals where it is an end."""

    __slots__ = ("arms", "children", "goals", "state", "visits")

    def __init__(self, state: Any) -> None:
        self.state = state
        self.visits = 0
        self.arms: tuple[Arm, ...] | None = None
        self.goals: tuple[float, ...] | None = None
        self.children: dict[tuple[int, ...], TreeNode] = {}


Judge: TypeAlias = Callable[[Any], tuple[float, ...]]
"""What a state seems worth to every role."""


class UctTree:
    """A growing tree over *game*, at most *most* nodes large; with a *judge* instead of a playout for each new node."""

    def __init__(
        self,
        game: Game[Any],
        state: Any,
        random: Random,
        *,
        exploration: float,
        most: int,
        judge: Judge | None = None,
    ) -> None:
        self.game = game
        self.judge = judge
        self.random = random
        self.exploration = exploration
        self.most = most
        self.root = TreeNode(state)
        self.size = 1

    def grow(self, stop: Callable[[], bool] = never) -> bool:
        """One simulation: selection, one new node, one playout, one backup; False where *stop* ended it before.

        A playout on the reasoner may take seconds: it must not keep an answer waiting.
        """
        node = self.root
        path: list[tuple[TreeNode, tuple[int, ...]]] = []
        while True:
            if node.arms is None and node.goals is None:
                self._open(node)
            if node.goals is not None or node.arms is None:
                goals = node.goals or self._goals(node.state)
                break
            log_visits = log(node.visits + 1)
            joint = tuple(arm.choose(log_visits, self.exploration, self.random) for arm in node.arms)
            path.append((node, joint))
            child = node.children.get(joint)
            if child is None:
                moves = tuple(arm.moves[index] for arm, index in zip(node.arms, joint, strict=True))
                state = self.game.next(node.state, moves)
                judged = self.judge is not None and not self.game.terminal(state)
                played = self.judge(state) if self.judge and judged else self._playout(state, stop)
                if played is None:
                    return False
                if self.size < self.most:
                    child = node.children[joint] = TreeNode(state)
                    child.visits = 1
                    self.size += 1
                goals = played
                break
            node = child
        for node, joint in path:
            node.visits += 1
            assert node.arms is not None
            for arm, index, goal in zip(node.arms, joint, goals, strict=True):
                arm.visits[index] += 1
                arm.totals[index] += goal
        return True

    def descend(self, state: Any, way: Sequence[tuple[Any, tuple[Any, ...]]]) -> None:
        """Makes *state* the root, with all that is known of it.

        *way* is how the match came there: (state before, joint move), the last first. What was not on it is freed; a
        state that the tree does not know begins a new one.
        """
        joints: list[tuple[Any, ...]] = []
        found: TreeNode | None = self.root if self.root.state == state else None
        for before, joint in way:
            if found is not None:
                break
            joints.append(joint)
            if before == self.root.state:
                found = self._follow(reversed(joints))
                break
        self.root = TreeNode(state) if found is None else found
        self.size = _count(self.root)

    def _follow(self, joints: Iterable[tuple[Any, ...]]) -> TreeNode | None:
        """The node after *joints* from the root, if the tree has it."""
        node: TreeNode | None = self.root
        for joint in joints:
            if node is None or node.arms is None:
                return None
            try:
                indices = tuple(arm.moves.index(move) for arm, move in zip(node.arms, joint, strict=True))
            except ValueError:
                return None
            node = node.children.get(indices)
        return node

    def line(self, most: int = 20) -> list[tuple[Any, ...]]:
        """The joint moves of the most visited way down."""
        node = self.root
        moves: list[tuple[Any, ...]] = []
        while node.arms is not None and len(moves) < most:
            best = tuple(max(range(len(arm.visits)), key=arm.visits.__getitem__) for arm in node.arms)
            child = node.children.get(best)
            if child is None:
                break
            moves.append(tuple(arm.moves[index] for arm, index in zip(node.arms, best, strict=True)))
            node = child
        return moves

    def _open(self, node: TreeNode) -> None:
        if self.game.terminal(node.state):
            node.goals = self._goals(node.state)
        else:
            node.arms = tuple(Arm(tuple(self.game.legals(node.state, role))) for role in self.game.roles)

    def _goals(self, state: Any) -> tuple[float, ...]:
        return tuple(self.game.goal(state, role) or 0.0 for role in self.game.roles)

    def _playout(self, state: Any, stop: Callable[[], bool]) -> tuple[float, ...] | None:
        """The goals at the end of random play from *state*; None where *stop* came first."""
        game, choice = self.game, self.random.choice
        for _ in range(LONGEST_PLAYOUT):
            if game.terminal(state):
                return self._goals(state)
            if stop():
                return None
            state = game.next(state, tuple(choice(game.legals(state, role)) for role in game.roles))
        return (UNFINISHED,) * len(game.roles)


def _count(root: TreeNode) -> int:
    size, waiting = 0, [root]
    while waiting:
        node = waiting.pop()
        size += 1
        waiting.extend(node.children.values())
    return size

"""The events of a search in a game tree, with the reason of each cut.

A window is set by many nodes: some MAX node further up raised alpha, some MIN node lowered beta. The tracer keeps, for the
nodes on the current path, which bound each has set and which leaf it comes from, so that a cut can name them. There is a
tracer only where a search has a trace.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from stratagem.search.framework.game_tree import MAX, GameTreeNode, SolutionTree
from stratagem.search.framework.zero_sum import opponent
from stratagem.trace.events import Cut, Enter, Leaf, Leave, LowerBeta, Path, RaiseAlpha, Trace


@dataclass(slots=True)
class _Frame:
    """A node on the current path, the window it was entered with, and the best bound it has set."""

    node: GameTreeNode
    low: float
    high: float
    bound: float | None = None
    leaf: Path | None = None


class TreeTracer:
    """Sends events to *emit*; `enter` and `leave` must come in pairs, except at leaves and at the end."""

    def __init__(self, emit: Trace) -> None:
        self.emit = emit
        self._frames: list[_Frame] = []

    def enter(self, node: GameTreeNode, alpha: float | None = None, beta: float | None = None) -> None:
        del self._frames[node.depth :]
        self.emit(Enter(node.path, node.player, text(node.move), len(node.moves), alpha, beta))
        low = -inf if alpha is None else alpha
        high = inf if beta is None else beta
        self._frames.append(_Frame(node, low, high))

    def leaf(self, node: GameTreeNode, value: float, number: int | None) -> None:
        self.emit(Leaf(node.path, value, number, node.terminal))

    def better(self, node: GameTreeNode, child: SolutionTree, before: float, after: float) -> None:
        """*child* is the best that *node* has found, and moves its bound from *before* to *after*."""
        leaf = child.leaf.path
        frame = self._frames[node.depth]
        frame.bound, frame.leaf = after, leaf
        kind = RaiseAlpha if node.player == MAX else LowerBeta
        self.emit(kind(node.path, child.node.path, before, after, leaf))

    def cut(self, node: GameTreeNode, value: float, bound: float, skipped: int) -> None:
        """*node* is left with *value*, past *bound*; *skipped* children were not visited."""
        frame = self._frames[node.depth]
        cause = self._cause(node, bound)
        self.emit(
            Cut(
                node=node.path,
                side="beta" if node.player == MAX else "alpha",
                value=value,
                bound=bound,
                low=frame.low,
                high=frame.high,
                skipped=skipped,
                ancestor=None if cause is None else cause.node.path,
                leaf=None if cause is None else cause.leaf,
            )
        )

    def leave(self, node: GameTreeNode, solution: SolutionTree, kind: str = "exact") -> None:
        move = None if solution.best is None else text(solution.best.node.move)
        leaf = None if solution.best is None else solution.leaf.path
        self.emit(Leave(node.path, solution.value, kind, move, leaf))
        del self._frames[node.depth :]

    def kind(self, node: GameTreeNode, value: float) -> str:
        """Whether *value* of *node* is exact, or by its window only a lower or an upper bound."""
        frame = self._frames[node.depth]
        if value >= frame.high:
            return "low"
        return "high" if value <= frame.low else "exact"

    def _cause(self, node: GameTreeNode, bound: float) -> _Frame | None:
        """The ancestor of *node* that set *bound*: the highest, because it was in force already below."""
        for frame in self._frames[: node.depth]:
            if frame.node.player == opponent(node.player) and frame.bound == bound:
                return frame
        return None


def text(move: object) -> str | None:
    """*move* as events carry it."""
    return None if move is None else str(move)

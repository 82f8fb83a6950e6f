"""Turns what an algorithm does into events, and works out the reason of each cut.

A window is the work of many nodes: alpha was raised by some MAX node further up, beta lowered by some MIN node. The
story keeps, for the nodes on the way down, which bound each has set and which leaf it comes from, so that a cut can
name them. It exists only while somebody listens.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

from stratagem.search.framework.node import MAX, MIN, Node, Outcome
from stratagem.trace.events import Cut, Enter, Leaf, Leave, LowerBeta, Path, RaiseAlpha, Trace


@dataclass(slots=True)
class _Frame:
    """A node on the way down, the window it was entered with, and the best it has found."""

    node: Node
    low: float
    high: float
    bound: float | None = None
    leaf: Path | None = None


class Story:
    """Tells *trace* what happens; `enter` and `leave` must come in pairs, except at leaves and at the end."""

    def __init__(self, trace: Trace) -> None:
        self.tell = trace
        self._frames: list[_Frame] = []

    def enter(self, node: Node, alpha: float | None = None, beta: float | None = None) -> None:
        del self._frames[node.depth :]
        self.tell(Enter(node.path, node.player, text(node.move), len(node.moves), alpha, beta))
        low = -inf if alpha is None else alpha
        high = inf if beta is None else beta
        self._frames.append(_Frame(node, low, high))

    def leaf(self, node: Node, value: float, number: int | None) -> None:
        self.tell(Leaf(node.path, value, number, node.terminal))

    def better(self, node: Node, child: Outcome, before: float, after: float) -> None:
        """*child* is the best that *node* has found, and moves its bound from *before* to *after*."""
        leaf = child.leaf.path
        frame = self._frames[node.depth]
        frame.bound, frame.leaf = after, leaf
        kind = RaiseAlpha if node.player == MAX else LowerBeta
        self.tell(kind(node.path, child.node.path, before, after, leaf))

    def cut(self, node: Node, value: float, bound: float, skipped: int) -> None:
        """*node* is left with *value*, past *bound*; *skipped* children were not looked at."""
        frame = self._frames[node.depth]
        cause = self._cause(node, bound)
        self.tell(
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

    def leave(self, node: Node, outcome: Outcome, kind: str = "exact") -> None:
        move = None if outcome.best is None else text(outcome.best.node.move)
        leaf = None if outcome.best is None else outcome.leaf.path
        self.tell(Leave(node.path, outcome.value, kind, move, leaf))
        del self._frames[node.depth :]

    def kind(self, node: Node, value: float) -> str:
        """Whether *value* of *node* is exact, or by its window only a lower or an upper bound."""
        frame = self._frames[node.depth]
        if value >= frame.high:
            return "low"
        return "high" if value <= frame.low else "exact"

    def _cause(self, node: Node, bound: float) -> _Frame | None:
        """The ancestor of *node* that set *bound*: the highest, because lower ones found it in force already."""
        other = MIN if node.player == MAX else MAX
        for frame in self._frames[: node.depth]:
            if frame.node.player == other and frame.bound == bound:
                return frame
        return None


def text(move: object) -> str | None:
    """*move* as events carry it."""
    return None if move is None else str(move)

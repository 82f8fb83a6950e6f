"""What MCTS has found, read off its graph."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from stratagem.engine.mcts import graph
from stratagem.result import MoveStatistics

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stratagem.gdl.terms import Term
    from stratagem.gdl_game import GdlGame

LINE = 30


class GraphReader:
    """Reads a graph that MCTS has grown for *game*; *neutral* is what a role gets where nothing is known."""

    def __init__(
        self,
        game: GdlGame,
        tree: graph.SearchGraph,
        neutral: NDArray[np.float64],
        tops: NDArray[np.int64],
        bottoms: NDArray[np.int64],
    ) -> None:
        self.tree = tree
        self.compiled = game.compiled
        self.circuit = game.circuit
        self.roles = len(game.roles)
        self.neutral = neutral
        self.tops = tops
        self.bottoms = bottoms

    def value(self, node: int, role: int) -> float:
        tree = self.tree
        if tree.proved[node]:
            return float(tree.goals[node, role])
        if tree.visits[node] == 0:
            return float(self.neutral[role])
        mean = float(tree.totals[node, role] / tree.visits[node])
        return max(mean, float(tree.peaks[node])) if self.roles == 1 else mean

    def legals(self, node: int) -> list[list[Term]]:
        """The legal moves of every role, in the order of its choices."""
        masks = self.compiled.evaluate(self.tree.states[node][None].copy()).legal[0]
        return [
            [
                own[int(place)]
                for place in np.flatnonzero(np.unpackbits(mask.view(np.uint8), bitorder="little"))
            ]
            for own, mask in zip(self.circuit.moves, masks, strict=True)
        ]

    def ranked(self, node: int, role: int, legal: Sequence[Term]) -> tuple[MoveStatistics, ...]:
        """The moves of a role at an open node, the best first."""
        tree = self.tree
        mover = int(tree.mover[node])
        if len(legal) == 1:
            proved = bool(tree.proved[node])
            distance = int(tree.distance[node]) if proved else None
            visits, value = int(tree.visits[node]), self.value(node, role)
            return (MoveStatistics(legal[0], value, visits, proved, distance),)
        if mover == graph.SEVERAL:
            counts = self._strategy(node, role)
            values = self._against(node, role)
            found = [
                MoveStatistics(move, float(value), round(float(count)))
                for move, count, value in zip(legal, counts, values, strict=True)
            ]
            return tuple(sorted(found, key=lambda one: -one.visits))
        first = int(tree.edge[node])
        found = []
        for place, move in enumerate(legal):
            child = int(tree.child[first + place])
            proved = bool(tree.proved[child])
            distance = int(tree.distance[child]) + 1 if proved else None
            tries = int(tree.tries[first + place])
            found.append(MoveStatistics(move, self.value(child, role), tries, proved, distance))
        return tuple(sorted(found, key=self._rank(found, role)))

    def _strategy(self, node: int, role: int) -> NDArray[np.float32]:
        """How often each choice was selected for a role that moves at the same time as others."""
        tree = self.tree
        first = int(tree.arm[node]) + int(tree.choices[node, :role].sum())
        counts: NDArray[np.float32] = tree.arm_visits[first : first + int(tree.choices[node, role])]
        return counts

    def _against(self, node: int, role: int) -> NDArray[np.float64]:
        """The value of each choice of a role against the mixed strategies of the others so far."""
        tree = self.tree
        sizes = [int(count) for count in tree.choices[node]]
        first = int(tree.edge[node])
        children = tree.child[first : first + int(np.prod(sizes))]
        values = np.array([self.value(int(child), role) for child in children]).reshape(sizes)
        for other in reversed(range(self.roles)):
            if other != role:
                counts = self._strategy(node, other).astype(np.float64)
                shares = counts / counts.sum() if counts.sum() > 0 else np.full(len(counts), 1 / len(counts))
                values = np.tensordot(values, shares, axes=([other], [0]))
        return values

    def _rank(
        self, found: Sequence[MoveStatistics], role: int
    ) -> Callable[[MoveStatistics], tuple[float, ...]]:
        """The order of moves: by visits; what is proved is ranked by its value, lost moves last, slow losses first."""
        top, bottom = float(self.tops[role]), float(self.bottoms[role])
        guessed = [one for one in found if not one.proved]
        leader = max(guessed, key=lambda one: (one.visits, one.value), default=None)
        expected = -1.0 if leader is None else leader.value

        def key(one: MoveStatistics) -> tuple[float, ...]:
            if not one.proved:
                return (2.0, -one.visits, -one.value)
            distance = one.distance or 0
            hurry = distance if 2 * one.value > top else -distance
            if one.value >= top or (leader is not None and one.value >= expected and one.value > bottom):
                return (1.0, -one.value, hurry)
            return (3.0, -one.value, hurry)

        return key

    def _best(self, node: int, role: int, legal: Sequence[Term]) -> int:
        """The number of the best of the *legal* moves of a role."""
        best = self.ranked(node, role, legal)[0].move
        return next(place for place, move in enumerate(legal) if move == best)

    def all_visited(self, node: int) -> bool:
        """Whether something is known of every move from an open node."""
        tree = self.tree
        first = int(tree.edge[node])
        children = tree.child[first : first + int(graph.edge_count(tree, node))]
        return bool(np.all((tree.visits[children] > 0) | (tree.proved[children] != 0)))

    def line(self, node: int) -> tuple[tuple[Term, ...], ...]:
        """The joint moves that are expected; it ends before a position with unvisited moves."""
        tree = self.tree
        line: list[tuple[Term, ...]] = []
        seen = set()
        while tree.status[node] == graph.OPEN and node not in seen and len(line) < LINE:
            seen.add(node)
            legal = self.legals(node)
            places = [self._best(node, role, own) for role, own in enumerate(legal)]
            place = 0
            for own, best in zip(legal, places, strict=True):
                place = place * len(own) + best
            line.append(tuple(own[best] for own, best in zip(legal, places, strict=True)))
            node = int(tree.child[int(tree.edge[node]) + place])
            if tree.visits[node] < 2 and not tree.proved[node]:
                break
            if tree.status[node] == graph.OPEN and not tree.proved[node] and not self.all_visited(node):
                break
        return tuple(line)

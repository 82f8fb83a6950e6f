"""What MCTS has found, read off its graph."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from stratagem.engine.mcts.graph import OPEN, SEVERAL, SearchGraph, backed_up, edge_count
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
        tree: SearchGraph,
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
        """What a node seems worth to a role; a child that was never looked at, given as a negative number, nothing."""
        tree = self.tree
        if node < 0:
            return float(self.neutral[role])
        if tree.proved[node]:
            return float(tree.goals[node, role])
        done = backed_up(tree, node)
        if done == 0:
            return float(self.neutral[role])
        mean = tree.totals[node, role] / done
        return max(mean, float(tree.peaks[node])) if self.roles == 1 else mean

    def legals(self, node: int) -> list[list[Term]]:
        """The legal moves of every role, in the order of its choices."""
        masks = self.compiled.evaluate(self.tree.states.pool.numpy[node][None].copy()).legal[0]
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
        if len(legal) == 1:
            proved = tree.proved[node]
            visits, value = int(tree.visits[node]), self.value(node, role)
            return (MoveStatistics(legal[0], value, visits, proved, tree.distance[node] if proved else None),)
        if tree.mover[node] == SEVERAL:
            counts = self._strategy(node, role)
            values = self._against(node, role)
            found = [
                MoveStatistics(move, float(value), round(float(count)))
                for move, count, value in zip(legal, counts, values, strict=True)
            ]
            return tuple(sorted(found, key=lambda one: -one.visits))
        first = tree.edge[node]
        found = []
        for place, move in enumerate(legal):
            child = tree.child[first + place]
            proved = child >= 0 and tree.proved[child]
            distance = tree.distance[child] + 1 if proved else None
            tries = tree.tries[first + place]
            value = self.value(child, role)
            if child < 0 and role == tree.mover[node] and tree.prior[first + place] > 0:
                value = float(tree.guess[first + place])
            found.append(MoveStatistics(move, value, tries, proved, distance))
        return tuple(sorted(found, key=self._rank(found, role)))

    def _strategy(self, node: int, role: int) -> NDArray[np.float32]:
        """How often each choice was selected for a role that moves at the same time as others."""
        tree = self.tree
        first = tree.arm[node] + sum(tree.choices[node, before] for before in range(role))
        counts: NDArray[np.float32] = tree.arm_visits.numpy[first : first + tree.choices[node, role]]
        return counts

    def _against(self, node: int, role: int) -> NDArray[np.float64]:
        """The value of each choice of a role against the mixed strategies of the others so far."""
        tree = self.tree
        sizes = [tree.choices[node, each] for each in range(self.roles)]
        children = self._children(node)
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
        tree, children = self.tree, self._children(node)
        first = tree.edge[node]
        guessed = tree.prior.numpy[first : first + len(children)] > 0
        known = (children >= 0) & ((tree.visits.numpy[children] > 0) | tree.proved.numpy[children])
        return bool(np.all(guessed | known))

    def _children(self, node: int) -> NDArray[np.int32]:
        """The children of an open node, by its joint moves."""
        first = self.tree.edge[node]
        children: NDArray[np.int32] = self.tree.child.numpy[first : first + edge_count(self.tree, node)]
        return children

    def line(self, node: int) -> tuple[tuple[Term, ...], ...]:
        """The joint moves that are expected; it ends before a position with unvisited moves."""
        tree = self.tree
        line: list[tuple[Term, ...]] = []
        seen = set()
        while tree.status[node] == OPEN and node not in seen and len(line) < LINE:
            seen.add(node)
            legal = self.legals(node)
            places = [self._best(node, role, own) for role, own in enumerate(legal)]
            place = 0
            for own, best in zip(legal, places, strict=True):
                place = place * len(own) + best
            line.append(tuple(own[best] for own, best in zip(legal, places, strict=True)))
            node = tree.child[tree.edge[node] + place]
            if node < 0:
                break
            if tree.visits[node] < 2 and not tree.proved[node]:
                break
            if tree.status[node] == OPEN and not tree.proved[node] and not self.all_visited(node):
                break
        return tuple(line)

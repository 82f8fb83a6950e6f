"""The order in which moves are looked at, learned from one search for the next.

Cutting depends on the order of moves and values do not (lecture 55): whoever looks at the best move first cuts
most. A `MoveOrder` remembers, for each state, how the moves compared when they were last searched.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from stratagem.search.framework.node import MAX, Node, Outcome


class MoveOrder:
    """For each state the child numbers in the order to try them; states it has not heard of keep their own."""

    __slots__ = ("_first",)

    def __init__(self) -> None:
        self._first: dict[Hashable, tuple[int, ...]] = {}

    def __len__(self) -> int:
        return len(self._first)

    def learn(self, node: Node, best: Outcome | None, seen: Sequence[Outcome]) -> None:
        """Takes note of the outcomes *seen* below *node*, as MAX values them; moves not seen come after them."""
        ranked = sorted(seen, key=lambda outcome: outcome.value, reverse=node.player == MAX)
        # values past a bound are only bounds, and equal ones tell nothing: the move that was chosen goes first
        first = [] if best is None else [best.node.index]
        self._first[node.state] = tuple(dict.fromkeys([*first, *(found.node.index for found in ranked)]))

    def indices(self, node: Node) -> Sequence[int]:
        """The child numbers of *node*, those to try first in front."""
        own = range(len(node.moves))
        first = self._first.get(node.state)
        if first is None:
            return own
        return tuple(dict.fromkeys([*(index for index in first if index < len(own)), *own]))

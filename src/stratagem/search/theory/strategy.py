"""A strategy as an object: one choice wherever its player decides, every reply wherever the other does.

It is a subtree of the game tree (lecture 55), worth the least of its leaves to MAX, the greatest to MIN. It can be
taken away as a tree, as a table, or as a policy that plays.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from stratagem.errors import UsageError
from stratagem.game import Move
from stratagem.search.framework.node import Outcome


@dataclass(frozen=True, slots=True)
class Choice:
    """One row of a strategy's table: after the moves in *line*, in *state*, play *move*."""

    line: tuple[Move, ...]
    state: Any
    move: Move


class Policy:
    """A strategy that plays: called with a state it answers with the move.

    Where the strategy comes to a state twice, at different depths, the choice nearer to the root counts.
    """

    __slots__ = ("moves",)

    def __init__(self, moves: Mapping[Hashable, Move]) -> None:
        self.moves = MappingProxyType(dict(moves))

    def __call__(self, state: Any) -> Move:
        if state not in self.moves:
            raise UsageError(
                f"the strategy never comes to this state: {state}",
                hint="play it from the state it was made for, and follow it",
            )
        return self.moves[state]

    def __len__(self) -> int:
        return len(self.moves)


@dataclass(frozen=True, slots=True, eq=False)
class Strategy:
    """The strategy of *player* ("max" or "min") that *root* holds: see `Outcome.kept`."""

    player: str
    root: Outcome

    @property
    def value(self) -> float:
        """What the search says it is worth to MAX; `guaranteed_value` checks it."""
        return self.root.value

    def outcomes(self) -> Iterator[Outcome]:
        """Every node of the strategy, level by level, from left to right."""
        level = [self.root]
        while level:
            yield from level
            level = [below for outcome in level for below in outcome.kept]

    def table(self) -> tuple[Choice, ...]:
        """The choices of the player, those nearest to the root first."""
        return tuple(
            Choice(outcome.node.line, outcome.node.state, outcome.kept[0].node.move)
            for outcome in self.outcomes()
            if outcome.node.player == self.player and outcome.kept
        )

    def policy(self) -> Policy:
        """The strategy as a function from states to moves."""
        moves: dict[Hashable, Move] = {}
        for choice in self.table():
            moves.setdefault(choice.state, choice.move)
        return Policy(moves)

    def leaves(self) -> tuple[Outcome, ...]:
        """The leaves of the strategy, from left to right."""
        return tuple(
            sorted((found for found in self.outcomes() if not found.kept), key=lambda it: it.node.path)
        )

    def spec(self) -> Any:
        """The strategy as nested lists for `Tree.of`: nodes of the player have one child, all others theirs."""
        specs: dict[int, Any] = {}
        for outcome in reversed(list(self.outcomes())):
            children = [specs.pop(id(below)) for below in outcome.kept]
            if children:
                specs[id(outcome)] = {"player": outcome.node.player, "children": children}
            else:
                specs[id(outcome)] = outcome.value
        return specs[id(self.root)]

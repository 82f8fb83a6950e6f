"""A strategy: one move wherever its player decides, every reply wherever the other does.

It is a subtree of the game tree (lecture 55), worth the least of its leaves to MAX, the greatest to MIN. It can be read as a
tree, as a table of choices, or as a policy from states to moves.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from stratagem.errors import UsageError
from stratagem.game import Move
from stratagem.search.framework.game_tree import SolutionTree


@dataclass(frozen=True, slots=True)
class StrategyChoice:
    """One row of a strategy's table: after the moves in *line*, in *state*, play *move*."""

    line: tuple[Move, ...]
    state: Any
    move: Move


class Policy:
    """A strategy as a function from states to moves.

    Where the strategy reaches a state twice, at different depths, the choice nearer to the root counts.
    """

    __slots__ = ("moves",)

    def __init__(self, moves: Mapping[Hashable, Move]) -> None:
        self.moves = MappingProxyType(dict(moves))

    def __call__(self, state: Any) -> Move:
        if state not in self.moves:
            raise UsageError(
                f"the strategy never reaches this state: {state}",
                hint="play it from the state it was made for, and follow it",
            )
        return self.moves[state]

    def __len__(self) -> int:
        return len(self.moves)


@dataclass(frozen=True, slots=True, eq=False)
class Strategy:
    """The strategy of *player* ("max" or "min") in *root*: see `SolutionTree.kept`."""

    player: str
    root: SolutionTree

    @property
    def value(self) -> float:
        """Its value to MAX according to the search; `guaranteed_value` checks it."""
        return self.root.value

    def solutions(self) -> Iterator[SolutionTree]:
        """Every node of the strategy, level by level, from left to right."""
        level = [self.root]
        while level:
            yield from level
            level = [below for solution in level for below in solution.kept]

    def table(self) -> tuple[StrategyChoice, ...]:
        """The choices of the player, those nearest to the root first."""
        return tuple(
            StrategyChoice(solution.node.line, solution.node.state, solution.kept[0].node.move)
            for solution in self.solutions()
            if solution.node.player == self.player and solution.kept
        )

    def policy(self) -> Policy:
        """The strategy as a function from states to moves."""
        moves: dict[Hashable, Move] = {}
        for choice in self.table():
            moves.setdefault(choice.state, choice.move)
        return Policy(moves)

    def leaves(self) -> tuple[SolutionTree, ...]:
        """The leaves of the strategy, from left to right."""
        return tuple(
            sorted((found for found in self.solutions() if not found.kept), key=lambda it: it.node.path)
        )

    def spec(self) -> Any:
        """The strategy as nested lists for `Tree.of`: nodes of the player have one child, all others theirs."""
        specs: dict[int, Any] = {}
        for solution in reversed(list(self.solutions())):
            children = [specs.pop(id(below)) for below in solution.kept]
            if children:
                specs[id(solution)] = {"player": solution.node.player, "children": children}
            else:
                specs[id(solution)] = solution.value
        return specs[id(self.root)]

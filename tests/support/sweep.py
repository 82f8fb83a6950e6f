"""The same numbers as count.py by the compiled machine: the whole space of a game in memory, then one pass over it.

A million edges take about a second, so that games of some hundred thousand states can be counted out in a test.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from stratagem.engine.space.explore import Space, explore
from stratagem.gdl_game import GdlGame
from stratagem.native.compiled import CompiledGame


@dataclass(frozen=True, slots=True)
class Sweep:
    """A game with all its states, numbered from the start, and what follows each of them."""

    space: Space
    children: list[list[int]]
    """The states after every joint move."""
    first_chooses: list[bool]
    """Whether the second role, if there is one, has only one move."""

    @property
    def by_depth(self) -> list[int]:
        return list(self.space.layers)

    def shortest(self) -> tuple[int, int] | None:
        """The length of a shortest way for the first role to 100, and how many such ways there are."""
        terminal, goals = self.space.terminal.tolist(), self.space.goals[:, 0].tolist()
        ways, first = [1] + [0] * (len(self.space) - 1), 0
        for depth, size in enumerate(self.space.layers):
            layer = range(first, first + size)
            solved = sum(ways[state] for state in layer if terminal[state] and goals[state] == 100)
            if solved:
                return depth, solved
            for state in layer:
                for child in self.children[state]:
                    if child >= first + size:
                        ways[child] += ways[state]
            first += size
        return None

    def lines(self) -> tuple[int, int, int]:
        """Nodes of the tree, complete matches, and the longest of them; the game must always end."""
        nodes, matches, longest = ([0] * len(self.space) for _ in range(3))
        terminal = self.space.terminal.tolist()
        for state in self.from_the_end():
            after = self.children[state]
            nodes[state] = 1 + sum(nodes[child] for child in after)
            matches[state] = 1 if terminal[state] else sum(matches[child] for child in after)
            longest[state] = 0 if terminal[state] else 1 + max(longest[child] for child in after)
        return nodes[0], matches[0], longest[0]

    def value(self) -> int:
        """What the first of two players in turn gets with best play; the game must always end."""
        worth: list[int] = self.space.goals[:, 0].tolist()
        for state in self.from_the_end():
            if self.children[state]:
                better = max if self.first_chooses[state] else min
                worth[state] = better(worth[child] for child in self.children[state])
        return worth[0]

    def from_the_end(self) -> list[int]:
        """All states, each after everything that can follow it."""
        order: list[int] = []
        entered = bytearray(len(self.space))
        stack = [(0, iter(self.children[0]))]
        entered[0] = 1
        while stack:
            state, rest = stack[-1]
            for child in rest:
                if not entered[child]:
                    entered[child] = 1
                    stack.append((child, iter(self.children[child])))
                    break
            else:
                order.append(state)
                stack.pop()
        return order


def sweep(game: GdlGame) -> Sweep:
    """The whole space of *game*."""
    assert game.circuit is not None
    space = explore(CompiledGame(game.circuit))
    children = space.children.tolist()
    spans = list(pairwise(space.offsets.tolist()))
    seconds = space.moves[:, -1] if len(game.roles) == 2 else None
    chooses = [
        seconds is None or low == high or bool((seconds[low:high] == seconds[low]).all())
        for low, high in spans
    ]
    return Sweep(space, [children[low:high] for low, high in spans], chooses)

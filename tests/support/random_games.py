"""Random trees and small random games for laws that must hold on all of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from typing import Any

from hypothesis import strategies as some

from stratagem.machines.trees.tree import Tree

FEW = some.integers(-3, 3)
"""So few values that many leaves are equal."""
ANY = some.one_of(some.integers(-50, 50), some.floats(-5, 5, allow_nan=False), some.sampled_from([inf, -inf]))


def specs(values=FEW, *, players: bool = False, leaves: int = 14):
    """Nested lists; with *players* some nodes say who decides, so that play does not alternate."""

    def above(children):
        nodes = some.lists(children, min_size=1, max_size=3)
        if not players:
            return nodes
        told = some.builds(
            lambda player, below: {"player": player, "children": below},
            some.sampled_from(["max", "min"]),
            nodes,
        )
        return some.one_of(nodes, told)

    return some.recursive(values, above, max_leaves=leaves)


def trees(values=FEW, *, players: bool = False, leaves: int = 14):
    return some.builds(
        lambda spec, root: Tree.of(spec, root=root),
        specs(values, players=players, leaves=leaves),
        some.sampled_from(["max", "min"]),
    )


@some.composite
def trees_of_different_leaves(draw, *, degree: int = 3, depth: int = 4):
    """Uniform or not, no two leaves have the same value."""
    degrees = draw(some.lists(some.integers(1, degree), min_size=1, max_size=depth))
    count = 1
    for each in degrees:
        count *= each
    level: list[Any] = draw(some.permutations(range(count)))
    for each in reversed(degrees):
        level = [level[start : start + each] for start in range(0, len(level), each)]
    return Tree.of(level[0])


@dataclass(frozen=True)
class GraphGame:
    """A game on numbered states; edges lead to higher numbers, so it ends. States can be reached in many ways."""

    edges: tuple[tuple[int, ...], ...]
    movers: tuple[str, ...]
    goals: tuple[int, ...]

    roles = ("left", "right")

    def initial(self) -> int:
        return 0

    def legals(self, state: int, role: str) -> tuple[object, ...]:
        return (
            tuple(f"edge {number}" for number in range(len(self.edges[state])))
            if self._moves(state, role)
            else ("noop",)
        )

    def next(self, state: int, joint: Any) -> int:
        role = self.movers[state]
        move = joint[role] if isinstance(joint, Mapping) else joint[self.roles.index(role)]
        return self.edges[state][int(move.removeprefix("edge "))]

    def terminal(self, state: int) -> bool:
        return not self.edges[state]

    def goal(self, state: int, role: str) -> int | None:
        if self.edges[state]:
            return None
        return self.goals[state] if role == "left" else 100 - self.goals[state]

    def _moves(self, state: int, role: str) -> bool:
        return self.movers[state] == role and bool(self.edges[state])


@some.composite
def graph_games(draw, *, states: int = 7):
    count = draw(some.integers(1, states))
    edges = []
    for state in range(count):
        later = some.integers(state + 1, count - 1)
        edges.append(tuple(draw(some.lists(later, max_size=3))) if state < count - 1 else ())
    movers = draw(some.lists(some.sampled_from(GraphGame.roles), min_size=count, max_size=count))
    goals = draw(some.lists(some.sampled_from([0, 25, 50, 100]), min_size=count, max_size=count))
    return GraphGame(tuple(edges), tuple(movers), tuple(goals))


def minimax_value(tree: Tree, node: int = 0) -> float:
    """By the definition, and by nothing of ours."""
    below = [minimax_value(tree, child) for child in tree.children[node]]
    if not below:
        return tree.values[node]
    return max(below) if tree.players[node] == "max" else min(below)

"""Counting on any `Game`: distinct states, lines of play, shortest solutions, values.

Plain breadth-first sweeps over the six members of a game and nothing else, so that the same numbers can be asked
of every machine. Cost: one `next` per edge of the graph of states; memory for one layer, or for all states.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import islice, product
from typing import Any

from stratagem.game import Game


@dataclass(frozen=True, slots=True)
class Lines:
    """All lines of play: *nodes* of the tree ply by ply, complete *matches* by length."""

    nodes: tuple[int, ...]
    matches: dict[int, int]

    @property
    def tree_nodes(self) -> int:
        return sum(self.nodes)

    @property
    def complete(self) -> int:
        return sum(self.matches.values())


class Remembered:
    """A game that works out everything once: for several counts of one game on a slow machine."""

    def __init__(self, game: Game[Any]) -> None:
        self.roles = game.roles
        self.initial = game.initial
        self.legals = cache(game.legals)
        self.next = cache(game.next)
        self.terminal = cache(game.terminal)
        self.goal = cache(game.goal)


def successors(game: Game[Any], state: Any) -> Iterator[Any]:
    """The states after every joint move, in the order of the moves; none once the match is over."""
    if not game.terminal(state):
        for joint in product(*(game.legals(state, role) for role in game.roles)):
            yield game.next(state, joint)


def layers(game: Game[Any]) -> Iterator[list[Any]]:
    """The distinct states by their distance from the start."""
    start = game.initial()
    seen, layer = {start}, [start]
    while layer:
        yield layer
        fresh = dict.fromkeys(child for state in layer for child in successors(game, state))
        layer = [child for child in fresh if child not in seen]
        seen.update(layer)


def states_by_depth(game: Game[Any], *, deepest: int | None = None) -> list[int]:
    """How many distinct states are first met after 0, 1, 2 … moves."""
    return [len(layer) for layer in islice(layers(game), None if deepest is None else deepest + 1)]


def states(game: Game[Any]) -> int:
    """How many distinct states can be reached."""
    return sum(states_by_depth(game))


def lines(game: Game[Any], *, deepest: int | None = None) -> Lines:
    """All lines of play up to *deepest* moves; without it the game must always end."""
    nodes: list[int] = []
    matches: Counter[int] = Counter()
    paths = Counter({game.initial(): 1})
    while paths and (deepest is None or len(nodes) <= deepest):
        after: Counter[Hashable] = Counter()
        for state, count in paths.items():
            if game.terminal(state):
                matches[len(nodes)] += count
            elif deepest is None or len(nodes) < deepest:
                for child in successors(game, state):
                    after[child] += count
        nodes.append(paths.total())
        paths = after
    return Lines(tuple(nodes), dict(matches))


def perft(game: Game[Any], deepest: int) -> list[int]:
    """Lines of 0, 1 … *deepest* moves; one that ended earlier counts at every greater depth too."""
    counted = lines(game, deepest=deepest)
    ended = [sum(n for length, n in counted.matches.items() if length < ply) for ply in range(deepest + 1)]
    nodes = [*counted.nodes, *[0] * (deepest + 1 - len(counted.nodes))]
    return [count + before for count, before in zip(nodes, ended, strict=True)]


def shortest(game: Game[Any], *, best: float = 100) -> tuple[int, int] | None:
    """The length of a shortest way for the first role to *best*, and how many such ways there are."""
    (role, *_) = game.roles
    paths = Counter({game.initial(): 1})
    seen = set(paths)
    length = 0
    while paths:
        solved = [s for s in paths if game.terminal(s) and game.goal(s, role) == best]
        if solved:
            return length, sum(paths[state] for state in solved)
        after: Counter[Hashable] = Counter()
        for state, count in paths.items():
            for child in successors(game, state):
                if child not in seen:
                    after[child] += count
        seen.update(after)
        paths, length = after, length + 1
    return None


def value(game: Game[Any], start: Any = None) -> float:
    """What the first of two players in turn gets against best play, every state looked at once."""
    first, second = game.roles
    known: dict[Any, float] = {}

    def worth(state: Any) -> float:
        if state not in known:
            if game.terminal(state):
                goal = game.goal(state, first)
                assert goal is not None
                known[state] = goal
            else:
                mine, theirs = (game.legals(state, role) for role in (first, second))
                assert 1 in (len(mine), len(theirs)), "two players in turn"
                better = max if len(theirs) == 1 else min
                known[state] = better(worth(child) for child in successors(game, state))
        return known[state]

    return worth(game.initial() if start is None else start)

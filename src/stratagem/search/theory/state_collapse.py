"""State collapse: the number of nodes of a game tree, and the number of distinct states among them.

The tree is never traversed. Level by level the number of paths to each state is counted: a state with n paths stands for n
nodes of the tree, and adds n paths to each of its children. So the exact size of a tree with billions of nodes costs one
expansion per state. With a function that maps a state to its symmetry class, classes are counted as well.

The lecture gives 900,000 nodes, 5,000 states and a ratio of 180 for tic-tac-toe; counted, they are 549,946, 5,478
and 100. The printed ratio divides a tree in which play goes on after a win by states in which it does not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from itertools import count, product
from typing import Generic

from stratagem.game import Game, StateT
from stratagem.limit import UNLIMITED, Limit
from stratagem.search.framework.tally import LimitReached, Progress, SearchTally


@dataclass(frozen=True, slots=True)
class CollapseLevel:
    """The nodes and states *depth* moves below the start."""

    depth: int
    tree_nodes: int
    """Paths of *depth* moves: nodes of the tree on this level."""
    states: int
    """Distinct states among them."""
    new_states: int
    """Those of them that no shorter path leads to."""
    classes: int | None
    """Distinct symmetry classes of states; None where no symmetry was given."""
    new_classes: int | None
    matches: int
    """Paths that end here in a terminal state."""

    @property
    def ratio(self) -> float:
        """Nodes of the tree per state of this level."""
        return self.tree_nodes / self.states


@dataclass(frozen=True, slots=True)
class Collapse:
    """The levels of a game from its start, and their sums.

    *complete*: the whole tree was counted. *endless*: the tree is infinite, because the state graph has a cycle.
    *stopped*: the limit that was reached, "nodes", "seconds" or "interrupted".
    """

    levels: tuple[CollapseLevel, ...]
    complete: bool
    endless: bool
    stopped: str | None = None

    @property
    def tree_nodes(self) -> int:
        return sum(level.tree_nodes for level in self.levels)

    @property
    def states(self) -> int:
        """Distinct states on all levels together."""
        return sum(level.new_states for level in self.levels)

    @property
    def classes(self) -> int | None:
        """Distinct symmetry classes on all levels together; None where no symmetry was given."""
        found = [level.new_classes for level in self.levels if level.new_classes is not None]
        return sum(found) if found else None

    @property
    def matches(self) -> int:
        """Paths from the start to a terminal state."""
        return sum(level.matches for level in self.levels)

    @property
    def ratio(self) -> float:
        """Nodes of the tree per state."""
        return self.tree_nodes / self.states


@dataclass(frozen=True, slots=True)
class PrintedCounts:
    """The numbers for tic-tac-toe in the lecture."""

    tree_nodes: int
    states: int
    ratio: int


PRINTED = PrintedCounts(tree_nodes=900_000, states=5_000, ratio=180)


def collapse(
    game: Game[StateT],
    start: StateT | None = None,
    *,
    canonical: Callable[[StateT], Hashable] | None = None,
    limit: Limit = UNLIMITED,
    progress: Progress | None = None,
) -> Collapse:
    """Tree nodes against states, level by level, down to `Limit.depth` moves, or to the end of the game.

    *canonical* gives equal values to states that are symmetric to each other. The nodes of *limit* are expanded states; a
    level that it does not allow to finish is left out.

    >>> from stratagem.machines.trees.graph import maze
    >>> counted = collapse(maze({"a": "bc", "b": "d", "c": "d", "d": "e"}, start="a", goal="e"))
    >>> [level.tree_nodes for level in counted.levels], [level.states for level in counted.levels]
    ([1, 2, 2, 2], [1, 2, 1, 1])
    """
    depth = limit.depth
    tally = SearchTally(limit, progress)
    space = _Space(game, tally)
    seen: set[StateT] = set()
    seen_classes: set[Hashable] = set()
    paths: Counter[StateT] = Counter({game.initial() if start is None else start: 1})
    levels: list[CollapseLevel] = []
    endless: bool | None = None
    for now in count():
        fresh = paths.keys() - seen
        seen |= fresh
        if canonical is None:
            classes = new_classes = None
        else:
            here = {canonical(state) for state in paths}
            classes, new_classes = len(here), len(here - seen_classes)
            seen_classes |= here
        matches = sum(number for state, number in paths.items() if game.terminal(state))
        levels.append(
            CollapseLevel(now, paths.total(), len(paths), len(fresh), classes, new_classes, matches)
        )
        if not fresh and endless is None:
            endless = space.has_cycle()
        if now == depth or (endless and depth is None):
            break
        try:
            paths = space.next_level(paths, now)
        except LimitReached:
            break
        if not paths:
            return Collapse(tuple(levels), complete=True, endless=False)
    ended = all(game.terminal(state) for state in paths)
    return Collapse(tuple(levels), ended and not endless, endless=bool(endless), stopped=tally.stopped)


class _Space(Generic[StateT]):
    """The states expanded so far with their children."""

    def __init__(self, game: Game[StateT], tally: SearchTally) -> None:
        self._game = game
        self._tally = tally
        self._children: dict[StateT, Counter[StateT]] = {}

    def next_level(self, paths: Counter[StateT], depth: int) -> Counter[StateT]:
        """The number of paths to each state one move on."""
        below: Counter[StateT] = Counter()
        for state, number in paths.items():
            if state not in self._children:
                self._tally.visit(depth)
                self._children[state] = Counter(self._successors(state))
            for child, moves in self._children[state].items():
                below[child] += number * moves
        return below

    def has_cycle(self) -> bool:
        """Whether the graph has a cycle: whether states are left when those without predecessors are removed, repeatedly."""
        incoming: Counter[StateT] = Counter()
        for children in self._children.values():
            incoming.update(children.keys())
        free = [state for state in self._children if not incoming[state]]
        removed = 0
        while free:
            removed += 1
            for child in self._children.get(free.pop(), ()):
                incoming[child] -= 1
                if not incoming[child] and child in self._children:
                    free.append(child)
        return removed < len(self._children)

    def _successors(self, state: StateT) -> Iterator[StateT]:
        """The state after every joint move; equal states are repeated."""
        if not self._game.terminal(state):
            for joint in product(*(self._game.legals(state, role) for role in self._game.roles)):
                yield self._game.next(state, joint)

"""State collapse: how many nodes the tree of a game has, and how few states they stand for.

The tree is never walked. Level by level the number of ways to each state is counted: a state that n ways lead to
stands for n nodes of the tree, and passes n on to each of its children. So the exact size of a tree with billions of
nodes costs one expansion per state. With a function that names the symmetry class of a state, classes are counted
beside the states.

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
from stratagem.limit import UNLIMITED, Limit, not_negative
from stratagem.search.framework.tally import LimitReached, Progress, Tally


@dataclass(frozen=True, slots=True)
class Level:
    """What lies *depth* moves below the start."""

    depth: int
    tree_nodes: int
    """Ways of playing *depth* moves: nodes of the tree on this level."""
    states: int
    """Different states among them."""
    new_states: int
    """Those of them that no shorter way leads to."""
    classes: int | None
    """Different symmetry classes of states; None where no symmetry was given."""
    new_classes: int | None
    matches: int
    """Ways of playing that end here."""

    @property
    def ratio(self) -> float:
        """How many nodes of the tree stand for one state of this level, on average."""
        return self.tree_nodes / self.states


@dataclass(frozen=True, slots=True)
class Collapse:
    """The levels of a game from its start, and their sums.

    *complete*: the whole tree was counted. *endless*: it is known to have no end, for play can come back to a state.
    *stopped*: the limit that was reached, "nodes", "seconds" or "interrupted".
    """

    levels: tuple[Level, ...]
    complete: bool
    endless: bool
    stopped: str | None = None

    @property
    def tree_nodes(self) -> int:
        return sum(level.tree_nodes for level in self.levels)

    @property
    def states(self) -> int:
        """Different states on all levels together."""
        return sum(level.new_states for level in self.levels)

    @property
    def classes(self) -> int | None:
        """Different symmetry classes on all levels together; None where no symmetry was given."""
        found = [level.new_classes for level in self.levels if level.new_classes is not None]
        return sum(found) if found else None

    @property
    def matches(self) -> int:
        """Ways of playing from the start to an end."""
        return sum(level.matches for level in self.levels)

    @property
    def ratio(self) -> float:
        """How many nodes of the tree stand for one state, on average."""
        return self.tree_nodes / self.states


@dataclass(frozen=True, slots=True)
class Claim:
    """What a lecture says of tic-tac-toe."""

    tree_nodes: int
    states: int
    ratio: int


PRINTED = Claim(tree_nodes=900_000, states=5_000, ratio=180)


def collapse(
    game: Game[StateT],
    start: StateT | None = None,
    *,
    depth: int | None = None,
    canonical: Callable[[StateT], Hashable] | None = None,
    limit: Limit = UNLIMITED,
    progress: Progress | None = None,
) -> Collapse:
    """Tree nodes against states, level by level, down to *depth* moves, or to the end where there is one.

    *canonical* gives equal values to states that are symmetric to each other. The nodes of *limit* are expanded states; a
    level that it does not allow to finish is left out.

    >>> from stratagem.machines.trees.maze import maze
    >>> counted = collapse(maze({"a": "bc", "b": "d", "c": "d", "d": "e"}, start="a", goal="e"))
    >>> [level.tree_nodes for level in counted.levels], [level.states for level in counted.levels]
    ([1, 2, 2, 2], [1, 2, 1, 1])
    """
    not_negative("depth", depth, whole=True)
    tally = Tally(limit, progress)
    space = _Space(game, tally)
    seen: set[StateT] = set()
    seen_classes: set[Hashable] = set()
    ways: Counter[StateT] = Counter({game.initial() if start is None else start: 1})
    levels: list[Level] = []
    endless: bool | None = None
    for now in count():
        fresh = ways.keys() - seen
        seen |= fresh
        if canonical is None:
            classes = new_classes = None
        else:
            here = {canonical(state) for state in ways}
            classes, new_classes = len(here), len(here - seen_classes)
            seen_classes |= here
        matches = sum(number for state, number in ways.items() if game.terminal(state))
        levels.append(Level(now, ways.total(), len(ways), len(fresh), classes, new_classes, matches))
        if not fresh and endless is None:
            endless = space.has_circle()
        if now == depth or (endless and depth is None):
            break
        try:
            ways = space.next_level(ways, now)
        except LimitReached:
            break
        if not ways:
            return Collapse(tuple(levels), complete=True, endless=False)
    ended = all(game.terminal(state) for state in ways)
    return Collapse(tuple(levels), ended and not endless, endless=bool(endless), stopped=tally.stopped)


class _Space(Generic[StateT]):
    """The states met so far with their children, each made only once."""

    def __init__(self, game: Game[StateT], tally: Tally) -> None:
        self._game = game
        self._tally = tally
        self._children: dict[StateT, Counter[StateT]] = {}

    def next_level(self, ways: Counter[StateT], depth: int) -> Counter[StateT]:
        """The number of ways to each state one move on."""
        below: Counter[StateT] = Counter()
        for state, number in ways.items():
            if state not in self._children:
                self._tally.visit(depth)
                self._children[state] = Counter(self._successors(state))
            for child, moves in self._children[state].items():
                below[child] += number * moves
        return below

    def has_circle(self) -> bool:
        """Whether play can come back to a state: whether some are left when those without a way in are removed."""
        ways_in: Counter[StateT] = Counter()
        for children in self._children.values():
            ways_in.update(children.keys())
        free = [state for state in self._children if not ways_in[state]]
        removed = 0
        while free:
            removed += 1
            for child in self._children.get(free.pop(), ()):
                ways_in[child] -= 1
                if not ways_in[child] and child in self._children:
                    free.append(child)
        return removed < len(self._children)

    def _successors(self, state: StateT) -> Iterator[StateT]:
        """The states after every joint move, one for each: equal ones as often as they come."""
        if not self._game.terminal(state):
            for joint in product(*(self._game.legals(state, role) for role in self._game.roles)):
                yield self._game.next(state, joint)

"""A growing state space: matches, nodes and the fringe, for a player who has only so much time.

The lecture's structures under the lecture's names. A `Match` holds a root and a fringe of nodes to be expanded;
`expand` plays all moves of a node, `incexpand1` and `incexpand2` do so for a number of nodes or for a time, and
`bestmove` chooses by what is known then. Where the lecture's text goes astray, this is right instead:

- With state collapse (*hasher*), a move to a known state keeps its edge. Dropped, as printed, it takes the
  solutions with it: Buttons and Lights then looks unsolvable. The hasher maps a state to its node, the root's too.
- What is not known yet is an interval. A node has a *low*, which some known end secures, and a *high*, which is 100
  as long as some node below is unexpanded; one unknown child does not hide another's known 90.
- In a graph with circles every move may lead to the goal, if only by way of all the others. Of moves with equal
  prospects `bestmove` takes the one with the nearest end (or hope), or it might walk round for ever.
- ``clock - 5`` is no time at all for a clock of five seconds. The clock is monotonic, the margin is measured, not
  guessed, and one node is always expanded.

Cost: one pass over the nodes and edges for the scores of all nodes, kept until the next expansion.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from math import inf
from typing import Generic

from stratagem.game import Game, Move, Role, StateT
from stratagem.search.framework.puzzle import Puzzle
from stratagem.trace.events import Duplicate, Expand, Goal, Leaf, Trace

LOWEST: float = 0
HIGHEST: float = 100
LONGEST_MARGIN = 5.0  # seconds: the printed margin, which is right where the clock is long
SHARE = 0.1  # of the clock, where it is not
FORGETTING = 0.99  # per expansion: one that was held up by something else should not shorten the whole search
FIRST_TRIAL = 1000  # nodes


@dataclass(frozen=True, slots=True)
class Bounds:
    """What is known of a node: it is worth at least *low* and at most *high*.

    *distance* is how many moves away the nearest end worth *low* is or, where nothing better than 0 is sure, the
    nearest unexpanded node; infinite where there is none.
    """

    low: float = LOWEST
    high: float = HIGHEST
    distance: float = inf

    @property
    def prospect(self) -> tuple[float, float, float]:
        """What `bestmove` maximises: what is sure, then what is possible, then how soon."""
        return self.low, self.high, -self.distance


@dataclass(slots=True, eq=False)
class Node(Generic[StateT]):
    """A position that the search has come to, in a tree or, with state collapse, in the graph of states."""

    match: Match[StateT] = field(repr=False)
    data: StateT
    theory: Game[StateT] = field(repr=False)
    parent: Node[StateT] | None = field(repr=False)
    """The node from which this one was first reached."""
    alist: list[tuple[Move, Node[StateT]]] | None = field(default=None, repr=False)
    """Every move with the node it leads to; None until the node is expanded."""
    score: float | None = None
    """What an end is worth; None for a node that is not an end."""
    number: int = 0
    depth: int = 0


class Match(Generic[StateT]):
    """One game being played: who we are, by which rules, how long we may think, and what we have found.

    *hasher* maps a state to its node; it is None where states are not collapsed and the tree is searched as a
    tree. *fringe* holds the nodes to be expanded, the root to begin with.

    >>> from stratagem.machines.trees.maze import maze
    >>> match = Match(maze({"a": "bc", "b": "a", "c": "bd"}, start="a", goal="d"))
    >>> incexpand1(match, count=2), bestmove(match.root)  # a and b are expanded: c is still a hope
    (2, 1)
    >>> incexpand1(match, count=9), maxscore(match.root)  # c too, and that was all
    (1, Bounds(low=100, high=100, distance=2))
    """

    def __init__(
        self,
        theory: Game[StateT],
        role: Role | None = None,
        *,
        startclock: float = 30,
        playclock: float = 30,
        collapse: bool = True,
        trace: Trace | None = None,
    ) -> None:
        self.puzzle = Puzzle(theory, role=role)
        self.role = self.puzzle.role
        self.roles = tuple(theory.roles)
        self.theory = theory
        self.startclock = startclock
        self.playclock = playclock
        self.trace = trace
        self.size = 0
        self.hasher: dict[StateT, Node[StateT]] | None = {} if collapse else None
        self.scores: Mapping[Node[StateT], Bounds] | None = (
            None  # None: not asked for since the last expansion
        )
        self.root = create_node(self, theory.initial(), None)
        self.fringe = deque([self.root])


# -- basic subroutines -------------------------------------------------------------------------------------


def legals(role: Role, node: Node[StateT]) -> tuple[Move, ...]:
    """What *role* may do in *node*."""
    return tuple(node.theory.legals(node.data, role))


def simulate(node: Node[StateT], moves: Mapping[Role, Move]) -> StateT:
    """The position after *moves*: our own, or those of all roles; the others' only moves are filled in."""
    if len(moves) == len(node.match.roles):
        return node.theory.next(node.data, moves)
    return node.match.puzzle.step(node.data, moves[node.match.role])


def terminal(node: Node[StateT]) -> bool:
    """Whether the match is over in *node*."""
    return node.theory.terminal(node.data)


def goal(role: Role, node: Node[StateT]) -> float:
    """What *node* is worth to *role*; 0 where the rules do not say."""
    worth = node.theory.goal(node.data, role)
    return LOWEST if worth is None else worth


# -- expansion ---------------------------------------------------------------------------------------------


def create_node(match: Match[StateT], data: StateT, parent: Node[StateT] | None) -> Node[StateT]:
    """A new node of *match*, scored where it is an end, and known to the hasher."""
    node = Node(match, data, match.theory, parent, number=match.size, depth=parent.depth + 1 if parent else 0)
    match.size += 1
    if terminal(node):
        node.score = goal(match.role, node)
        if match.trace is not None:
            kind = Goal if node.score >= HIGHEST else Leaf
            match.trace(kind(node.number, node.score))
    if match.hasher is not None:
        match.hasher[data] = node
    return node


def expand(node: Node[StateT]) -> list[Node[StateT]]:
    """Plays every move of *node*: fills its alist, and returns the nodes that are new."""
    match = node.match
    alist: list[tuple[Move, Node[StateT]]] = []
    new: list[Node[StateT]] = []
    if match.trace is not None:
        match.trace(Expand(node.number, node.depth))
    for action in legals(match.role, node):
        data = simulate(node, {match.role: action})
        child = match.hasher.get(data) if match.hasher is not None else None
        if child is None:
            child = create_node(match, data, node)
            new.append(child)
        elif match.trace is not None:
            match.trace(Duplicate(child.number, node.number, str(action)))
        alist.append((action, child))  # whether the state is new or not: the edge is how one gets there
    node.alist = alist
    match.scores = None
    return new


def expand_next(match: Match[StateT]) -> bool:
    """Expands the first node of the fringe that is not an end; whether there was one."""
    while match.fringe:
        node = match.fringe.popleft()
        if node.score is None and node.alist is None:
            match.fringe.extend(expand(node))
            return True
    return False


def incexpand1(match: Match[StateT], count: int) -> int:
    """Expands *count* nodes, or all there are; returns how many."""
    expanded = 0
    while expanded < count and expand_next(match):
        expanded += 1
    return expanded


def incexpand2(match: Match[StateT], clock: float, *, now: Callable[[], float] = time.monotonic) -> int:
    """Expands nodes for *clock* seconds less a margin, and one in any case; returns how many.

    The margin is a tenth of the clock, 5 seconds at most, for the way of the answer; twice the longest of the recent
    expansions; and the time in which `bestmove` will score all nodes, tried out whenever there are four times as many.
    """
    begun = now()
    end = begun + clock - min(LONGEST_MARGIN, clock * SHARE)
    longest = scoring = 0.0
    trial = FIRST_TRIAL
    expanded = 0
    while expand_next(match):
        expanded += 1
        done = now()
        longest = max(longest * FORGETTING, done - begun)
        if match.size >= trial:
            maxscore(match.root)
            trial = 4 * match.size
            scoring, done = (now() - done) / match.size, now()
        if done + 2 * longest + 1.5 * scoring * match.size >= end:
            break
        begun = done
    return expanded


# -- evaluation --------------------------------------------------------------------------------------------


def bestmove(node: Node[StateT]) -> Move | None:
    """The move with the best prospect by what is known now, the first of equals; None at an end."""
    if node.alist is None:
        return None if node.score is not None else next(iter(legals(node.match.role, node)), None)
    return max(node.alist, key=lambda choice: maxscore(choice[1]).prospect, default=(None, node))[0]


def maxscore(node: Node[StateT]) -> Bounds:
    """What *node* is worth to a player who plays it best, as far as is known now."""
    match = node.match
    if match.scores is None:
        match.scores = _scores(match.root)
    return match.scores[node]


def _scores(root: Node[StateT]) -> dict[Node[StateT], Bounds]:
    """The bounds of everything below *root*, backed up from the ends against the direction of the moves.

    Going backward is what makes circles harmless: a node is worth the best end that can be reached from it, and is
    unknown as long as an unexpanded node can be.
    """
    before = _predecessors(root)
    low: dict[Node[StateT], tuple[float, float]] = {}
    ends = sorted((node for node in before if node.score is not None), key=_score, reverse=True)
    for score, equals in groupby(ends, key=_score):
        for node, distance in _spread(equals, before, known=low):
            low[node] = score, distance
    unexpanded = (node for node in before if node.score is None and node.alist is None)
    hope = dict(_spread(unexpanded, before, known=()))
    scores: dict[Node[StateT], Bounds] = {}
    for node in before:
        sure, end = low.get(node, (LOWEST, inf))  # play that never ends is worth nothing
        high = HIGHEST if node in hope else sure
        scores[node] = Bounds(sure, high, end if sure > LOWEST else hope.get(node, inf))
    return scores


def _score(node: Node[StateT]) -> float:
    return LOWEST if node.score is None else node.score


def _predecessors(root: Node[StateT]) -> dict[Node[StateT], list[Node[StateT]]]:
    """Every node that can be reached from *root*, with the nodes that lead to it."""
    before: dict[Node[StateT], list[Node[StateT]]] = {root: []}
    waiting = [root]
    while waiting:
        node = waiting.pop()
        for _, child in node.alist or ():
            if child not in before:
                before[child] = []
                waiting.append(child)
            before[child].append(node)
    return before


def _spread(
    sources: Iterable[Node[StateT]],
    before: Mapping[Node[StateT], list[Node[StateT]]],
    *,
    known: Container[Node[StateT]],
) -> Iterable[tuple[Node[StateT], int]]:
    """The nodes, none of them *known*, from which one of *sources* can be reached, nearest first."""
    reached: dict[Node[StateT], int] = dict.fromkeys(sources, 0)
    waiting = deque(reached)
    while waiting:
        node = waiting.popleft()
        for earlier in before[node]:
            if earlier not in reached and earlier not in known:
                reached[earlier] = reached[node] + 1
                waiting.append(earlier)
    return reached.items()

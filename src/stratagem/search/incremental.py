"""Incremental expansion of a state space under a clock: the lecture's match, nodes and fringe.

The functions have the lecture's names. An `IncrementalMatch` holds a root and a fringe of nodes to be expanded; `expand`
plays all moves of a node, `incexpand1` and `incexpand2` do so for a number of nodes or for a time, and `bestmove` chooses by
what is known then. Where the lecture's text is wrong, this is corrected:

- With state collapse (*hasher*), a move to a known state keeps its edge. Dropped, as printed, solutions are lost: Buttons and
  Lights then seems unsolvable. The hasher maps a state to its node, the root's too.
- What is not known yet is an interval. A node has a *low*, which some known terminal state guarantees, and a *high*, which is
  100 as long as some node below is unexpanded; one unknown child does not hide another's known 90.
- In a graph with cycles every move may lead to the goal by way of the others. Of moves with equal bounds `bestmove` takes the
  one with the nearest terminal (or unexpanded) node; otherwise it might follow a cycle for ever.
- ``clock - 5`` leaves no time for a clock of five seconds. The clock is monotonic, the margin is measured, and one node is
  always expanded.

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
class ScoreBounds:
    """The bounds of a node's value: at least *low* and at most *high*.

    *distance* is how many moves away the nearest terminal node worth *low* is or, where nothing better than 0 is guaranteed,
    the nearest unexpanded node; infinite where there is none.
    """

    low: float = LOWEST
    high: float = HIGHEST
    distance: float = inf

    @property
    def prospect(self) -> tuple[float, float, float]:
        """What `bestmove` maximises: the lower bound, then the upper bound, then the nearness."""
        return self.low, self.high, -self.distance


@dataclass(slots=True, eq=False)
class IncrementalNode(Generic[StateT]):
    """A node of the tree or, with state collapse, of the graph of states."""

    match: IncrementalMatch[StateT] = field(repr=False)
    data: StateT
    theory: Game[StateT] = field(repr=False)
    parent: IncrementalNode[StateT] | None = field(repr=False)
    """The node from which this one was first reached."""
    alist: list[tuple[Move, IncrementalNode[StateT]]] | None = field(default=None, repr=False)
    """Every move with the node it leads to; None until the node is expanded."""
    score: float | None = None
    """The value of a terminal node; None for any other."""
    number: int = 0
    depth: int = 0


class IncrementalMatch(Generic[StateT]):
    """One match: the role, the rules, the clocks, and the part of the state space expanded so far.

    *hasher* maps a state to its node; it is None where states are not collapsed. *fringe* holds the nodes to be expanded, at
    first the root.

    >>> from stratagem.machines.trees.graph import maze
    >>> match = IncrementalMatch(maze({"a": "bc", "b": "a", "c": "bd"}, start="a", goal="d"))
    >>> incexpand1(match, count=2), bestmove(match.root)  # a and b are expanded, c is not
    (2, 1)
    >>> incexpand1(match, count=9), maxscore(match.root)  # c too, and no more are left
    (1, ScoreBounds(low=100, high=100, distance=2))
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
        self.hasher: dict[StateT, IncrementalNode[StateT]] | None = {} if collapse else None
        self.scores: Mapping[IncrementalNode[StateT], ScoreBounds] | None = (
            None  # None: not asked for since the last expansion
        )
        self.root = create_node(self, theory.initial(), None)
        self.fringe = deque([self.root])


# -- basic subroutines -------------------------------------------------------------------------------------


def legals(role: Role, node: IncrementalNode[StateT]) -> tuple[Move, ...]:
    """The legal moves of *role* in *node*."""
    return tuple(node.theory.legals(node.data, role))


def simulate(node: IncrementalNode[StateT], moves: Mapping[Role, Move]) -> StateT:
    """The position after *moves*: our own, or those of all roles; the others' only moves are filled in."""
    if len(moves) == len(node.match.roles):
        return node.theory.next(node.data, moves)
    return node.match.puzzle.step(node.data, moves[node.match.role])


def terminal(node: IncrementalNode[StateT]) -> bool:
    """Whether the match is over in *node*."""
    return node.theory.terminal(node.data)


def goal(role: Role, node: IncrementalNode[StateT]) -> float:
    """The goal value of *node* for *role*; 0 where the rules give none."""
    worth = node.theory.goal(node.data, role)
    return LOWEST if worth is None else worth


# -- expansion ---------------------------------------------------------------------------------------------


def create_node(
    match: IncrementalMatch[StateT], data: StateT, parent: IncrementalNode[StateT] | None
) -> IncrementalNode[StateT]:
    """A new node of *match*, with a score if it is terminal, entered in the hasher."""
    node = IncrementalNode(
        match, data, match.theory, parent, number=match.size, depth=parent.depth + 1 if parent else 0
    )
    match.size += 1
    if terminal(node):
        node.score = goal(match.role, node)
        if match.trace is not None:
            kind = Goal if node.score >= HIGHEST else Leaf
            match.trace(kind(node.number, node.score))
    if match.hasher is not None:
        match.hasher[data] = node
    return node


def expand(node: IncrementalNode[StateT]) -> list[IncrementalNode[StateT]]:
    """Plays every move of *node*: fills its alist, and returns the nodes that are new."""
    match = node.match
    alist: list[tuple[Move, IncrementalNode[StateT]]] = []
    new: list[IncrementalNode[StateT]] = []
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
        alist.append((action, child))  # the edge is kept whether the state is new or not
    node.alist = alist
    match.scores = None
    return new


def expand_next(match: IncrementalMatch[StateT]) -> bool:
    """Expands the first node of the fringe that is not terminal; whether there was one."""
    while match.fringe:
        node = match.fringe.popleft()
        if node.score is None and node.alist is None:
            match.fringe.extend(expand(node))
            return True
    return False


def incexpand1(match: IncrementalMatch[StateT], count: int) -> int:
    """Expands *count* nodes, or all there are; returns how many."""
    expanded = 0
    while expanded < count and expand_next(match):
        expanded += 1
    return expanded


def incexpand2(
    match: IncrementalMatch[StateT], clock: float, *, now: Callable[[], float] = time.monotonic
) -> int:
    """Expands nodes for *clock* seconds less a margin, and one in any case; returns how many.

    The margin is a tenth of the clock, at most 5 seconds, for the transmission of the answer; twice the longest of the recent
    expansions; and the time in which `bestmove` scores all nodes, measured whenever their number has quadrupled.
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


def bestmove(node: IncrementalNode[StateT]) -> Move | None:
    """The move with the best bounds so far, the first of equals; None in a terminal node."""
    if node.alist is None:
        return None if node.score is not None else next(iter(legals(node.match.role, node)), None)
    return max(node.alist, key=lambda choice: maxscore(choice[1]).prospect, default=(None, node))[0]


def maxscore(node: IncrementalNode[StateT]) -> ScoreBounds:
    """The bounds of *node* under best play, as far as it is expanded."""
    match = node.match
    if match.scores is None:
        match.scores = _scores(match.root)
    return match.scores[node]


def _scores(root: IncrementalNode[StateT]) -> dict[IncrementalNode[StateT], ScoreBounds]:
    """The bounds of all nodes below *root*, backed up from the terminal nodes against the direction of the moves.

    Backing up in this direction is correct in graphs with cycles: a node is worth the best terminal node reachable from it,
    and is unknown as long as an unexpanded node is reachable.
    """
    before = _predecessors(root)
    low: dict[IncrementalNode[StateT], tuple[float, float]] = {}
    terminals = sorted((node for node in before if node.score is not None), key=_score, reverse=True)
    for score, equals in groupby(terminals, key=_score):
        for node, distance in _spread(equals, before, known=low):
            low[node] = score, distance
    unexpanded = (node for node in before if node.score is None and node.alist is None)
    nearest = dict(_spread(unexpanded, before, known=()))
    scores: dict[IncrementalNode[StateT], ScoreBounds] = {}
    for node in before:
        sure, end = low.get(node, (LOWEST, inf))  # infinite play is worth 0
        high = HIGHEST if node in nearest else sure
        scores[node] = ScoreBounds(sure, high, end if sure > LOWEST else nearest.get(node, inf))
    return scores


def _score(node: IncrementalNode[StateT]) -> float:
    return LOWEST if node.score is None else node.score


def _predecessors(
    root: IncrementalNode[StateT],
) -> dict[IncrementalNode[StateT], list[IncrementalNode[StateT]]]:
    """Every node that can be reached from *root*, with the nodes that lead to it."""
    before: dict[IncrementalNode[StateT], list[IncrementalNode[StateT]]] = {root: []}
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
    sources: Iterable[IncrementalNode[StateT]],
    before: Mapping[IncrementalNode[StateT], list[IncrementalNode[StateT]]],
    *,
    known: Container[IncrementalNode[StateT]],
) -> Iterable[tuple[IncrementalNode[StateT], int]]:
    """The nodes, none of them *known*, from which one of *sources* can be reached, nearest first."""
    reached: dict[IncrementalNode[StateT], int] = dict.fromkeys(sources, 0)
    waiting = deque(reached)
    while waiting:
        node = waiting.popleft()
        for earlier in before[node]:
            if earlier not in reached and earlier not in known:
                reached[earlier] = reached[node] + 1
                waiting.append(earlier)
    return reached.items()

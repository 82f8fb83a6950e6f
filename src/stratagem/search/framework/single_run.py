"""One run of a search for a single player: its counts, its limit, its trace and its result.

A `PathNode` is a state together with the path by which it was reached. A `SingleRun` counts visits, keeps the limit, sends
events, and remembers the best terminal state seen. What is left in each algorithm's own file is the order in which it
visits nodes, and which of them it discards.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from math import inf
from typing import Generic, TypeAlias

from stratagem.errors import UnsuitableGame
from stratagem.game import Game, Move, StateT, first_state
from stratagem.limit import DEPTH, UNLIMITED, Limit
from stratagem.result import Interval, Result
from stratagem.search.framework.options import Evaluation
from stratagem.search.framework.puzzle import BEST, Puzzle
from stratagem.search.framework.tally import LimitReached, Progress, SearchTally
from stratagem.search.framework.tracer import text
from stratagem.trace.events import (
    Begin,
    Duplicate,
    Expand,
    Finish,
    Goal,
    Leaf,
    Pass,
    Pop,
    Push,
    Trace,
)

Problem: TypeAlias = Game[StateT] | Puzzle[StateT]
"""What a search for a single player searches: a game, for its first role, or a puzzle."""


@dataclass(frozen=True, slots=True, eq=False)
class PathNode(Generic[StateT]):
    """*state* and how it was reached: by *move* from *parent*, *depth* moves in all, at *cost*.

    In a search from the goal the directions are reversed: *move* leads from *state* to *parent*.
    """

    state: StateT
    parent: PathNode[StateT] | None = None
    move: Move | None = None
    depth: int = 0
    cost: float = 0

    def moves(self) -> tuple[Move, ...]:
        """The moves of a forward path, from the start to its state."""
        return tuple(reversed(self.moves_onward()))

    def moves_onward(self) -> tuple[Move, ...]:
        """The moves of a backward path, from its state to the goal."""
        moves: list[Move] = []
        node = self
        while node.parent is not None:
            moves.append(node.move)
            node = node.parent
        return tuple(moves)


class SingleRun(Generic[StateT]):
    """One run of *method* on *problem* from *start* (None: its initial state).

    States at the horizon, `Limit.depth` moves deep, are worth what *evaluate* says, where it is given: an estimate, which
    proves nothing.
    """

    def __init__(
        self,
        method: str,
        problem: Problem[StateT],
        start: StateT | None,
        *,
        limit: Limit = UNLIMITED,
        trace: Trace | None = None,
        progress: Progress | None = None,
        evaluate: Evaluation | None = None,
    ) -> None:
        self.method = method
        self.puzzle = Puzzle.of(problem)
        self.start = PathNode(first_state(self.puzzle.game, start))
        self.depth = limit.depth
        self.tally = SearchTally(limit, progress)
        self.trace = trace
        self.cut_short = False
        """Whether the depth limit, in this round, kept something from being visited."""
        self._evaluate = evaluate
        self._best: PathNode[StateT] | None = None
        self._best_value = -inf
        self._best_at_horizon: PathNode[StateT] | None = None
        self._best_estimate = -inf
        self._leaves: set[StateT] = set()
        self._numbers: dict[StateT, int] = {}
        if self.trace is not None:
            self.trace(Begin(method, (self.puzzle.role,)))
            self.number(self.start.state)

    # -- what the algorithms call --------------------------------------------------------------------------

    def visit(self, node: PathNode[StateT]) -> None:
        """Counts a visit, or raises `LimitReached`."""
        self.tally.visit(node.depth)

    def is_goal(self, node: PathNode[StateT]) -> bool:
        """Visits *node*: whether its state is a goal. Remembers the best terminal state seen."""
        self.visit(node)
        value = self.puzzle.value(node.state)
        if value is None:
            return False
        self.tally.evaluations += 1
        self._leaves.add(node.state)
        if value > self._best_value:
            self._best, self._best_value = node, value
        reached = value >= self.puzzle.threshold
        if self.trace is not None:
            number = self.number(node.state)
            self.trace(Goal(number, value, node.cost) if reached else Leaf(number, value))
        return reached

    def children(self, node: PathNode[StateT]) -> Iterator[PathNode[StateT]]:
        """The nodes one move on from *node*; none in a terminal state or at the depth limit."""
        if node.depth == self.depth:
            if not self.puzzle.terminal(node.state):
                self._stop_at_horizon(node)
            return
        depth, cost = node.depth + 1, node.cost
        for number, (move, state, price) in enumerate(self.puzzle.successors(node.state)):
            if number == 0:
                self._expanded(node, "forward")
            yield PathNode(state, node, move, depth, cost + price)

    def parents(self, node: PathNode[StateT]) -> Iterator[PathNode[StateT]]:
        """The nodes one move earlier than *node* of a backward path."""
        if node.depth == self.depth:
            self.cut_short = True
            return
        self._expanded(node, "backward")
        for move, state in self.puzzle.predecessors(node.state):
            yield PathNode(state, node, move, node.depth + 1, node.cost + self.puzzle.cost(state, move))

    def duplicate(self, node: PathNode[StateT], *, better: bool = False) -> None:
        """Records that the state of *node* is known already, *better* where the new path is cheaper."""
        self.tally.duplicates += 1
        if self.trace is not None and node.parent is not None:
            parent = self.number(node.parent.state)
            self.trace(Duplicate(self.number(node.state), parent, text(node.move), better))

    def begin_round(self, bound: float) -> None:
        """Records that one more round begins, down to *bound*: a depth, or a cost."""
        self.tally.passes += 1
        self.cut_short = False
        self._best_at_horizon, self._best_estimate = None, -inf
        if self.trace is not None:
            self.trace(Pass(self.tally.passes, limit=bound))

    def pushed(self, node: PathNode[StateT], priority: float, size: int) -> None:
        """Records that *node* went into a fringe that now holds *size*."""
        self.tally.holds(size)
        if self.trace is not None:
            parent = None if node.parent is None else self.number(node.parent.state)
            self.trace(Push(self.number(node.state), priority, size, parent=parent, move=text(node.move)))

    def popped(self, node: PathNode[StateT], priority: float, size: int) -> None:
        """Records that *node* was taken from a fringe that now holds *size*."""
        self.tally.pops += 1
        if self.trace is not None:
            self.trace(Pop(self.number(node.state), priority, size))

    def key(self, node: PathNode[StateT]) -> Hashable:
        """Equal for nodes of which one may replace the other: those of one state and, with a depth limit, one depth."""
        return node.state if self.depth is None else (node.state, node.depth)

    def number(self, state: StateT) -> int:
        """The number of *state* in events, in the order of first sight."""
        return self._numbers.setdefault(state, len(self._numbers))

    def replay(self, moves: tuple[Move, ...]) -> PathNode[StateT]:
        """The node reached from the start by *moves*, which must be legal and lead to a goal."""
        node = self.start
        for move in moves:
            if move not in self.puzzle.moves(node.state):
                raise UnsuitableGame(f"the game's predecessors name the move {move} where it is not legal")
            cost = node.cost + self.puzzle.cost(node.state, move)
            node = PathNode(self.puzzle.step(node.state, move), node, move, node.depth + 1, cost)
        value = self.puzzle.value(node.state)
        if value is None or value < self.puzzle.threshold:
            raise UnsuitableGame("the game's predecessors name a path to a goal that does not lead to one")
        if self.trace is not None:
            self.trace(Goal(self.number(node.state), value, node.cost))
        return node

    def result(self, search: Callable[[], PathNode[StateT] | None]) -> Result:
        """Runs *search* within the limit; the result says what it found, or what it saw until it had to stop."""
        try:
            found = search()
            complete = found is not None or not self.cut_short
        except LimitReached:
            found, complete = None, False
        result = self._result(found, complete)
        if self.trace is not None:
            self.trace(Finish(result.value, text(result.best_move), result.complete))
        return result

    # -- what they need not know ---------------------------------------------------------------------------

    def _stop_at_horizon(self, node: PathNode[StateT]) -> None:
        self.cut_short = True
        if self._evaluate is None:
            return
        value = self._evaluate(node.state)
        self.tally.evaluations += 1
        self._leaves.add(node.state)
        if value > self._best_estimate:
            self._best_at_horizon, self._best_estimate = node, value
        if self.trace is not None:
            self.trace(Leaf(self.number(node.state), value, terminal=False))

    def _expanded(self, node: PathNode[StateT], side: str) -> None:
        self.tally.expanded += 1
        if self.trace is not None:
            self.trace(Expand(self.number(node.state), node.depth, node.cost, side))

    def _result(self, found: PathNode[StateT] | None, complete: bool) -> Result:
        best, value = self._best, None if self._best is None else self._best_value
        if found is not None:
            best, value = found, self.puzzle.value(found.state)
        interval = _proved(value, everything_seen=complete and found is None)
        if found is None and self._best_at_horizon is not None and self._best_estimate > self._best_value:
            best, value = self._best_at_horizon, self._best_estimate
        line = () if best is None else best.moves()
        move = line[0] if line else next(iter(self.puzzle.moves(self.start.state)), None)
        role = self.puzzle.role
        self.tally.leaves = len(self._leaves)
        return Result(
            self.method,
            values={role: interval},
            estimates={} if value is None else {role: value},
            best={} if move is None else {role: move},
            line=self.puzzle.joint_moves(self.start.state, line),
            proved=interval.exact,
            distance=len(line) if interval.exact else None,
            counters=self.tally.counters(),
            stopped=None if complete else self.tally.stopped or DEPTH,
            principal_variation=line,
            best_moves=line[:1] if interval.exact else (),
            cost=None if found is None else found.cost,
        )


def _proved(value: float | None, *, everything_seen: bool) -> Interval:
    """The bounds of the start's value where the best terminal state known is worth *value*."""
    if value is None:
        return Interval(-inf, inf if everything_seen else BEST)
    return Interval(value, value if everything_seen else max(BEST, value))

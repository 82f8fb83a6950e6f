"""A search for a goal in progress: what all searches for a single player do alike, so that they need not say it.

A `Way` is how a state was reached; a `Quest` counts, keeps the limit, tells the trace, and
remembers the best end seen. What is left in each algorithm's own file is the order in which it looks at ways,
and which of them it forgets.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from math import inf
from typing import Generic, TypeAlias

from stratagem.errors import UnsuitableGame
from stratagem.game import Game, Move, StateT
from stratagem.limit import DEPTH, Limit, not_negative
from stratagem.result import Interval, Result
from stratagem.search.framework.puzzle import BEST, Puzzle
from stratagem.search.framework.tally import LimitReached, Progress, Tally
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

Evaluation: TypeAlias = Callable[[StateT], float]
"""What a state that is not an end seems to be worth, 0..100."""


@dataclass(frozen=True, slots=True, eq=False)
class Way(Generic[StateT]):
    """How *state* was reached: by *move* from *parent*, *depth* moves in all, at *cost*.

    In a search from the goal everything is the other way round: *move* leads from *state* to *parent*.
    """

    state: StateT
    parent: Way[StateT] | None = None
    move: Move | None = None
    depth: int = 0
    cost: float = 0

    def moves(self) -> tuple[Move, ...]:
        """The moves of a forward way, from the start to its state."""
        return tuple(reversed(self.moves_onward()))

    def moves_onward(self) -> tuple[Move, ...]:
        """The moves of a backward way, from its state to the goal."""
        moves: list[Move] = []
        way = self
        while way.parent is not None:
            moves.append(way.move)
            way = way.parent
        return tuple(moves)


class Quest(Generic[StateT]):
    """One run of *method* on *problem* from *start* (None: its initial state), at most *depth* moves deep.

    What lies at that horizon is worth what *evaluate* thinks, where it is given: a guess, and it proves nothing.
    """

    def __init__(
        self,
        method: str,
        problem: Game[StateT] | Puzzle[StateT],
        start: StateT | None,
        *,
        depth: int | None,
        limit: Limit,
        trace: Trace | None,
        progress: Progress | None = None,
        evaluate: Evaluation[StateT] | None = None,
    ) -> None:
        not_negative("depth", depth, whole=True)
        self.method = method
        self.puzzle = Puzzle.of(problem)
        self.start = Way(self.puzzle.initial() if start is None else start)
        self.depth = depth
        self.tally = Tally(limit, progress)
        self.trace = trace
        self.cut_short = False
        """Whether the depth limit, in this round, kept something from being looked at."""
        self._evaluate = evaluate
        self._best: Way[StateT] | None = None
        self._best_value = -inf
        self._hope: Way[StateT] | None = None
        self._hope_value = -inf
        self._ends: set[StateT] = set()
        self._numbers: dict[StateT, int] = {}
        if trace is not None:
            trace(Begin(method, (self.puzzle.role,)))
            self.number(self.start.state)

    # -- what the algorithms call --------------------------------------------------------------------------

    def visit(self, way: Way[StateT]) -> None:
        """Counts a visit, or ends the search where a limit is reached."""
        self.tally.visit(way.depth)

    def is_goal(self, way: Way[StateT]) -> bool:
        """Visits *way*: whether its state is a goal. Remembers the best end seen."""
        self.visit(way)
        value = self.puzzle.value(way.state)
        if value is None:
            return False
        self.tally.evaluations += 1
        self._ends.add(way.state)
        if value > self._best_value:
            self._best, self._best_value = way, value
        reached = value >= self.puzzle.threshold
        if self.trace is not None:
            number = self.number(way.state)
            self.trace(Goal(number, value, way.cost) if reached else Leaf(number, value))
        return reached

    def children(self, way: Way[StateT]) -> Iterator[Way[StateT]]:
        """The ways that go one move on from *way*; none at an end or at the depth limit."""
        if way.depth == self.depth:
            if not self.puzzle.terminal(way.state):
                self._stop_at_horizon(way)
            return
        depth, cost = way.depth + 1, way.cost
        for number, (move, state, price) in enumerate(self.puzzle.successors(way.state)):
            if number == 0:
                self._expands(way, "forward")
            yield Way(state, way, move, depth, cost + price)

    def parents(self, way: Way[StateT]) -> Iterator[Way[StateT]]:
        """The ways that start one move earlier than the backward *way*."""
        if way.depth == self.depth:
            self.cut_short = True
            return
        self._expands(way, "backward")
        for move, state in self.puzzle.predecessors(way.state):
            yield Way(state, way, move, way.depth + 1, way.cost + self.puzzle.cost(state, move))

    def duplicate(self, way: Way[StateT], *, better: bool = False) -> None:
        """Notes that *way* leads to a state known already, *better* where it is the cheaper way there."""
        self.tally.duplicates += 1
        if self.trace is not None and way.parent is not None:
            parent = self.number(way.parent.state)
            self.trace(Duplicate(self.number(way.state), parent, text(way.move), better))

    def begin_round(self, limit: float) -> None:
        """Notes that one more round begins, down to *limit*: a depth, or a cost."""
        self.tally.passes += 1
        self.cut_short = False
        self._hope, self._hope_value = None, -inf
        if self.trace is not None:
            self.trace(Pass(self.tally.passes, limit=limit))

    def put(self, way: Way[StateT], priority: float, size: int) -> None:
        """Notes that *way* went into a fringe that now holds *size*."""
        self.tally.holds(size)
        if self.trace is not None:
            parent = None if way.parent is None else self.number(way.parent.state)
            self.trace(Push(self.number(way.state), priority, size, parent=parent, move=text(way.move)))

    def taken(self, way: Way[StateT], priority: float, size: int) -> None:
        """Notes that *way* was taken out of a fringe that now holds *size*."""
        self.tally.pops += 1
        if self.trace is not None:
            self.trace(Pop(self.number(way.state), priority, size))

    def key(self, way: Way[StateT]) -> Hashable:
        """What tells ways apart that may replace each other: those to one state, unless depth is short."""
        return way.state if self.depth is None else (way.state, way.depth)

    def number(self, state: StateT) -> int:
        """The number by which the trace calls *state*, given at first sight."""
        return self._numbers.setdefault(state, len(self._numbers))

    def replay(self, moves: tuple[Move, ...]) -> Way[StateT]:
        """The forward way from the start by *moves*, which must be legal and lead to a goal."""
        way = self.start
        for move in moves:
            if move not in self.puzzle.moves(way.state):
                raise UnsuitableGame(f"the game's predecessors promise the move {move} where it is not legal")
            cost = way.cost + self.puzzle.cost(way.state, move)
            way = Way(self.puzzle.step(way.state, move), way, move, way.depth + 1, cost)
        value = self.puzzle.value(way.state)
        if value is None or value < self.puzzle.threshold:
            raise UnsuitableGame("the game's predecessors promise a way to a goal that does not end in one")
        if self.trace is not None:
            self.trace(Goal(self.number(way.state), value, way.cost))
        return way

    def result(self, search: Callable[[], Way[StateT] | None]) -> Result:
        """Runs *search* within the limit; the result says what it found, or what it saw until it had to stop."""
        try:
            found = search()
            complete = found is not None or not self.cut_short
        except LimitReached:
            found, complete = None, False
        result = self._describe(found, complete)
        if self.trace is not None:
            self.trace(Finish(result.value, text(result.best_move), result.complete))
        return result

    # -- what they need not know ---------------------------------------------------------------------------

    def _stop_at_horizon(self, way: Way[StateT]) -> None:
        self.cut_short = True
        if self._evaluate is None:
            return
        value = self._evaluate(way.state)
        self.tally.evaluations += 1
        self._ends.add(way.state)
        if value > self._hope_value:
            self._hope, self._hope_value = way, value
        if self.trace is not None:
            self.trace(Leaf(self.number(way.state), value, terminal=False))

    def _expands(self, way: Way[StateT], side: str) -> None:
        self.tally.expanded += 1
        if self.trace is not None:
            self.trace(Expand(self.number(way.state), way.depth, way.cost, side))

    def _describe(self, found: Way[StateT] | None, complete: bool) -> Result:
        best, value = self._best, None if self._best is None else self._best_value
        if found is not None:
            best, value = found, self.puzzle.value(found.state)
        interval = _proved(value, everything_seen=complete and found is None)
        if found is None and self._hope is not None and self._hope_value > self._best_value:
            best, value = self._hope, self._hope_value
        line = () if best is None else best.moves()
        move = line[0] if line else next(iter(self.puzzle.moves(self.start.state)), None)
        role = self.puzzle.role
        self.tally.leaves = len(self._ends)
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
    """What is proved of the start once its best end known is worth *value*."""
    if value is None:
        return Interval(-inf, inf if everything_seen else BEST)
    return Interval(value, value if everything_seen else max(BEST, value))


def text(move: Move | None) -> str | None:
    """*move* as the trace writes it."""
    return None if move is None else str(move)

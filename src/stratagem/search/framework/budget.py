"""How long a search may go on: so many nodes, so many seconds, or until it is told to stop.

A `Budget` is a wish, a `Tally` keeps it: it counts what a search does and raises `BudgetSpent` when the wish is
used up. That exception never leaves an algorithm: each catches it and returns what it has so far, with
``complete=False`` and the limit that was reached. The first node is always granted, so that even a budget of nothing
yields a move.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, fields

from stratagem.errors import UsageError

NODES, SECONDS, INTERRUPTED, DEPTH = "nodes", "seconds", "interrupted", "depth"
"""What can stop a search: `Result.stopped` is one of these, or None."""


@dataclass(frozen=True, slots=True)
class Counters:
    """What one search did; every algorithm fills the same fields, and leaves at 0 what it has not got."""

    nodes: int = 0
    """Visits of nodes: a node searched twice counts twice."""
    expanded: int = 0
    """Nodes whose children were made, at least one of them."""
    leaves: int = 0
    """Different leaves evaluated: ends of the game and nodes at the horizon."""
    evaluations: int = 0
    """Evaluations of leaves: more than *leaves* where a search without memory comes back to one."""
    cutoffs: int = 0
    """Nodes left before their last child was looked at, because the rest could not matter."""
    duplicates: int = 0
    """Arrivals at a state (or a table entry) that was known already."""
    pops: int = 0
    """Records taken from OPEN, or from the fringe."""
    peak_open: int = 0
    """The most that OPEN, the fringe, the tree or table in memory, or the stack ever held at once."""
    depth: int = 0
    """The greatest depth visited; the root has depth 0."""
    passes: int = 0
    """Passes of MTD, rounds of iterative deepening."""


@dataclass(frozen=True, slots=True)
class Budget:
    """At most *nodes* visits and at most *seconds* of *clock*; None stands for no limit.

    *stop* is asked before every visit but the first, with the number of visits so far, and ends the search by
    answering True.

    >>> Budget(nodes=1000)
    Budget(nodes=1000, seconds=None)
    """

    nodes: int | None = None
    seconds: float | None = None
    clock: Callable[[], float] = time.monotonic
    stop: Callable[[int], bool] | None = None

    def __post_init__(self) -> None:
        at_least_nothing("number of nodes", self.nodes)
        at_least_nothing("number of seconds", self.seconds)

    def __repr__(self) -> str:
        return f"Budget(nodes={self.nodes}, seconds={self.seconds})"


def at_least_nothing(name: str, number: float | None, *, whole: bool = False) -> None:
    """Refuses a limit below 0, and what is no number, or no *whole* number; None is no limit."""
    if number is None:
        return
    if isinstance(number, bool) or not isinstance(number, int if whole else int | float):
        raise UsageError(f"the {name} must be a {'whole ' if whole else ''}number; got {number!r}")
    if not number >= 0:
        raise UsageError(f"the {name} must be at least 0; got {number}")


UNLIMITED = Budget()


class BudgetSpent(Exception):
    """Raised by `Tally.visit` when the budget is used up; caught by the algorithm that owns the tally."""


class Tally:
    """Counts for one search under one budget; `counters` freezes the counts for the `Result`.

    >>> tally = Tally(Budget(nodes=2))
    >>> tally.visit(depth=0), tally.visit(depth=1), tally.spent()
    (None, None, True)
    """

    __slots__ = (
        *(field.name for field in fields(Counters)),
        "_clock",
        "_deadline",
        "_limit",
        "_stop",
        "stopped",
    )

    def __init__(self, budget: Budget = UNLIMITED) -> None:
        self.nodes = self.expanded = self.leaves = self.evaluations = self.cutoffs = 0
        self.duplicates = self.pops = self.peak_open = self.depth = self.passes = 0
        self.stopped: str | None = None
        """Which limit the search has reached."""
        self._limit = budget.nodes
        self._clock = budget.clock
        self._stop = budget.stop
        self._deadline = None if budget.seconds is None else budget.clock() + budget.seconds

    def spent(self) -> bool:
        """Whether the budget is used up: what a loop asks before it goes on. Never before the first visit."""
        if self.nodes == 0:
            return False
        if self._limit is not None and self.nodes >= self._limit:
            self.stopped = NODES
        elif self._deadline is not None and self._clock() >= self._deadline:
            self.stopped = SECONDS
        elif self._stop is not None and self._stop(self.nodes):
            self.stopped = INTERRUPTED
        return self.stopped is not None

    def visit(self, depth: int) -> None:
        """Counts one visit of a node at *depth*, or raises `BudgetSpent` instead."""
        if self.spent():
            raise BudgetSpent
        self.nodes += 1
        self.depth = max(self.depth, depth)

    def holds(self, size: int) -> None:
        """Notes that OPEN, or whatever the search keeps, holds *size* records now."""
        self.peak_open = max(self.peak_open, size)

    def counters(self) -> Counters:
        """The counts so far, as data."""
        return Counters(**{field.name: getattr(self, field.name) for field in fields(Counters)})

"""How long a search may go on: so many nodes, so many seconds, or both.

A `Budget` is a wish, a `Tally` keeps it: it counts what a search does and raises `BudgetSpent` when the wish is
used up. That exception never leaves an algorithm: each catches it and returns what it has so far, with
``complete=False``. The first node is always granted, so that even a budget of nothing yields a move.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, fields

from stratagem.errors import UsageError


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

    >>> Budget(nodes=1000)
    Budget(nodes=1000, seconds=None)
    """

    nodes: int | None = None
    seconds: float | None = None
    clock: Callable[[], float] = time.monotonic

    def __post_init__(self) -> None:
        for name, limit in (("nodes", self.nodes), ("seconds", self.seconds)):
            if limit is not None and not limit >= 0:
                raise UsageError(f"a budget of {limit} {name} is less than nothing", hint="give 0 or more")

    def __repr__(self) -> str:
        return f"Budget(nodes={self.nodes}, seconds={self.seconds})"


UNLIMITED = Budget()


class BudgetSpent(Exception):
    """Raised by `Tally.visit` when the budget is used up; caught by the algorithm that owns the tally."""


class Tally:
    """Counts for one search under one budget; `counters` freezes the counts for the `Result`.

    >>> tally = Tally(Budget(nodes=2))
    >>> tally.visit(depth=0), tally.visit(depth=1), tally.spent()
    (None, None, True)
    """

    __slots__ = (*(field.name for field in fields(Counters)), "_clock", "_deadline", "_limit")

    def __init__(self, budget: Budget = UNLIMITED) -> None:
        self.nodes = self.expanded = self.leaves = self.evaluations = self.cutoffs = 0
        self.duplicates = self.pops = self.peak_open = self.depth = self.passes = 0
        self._limit = budget.nodes
        self._clock = budget.clock
        self._deadline = None if budget.seconds is None else budget.clock() + budget.seconds

    def spent(self) -> bool:
        """Whether the budget is used up: what a loop asks before it goes on. Never before the first visit."""
        if self.nodes == 0:
            return False
        if self._limit is not None and self.nodes >= self._limit:
            return True
        return self._deadline is not None and self._clock() >= self._deadline

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

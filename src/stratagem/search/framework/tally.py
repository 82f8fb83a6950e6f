"""The counts of one search under one `Limit`.

`SearchTally.visit` raises `LimitReached` instead of counting a visit that the limit does not allow. That exception never
leaves an algorithm: each catches it and returns what it has found so far. The root may always be visited, so that every
search names a move.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from typing import TypeAlias

from stratagem.limit import UNLIMITED, Limit, require_limit
from stratagem.result import Counters

Progress: TypeAlias = Callable[[int], None]
"""Told the number of nodes visited so far, before every visit but the first."""


class LimitReached(Exception):
    """Raised by `SearchTally.visit` where a limit is reached; caught by the algorithm that owns the tally."""


class SearchTally:
    """Counts for one search within *limit*; `counters` freezes the counts for the `Result`.

    >>> tally = SearchTally(Limit(nodes=2))
    >>> tally.visit(depth=0), tally.visit(depth=1), tally.limit_reached()
    (None, None, True)
    """

    __slots__ = (
        *(field.name for field in fields(Counters) if field.name != "seconds"),
        "_limited",
        "_progress",
        "_started",
        "stopped",
    )

    def __init__(self, limit: Limit = UNLIMITED, progress: Progress | None = None) -> None:
        self.nodes = self.expanded = self.leaves = self.evaluations = self.cutoffs = 0
        self.duplicates = self.pops = self.peak_open = self.depth = self.passes = 0
        self.states = self.playouts = self.visits = 0
        self.stopped: str | None = None
        """The limit that the search has reached."""
        require_limit(limit)
        self._started = limit.start()
        self._limited = limit.nodes is not None or limit.seconds is not None or limit.stop is not None
        self._progress = progress

    def limit_reached(self) -> bool:
        """Whether the search has to stop; never before the first visit."""
        if self.nodes == 0:
            return False
        if self._progress is not None:
            self._progress(self.nodes)
        if self._limited:
            self.stopped = self._started.reached(self.nodes)
        return self.stopped is not None

    def visit(self, depth: int) -> None:
        """Counts one visit of a node at *depth*, or raises `LimitReached` instead."""
        if self.limit_reached():
            raise LimitReached
        self.nodes += 1
        self.depth = max(self.depth, depth)

    def holds(self, size: int) -> None:
        """Records that OPEN, or whatever else the search keeps, holds *size* records now."""
        self.peak_open = max(self.peak_open, size)

    def counters(self) -> Counters:
        """The counts so far, as data."""
        counts = {
            field.name: getattr(self, field.name) for field in fields(Counters) if field.name != "seconds"
        }
        return Counters(**counts, seconds=self._started.elapsed)

"""Limits of a search: one `Limit` for every search, solver and player.

A `Limit` is a value and says nothing about when it begins; `Limit.start` begins it. What a search has found when a
limit is reached it returns, with `Result.stopped` naming the limit.

>>> Limit(seconds=2, nodes=1000)
Limit(seconds=2, nodes=1000)
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from math import inf
from typing import Final

from stratagem.errors import UsageError, require_function, require_type

SECONDS, NODES, DEPTH, MEMORY, INTERRUPTED = "seconds", "nodes", "depth", "memory", "interrupted"
"""The limits that can stop a search: `Result.stopped` is one of these, or None."""


@dataclass(frozen=True, slots=True, repr=False)
class Limit:
    """Upper limits: *seconds*, *nodes*, plies of *depth* and bytes of *memory*; None means no limit.

    *stop* is called regularly and stops the search by returning True. A node is a visit of a state, or a simulation of
    MCTS. Every search visits its root, whatever the limits are, so that it can name a move.

    Every search obeys *seconds* and *stop*. A search that does not support a limit of nodes, depth or memory refuses it,
    with a `UsageError` that names the limits it supports.
    """

    seconds: float | None = None
    nodes: int | None = None
    depth: int | None = None
    memory: int | None = None
    stop: Callable[[], bool] | None = None
    clock: Callable[[], float] = field(default=time.monotonic, kw_only=True)
    """What *seconds* are measured by; tests give a virtual clock."""

    def __post_init__(self) -> None:
        not_negative("number of seconds", self.seconds)
        not_negative("number of nodes", self.nodes, whole=True)
        not_negative("depth", self.depth, whole=True)
        not_negative("memory in bytes", self.memory, whole=True)
        require_function(self.stop, "stop")

    def __repr__(self) -> str:
        given = [(each.name, getattr(self, each.name)) for each in fields(self) if each.name != "clock"]
        return f"Limit({', '.join(f'{name}={value!r}' for name, value in given if value is not None)})"

    @property
    def endless(self) -> bool:
        """Whether no limit stops a search of an infinite tree."""
        return self.seconds is None and self.nodes is None and self.depth is None and self.stop is None

    def only(self, *kinds: str, by: str) -> None:
        """Refuses a limit that *by* would not keep: it keeps those of *kinds*."""
        for name in (SECONDS, NODES, DEPTH, MEMORY, "stop"):
            if name not in kinds and getattr(self, name) is not None:
                raise UsageError(
                    f"{by} does not support a limit on {name}",
                    hint=f"it can be limited by {', '.join(kinds)}",
                )

    def start(self) -> Started:
        """This limit, begun now."""
        return Started(self)


class Started:
    """A limit that has begun: the deadline is fixed."""

    __slots__ = ("_clock", "begin", "deadline", "limit")

    def __init__(self, limit: Limit) -> None:
        self.limit = limit
        self._clock = limit.clock
        self.begin = limit.clock()
        self.deadline = inf if limit.seconds is None else self.begin + limit.seconds

    @property
    def elapsed(self) -> float:
        """Seconds since the beginning."""
        return self._clock() - self.begin

    @property
    def left(self) -> float:
        """Seconds to the deadline, never negative; infinite where there is none."""
        return max(0.0, self.deadline - self._clock())

    def rest(self) -> Limit:
        """A limit of the seconds that are left and the same memory, for work in another process."""
        return Limit(None if self.deadline == inf else self.left, memory=self.limit.memory)

    def reached(self, nodes: int = 0) -> str | None:
        """The limit that a search of *nodes* nodes has reached by now, or None."""
        limit = self.limit
        if limit.nodes is not None and nodes >= limit.nodes:
            return NODES
        if self.deadline < inf and self._clock() >= self.deadline:
            return SECONDS
        if limit.stop is not None and limit.stop():
            return INTERRUPTED
        return None


def require_limit(limit: object) -> None:
    """Refuses what is not a `Limit`, such as a number of seconds."""
    require_type(limit, Limit, "a Limit", hint="write one as in stratagem.Limit(seconds=10)")


def not_negative(name: str, number: float | None, *, whole: bool = False) -> None:
    """Refuses a limit below 0, what is not a number, and, if *whole*, what is not an integer; None stands for no limit."""
    if number is None:
        return
    if isinstance(number, bool) or not isinstance(number, int if whole else int | float):
        raise UsageError(f"the {name} must be a {'whole ' if whole else ''}number; got {number!r}")
    if not number >= 0:
        raise UsageError(f"the {name} must be at least 0; got {number}")


UNLIMITED: Final = Limit()
"""No limit at all."""

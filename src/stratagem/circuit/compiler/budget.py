"""The budget of a compilation, the time left for it, and the hook that is told its stages."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import TypeAlias

from stratagem.errors import OutOfTime


@dataclass(frozen=True, slots=True)
class CompileBudget:
    """Limits on compiling one sheet.

    Sheets with at most *instances_here* ground rules, by a bound that cannot be exceeded, and *characters_here* of
    text are compiled in this process; any other in a child process that may take *seconds* of computing and *memory*
    bytes.
    """

    seconds: float = 60.0
    seconds_growing: float = 10.0
    """For rules whose terms seem to grow without end."""
    memory: int = 6 * 1024**3
    instances_here: float = 100_000
    characters_here: int = 200_000


BUDGET = CompileBudget()

Left: TypeAlias = Callable[[], float]
"""How many seconds of the user's time are left; 0 once a stop was asked for."""
MORE_TIME = "allow more time"
"""The hint where the time was too short. A command replaces it by the option that allows more."""
Stage: TypeAlias = Callable[[str], AbstractContextManager[None]]
"""Entered with the name of each stage of loading, and left at its end: what wants to time or show them."""


@contextmanager
def quietly(name: str) -> Iterator[None]:
    """The stage hook that does nothing."""
    yield


def unlimited() -> float:
    """The time left without a limit."""
    return float("inf")


def time_left(
    seconds: float | None,
    stop: Callable[[], bool] | None = None,
    *,
    now: Callable[[], float] = time.monotonic,
) -> Left:
    """The time left of *seconds* that begin now; None stands for no limit.

    >>> clock = iter([100.0, 103.0])
    >>> time_left(10.0, now=lambda: next(clock))()
    7.0
    """
    if seconds is None and stop is None:
        return unlimited
    end = float("inf") if seconds is None else now() + seconds

    def left() -> float:
        return 0.0 if stop is not None and stop() else end - now()

    return left


def out_of_time() -> OutOfTime:
    """What is raised where no time is left."""
    return OutOfTime("time ran out before the rules were compiled", hint=MORE_TIME)

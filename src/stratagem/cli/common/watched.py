"""Long searches at a terminal: their progress on one line, and Ctrl-C to stop them with what they have found."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final, TypeVar

from stratagem.cli.common.progress import with_progress
from stratagem.limit import INTERRUPTED, NODES, SECONDS
from stratagem.plural import plural

Found = TypeVar("Found")

EVERY: Final = 64
"""The clock is read once in so many nodes."""
PAUSE: Final = 0.25
"""Seconds between two sentences."""
NOT_ANSWERED: Final = 1
"""The exit code where a limit or Ctrl-C ended the work; what is known is printed."""


class Watch:
    """The progress of the search *what*, printed now and then, and Ctrl-C as the `Limit.stop` of the search."""

    def __init__(
        self,
        tell: Callable[[str], None],
        stop: Callable[[], bool],
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.what = ""
        self._tell = tell
        self.stop = stop
        self._clock = clock
        self._begin = self._told = clock()

    def begin(self, what: str) -> None:
        """Counts the seconds of *what* from now on."""
        self.what = what
        self._begin = self._clock()

    def progress(self, nodes: int) -> None:
        """Prints how far the search is, unless it has just done so."""
        if nodes % EVERY == 0 and (now := self._clock()) - self._told >= PAUSE:
            self._told = now
            self._tell(f"{self.what}: {nodes:,} nodes, {now - self._begin:.0f} s; Ctrl-C stops it")


def watched(work: Callable[[Watch], Found]) -> Found:
    """What *work* brings back; it gives the `Watch` to its search."""
    found: Found = with_progress(lambda tell, stop: work(Watch(tell, stop)))
    return found


def reason(stopped: str | None, *, nodes: int | None = None, seconds: float | None = None) -> str:
    """Why a search was not completed, and which option changes that.

    >>> reason("seconds", seconds=60.0)
    'stopped after 60 s; --seconds changes that'
    """
    if stopped == SECONDS and seconds is not None:
        return f"stopped after {seconds:g} s; --seconds changes that"
    if stopped == NODES and nodes is not None:
        return f"stopped after {plural(nodes, 'node')}; --nodes changes that"
    if stopped == INTERRUPTED:
        return "interrupted"
    return "nothing deeper than the depth limit was searched; --depth changes that"

"""A clock that stands still, for players in real processes: whoever thinks is waited for, and no deadline ever comes."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable


class StoppedClock:
    """A `stratagem.play.clock.Clock` at the moment of its creation, for good."""

    def __init__(self) -> None:
        self._now = time.monotonic()

    def now(self) -> float:
        return self._now

    def wait(self, condition: threading.Condition, ready: Callable[[], bool], until: float) -> bool:
        while not ready() and self._now < until:
            condition.wait()
        return ready()

    def start(self, target: Callable[[], None], name: str) -> threading.Thread:
        thread = threading.Thread(target=target, name=name, daemon=True)
        thread.start()
        return thread

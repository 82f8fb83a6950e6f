"""The stop flag of a kernel: a thread raises it at the deadline, or when a stop is requested."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

WATCH_SECONDS = 0.02
"""Seconds between two checks whether a running search should stop."""


@contextmanager
def watched(
    flag: NDArray[np.int64], deadline: float, stop: Callable[[], bool] | None
) -> Iterator[threading.Event]:
    """While this lasts, *flag* is raised at the deadline or when *stop* says so; the event is set just before."""
    flag[0] = 0
    asked, done = threading.Event(), threading.Event()
    if deadline == np.inf and stop is None:
        yield asked
        return

    def watch() -> None:
        while not done.wait(min(WATCH_SECONDS, max(0.0, deadline - time.monotonic()))):
            if time.monotonic() >= deadline or (stop is not None and stop()):
                asked.set()
                flag[0] = 1
                return

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield asked
    finally:
        done.set()
        thread.join()

"""The notice that numba compiles a kernel, once: the first search on a machine takes longer than it was given.

It goes to the logger ``stratagem.kernels``: silence it with ``logging.getLogger("stratagem.kernels").disabled = True``.
Processes that another one started say nothing; their parent is the one that people see.
"""

from __future__ import annotations

import logging
import multiprocessing
from functools import cache
from typing import Any

from numba.core import event as numba_events

LOGGER = logging.getLogger("stratagem.kernels")
NOTICE = "compiling kernels (first run on this machine); this can take a minute"


class Announcer(numba_events.Listener):  # type: ignore[misc]
    """Hears of every kernel that is compiled; one that comes from the cache is not."""

    def __init__(self) -> None:
        self.said = False

    def on_start(self, event: Any) -> None:
        if not self.said and multiprocessing.parent_process() is None:
            self.said = True
            LOGGER.warning(NOTICE)

    def on_end(self, event: Any) -> None:
        """Nothing is said about the end."""


ANNOUNCER = Announcer()


@cache
def announce_compiling() -> None:
    """From now on the first kernel that has to be compiled is announced."""
    numba_events.register("numba:compile", ANNOUNCER)

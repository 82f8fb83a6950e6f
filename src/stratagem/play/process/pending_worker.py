"""Worker processes that are being started: whoever sends them messages, or kills them, does not wait.

To start a process, and to end one, the fork server is asked, which answers late where every core is busy. The thread
that watches a clock must not wait for it.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from functools import cache
from typing import Any, Protocol

from stratagem.play.process.protocol import Trouble

Hear = Callable[[Any], None]
"""Takes what a worker sends; None: the worker has ended."""


class SpawnedWorker(Protocol):
    """A worker process seen from its parent."""

    def send(self, message: Any) -> None:
        """Sends *message*; never waits."""

    def kill(self) -> None:
        """Ends the worker."""


class NumberedWorker(SpawnedWorker, Protocol):
    """One that has a process id."""

    number: int


class PendingWorker:
    """A worker process that *start* makes, in the thread of all that are started; messages are kept until it is there."""

    def __init__(self, start: Callable[[], NumberedWorker], hear: Hear) -> None:
        self._start, self._hear = start, hear
        self._lock = threading.Lock()
        self._process: NumberedWorker | None = None
        self._kept: list[Any] = []
        self._killed = False
        _requests("starting workers").put(self._run)

    @property
    def number(self) -> int:
        """The process id, 0 as long as there is none."""
        return 0 if self._process is None else self._process.number

    def send(self, message: Any) -> None:
        """Sends *message*, or keeps it until the process is there."""
        with self._lock:
            if self._process is None:
                self._kept.append(message)
            else:
                self._process.send(message)

    def kill(self) -> None:
        """Has the process ended, at once where it is there, else as soon as it is."""
        with self._lock:
            self._killed = True
            if self._process is not None:
                _requests("ending workers").put(self._process.kill)

    def _run(self) -> None:
        with self._lock:
            if self._killed:
                return
        try:
            process = self._start()
        except Exception as failure:  # whatever it is: workers to come need this thread
            self._hear(Trouble(str(failure) or type(failure).__name__))
            self._hear(None)
            return
        with self._lock:
            self._process = process
            for message in self._kept:
                process.send(message)
            self._kept.clear()
            killed = self._killed
        if killed:
            _requests("ending workers").put(process.kill)


@cache
def _requests(name: str) -> queue.SimpleQueue[Callable[[], None]]:
    """The queue of a thread that asks the fork server, one request after the other: what ends delays nothing that begins."""
    requests: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()

    def run() -> None:
        while True:
            requests.get()()

    threading.Thread(target=run, name=name, daemon=True).start()
    return requests

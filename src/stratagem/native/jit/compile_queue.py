"""The compile queue: one thread that compiles in the background, in the order of the requests.

Python ends only between two pieces of work, because LLVM must not be torn down while it runs.
"""

from __future__ import annotations

import atexit
import queue
import threading
from collections.abc import Callable

_work: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
_lock = threading.Lock()
_thread: threading.Thread | None = None
_stopping = threading.Event()


def later(work: Callable[[], None]) -> None:
    """Do *work* in the background. It should be short: long work passes on its rest with `later`."""
    with _lock:
        _work.put(work)
        if _thread is None:
            atexit.register(_stop)
        if _thread is None or not _thread.is_alive():
            _start()


def _start() -> None:
    global _thread
    _thread = threading.Thread(target=_run, name="stratagem-compiler", daemon=True)
    _thread.start()


def _run() -> None:
    while True:
        work = _work.get()
        if _stopping.is_set():
            return
        done = False
        try:
            work()
            done = True
        finally:
            # A failure is reported as threads report; what comes after it is done by another thread.
            if not done:
                with _lock:
                    _start()


def _stop() -> None:
    _stopping.set()
    _work.put(lambda: None)
    if _thread is not None:
        _thread.join()

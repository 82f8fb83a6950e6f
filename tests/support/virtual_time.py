"""Time that passes when a test says so: for threads (`VirtualClock`), for coroutines (`run_virtually`), for loops (`Ticking`)."""

from __future__ import annotations

import asyncio
import heapq
import selectors
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from dataclasses import dataclass
from itertools import count
from math import inf
from typing import Any, TypeVar

Found = TypeVar("Found")
REAL_PATIENCE = 60.0
"""Real seconds after which a thread that neither waits nor ends is a fault of the test, whatever the load."""


@dataclass(eq=False, slots=True)
class Waiter:
    condition: threading.Condition
    ready: Callable[[], bool]
    until: float


class VirtualClock:
    """A `stratagem.play.clock.Clock` that stands still until the test calls `result`, `sleep` or `settle`.

    Time moves only while every thread started by this clock waits for something that has not come, and then straight to
    the next moment at which one of them wakes or an action is due (`at`). So what happens does not depend on the load.
    """

    def __init__(self, start: float = 100.0) -> None:
        self._now = start
        self._changed = threading.Condition()
        self._threads: set[threading.Thread] = set()
        self._waiters: dict[threading.Thread, Waiter] = {}
        self._version = 0
        self._due: list[tuple[float, int, Callable[[], None]]] = []
        self._numbers = count()

    # -- what the code under test calls --------------------------------------------------------------------

    def now(self) -> float:
        return self._now

    def wait(self, condition: threading.Condition, ready: Callable[[], bool], until: float) -> bool:
        me = threading.current_thread()
        self._note(me, Waiter(condition, ready, until))
        while not ready() and self._now < until:
            condition.wait()
        self._note(me, None)
        return ready()

    def start(self, target: Callable[[], None], name: str) -> threading.Thread:
        def run() -> None:
            try:
                target()
            finally:
                with self._changed:
                    self._threads.discard(thread)
                    self._changed.notify_all()

        thread = threading.Thread(target=run, name=name, daemon=True)
        with self._changed:
            self._threads.add(thread)
        thread.start()
        return thread

    def _note(self, thread: threading.Thread, waiter: Waiter | None) -> None:
        with self._changed:
            self._version += 1
            if waiter is None:
                del self._waiters[thread]
            else:
                self._waiters[thread] = waiter
            self._changed.notify_all()

    # -- what the test calls -------------------------------------------------------------------------------

    def at(self, moment: float, action: Callable[[], None]) -> None:
        """Has *action* called, by the thread of the test, when *moment* comes; may be called from any thread."""
        with self._changed:
            heapq.heappush(self._due, (moment, next(self._numbers), action))

    def result(self, future: Future[Found], within: float = 3600.0) -> Found:
        """What *future* brings; time passes until it does, at most *within* seconds."""
        end = self._now + within
        self.settle()
        while not future.done():
            assert self._step(end), f"nothing came within {within} virtual seconds"
        return future.result()

    def sleep(self, seconds: float) -> None:
        """Lets *seconds* pass, with everything that happens meanwhile."""
        end = self._now + seconds
        self.settle()
        while self._step(end):
            pass
        self._go_to(end)

    def settle(self) -> None:
        """Returns when every thread waits for something that has not come: nothing happens before time moves."""
        while True:
            with self._changed:
                came = self._changed.wait_for(lambda: self._threads <= self._waiters.keys(), REAL_PATIENCE)
                assert came, "a thread neither waits nor ends"
                version, waiting = self._version, [self._waiters[thread] for thread in self._threads]
            idle = all(map(self._is_idle, waiting))
            with self._changed:
                if version != self._version:
                    continue
                if idle:
                    return
                assert self._changed.wait_for(lambda: version != self._version, REAL_PATIENCE)  # noqa: B023

    def _is_idle(self, waiter: Waiter) -> bool:
        with waiter.condition:
            return not waiter.ready() and self._now < waiter.until

    def _step(self, end: float) -> bool:
        """Goes to the next moment at which something happens, and lets it happen; False where that is after *end*."""
        with self._changed:
            alarm = min((self._waiters[thread].until for thread in self._threads), default=inf)
            due = self._due[0][0] if self._due else inf
        if min(alarm, due) > end or min(alarm, due) == inf:
            return False
        if due <= alarm:
            with self._changed:
                _, _, action = heapq.heappop(self._due)
            self._go_to(due)
            action()
            self.settle()
        else:
            self._go_to(alarm)
        return True

    def _go_to(self, moment: float) -> None:
        self._now = max(self._now, moment)
        with self._changed:
            waiting = [self._waiters[thread] for thread in self._threads if thread in self._waiters]
        for waiter in waiting:
            with waiter.condition:
                waiter.condition.notify_all()
        self.settle()


class Ticking:
    """A clock that goes on by *tick* seconds whenever it is looked at: a loop that asks it ends after so many rounds."""

    def __init__(self, tick: float, start: float = 100.0) -> None:
        self.tick = tick
        self.time = start

    def __call__(self) -> float:
        self.time += self.tick
        return self.time


class _VirtualSelector(selectors.DefaultSelector):  # type: ignore[misc, valid-type]
    """Where a real selector would wait it lets virtual time pass instead, unless there is input already."""

    passed = 0.0

    def select(self, timeout: float | None = None) -> Any:
        ready = super().select(0 if timeout is not None else None)
        if not ready and timeout:
            self.passed += timeout
        return ready


class VirtualLoop(asyncio.SelectorEventLoop):
    """An event loop in virtual time: timers fire at once and in order; what runs in a thread elsewhere runs here."""

    def __init__(self, start: float = 100.0) -> None:
        self._start = start
        self._virtual = _VirtualSelector()
        super().__init__(self._virtual)

    def time(self) -> float:
        return self._start + self._virtual.passed

    now = time
    """So that the loop may also serve as the clock's `now`."""

    def run_in_executor(self, executor: Any, func: Callable[..., Any], *args: Any) -> Any:
        future = self.create_future()
        try:
            future.set_result(func(*args))
        except BaseException as raised:
            future.set_exception(raised)
        return future


def run_virtually(work: Callable[[VirtualLoop], Coroutine[Any, Any, Found]]) -> Found:
    """What the coroutine made by *work* returns, run in a loop whose time is virtual."""
    loop = VirtualLoop()
    try:
        return loop.run_until_complete(work(loop))
    finally:
        loop.close()

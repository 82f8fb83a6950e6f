"""A worker: one worker process that does one thing at a time, with limits on time and memory.

Whatever a visitor asks for runs at a worker, so that the page stays alive and one visitor's endless game is nobody
else's problem. A worker whose time is up is cleared: its process is ended and the next question gets a fresh one. New
processes are forked, in a few hundredths of a second, from one that has imported what they need.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import threading
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from time import monotonic
from typing import Any, Final, TypeVar

from stratagem.errors import LimitExceeded, StratagemError
from stratagem.platform import (
    ignore_interrupts,
    kill_group,
    limit_memory,
    lower_priority,
    own_group,
    process_context,
)
from stratagem.play.process.kernel_compilation import COMPILER
from stratagem.web.app.limits import MEMORY

Found = TypeVar("Found")
Heard = Callable[[Any], None]
"""Takes what a task says on its way. A task is a function of a module, with *tell* as its last argument."""
PRELOADED: Final = [
    "stratagem.cli",
    "stratagem.web.tasks.positions",
    "stratagem.web.tasks.sheets",
    "stratagem.web.tasks.searches",
    "stratagem.play.players.stratagem",
    "stratagem.play.players.uct",
    "stratagem.show.board.svg.board",
    "stratagem.native.playouts.playouts",
    "stratagem.engine.mcts.search",
]
"""Imported once, before the first process is forked; what is missing there is imported where it is needed."""


class WorkerProcess:
    """One worker process, started when it is first needed. To be used from one event loop."""

    def __init__(self, *, nice: int = 0, memory: int = MEMORY) -> None:
        self.used = monotonic()
        self.busy = 0
        self._nice = nice
        self._memory = memory
        self._turn = asyncio.Lock()
        self._worker: _Worker | None = None

    @property
    def warm(self) -> bool:
        """Whether a process is there already."""
        return self._worker is not None and self._worker.lives

    async def ask(
        self, task: Callable[..., Found], *arguments: Any, seconds: float, heard: Heard | None = None
    ) -> Found:
        """What *task* makes of *arguments*, or `LimitExceeded` after that many *seconds* of work.

        A caller that goes away does not disturb the work: others may wait for the same worker.
        """
        work = asyncio.ensure_future(self._work(task, arguments, seconds, heard))
        work.add_done_callback(_noticed)
        return await asyncio.shield(work)

    async def _work(
        self, task: Callable[..., Found], arguments: tuple[Any, ...], seconds: float, heard: Heard | None
    ) -> Found:
        self.busy += 1
        try:
            async with self._turn:
                worker = self._worker
                if worker is None or not worker.lives:
                    worker = self._worker = await asyncio.to_thread(_Worker, self._nice, self._memory)
                future = worker.order(task, arguments, heard)
                try:
                    answer: Found = await asyncio.wait_for(future, seconds)
                    return answer
                except TimeoutError:
                    self.clear()
                    raise LimitExceeded(
                        f"this took longer than {seconds:g} seconds and was stopped",
                        hint="try something smaller",
                    ) from None
        finally:
            self.busy -= 1
            self.used = monotonic()

    def clear(self) -> None:
        """Ends the process, whatever it is doing; the next question starts another."""
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.end()


class _Worker:
    """The process behind a worker, seen from the server."""

    def __init__(self, nice: int, memory: int) -> None:
        ours, theirs = multiprocessing.Pipe()
        processes = process_context(PRELOADED)
        self._process = processes.Process(target=_attend, args=(theirs, nice, memory), daemon=True)
        self._process.start()
        theirs.close()
        self._connection = ours
        self._talking = threading.Lock()
        self.lives = True

    def order(
        self, task: Callable[..., Any], arguments: tuple[Any, ...], heard: Heard | None
    ) -> asyncio.Future[Any]:
        """Sends one order; the future is its answer, *heard* is called with what is said before."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Any] = loop.create_future()
        threading.Thread(
            target=self._exchange, args=(loop, future, heard, task, arguments), daemon=True, name="worker"
        ).start()
        return future

    def _exchange(
        self,
        loop: asyncio.AbstractEventLoop,
        future: asyncio.Future[Any],
        heard: Heard | None,
        task: Callable[..., Any],
        arguments: tuple[Any, ...],
    ) -> None:
        with self._talking:
            word, value = self._hear_out(loop, future, heard, task, arguments)
            if not self.lives:
                self._connection.close()
        with suppress(RuntimeError):  # the loop is closed: the server is going down
            loop.call_soon_threadsafe(_settle, future, word, value)

    def _hear_out(
        self,
        loop: asyncio.AbstractEventLoop,
        future: asyncio.Future[Any],
        heard: Heard | None,
        task: Callable[..., Any],
        arguments: tuple[Any, ...],
    ) -> tuple[str, Any]:
        try:
            self._connection.send((task, arguments))
            while True:
                word, value = self._connection.recv()
                if word != "heard":
                    return word, value
                if heard is not None:
                    loop.call_soon_threadsafe(_hear, future, heard, value)
        except (EOFError, OSError, RuntimeError):
            self.lives = False
            return "refused", LimitExceeded(
                "the worker process ended before it had an answer",
                hint="it probably needed more memory than it may have: try something smaller",
            )

    def end(self) -> None:
        """Ends the process; whoever is still listening hears of it and closes the line."""
        self.lives = False
        with suppress(OSError, ValueError):
            if self._process.is_alive() and self._process.pid is not None:
                kill_group(self._process.pid)  # with the process that compiles rules, if it has started one
        with suppress(OSError, ValueError):
            self._process.kill()
        if self._talking.acquire(blocking=False):
            self._connection.close()
            self._talking.release()


def _noticed(work: asyncio.Future[Any]) -> None:
    """Nobody has to hear of a failure whose caller has gone away."""
    if not work.cancelled():
        work.exception()


def _hear(future: asyncio.Future[Any], heard: Heard, value: Any) -> None:
    if not future.done():
        heard(value)


def _settle(future: asyncio.Future[Any], word: str, value: Any) -> None:
    if future.done():
        return
    if word == "done":
        future.set_result(value)
    else:
        future.set_exception(value)


def _attend(connection: Connection, nice: int, memory: int) -> None:
    """What the process runs: one order after the other, until the other end is gone."""
    ignore_interrupts()
    own_group()
    COMPILER.leave_to_others()  # the server has seen to it
    lower_priority(nice)
    limit_memory(memory)

    def tell(value: Any) -> None:
        connection.send(("heard", value))

    while True:
        try:
            task, arguments = connection.recv()
        except (EOFError, OSError):
            return
        try:
            answer = "done", task(*arguments, tell=tell)
        except StratagemError as refused:
            answer = "refused", refused
        except MemoryError:
            answer = (
                "refused",
                LimitExceeded("this needs more memory than it may have", hint="try something smaller"),
            )
        except RecursionError:
            answer = "refused", LimitExceeded("this is nested too deeply", hint="try something smaller")
        try:
            connection.send(answer)
        except RecursionError:  # an answer can be nested too deeply for its way back
            connection.send(
                ("refused", LimitExceeded("this is nested too deeply", hint="try something smaller"))
            )
        except (BrokenPipeError, ConnectionError):
            return

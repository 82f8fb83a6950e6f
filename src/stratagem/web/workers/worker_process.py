"""A worker process of the workbench: it runs one task at a time, with limits on time and memory.

Whatever a visitor asks for runs in such a process, so that pages stay responsive and an endless game of one visitor
does not affect others. A process whose time is up is killed, and the next task gets a fresh one. Processes come from
the fork server of `stratagem.play.process`.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from time import monotonic
from typing import Any, Final, TypeVar

from stratagem.errors import LimitExceeded, StratagemError
from stratagem.platform import ignore_interrupts, limit_memory, lower_priority
from stratagem.play.process.fork_server import WorkerHandle, preload, start_process
from stratagem.web.app.limits import MEMORY

Found = TypeVar("Found")
Heard = Callable[[Any], None]
"""Takes what a task tells on its way. A task is a function of a module, with *tell* as its last argument."""
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


@dataclass(frozen=True, slots=True)
class TaskConfig:
    """How the process of a task is set up."""

    nice: int
    memory: int


@dataclass(slots=True)
class _Running:
    """A task that is being waited for."""

    answer: asyncio.Future[Any]
    heard: Heard | None


class WorkerProcess:
    """One worker process, started when it is first needed. To be used from one event loop."""

    def __init__(self, *, nice: int = 0, memory: int = MEMORY) -> None:
        self.used = monotonic()
        self.busy = 0
        self._config = TaskConfig(nice, memory)
        self._turn = asyncio.Lock()
        self._process: WorkerHandle | None = None
        self._running: _Running | None = None

    @property
    def warm(self) -> bool:
        """Whether a process is there already."""
        return self._process is not None

    async def ask(
        self, task: Callable[..., Found], *arguments: Any, seconds: float, heard: Heard | None = None
    ) -> Found:
        """What *task* returns for *arguments*, or `LimitExceeded` after that many *seconds* of work.

        A caller that goes away does not disturb the work: others may wait for the same process.
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
                if self._process is None:
                    await self._start()
                assert self._process is not None
                running = self._running = _Running(asyncio.get_running_loop().create_future(), heard)
                self._process.send((task, arguments))
                try:
                    answer: Found = await asyncio.wait_for(running.answer, seconds)
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

    async def _start(self) -> None:
        loop = asyncio.get_running_loop()
        started: list[WorkerHandle] = []

        def hear(message: Any) -> None:
            with suppress(RuntimeError):  # the loop is closed: the server is going down
                loop.call_soon_threadsafe(self._receive, started, message)

        preload(PRELOADED)
        process = await asyncio.to_thread(start_process, run_tasks, self._config, hear)
        started.append(process)
        self._process = process

    def _receive(self, sender: list[WorkerHandle], message: Any) -> None:
        """Takes a message of the present process; those of a process that was killed before are dropped."""
        running = self._running
        if not sender or self._process is not sender[0]:
            return
        kind, value = ("refused", _ended()) if message is None else message
        if message is None:
            self._process = None
        if running is None or running.answer.done():
            return
        if kind == "heard":
            if running.heard is not None:
                running.heard(value)
        elif kind == "done":
            running.answer.set_result(value)
        else:
            running.answer.set_exception(value)

    def clear(self) -> None:
        """Kills the process, whatever it is doing, with all it has started; the next task starts another."""
        process, self._process = self._process, None
        if process is not None:
            # The fork server may be busy for a moment: the event loop does not wait for it.
            threading.Thread(target=process.kill, name="kill", daemon=True).start()
        if self._running is not None and not self._running.answer.done():
            self._running.answer.set_exception(_ended())


def _ended() -> LimitExceeded:
    return LimitExceeded(
        "the worker process ended before it returned a result",
        hint="it probably needed more memory than it may have: try something smaller",
    )


def _noticed(work: asyncio.Future[Any]) -> None:
    """Marks a failure whose caller has gone away as seen."""
    if not work.cancelled():
        work.exception()


def run_tasks(connection: Connection, config: TaskConfig) -> None:
    """What the process runs: one task after the other, until the other end of *connection* is closed."""
    ignore_interrupts()
    lower_priority(config.nice)
    limit_memory(config.memory)

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

"""The executor of one machine: tasks and actors in worker processes of the fork server.

A worker runs one task at a time and is used again; one that dies is replaced and its task is run once more. An actor is a
process that listens at an address of this machine, so that other actors reach it without us in between.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from multiprocessing.connection import Client, Connection
from typing import Any, Final, TypeVar

from stratagem import platform
from stratagem.cluster.local_worker import ActorPlan, run_tasks, serve_actor
from stratagem.executor.interface import FAILED, Pending, WorkerLost
from stratagem.executor.mapping import TaskMapping
from stratagem.play.process.fork_server import WorkerHandle, start_process

Found = TypeVar("Found")
TRIES: Final = 4
"""How often a task is begun at most, where its process dies every time."""
STARTING: Final = 60.0
"""Seconds that an actor has to say where it listens."""


def lost(what: str) -> WorkerLost:
    return WorkerLost(
        f"{what} ended before it returned a result", hint="was it killed, or did it run out of memory?"
    )


class _Task:
    """A task that waits or runs."""

    def __init__(self, executor: LocalExecutor, call: tuple[Any, ...], cores: float) -> None:
        self.call, self.cores, self.tries = call, cores, 0
        self.pending: Pending[Any] = Pending(lambda: executor._abandon(self))
        self.worker: _Worker | None = None


class _Worker:
    """A process that runs tasks, seen from here."""

    def __init__(self, executor: LocalExecutor) -> None:
        self.executor = executor
        self.task: _Task | None = None
        self.process: WorkerHandle = start_process(run_tasks, None, self._hear)

    def _hear(self, message: Any) -> None:
        self.executor._heard(self, message)


class LocalExecutor(TaskMapping):
    """Tasks and actors on the cores of this machine."""

    def __init__(self, cores: int | None = None) -> None:
        self._cores = platform.cores() if cores is None else cores
        self._free: float = self._cores
        self._lock = threading.RLock()
        self._waiting: deque[_Task] = deque()
        self._idle: list[_Worker] = []
        self._busy: set[_Worker] = set()
        self._actors: list[LocalActor] = []
        self._closed = False

    def __enter__(self) -> LocalExecutor:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def name(self) -> str:
        return "local"

    @property
    def cores(self) -> int:
        return self._cores

    def submit(self, task: Callable[..., Found], *arguments: Any, cores: float = 1) -> Pending[Found]:
        """Runs a *task*, as `Executor.submit` says."""
        one = _Task(self, (task, arguments), min(cores, self._cores))
        with self._lock:
            self._waiting.append(one)
        self._dispatch()
        return one.pending

    def actor(self, kind: Callable[..., Any], *arguments: Any, cores: float = 1) -> LocalActor:
        """A new actor, as `Executor.actor` says; actors share cores where there are more of them."""
        where: Future[Any] = Future()

        def hear(message: Any) -> None:
            if not where.done():
                if message is None:
                    where.set_exception(lost("an actor"))
                else:
                    where.set_result(message)

        process = start_process(serve_actor, ActorPlan(kind, arguments), hear)
        try:
            actor = LocalActor(*where.result(STARTING))
        except BaseException:
            process.kill()
            raise
        actor.process = process
        self._actors.append(actor)
        return actor

    def close(self) -> None:
        """Ends all processes; what has not ended is cancelled."""
        with self._lock:
            self._closed = True
            tasks = [*self._waiting, *(worker.task for worker in self._busy if worker.task is not None)]
            workers = [*self._idle, *self._busy]
            self._waiting.clear()
        for task in tasks:
            task.pending.cancel()
        for worker in workers:
            worker.process.kill()
        for actor in self._actors:
            actor.kill()

    # -- tasks ---------------------------------------------------------------------------------------------

    def _dispatch(self) -> None:
        """Gives tasks to workers while there are cores."""
        while True:
            with self._lock:
                if self._closed or not self._waiting or self._waiting[0].cores > self._free:
                    return
                task = self._waiting.popleft()
                if task.pending.cancelled():
                    continue
                self._free -= task.cores
                worker = self._idle.pop() if self._idle else None
            if worker is None:
                try:
                    worker = _Worker(self)
                except BaseException as fault:
                    with self._lock:
                        self._free += task.cores
                    task.pending.settle(FAILED, fault)
                    continue
            task.tries += 1
            task.worker, worker.task = worker, task
            with self._lock:
                self._busy.add(worker)
            worker.process.send(task.call)

    def _heard(self, worker: _Worker, message: Any) -> None:
        """A worker has an answer, or has ended (None)."""
        with self._lock:
            task, worker.task = worker.task, None
            self._busy.discard(worker)
            if message is None and worker in self._idle:
                self._idle.remove(worker)
            if message is not None:
                self._idle.append(worker)
            if task is not None:
                self._free += task.cores
                if message is None and task.tries < TRIES and not task.pending.done() and not self._closed:
                    self._waiting.appendleft(task)
                    task = None
        if task is not None:
            task.pending.settle(*((FAILED, lost("a worker process")) if message is None else message))
        self._dispatch()

    def _abandon(self, task: _Task) -> None:
        """Ends the work on a task that was cancelled."""
        with self._lock:
            with suppress(ValueError):
                self._waiting.remove(task)
            worker = task.worker
        if worker is not None and worker.task is task:
            worker.process.kill()


class LocalActor:
    """An actor of this machine, by its address."""

    def __init__(self, address: Any, key: bytes) -> None:
        self.address, self.key = address, key
        self.process: WorkerHandle | None = None
        """Where it was started from here."""
        self._lock = threading.Lock()
        self._calls: deque[Pending[Any]] = deque()
        self._connection: Connection | None = None

    def __reduce__(self) -> tuple[object, ...]:
        return LocalActor, (self.address, self.key)

    def call(self, method: str, *arguments: Any) -> Pending[Any]:
        """Calls a method, as `Actor.call` says."""
        pending: Pending[Any] = Pending()
        with self._lock:
            try:
                if self._connection is None:
                    self._connection = Client(self.address, authkey=self.key)
                    threading.Thread(target=self._listen, args=(self._connection,), daemon=True).start()
                self._calls.append(pending)
                self._connection.send((method, arguments))
            except (OSError, EOFError):
                with suppress(ValueError):
                    self._calls.remove(pending)
                pending.settle(FAILED, lost("an actor"))
        return pending

    def kill(self) -> None:
        """Ends its process, where it was started from here."""
        if self.process is not None:
            self.process.kill()

    def release(self) -> None:
        """Ends its process: a new one is forked in no time."""
        self.kill()

    def _listen(self, connection: Connection) -> None:
        with suppress(EOFError, OSError):
            while True:
                kind, value = connection.recv()
                self._calls.popleft().settle(kind, value)
        with self._lock:
            left, self._calls = list(self._calls), deque()
            if self._connection is connection:
                self._connection = None
        for pending in left:
            pending.settle(FAILED, lost("an actor"))

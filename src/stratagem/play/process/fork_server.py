"""The fork server: starts worker processes in a few hundredths of a second, for players and for the workbench's tasks.

A fresh Python with its libraries takes a second to start, longer on a busy machine: too long for a start clock of one
second. Where the system allows (`stratagem.platform`) one process imports everything once and forks on request; it
runs no threads, so that forking is safe. Elsewhere every worker is a fresh process.
"""

from __future__ import annotations

import atexit
import gc
import logging
import os
import pickle
import queue
import select
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from multiprocessing.connection import Connection
from typing import Any, Final

from stratagem import platform
from stratagem.errors import LimitExceeded
from stratagem.play.process.pending_worker import Hear, PendingWorker
from stratagem.play.process.worker import WorkerConfig, work

PRELOADED: Final = [
    "stratagem.play.players.stratagem",
    "stratagem.play.players.mcts",
    "stratagem.engine.mcts.search",
    "stratagem.engine.alpha_beta.search",
    "stratagem.engine.evaluation.learning",
]
"""Modules that the fork server imports when it starts."""
LENGTH: Final = struct.Struct("!i")
Entry = Callable[[Connection, Any], None]
"""What a worker process runs: a function of a module, called with its end of a pipe and a configuration."""


@dataclass(frozen=True, slots=True)
class SpawnRequest:
    """One process to be started."""

    entry: Entry
    config: Any
    own_session: bool
    """Linux shares processors among sessions first: a worker with its own session takes nothing from the clock's thread. In
    the session of the server its priority counts among all others."""


class WorkerHandle:
    """A worker process seen from its parent: sends messages, hears answers, and can be killed at any time."""

    def __init__(self, connection: Connection, hear: Hear, kill: Callable[[], None], number: int = 0) -> None:
        self.number = number
        """The process id."""
        self._connection = connection
        self._hear = hear
        self._kill = kill
        self._messages: queue.SimpleQueue[Any] = queue.SimpleQueue()
        threading.Thread(target=self._listen, name="listen", daemon=True).start()
        threading.Thread(target=self._send, name="send", daemon=True).start()

    def send(self, message: Any) -> None:
        """Sends *message*; never waits, not even for a worker that does not read."""
        self._messages.put(message)

    def kill(self) -> None:
        """Ends the worker at once, whatever it is doing."""
        self._messages.put(None)
        self._kill()

    def _listen(self) -> None:
        """Reads to the end of the pipe; only this thread closes it, since a reader may be waiting there."""
        try:
            while True:
                self._hear(self._connection.recv())
        except RuntimeError:  # nested too deeply to be read
            self._kill()
        except (EOFError, OSError, pickle.UnpicklingError):
            pass
        self._messages.put(None)
        self._connection.close()
        self._hear(None)

    def _send(self) -> None:
        try:
            while (message := self._messages.get()) is not None:
                self._connection.send(message)
        except RuntimeError:  # nested too deeply to be sent
            self._kill()
        except (OSError, TypeError):
            # A pipe closed at the very moment of sending shows as a TypeError: its handle is None then.
            return


class ForkServer:
    """The parent's end of the process that forks workers."""

    def __init__(self) -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket = ours
        self._lock = threading.Lock()
        self.spawned = 0
        """How many workers have come from here."""
        command = [
            sys.executable,
            "-c",
            f"from {__name__} import serve; serve({theirs.fileno()}, {PRELOADED})",
        ]
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
            "OPENBLAS_NUM_THREADS": "1",  # numpy starts no threads then, and forking stays safe
        }
        self._process = subprocess.Popen(
            command, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL, env=environment
        )
        theirs.close()

    def wait(self) -> None:
        """Returns when it is ready: from then on a worker is there in hundredths of a second."""
        self._end(0)

    def spawn(self, request: SpawnRequest, hear: Hear) -> WorkerHandle:
        """A new worker process."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        with self._lock, theirs:
            try:
                socket.send_fds(self._socket, [_packed(request)], [theirs.fileno()])
                number = LENGTH.unpack(_exactly(self._socket, LENGTH.size))[0]
            except (OSError, EOFError) as failure:
                ours.close()
                raise _no_process() from failure
        if number <= 0:
            ours.close()
            raise _no_process()
        self.spawned += 1
        return WorkerHandle(Connection(ours.detach()), hear, lambda: self._end(number), number)

    def close(self) -> None:
        """Ends the fork server and its workers."""
        self._socket.close()
        self._process.wait()

    def _end(self, number: int) -> None:
        """Has the fork server kill one of its children: only a parent knows that the number is still the child's."""
        with self._lock, suppress(OSError, EOFError):
            self._socket.sendall(_packed(number))
            _exactly(self._socket, LENGTH.size)


def serve(descriptor: int, preloaded: Iterable[str] = ()) -> None:
    """What the fork server runs: forks a worker for every `SpawnRequest`, kills the one whose number is sent."""
    platform.ignore_interrupts()
    logging.disable()  # the parent process writes the log
    for module in preloaded:
        import_module(module)
    gc.collect()
    gc.freeze()
    parent = socket.socket(fileno=descriptor)
    children: set[int] = set()
    ended: set[int] = set()
    requests = select.poll()  # unlike select, it takes files of any number
    requests.register(parent, select.POLLIN)
    while True:
        ready = requests.poll(1000)
        _reap(children, ended)
        if not ready:
            continue
        try:
            _answer(parent, children, ended)
        except (EOFError, ConnectionError):
            # The parent has ended: in the middle of a request, or without reading an answer.
            for number in children:
                platform.kill_group(number)
            os._exit(0)


def _answer(parent: socket.socket, children: set[int], ended: set[int]) -> None:
    """Does what the next request asks for and answers it; EOFError or ConnectionError where the parent has ended."""
    data, descriptors, _, _ = socket.recv_fds(parent, LENGTH.size, 1)
    if len(data) < LENGTH.size:
        raise EOFError
    request = pickle.loads(_exactly(parent, LENGTH.unpack(data)[0]))
    if isinstance(request, int):
        if request in children:
            ended.add(request)
            platform.kill_group(request)
        parent.sendall(LENGTH.pack(0))
    else:
        parent.sendall(LENGTH.pack(_forked(parent, descriptors[0], request, children)))


def _forked(parent: socket.socket, descriptor: int, request: SpawnRequest, children: set[int]) -> int:
    """The number of a new child that works on *descriptor*; -1 where there can be none."""
    try:
        number = platform.fork()
    except OSError:
        os.close(descriptor)
        return -1
    if number == 0:
        parent.close()
        if request.own_session:
            platform.lead_group()
        else:
            platform.own_group()
        try:
            request.entry(Connection(descriptor), request.config)
        finally:
            if sys.exc_info()[0] is not None:
                sys.excepthook(*sys.exc_info())
            sys.stderr.flush()
            os._exit(1)
    os.close(descriptor)
    children.add(number)
    return number


def _reap(children: set[int], ended: set[int]) -> None:
    """Collects children that have ended; reports those that were killed and not *ended* by us."""
    for number in list(children):
        with suppress(ChildProcessError):
            gone, status = os.waitpid(number, os.WNOHANG)
            if gone == 0:
                continue
            if os.WIFSIGNALED(status) and number not in ended:
                sys.stderr.write(_exit_reason(os.WTERMSIG(status)))
                sys.stderr.flush()
        children.discard(number)
        ended.discard(number)


def _exit_reason(number: int) -> str:
    """Why a process has ended, as far as its signal tells."""
    if platform.was_killed(number):
        return "a search process was killed from outside, most likely because memory ran out (see --memory)\n"
    return f"a search process ended with signal {number} ({platform.signal_name(number)})\n"


def _packed(request: SpawnRequest | int) -> bytes:
    data = pickle.dumps(request)
    return LENGTH.pack(len(data)) + data


def _exactly(source: socket.socket, count: int) -> bytes:
    data = b""
    while len(data) < count:
        piece = source.recv(count - len(data))
        if not piece:
            raise EOFError
        data += piece
    return data


_server: ForkServer | None = None
_opening = threading.Lock()


def start_process(entry: Entry, config: Any, hear: Hear, *, own_session: bool = False) -> WorkerHandle:
    """A new process that runs *entry*, forked by the fork server where there can be one; the one way to start a worker."""
    request = SpawnRequest(entry, config, own_session)
    if platform.can_fork():
        return fork_server().spawn(request, hear)
    processes = platform.fresh_process_context()
    ours, theirs = processes.Pipe()
    process = processes.Process(target=entry, args=(theirs, config), daemon=True)
    process.start()
    theirs.close()

    def kill() -> None:
        with suppress(PermissionError):  # Windows says so of a process that is ending already
            process.kill()

    return WorkerHandle(ours, hear, kill, process.pid or 0)


def spawn(config: WorkerConfig, hear: Hear) -> PendingWorker:
    """A new worker process of a timed player, for which nobody waits."""
    return PendingWorker(partial(start_process, work, config, hear, own_session=config.nice == 0), hear)


def preload(modules: Iterable[str]) -> None:
    """Has fork servers that start from now on import *modules* too."""
    PRELOADED.extend(module for module in modules if module not in PRELOADED)


def _no_process() -> LimitExceeded:
    return LimitExceeded("no worker process could be started", hint="free some memory, or run fewer matches")


def fork_server() -> ForkServer:
    """The fork server of this process, started when it is first needed: asking early makes the first worker quick."""
    global _server
    with _opening:
        if _server is None or _server._process.poll() is not None:
            _server = ForkServer()
            atexit.register(_server.close)
        return _server

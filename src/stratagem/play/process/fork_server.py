"""Where workers come from: forked, in a few hundredths of a second, from a process that has imported everything.

A fresh Python with its libraries takes a second to be of use, and longer on a busy machine: too long for a start clock
of one second. Where the system allows (`stratagem.platform`) one process, the fork_server, imports once and forks on request; none of its
threads is at work then, so that forking is safe. Elsewhere every worker is a fresh process.

The kernels of the engine are found on disk when they are first called, which takes a second or more on a busy machine; on a
new one they are compiled in the background before that. `warm_fork_server` then opens a fork_server that has called them all, whose
workers are born with them, and puts it in the place of the first one; until then that one serves.
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
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from multiprocessing.connection import Connection
from typing import Final

from stratagem import platform
from stratagem.errors import LimitExceeded
from stratagem.play.process import kernel_compilation as kernels
from stratagem.play.process.protocol import Command, Notification
from stratagem.play.process.warmup import call_kernels
from stratagem.play.process.worker import WorkerConfig, work

PRELOADED: Final = (
    "stratagem.play.players.stratagem",
    "stratagem.play.players.mcts",
    "stratagem.engine.mcts.search",
    "stratagem.engine.alpha_beta.search",
    "stratagem.engine.evaluation.learning",
)
LENGTH: Final = struct.Struct("!i")
Heard = Callable[[Notification | None], None]
"""Takes what a worker says; None: it is gone."""


class WorkerHandle:
    """A worker seen from the table: commands go in, notifications come out, and it can be dismissed at any time."""

    def __init__(
        self, connection: Connection, heard: Heard, kill: Callable[[], None], number: int = 0
    ) -> None:
        self.number = number
        """Of its process."""
        self._connection = connection
        self._heard = heard
        self._kill = kill
        self._commands: queue.SimpleQueue[Command | None] = queue.SimpleQueue()
        threading.Thread(target=self._listen, name="listen", daemon=True).start()
        threading.Thread(target=self._send, name="send", daemon=True).start()

    def send(self, command: Command) -> None:
        """Sends *command*; never waits, not even for a worker that does not read."""
        self._commands.put(command)

    def kill(self) -> None:
        """Ends the worker at once, whatever it is doing."""
        self._commands.put(None)
        self._kill()

    def _listen(self) -> None:
        """Hears the worker to its end; only here is the pipe closed, since closing it under a reader is no way to go."""
        with suppress(EOFError, OSError, pickle.UnpicklingError):
            while True:
                self._heard(self._connection.recv())
        self._commands.put(None)
        self._connection.close()
        self._heard(None)

    def _send(self) -> None:
        # a pipe closed at the very moment of sending shows as a TypeError: its handle is None then
        with suppress(OSError, TypeError):
            while (command := self._commands.get()) is not None:
                self._connection.send(command)


class ForkServer:
    """The parent's end of the process that forks workers."""

    def __init__(self, *, warm: bool = False) -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket = ours
        self._lock = threading.Lock()
        self.spawned = 0
        """How many workers have come from here."""
        command = [
            sys.executable,
            "-c",
            f"from {__name__} import serve; serve({theirs.fileno()}, warm={warm})",
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

    def spawn(self, config: WorkerConfig, heard: Heard) -> WorkerHandle:
        """A new worker."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        with self._lock, theirs:
            try:
                socket.send_fds(self._socket, [_packed(config)], [theirs.fileno()])
                number = LENGTH.unpack(_exactly(self._socket, LENGTH.size))[0]
            except (OSError, EOFError) as failure:
                ours.close()
                raise LimitExceeded(
                    "no process could be started to think in", hint="free some memory, or run fewer matches"
                ) from failure
        if number <= 0:
            ours.close()
            raise LimitExceeded(
                "no process could be started to think in", hint="free some memory, or run fewer matches"
            )
        self.spawned += 1
        return WorkerHandle(Connection(ours.detach()), heard, lambda: self._end(number), number)

    def close(self) -> None:
        """Ends the fork_server; its workers end with it, as their pipes close."""
        self._socket.close()
        self._process.wait()

    def _end(self, number: int) -> None:
        """Has the fork_server kill one of its children: only a parent knows that the number is still the child's."""
        with self._lock, suppress(OSError, EOFError):
            self._socket.sendall(_packed(number))
            _exactly(self._socket, LENGTH.size)


def serve(descriptor: int, *, warm: bool = False) -> None:
    """What the fork_server runs: forks a worker for every config, kills the one whose number is sent."""
    platform.ignore_interrupts()
    logging.disable()  # whoever has started us speaks to people
    for module in PRELOADED:
        import_module(module)
    if warm:
        call_kernels()
    gc.collect()
    gc.freeze()
    parent = socket.socket(fileno=descriptor)
    children: set[int] = set()
    ended: set[int] = set()
    while True:
        ready, _, _ = select.select([parent], [], [], 1.0)
        _reap(children, ended)
        if not ready:
            continue
        data, descriptors, _, _ = socket.recv_fds(parent, LENGTH.size, 1)
        if len(data) < LENGTH.size:
            for number in children:
                platform.kill_group(number)
            os._exit(0)
        request = pickle.loads(_exactly(parent, LENGTH.unpack(data)[0]))
        if isinstance(request, WorkerConfig):
            parent.sendall(LENGTH.pack(_forked(parent, descriptors[0], request, children)))
        else:
            if request in children:
                ended.add(request)
                platform.kill_group(request)
            parent.sendall(LENGTH.pack(0))


def _forked(parent: socket.socket, descriptor: int, config: WorkerConfig, children: set[int]) -> int:
    """The number of a new child that works on *descriptor*; -1 where there can be none."""
    try:
        number = platform.fork()
    except OSError:
        os.close(descriptor)
        return -1
    if number == 0:
        parent.close()
        platform.lead_group()  # thinking takes nothing from the session that watches the clock
        try:
            work(Connection(descriptor), config)
        finally:
            sys.stderr.flush()
            os._exit(1)
    os.close(descriptor)
    children.add(number)
    return number


def _reap(children: set[int], ended: set[int]) -> None:
    """Takes leave of children that are gone; says so where nobody here has *ended* them."""
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
        return (
            "a thinking process was killed from outside, most likely because memory ran out (see --memory)\n"
        )
    return f"a thinking process ended with signal {number} ({platform.signal_name(number)})\n"


def _packed(request: WorkerConfig | int) -> bytes:
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


def spawn(config: WorkerConfig, heard: Heard) -> WorkerHandle:
    """A new worker, from the fork_server of this process where there can be one.

    Kernels that it may want are compiled in the background meanwhile, if need be.
    """
    if config.player in kernels.PLAYERS and config.machine != "reasoner":
        threading.Thread(target=kernels.COMPILER.start, name="kernels", daemon=True).start()
    if platform.can_fork():
        return fork_server().spawn(config, heard)
    processes = platform.fresh_process_context()
    ours, theirs = processes.Pipe()
    process = processes.Process(target=work, args=(theirs, config), daemon=True)
    process.start()
    theirs.close()
    return WorkerHandle(ours, heard, process.kill, process.pid or 0)


def fork_server() -> ForkServer:
    """The fork_server of this process, opened when it is first needed: asking early makes the first worker quick."""
    global _server
    with _opening:
        if _server is None or _server._process.poll() is not None:
            _server = ForkServer()
            atexit.register(_server.close)
        return _server


def warm_fork_server(politeness: int = 0) -> None:
    """Opens a fork_server whose workers know all kernels; returns when it has taken the place of the one before.

    Workers of that one go on; it stays open for their sake. *politeness*, as in nice(1), is for compiling while others
    play.
    """
    global _server
    kernels.COMPILER.wait(politeness)
    if not platform.can_fork():
        return  # on disk they are found by every process
    made = ForkServer(warm=True)
    made.wait()
    atexit.register(made.close)
    with _opening:
        former, _server = _server, made
    if former is not None and former.spawned == 0:
        atexit.unregister(former.close)
        former.close()

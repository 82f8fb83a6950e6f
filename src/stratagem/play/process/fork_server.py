"""Where workers come from: forked, in a few hundredths of a second, from a process that has imported everything.

A fresh Python with its libraries takes a second to be of use, and longer on a busy machine: too long for a start clock
of one second. Where the system allows (`stratagem.platform`) one process, the nursery, imports once and forks on request; none of its
threads is at work then, so that forking is safe. Elsewhere every worker is a fresh process.

The kernels of the engine are found on disk when they are first called, which takes a second or more on a busy machine; on a
new one they are compiled in the background before that. `warm_nursery` then opens a nursery that has called them all, whose
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
from stratagem.play.process.protocol import Order, Word
from stratagem.play.process.warmup import call_kernels
from stratagem.play.process.worker import Employment, work

PRELOADED: Final = (
    "stratagem.play.players.stratagem",
    "stratagem.play.players.mcts",
    "stratagem.engine.mcts.search",
    "stratagem.engine.alpha_beta.search",
    "stratagem.engine.evaluation.learning",
)
LENGTH: Final = struct.Struct("!i")
Heard = Callable[[Word | None], None]
"""Takes what a worker says; None: it is gone."""


class Hired:
    """A worker seen from the table: orders go in, words come out, and it can be dismissed at any time."""

    def __init__(
        self, connection: Connection, heard: Heard, dismiss: Callable[[], None], number: int = 0
    ) -> None:
        self.number = number
        """Of its process."""
        self._connection = connection
        self._heard = heard
        self._dismiss = dismiss
        self._orders: queue.SimpleQueue[Order | None] = queue.SimpleQueue()
        threading.Thread(target=self._listen, name="listen", daemon=True).start()
        threading.Thread(target=self._tell, name="tell", daemon=True).start()

    def tell(self, order: Order) -> None:
        """Sends *order*; never waits, not even for a worker that does not read."""
        self._orders.put(order)

    def dismiss(self) -> None:
        """Ends the worker at once, whatever it is doing."""
        self._orders.put(None)
        self._dismiss()

    def _listen(self) -> None:
        """Hears the worker to its end; only here is the pipe closed, since closing it under a reader is no way to go."""
        with suppress(EOFError, OSError, pickle.UnpicklingError):
            while True:
                self._heard(self._connection.recv())
        self._orders.put(None)
        self._connection.close()
        self._heard(None)

    def _tell(self) -> None:
        # a pipe closed at the very moment of sending shows as a TypeError: its handle is None then
        with suppress(OSError, TypeError):
            while (order := self._orders.get()) is not None:
                self._connection.send(order)


class Nursery:
    """The parent's end of the process that forks workers."""

    def __init__(self, *, warm: bool = False) -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket = ours
        self._lock = threading.Lock()
        self.hired = 0
        """How many workers have come from here."""
        command = [sys.executable, "-c", f"from {__name__} import tend; tend({theirs.fileno()}, warm={warm})"]
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

    def hire(self, employment: Employment, heard: Heard) -> Hired:
        """A new worker."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        with self._lock, theirs:
            try:
                socket.send_fds(self._socket, [_packed(employment)], [theirs.fileno()])
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
        self.hired += 1
        return Hired(Connection(ours.detach()), heard, lambda: self._end(number), number)

    def close(self) -> None:
        """Ends the nursery; its workers end with it, as their pipes close."""
        self._socket.close()
        self._process.wait()

    def _end(self, number: int) -> None:
        """Has the nursery kill one of its children: only a parent knows that the number is still the child's."""
        with self._lock, suppress(OSError, EOFError):
            self._socket.sendall(_packed(number))
            _exactly(self._socket, LENGTH.size)


def tend(descriptor: int, *, warm: bool = False) -> None:
    """What the nursery runs: forks a worker for every employment, kills the one whose number is sent."""
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
        if isinstance(request, Employment):
            parent.sendall(LENGTH.pack(_forked(parent, descriptors[0], request, children)))
        else:
            if request in children:
                ended.add(request)
                platform.kill_group(request)
            parent.sendall(LENGTH.pack(0))


def _forked(parent: socket.socket, descriptor: int, employment: Employment, children: set[int]) -> int:
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
            work(Connection(descriptor), employment)
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
                sys.stderr.write(_obituary(os.WTERMSIG(status)))
                sys.stderr.flush()
        children.discard(number)
        ended.discard(number)


def _obituary(number: int) -> str:
    """Why a process has ended, as far as its signal tells."""
    if platform.was_killed(number):
        return (
            "a thinking process was killed from outside, most likely because memory ran out (see --memory)\n"
        )
    return f"a thinking process ended with signal {number} ({platform.signal_name(number)})\n"


def _packed(request: Employment | int) -> bytes:
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


_nursery: Nursery | None = None
_opening = threading.Lock()


def hire(employment: Employment, heard: Heard) -> Hired:
    """A new worker, from the nursery of this process where there can be one.

    Kernels that it may want are compiled in the background meanwhile, if need be.
    """
    if employment.player in kernels.PLAYERS and employment.machine != "reasoner":
        threading.Thread(target=kernels.COMPILER.start, name="kernels", daemon=True).start()
    if platform.can_fork():
        return nursery().hire(employment, heard)
    processes = platform.fresh_process_context()
    ours, theirs = processes.Pipe()
    process = processes.Process(target=work, args=(theirs, employment), daemon=True)
    process.start()
    theirs.close()
    return Hired(ours, heard, process.kill, process.pid or 0)


def nursery() -> Nursery:
    """The nursery of this process, opened when it is first needed: asking early makes the first worker quick."""
    global _nursery
    with _opening:
        if _nursery is None or _nursery._process.poll() is not None:
            _nursery = Nursery()
            atexit.register(_nursery.close)
        return _nursery


def warm_nursery(politeness: int = 0) -> None:
    """Opens a nursery whose workers know all kernels; returns when it has taken the place of the one before.

    Workers of that one go on; it stays open for their sake. *politeness*, as in nice(1), is for compiling while others
    play.
    """
    global _nursery
    kernels.COMPILER.wait(politeness)
    if not platform.can_fork():
        return  # on disk they are found by every process
    made = Nursery(warm=True)
    made.wait()
    atexit.register(made.close)
    with _opening:
        former, _nursery = _nursery, made
    if former is not None and former.hired == 0:
        atexit.unregister(former.close)
        former.close()

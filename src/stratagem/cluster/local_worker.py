"""What the processes of the local executor run: one task after another, or an actor that listens at an address."""

from __future__ import annotations

import os
import pickle
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, Listener
from typing import Any

from stratagem.executor.interface import FAILED, answer_of
from stratagem.platform import ignore_interrupts


@dataclass(frozen=True, slots=True)
class ActorPlan:
    """The object that an actor is: made by *kind* of *arguments*, in its process."""

    kind: Callable[..., Any]
    arguments: tuple[Any, ...]


def run_tasks(connection: Connection, _: None) -> None:
    """Runs the tasks that come over *connection*, until its other end is closed."""
    ignore_interrupts()
    with suppress(EOFError, OSError):
        while True:
            task, arguments = connection.recv()
            _send(connection, answer_of(task, arguments))


def serve_actor(connection: Connection, plan: ActorPlan) -> None:
    """Makes the object, tells over *connection* where it listens, and answers calls until that is closed.

    Every caller is served by a thread of its own, in the order of its calls.
    """
    ignore_interrupts()
    key = os.urandom(16)
    made = threading.Event()
    listener = Listener(authkey=key)
    objects: list[Any] = []

    def serve(caller: Connection) -> None:
        made.wait()
        with suppress(EOFError, OSError):
            while True:
                method, arguments = caller.recv()
                if objects[0][0] == FAILED:
                    _send(caller, objects[0])
                else:
                    _send(caller, answer_of(getattr(objects[0][1], method), arguments))

    def accept() -> None:
        while True:
            with suppress(OSError, EOFError):  # a caller that went away while it was being let in
                threading.Thread(target=serve, args=(listener.accept(),), daemon=True).start()

    connection.send((listener.address, key))
    threading.Thread(target=accept, daemon=True).start()
    objects.append(answer_of(plan.kind, plan.arguments))
    made.set()
    with suppress(EOFError, OSError):
        connection.recv()
    os._exit(0)


def _send(connection: Connection, answer: tuple[str, Any]) -> None:
    """Sends an answer; one that cannot be sent is a fault of its own."""
    try:
        connection.send(answer)
    except (pickle.PicklingError, TypeError, AttributeError, RecursionError) as fault:
        connection.send((FAILED, RuntimeError(f"an answer could not be sent: {fault}")))

"""Processes that are being started: messages are kept in order, kills are not lost, failures are heard of."""

from __future__ import annotations

import multiprocessing
import queue
import threading
from functools import partial
from types import SimpleNamespace

import pytest

from stratagem.errors import LimitExceeded
from stratagem.play.process import fork_server
from stratagem.play.process.pending_worker import PendingWorker
from stratagem.play.process.protocol import Trouble

PATIENCE = 60.0


class Process:
    """What it is told, in order."""

    number = 7

    def __init__(self) -> None:
        self.told: queue.SimpleQueue[object] = queue.SimpleQueue()

    def send(self, message: object) -> None:
        self.told.put(message)

    def kill(self) -> None:
        self.told.put("killed")

    def next(self) -> object:
        return self.told.get(timeout=PATIENCE)


def start_of(process: Process, allowed: threading.Event):
    def start() -> Process:
        assert allowed.wait(PATIENCE)
        return process

    return start


def test_messages_wait_for_the_process_and_whoever_sends_them_does_not():
    process, allowed = Process(), threading.Event()
    worker = PendingWorker(start_of(process, allowed), print)
    for number in range(5):
        worker.send(number)
    assert (worker.number, process.told.empty()) == (0, True)
    allowed.set()
    assert [process.next() for _ in range(5)] == list(range(5))
    assert worker.number == 7
    worker.send("later")
    assert process.next() == "later"
    worker.kill()
    assert process.next() == "killed"


def test_a_process_that_is_killed_before_it_is_there_is_killed_then():
    process, allowed = Process(), threading.Event()
    blocking = PendingWorker(start_of(Process(), allowed), print)
    worker = PendingWorker(start_of(process, allowed), print)
    worker.send("begin")
    worker.kill()
    allowed.set()
    other = Process()
    PendingWorker(start_of(other, allowed), print).send("after all of them")
    assert other.next() == "after all of them"
    assert blocking.number == 7
    assert process.told.empty()  # it was not even started


def test_a_process_that_was_being_started_when_it_was_killed_ends():
    process, allowed, starting = Process(), threading.Event(), threading.Event()

    def start() -> Process:
        starting.set()
        assert allowed.wait(PATIENCE)
        return process

    worker = PendingWorker(start, print)
    assert starting.wait(PATIENCE)
    worker.kill()
    allowed.set()
    assert process.next() == "killed"


@pytest.mark.parametrize("failure", [LimitExceeded, OSError, RuntimeError])
def test_a_process_that_cannot_be_started_says_why_and_has_ended_and_the_next_one_starts(failure):
    heard: queue.SimpleQueue[object] = queue.SimpleQueue()

    def start() -> Process:
        raise failure("no worker process could be started")

    PendingWorker(start, heard.put)
    assert heard.get(timeout=PATIENCE) == Trouble("no worker process could be started")
    assert heard.get(timeout=PATIENCE) is None
    process = Process()
    PendingWorker(lambda: process, heard.put).send("begin")
    assert process.told.get(timeout=PATIENCE) == "begin"


def test_a_process_that_is_ending_already_does_not_keep_others_from_being_ended(monkeypatch):
    """Where processes are not forked: Windows refuses to end one that is ending."""
    asked: queue.SimpleQueue[str] = queue.SimpleQueue()

    class Ending:
        pid = 7

        def __init__(self, **_: object) -> None:
            pass

        def start(self) -> None:
            asked.put("start")

        def kill(self) -> None:
            asked.put("kill")
            raise PermissionError(5, "Access is denied")

    processes = SimpleNamespace(Pipe=multiprocessing.Pipe, Process=Ending)
    monkeypatch.setattr(fork_server.platform, "can_fork", lambda: False)
    monkeypatch.setattr(fork_server.platform, "fresh_process_context", lambda: processes)
    for _ in range(2):
        worker = PendingWorker(partial(fork_server.start_process, print, None, print), print)
        assert asked.get(timeout=PATIENCE) == "start"
        worker.kill()
        assert asked.get(timeout=PATIENCE) == "kill"

"""Workers with limits: what takes too long or too much is ended, and nobody else notices."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from stratagem.errors import LimitExceeded, UsageError
from stratagem.loading import MachineName
from stratagem.web.app.address import Sheet
from stratagem.web.workers.scheduler import FairGate, Scheduler, WorkerPool
from stratagem.web.workers.worker_process import WorkerProcess

PATIENCE = 120.0
"""Seconds that no answer takes, however busy the machine is."""


def answer(value: int, *, tell: Callable[[Any], None]) -> tuple[int, int]:
    tell("on my way")
    return value, os.getpid()


def endless(*, tell: Callable[[Any], None]) -> None:
    tell(os.getpid())
    while True:
        time.sleep(0.01)


def greedy(*, tell: Callable[[Any], None]) -> int:
    return len(bytearray(8 << 30))


def deep(*, tell: Callable[[Any], None]) -> int:
    return deep(tell=tell)


def nested(*, tell: Callable[[Any], None]) -> Any:
    found: list[Any] = []
    for _ in range(5_000):
        found = [found]
    return found


def refuse(*, tell: Callable[[Any], None]) -> None:
    raise UsageError("no", hint="never")


def die(*, tell: Callable[[Any], None]) -> None:
    os._exit(3)


def test_a_worker_answers_tells_and_keeps_its_process() -> None:
    async def run() -> None:
        worker, heard = WorkerProcess(), []
        first = await worker.ask(answer, 1, seconds=PATIENCE, heard=heard.append)
        second = await worker.ask(answer, 2, seconds=PATIENCE)
        assert (first[0], second[0], heard) == (1, 2, ["on my way"])
        assert first[1] == second[1] != os.getpid()
        worker.clear()

    asyncio.run(run())


def test_what_goes_wrong_in_a_worker_is_one_sentence_and_the_worker_goes_on() -> None:
    async def run() -> None:
        worker = WorkerProcess(memory=2 << 30)
        await worker.ask(answer, 0, seconds=PATIENCE)
        for task, error, words in (
            (endless, LimitExceeded, "longer than 0.2 seconds"),
            (greedy, LimitExceeded, "more memory"),
            (deep, LimitExceeded, "nested too deeply"),
            (nested, LimitExceeded, "nested too deeply"),
            (refuse, UsageError, "no; never"),
            (die, LimitExceeded, "ended before it returned a result"),
        ):
            with pytest.raises(error, match=words):
                await worker.ask(task, seconds=0.2 if task is endless else PATIENCE)
            assert (await worker.ask(answer, 7, seconds=PATIENCE))[0] == 7
        worker.clear()

    asyncio.run(run())


def parent(pipe: str, *, tell: Callable[[Any], None]) -> None:
    """Starts a process of its own, which holds *pipe* open for as long as it lives."""
    script = f"import time; file = open({pipe!r}, 'w'); file.write('begun'); file.flush(); time.sleep(300)"
    subprocess.Popen([sys.executable, "-c", script]).wait()


def test_cancelling_heavy_work_ends_its_process_and_gives_its_place_to_the_next() -> None:
    async def run() -> None:
        scheduler = Scheduler(cores=1)
        began: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        task = asyncio.ensure_future(scheduler.work("me", endless, seconds=PATIENCE, heard=began.set_result))
        endless_one = await began
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert (await scheduler.work("me", answer, 5, seconds=PATIENCE))[0] == 5
        while alive(endless_one):
            await asyncio.sleep(0.01)
        scheduler.close()

    asyncio.run(run())


def alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.skipif(sys.platform == "win32", reason="no named pipes in the file system, no process groups")
def test_what_a_worker_has_started_is_ended_with_it(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)

    async def run() -> None:
        worker = WorkerProcess()
        asked = asyncio.ensure_future(worker.ask(parent, str(pipe), seconds=PATIENCE))
        file = await asyncio.to_thread(pipe.open)
        with file:
            assert await asyncio.to_thread(file.read, 5) == "begun"
            worker.clear()
            with pytest.raises(LimitExceeded):
                await asked
            assert await asyncio.to_thread(file.read) == "", "whoever held the pipe open has ended"

    asyncio.run(run())


def test_whoever_has_the_least_running_goes_first() -> None:
    async def run() -> None:
        gate = FairGate(2, each=10)
        await gate.enter("greedy")
        await gate.enter("greedy")
        later = asyncio.ensure_future(gate.enter("greedy"))
        await asyncio.sleep(0)
        modest = asyncio.ensure_future(gate.enter("modest"))
        await asyncio.sleep(0)
        gate.leave("greedy")
        await asyncio.wait_for(modest, PATIENCE)
        assert not later.done()
        gate.leave("modest")
        await asyncio.wait_for(later, PATIENCE)

    asyncio.run(run())


def test_too_much_at_once_is_refused_and_a_cancelled_wait_gives_its_place_up() -> None:
    async def run() -> None:
        gate = FairGate(1, each=2)
        await gate.enter("me")
        waiting = asyncio.ensure_future(gate.enter("me"))
        await asyncio.sleep(0)
        with pytest.raises(LimitExceeded, match="too many tasks"):
            await gate.enter("me")
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
        other = asyncio.ensure_future(gate.enter("other"))
        await asyncio.sleep(0)
        gate.leave("me")
        await asyncio.wait_for(other, PATIENCE)

    asyncio.run(run())


def test_the_worker_that_was_idle_for_longest_makes_room() -> None:
    workers = WorkerPool(2, WorkerProcess)
    one, two = workers.at("one"), workers.at("two")
    one.used, two.used = 1.0, 2.0
    three = workers.at("three")
    assert workers.at("three") is three
    assert workers.at("two") is two
    assert workers.at("one") is not one


def test_nobody_is_ended_at_work_to_make_room() -> None:
    workers = WorkerPool(1, WorkerProcess)
    first = workers.at("first")
    first.busy = 1
    second = workers.at("second")
    second.busy = 1
    with pytest.raises(LimitExceeded, match="all worker processes are busy"):
        workers.at("third")
    second.busy = 0
    assert workers.at("third") is not second
    assert workers.at("first") is first


class RecordingWorker:
    """A worker that keeps what it is asked and answers with nothing."""

    warm = True

    def __init__(self) -> None:
        self.asked: list[tuple[Any, ...]] = []

    async def ask(self, *arguments: Any, seconds: float, heard: Any) -> None:
        self.asked.append((*arguments, seconds))


@pytest.mark.parametrize("machine", ["joins", None])
def test_a_player_that_stands_in_for_the_engine_has_as_long_as_a_hint_may_take(
    monkeypatch: pytest.MonkeyPatch, machine: MachineName | None
) -> None:
    async def run() -> None:
        scheduler, worker = Scheduler(cores=1), RecordingWorker()
        monkeypatch.setattr(scheduler.engines, "at", lambda key: worker)
        await scheduler.glance(Sheet("nim"), "me", (), machine=machine, whole=20.0)
        ((*_, whole, limit),) = worker.asked
        assert whole == 20.0
        assert limit > 20.0

    asyncio.run(run())

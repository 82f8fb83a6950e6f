"""The virtual clock that the other tests rely on: nothing happens before its time, and nothing takes real time."""

from __future__ import annotations

import asyncio
from concurrent.futures import Future
from math import inf

import pytest
from tests.support.virtual_time import Ticking, VirtualClock, run_virtually

from stratagem.play.clock import REAL, Mailbox


def test_a_mailbox_gives_up_at_the_moment_it_was_told():
    clock, found = VirtualClock(), Future()

    def reader() -> None:
        box: Mailbox[str] = Mailbox(clock)
        found.set_result((box.take(until=clock.now() + 7.5), clock.now()))

    clock.start(reader, "reader")
    assert clock.result(found) == (None, 107.5)


def test_what_is_put_in_is_taken_in_order_and_before_time_moves():
    clock = VirtualClock()
    box: Mailbox[str] = Mailbox(clock)
    heard: list[tuple[str, float]] = []
    done: Future[None] = Future()

    def reader() -> None:
        while (item := box.take()) is not None and item != "end":
            heard.append((item, clock.now()))
        done.set_result(None)

    clock.start(reader, "reader")
    clock.at(103, lambda: box.put("late"))
    clock.at(104, lambda: box.put("end"))
    box.put("first")
    box.put("second")
    clock.result(done)
    assert heard == [("first", 100), ("second", 100), ("late", 103)]


def test_time_stands_still_while_a_thread_has_something_to_do():
    clock = VirtualClock()
    box: Mailbox[str] = Mailbox(clock)
    seen: list[float] = []

    def busy() -> None:
        while box.take() is not None:
            sum(range(20_000))
            seen.append(clock.now())

    clock.start(busy, "busy")
    for moment in (101, 102, 103):
        clock.at(moment, lambda: box.put("work"))
    clock.sleep(10)
    assert (seen, clock.now()) == ([101, 102, 103], 110)


def test_a_future_that_nobody_fulfils_is_a_failure_and_no_hang():
    with pytest.raises(AssertionError, match="nothing came within 5 virtual seconds"):
        VirtualClock().result(Future(), within=5)


def test_the_real_clock_takes_what_is_there_and_waits_for_nothing_that_is_past():
    box: Mailbox[int] = Mailbox(REAL)
    box.put(1)
    assert box.take(until=inf) == 1
    assert box.take(until=0.0) is None


def test_an_hour_of_coroutines_takes_no_time():
    async def work(loop) -> tuple[str, float]:
        before = loop.now()
        try:
            async with asyncio.timeout(3600):
                await asyncio.to_thread(sum, [1, 2])
                await asyncio.sleep(inf)
        except TimeoutError:
            return "over", loop.now() - before
        return "never", 0.0

    what, seconds = run_virtually(work)
    assert what == "over"
    assert seconds == pytest.approx(3600)


def test_a_ticking_clock_ends_a_loop_after_so_many_looks():
    now = Ticking(0.5, start=0)
    looks = 0
    while now() < 5:
        looks += 1
    assert looks == 9

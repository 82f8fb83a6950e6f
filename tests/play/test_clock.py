from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratagem.play.clock import Deadline, Mailbox, Margin, MonotonicClock, Overrun
from stratagem.search.framework.tally import SearchTally

SECONDS = st.floats(0, 30, allow_nan=False)


class FakeTime:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_deadline_counts_down_and_ends():
    time = FakeTime()
    deadline = Deadline.after(10, now=time)
    time.now += 9.5
    assert (deadline.left(), deadline.over()) == (0.5, False)
    time.now += 0.5
    assert (deadline.left(), deadline.over()) == (0.0, True)


def test_an_interruption_ends_it_before_its_time():
    commands: list[str] = []
    deadline = Deadline.after(10, now=FakeTime(), interrupted=lambda: bool(commands))
    assert not deadline.over()
    commands.append("play")
    assert deadline.over()
    assert deadline.left() == 0


def test_a_part_of_a_deadline_ends_earlier_and_is_interrupted_with_it():
    time, commands = FakeTime(), []
    deadline = Deadline.after(10, now=time, interrupted=lambda: bool(commands))
    part = deadline.sooner(0.3)
    assert part.at == pytest.approx(103)
    commands.append("play")
    assert part.over()


def test_searches_with_a_limit_stop_at_the_deadline_and_at_an_interruption():
    time, commands = FakeTime(), []
    deadline = Deadline.after(2, now=time, interrupted=lambda: bool(commands))
    tally = SearchTally(deadline.limit())
    tally.visit(0)
    assert not tally.limit_reached()
    commands.append("play")
    assert tally.limit_reached()
    commands.clear()
    time.now += 2
    assert tally.limit_reached()


def test_five_seconds_are_not_all_margin():
    """The seeds stop at clock - 5, which leaves nothing of a clock of 5 s."""
    margin = Margin(load=0)
    assert margin.think(5) < 0.6
    assert margin.think(1) < 0.3
    assert margin.overrule(30) < 0.6


@given(st.floats(0.01, 600), st.lists(SECONDS, max_size=30), st.lists(SECONDS, max_size=30))
def test_half_of_any_clock_is_for_thinking_and_the_overruling_comes_after_the_stopping(clock, stops, answers):
    margin = Margin()
    for seconds in stops:
        margin.stopping.note(seconds)
    for seconds in answers:
        margin.answering.note(seconds)
    assert 0 < margin.overrule(clock) <= margin.think(clock) <= clock / 2 + 1e-9


@given(st.lists(st.floats(0, 0.2), min_size=1, max_size=50))
def test_what_is_feared_is_never_less_than_what_just_happened(delays):
    overrun = Overrun(0.01)
    for seconds in delays:
        overrun.note(seconds)
        assert overrun.expected >= seconds


def test_the_margin_grows_on_a_slow_machine_and_shrinks_again_on_a_fast_one():
    margin = Margin(load=0)
    calm = margin.think(10)
    for _ in range(5):
        margin.stopping.note(0.8)
    anxious = margin.think(10)
    assert anxious > calm + 0.7
    for _ in range(200):
        margin.stopping.note(0.002)
    assert margin.think(10) < calm


def test_a_reserve_that_was_asked_for_is_kept():
    assert Margin(0.5).reserved(10) == 0.5
    assert Margin(0.5).reserved(0.2) == 0.1


def test_more_is_kept_back_where_everybody_wakes_late():
    calm, busy, busier = (Margin(load=load).reserved(1.0) for load in (0.0, 1.0, 9.0))
    assert calm < busy == busier < 0.25
    assert Margin(load=9).think(1.0) <= 0.5


def test_a_margin_follows_the_load_when_a_match_begins(monkeypatch):
    load = [0.0]
    monkeypatch.setattr("stratagem.play.clock.load_per_core", lambda: load[0])
    margin = Margin()
    calm = margin.overrule(1.0)
    load[0] = 3.0
    margin.look_at_load()
    busy = margin.overrule(1.0)
    assert busy >= calm + 0.1
    load[0] = 0.0
    margin.look_at_load()
    assert margin.overrule(1.0) == calm


def test_a_thread_that_is_always_woken_in_time_may_still_be_woken_late():
    margin = Margin(load=0)
    for _ in range(200):
        margin.waking.note(0.0)
    assert margin.waking.expected >= 0.02


def test_a_mailbox_knows_how_long_its_items_have_waited():
    class Stopped(MonotonicClock):
        moment = 0.0

        def now(self) -> float:
            return self.moment

    time = Stopped()
    box = Mailbox[str](time)
    box.put("first")
    time.moment = 2.0
    box.put("second")
    time.moment = 3.0
    assert (box.take(), box.take()) == ("first", "second")
    assert (box.longest_wait(), box.longest_wait()) == (3.0, 0.0)

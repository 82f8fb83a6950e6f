"""Compiling keeps to the time that its caller has left, and says nothing about the sheet when it runs out."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.circuit.test_budget import TICK, WIDE
from tests.support.small_sheets import sheet_of

from stratagem.cache import Cache
from stratagem.circuit.compiler.budget import BUDGET, time_left
from stratagem.circuit.compiler.compile import circuit_of
from stratagem.errors import OutOfTime
from stratagem.loading import load


class Clock:
    """Time that goes on by *step* whenever it is asked for; *asked* counts the questions."""

    def __init__(self, step: float) -> None:
        self.step, self.asked = step, 0

    def __call__(self) -> float:
        self.asked += 1
        return self.step * self.asked


def test_a_sheet_that_explodes_is_given_up_when_the_callers_time_is_spent():
    clock = Clock(1.0)
    with pytest.raises(OutOfTime, match="before the rules were compiled; allow more time"):
        circuit_of(sheet_of(WIDE), left=time_left(5.0, now=clock))
    # Once for the start, once in this process, once before the child and then until five seconds are over.
    assert clock.asked == 6


def test_nothing_is_remembered_about_a_sheet_for_which_there_was_no_time(tmp_path):
    with pytest.raises(OutOfTime):
        circuit_of(sheet_of(WIDE), store=Cache(tmp_path), left=time_left(5.0, now=Clock(1.0)))
    assert not list(tmp_path.rglob("*.*"))


def test_a_request_to_stop_ends_the_child_too():
    asked = Clock(1.0)
    with pytest.raises(OutOfTime):
        circuit_of(sheet_of(WIDE), left=time_left(None, lambda: asked() > 4))
    assert asked.asked == 5


def test_a_small_sheet_goes_to_a_child_where_it_might_outlast_the_time_left():
    with pytest.raises(OutOfTime):
        circuit_of(sheet_of(TICK), left=time_left(1.0, now=Clock(1.0)))
    here = circuit_of(sheet_of(TICK), left=time_left(100.0, now=Clock(1.0)))
    assert here.bases == circuit_of(sheet_of(TICK), budget=replace(BUDGET, instances_here=0)).bases


def test_a_game_is_not_loaded_past_its_seconds():
    with pytest.raises(OutOfTime):
        load(WIDE, seconds=0.0)
    with pytest.raises(OutOfTime):
        load(WIDE, stop=lambda: True)

"""A request to stop ends every search at its next look, with bounds that hold; nothing here waits for a clock."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event
from typing import Any

import pytest

from stratagem.engine.solve import METHODS, solve
from stratagem.engine.space import pure_strategies as pure
from stratagem.engine.space import retrograde
from stratagem.engine.space.database_build import build
from stratagem.engine.space.explore import explore
from stratagem.engine.space.retrograde import Stopped, solve_zero_sum
from stratagem.errors import OutOfTime
from stratagem.limit import Limit
from stratagem.loading import load
from stratagem.result import Interval
from stratagem.show.solution import described

ENDLESS = float("inf")
GAMES = {"space": "connectfour", "prove": "connectfour", "df-pn": "connectfour", "auto": "connectfour"}


class Request:
    """Says stop from the *first* question on, and counts the questions."""

    def __init__(self, first: int = 1) -> None:
        self.first, self.asked = first, 0

    def __call__(self) -> bool:
        self.asked += 1
        return self.asked >= self.first


@pytest.mark.parametrize("method", METHODS)
def test_every_method_ends_soon_after_it_was_asked_to_stop(method: str) -> None:
    stop = Request(first=3)
    found = solve(
        load(GAMES.get(method, "fifteenpuzzle")), method=method, limit=Limit(seconds=ENDLESS, stop=stop)
    )
    assert not found.proved
    # Each part of a method looks once more, and the portfolio between its parts.
    assert stop.asked <= stop.first + 8
    for value in found.values.values():
        assert 0 <= value.low <= value.high <= 100


@pytest.mark.parametrize("method", METHODS)
def test_no_method_begins_in_earnest_when_the_time_is_spent(method: str) -> None:
    found = solve(load(GAMES.get(method, "fifteenpuzzle")), method=method, limit=Limit(seconds=0.0))
    assert not found.proved


def asked_at_once(flag: Any, deadline: float, stop: Callable[[], bool] | None) -> Any:
    """Stands for `watched` with a request that comes before the first look."""

    @contextmanager
    def raised() -> Iterator[Event]:
        flag[0] = 1
        asked = Event()
        asked.set()
        yield asked

    return raised()


def test_backward_induction_stops_too_and_says_how_far_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    game = load("hexapawn")
    space = explore(game.compiled)
    monkeypatch.setattr(retrograde, "watched", asked_at_once)
    with pytest.raises(Stopped):
        solve_zero_sum(space)
    found = solve(game, method="space")
    assert (found.proved, found.counters.states) == (False, 135)
    assert found.note == "stopped after 135 states"
    assert described(game.initial(), found).startswith(
        "hexapawn: not solved by backward induction (as requested)"
    )
    assert found.values == {"white": Interval(0, 100), "black": Interval(0, 100)}


def test_pure_strategies_that_are_stopped_claim_less(monkeypatch: pytest.MonkeyPatch) -> None:
    space = explore(load("rockpaperscissors").compiled)
    whole = pure.pure_bounds(space, 0)
    monkeypatch.setattr(pure, "watched", asked_at_once)
    low, high = pure.pure_bounds(space, 0)
    assert low <= whole[0] <= whole[1] <= high


def test_a_database_that_is_stopped_in_its_last_step_keeps_everything(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    game = load("hexapawn")
    monkeypatch.setattr(retrograde, "watched", asked_at_once)
    with pytest.raises(OutOfTime, match="keeps the finished layers; continue with --resume"):
        build(game, game.initial(), tmp_path / "h.db")
    monkeypatch.undo()
    asked = Request(first=10**9)
    assert build(game, game.initial(), tmp_path / "h.db", resume=True, limit=Limit(stop=asked)).proved
    assert (tmp_path / "h.db").is_file()

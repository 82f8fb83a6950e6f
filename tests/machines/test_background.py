"""Rules that are compiled in the background: nobody sees the change of machines but by its speed."""

from __future__ import annotations

import gc
import pickle
from typing import Any

import pytest

from stratagem.errors import GroundingError, LimitExceeded, UsageError
from stratagem.gdl_game import GdlGame, SlowerMachine
from stratagem.loading import load, sheet_of, source_of
from stratagem.machines import making
from stratagem.machines.background import CircuitJob, SwappingMachine
from stratagem.machines.joins.machine import JoinsMachine
from stratagem.machines.machine import Identity


def pending(name: str) -> tuple[GdlGame, CircuitJob]:
    """A game whose circuit is made when the test says so."""
    sheet = sheet_of(name)
    job = CircuitJob(lambda left: making.compiled_circuit(sheet))
    machine = SwappingMachine(JoinsMachine(sheet), job, making.native)
    return GdlGame(sheet, machine, Identity(name, source_of(name))), job


@pytest.fixture
def nothing_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """All rules count as large."""
    monkeypatch.setattr("stratagem.circuit.compiler.compile.circuit_at_once", lambda *_, **__: None)


@pytest.mark.parametrize("name", ["tictactoe", "rockpaperscissors", "kalah"])
def test_states_are_the_same_before_and_after(name: str) -> None:
    game, job = pending(name)
    before = [game.initial()]
    while not before[-1].terminal and len(before) < 6:
        before.append(before[-1].next([before[-1].legals(role)[-1] for role in game.roles]))
    assert game.machine.name == "joins" and not job.done
    legals = [[state.legals(role) for role in game.roles] for state in before]
    hashes = list(map(hash, before))
    job.run()
    assert game.machine.name == "native" and game.compilable
    after = [game.initial()]
    for state in before[1:]:
        after.append(after[-1].next([after[-1].legals(role)[-1] for role in game.roles]))
        assert type(state.data) is not type(after[-1].data)
    assert before == after and hashes == list(map(hash, after))
    assert len({*before, *after}) == len(before)
    assert [[state.legals(role) for role in game.roles] for state in before] == legals
    for old, new in zip(before, after, strict=True):
        assert (old.terminal, old.facts()) == (new.terminal, new.facts())
        assert [old.goal(role) for role in game.roles] == [new.goal(role) for role in game.roles]
        assert (old.packed == new.packed).all()
    assert pickle.loads(pickle.dumps(before[-1])) == after[-1]


@pytest.mark.usefixtures("nothing_at_once")
def test_what_depends_on_the_machine_waits_for_the_one_that_stays() -> None:
    native = load("tictactoe", machine="native").playouts(n=500, seed=7)
    assert load("tictactoe").playouts(n=500, seed=7).outcomes == native.outcomes
    game = load("tictactoe")
    assert game.compiled.words == 1
    assert game.machine.name == "native" and game.fallback is None


@pytest.mark.usefixtures("nothing_at_once")
def test_rules_that_turn_out_too_large_stay_on_joins_and_say_so_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: Any, **__: Any) -> Any:
        raise GroundingError("the rules are too large")

    monkeypatch.setattr("stratagem.circuit.compiler.compile.circuit_of", refused)
    game = load("tictactoe")
    assert len(game.initial().legals("xplayer")) == 9
    with pytest.warns(SlowerMachine, match="runs on joins") as warned:
        assert [game.compilable, game.compilable] == [False, False]
    assert len(warned) == 1
    assert game.fallback == "the rules are too large"
    assert game.playouts(n=5, seed=1).matches == 5
    with pytest.raises(GroundingError):
        _ = game.circuit


def test_a_game_that_nobody_has_any_more_is_not_compiled() -> None:
    game, job = pending("tictactoe")
    state = game.initial()
    del game
    gc.collect()
    assert not job.cancelled
    del state
    gc.collect()
    assert job.cancelled


def test_where_joins_hit_a_limit_the_circuit_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    game, job = pending("tictactoe")

    def limit(*_: Any) -> Any:
        raise LimitExceeded("too many facts")

    monkeypatch.setattr(JoinsMachine, "legals", limit)
    assert len(game.initial().legals("xplayer")) == 9
    assert job.done and game.machine.name == "native"


def test_a_definite_machine_is_not_made_in_the_background() -> None:
    assert load("tictactoe", background=False).machine.name == "native"
    with pytest.raises(UsageError, match="compiled in the background where no machine"):
        load("tictactoe", machine="native", background=True)

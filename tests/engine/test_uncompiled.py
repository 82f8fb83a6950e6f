"""Rules that cannot be compiled, and rules that are to run on the reasoner: everything answers on them all the same."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.support.virtual_time import Ticking

from stratagem.circuit.compiler import compile as compiler
from stratagem.circuit.compiler.budget import BUDGET
from stratagem.engine.judge import judge
from stratagem.engine.solve import solve
from stratagem.engine.verdict import MOVES
from stratagem.errors import UnsuitableGame
from stratagem.gdl_game import GdlGame
from stratagem.limit import Limit
from stratagem.loading import load
from stratagem.play.clock import Deadline
from stratagem.play.match_state import Match
from stratagem.play.players import player_named, player_names
from stratagem.result import Interval

NIM = """
(role a) (role b) (init (heap 4)) (init (control a)) (less 4 3) (less 3 2) (less 2 1) (less 1 0)
(<= (two ?x ?z) (less ?x ?y) (less ?y ?z))
(<= (legal ?r one) (true (control ?r)) (true (heap ?x)) (less ?x ?y))
(<= (legal ?r two) (true (control ?r)) (true (heap ?x)) (two ?x ?y))
(<= (legal a noop) (true (control b))) (<= (legal b noop) (true (control a)))
(<= (next (heap ?y)) (does ?r one) (true (heap ?x)) (less ?x ?y))
(<= (next (heap ?y)) (does ?r two) (true (heap ?x)) (two ?x ?y))
(<= (next (control b)) (true (control a))) (<= (next (control a)) (true (control b)))
(<= terminal (true (heap 0)))
(<= (goal a 100) (true (control b))) (<= (goal b 0) (true (control b)))
(<= (goal a 0) (true (control a))) (<= (goal b 100) (true (control a)))
"""
"""Take one or two of four; the last one wins. The first role takes one."""
ASKED, JOINS, TOO_LARGE = "machine='reasoner'", "machine='joins'", "a tiny grounding budget"


@pytest.fixture(params=[ASKED, JOINS, TOO_LARGE])
def game(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> GdlGame:
    if request.param == ASKED:
        return load(NIM, machine="reasoner")
    if request.param == JOINS:
        return load(NIM, machine="joins")
    tiny = replace(BUDGET, seconds=0.0, instances_here=0, characters_here=0)
    with monkeypatch.context() as patched:
        patched.setenv("STRATAGEM_CACHE", "off")  # an earlier test has kept the circuit
        defaults = compiler.circuit_of.__kwdefaults__
        patched.setattr(compiler.circuit_of, "__kwdefaults__", defaults | {"budget": tiny})
        with pytest.warns(UserWarning, match="runs on joins"):
            return load(NIM, background=False)


def test_such_rules_are_not_compilable_and_others_are(game: GdlGame) -> None:
    assert not game.compilable
    assert load(NIM, machine="circuit").compilable


def test_playouts_give_the_report_of_the_native_ones(game: GdlGame) -> None:
    report = game.playouts(n=400, seed=1)
    native = load(NIM, machine="circuit").playouts(n=40_000, seed=1)
    assert report.matches == sum(report.outcomes.values()) == sum(report.lengths.values()) == 400
    assert (report.over, report.stuck, report.longest) == (0, 0, 4)
    assert report.goals[0] == pytest.approx(native.goals[0], abs=10)
    assert report.mean_length == pytest.approx(native.mean_length, abs=0.2)
    by_move = game.playouts(n=400, seed=1, by_move=True)
    assert [(str(one.joint[0]), one.matches) for one in by_move.moves] == [("one", 200), ("two", 200)]
    assert game.playouts(seconds=0.0).matches == 1
    assert game.playouts(n=5, limit=1).over == 5


def test_the_judge_samples(game: GdlGame) -> None:
    asked = iter(range(300))
    found = judge(game, Limit(stop=lambda: next(asked, None) is None))
    assert found.sound and not found.exhausted
    ruling = next(one for one in found.rulings if one.question == MOVES)
    assert ruling.known.startswith("sampled")
    assert found.figures["uncompiled"]


def test_the_taught_searches_solve(game: GdlGame) -> None:
    found = solve(game)
    assert found.proved
    assert found.values == {"a": Interval(100, 100), "b": Interval(0, 0)}
    assert str(found.best_move) == "one"
    assert found.why.startswith(f"on {game.runs_on}: ")
    state = game.initial()
    for joint in found.line:
        state = state.next(joint)
    assert state.terminal and state.goal("a") == 100
    assert solve(game, state).values["a"] == Interval(100, 100)
    with pytest.raises(UnsuitableGame, match="prove needs compiled rules"):
        solve(game, method="prove")


def test_what_no_taught_search_can_take_is_unknown() -> None:
    for name in ("rockpaperscissors", "tictactoethree"):
        found = solve(load(name, machine="reasoner"))
        assert not found.proved
        assert set(found.values.values()) == {Interval(0, 100)}
        assert found.note


@pytest.mark.parametrize("name", player_names())
def test_every_player_moves(game: GdlGame, name: str) -> None:
    player = player_named(name, seed=1)
    match = Match.of(game, "a")
    player.start(match, Deadline(1.0, now=Ticking(0.02, start=0.0)))
    choice = player.play(match, Deadline(1.0, now=Ticking(0.005, start=0.0)), lambda offer: None)
    assert choice.move in match.legals()
    player.stop(match)

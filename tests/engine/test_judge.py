"""The judge: sound rules pass, each fault is found, with a match that shows it."""

from __future__ import annotations

import pytest

from stratagem.engine.judge import judge
from stratagem.engine.verdict import ENDS, GOALS, MOVES, RANGE, Ruling, Verdict, win
from stratagem.errors import GroundingError
from stratagem.gdl_game import GdlGame
from stratagem.limit import Limit
from stratagem.loading import load
from stratagem.native.playouts.report import PlayoutReport

FRAME = """
(role a) (init (n 0)) (succ 0 1) (succ 1 2)
(<= (next (n ?y)) (true (n ?x)) (succ ?x ?y))
"""


def about(verdict: Verdict, question: str) -> Ruling:
    return next(ruling for ruling in verdict.rulings if ruling.question == question)


def test_tic_tac_toe_is_sound() -> None:
    found = judge(load("tictactoe"))
    assert found.sound
    assert found.exhausted
    assert found.figures["states"] == 5478
    assert found.figures["longest"] == 9
    assert found.figures["forces"] == {"xplayer": 50, "oplayer": 50}


def test_a_role_without_a_move_is_shown() -> None:
    rules = FRAME + "(<= (legal a go) (true (n 0))) (<= terminal (true (n 2))) (goal a 100)"
    found = judge(load(rules))
    ruling = about(found, MOVES)
    assert (ruling.good, ruling.answer) == (False, "no, a has no legal move there")
    assert ruling.match_text == ("go",)
    assert about(found, ENDS).good is False


def test_a_match_that_cannot_begin_does_not_end() -> None:
    rules = FRAME + "(<= (legal a go) (true (n 1))) (<= terminal (true (n 2))) (goal a 100)"
    found = judge(load(rules))
    assert (about(found, ENDS).good, about(found, ENDS).answer) == (False, "no, the match cannot begin")
    assert about(found, MOVES).answer == "no, a has no legal move at the start"
    assert about(found, win("a")).answer == "no, no match ends"
    assert not any(ruling.question in (GOALS, RANGE) for ruling in found.rulings)


def test_a_match_that_is_over_before_it_begins_is_named() -> None:
    found = judge(load(FRAME + "(legal a go) (<= terminal (true (n 0))) (goal a 100)"))
    assert about(found, ENDS).good is False
    assert about(found, ENDS).answer == "the start is terminal: no move can ever be made"


@pytest.mark.parametrize("goal", ["120", "101", "-1", "99999"])
def test_goals_outside_0_to_100_are_unsound_and_nothing_is_built_on_them(goal: str) -> None:
    rules = (
        FRAME
        + f"(legal a go) (<= terminal (true (n 2))) (<= (goal a {goal}) (true (n 2))) (<= (goal a 100) (true (n 1)))"
    )
    found = judge(load(rules))
    assert (about(found, RANGE).good, about(found, RANGE).answer) == (
        False,
        f"no, the rules can give a {goal}",
    )
    assert not found.sound
    assert "forces" not in found.figures


def test_what_an_end_gives_is_said_where_it_is_not_one_goal() -> None:
    rules = FRAME + "(legal a go) (<= terminal (true (n 2))) (goal a 50) (<= (goal a 100) (true (n 2)))"
    assert about(judge(load(rules)), GOALS).answer == "no, a gets 50 and 100 there"


def test_an_end_without_a_goal_is_shown() -> None:
    rules = FRAME + "(legal a go) (<= terminal (true (n 2))) (<= (goal a 100) (true (n 1)))"
    found = judge(load(rules))
    assert (about(found, GOALS).good, about(found, GOALS).answer) == (False, "no, a gets none there")
    assert about(found, GOALS).match_text == ("go", "go")
    assert not found.sound


def test_play_without_end_is_shown() -> None:
    rules = "(role a) (init x) (legal a go) (legal a stop) (<= (next x) (does a go)) (<= terminal (not (true x))) (goal a 100)"
    verdict = about(judge(load(rules)), ENDS)
    assert verdict.good is False


def test_a_game_that_cannot_be_won_is_named() -> None:
    rules = FRAME + "(legal a go) (<= terminal (true (n 2))) (goal a 40)"
    assert about(judge(load(rules)), "can a win at all?").good is False


def test_large_games_are_judged_by_samples_and_said_so() -> None:
    found = judge(load("connectfour"), Limit(seconds=60, nodes=5_000))
    assert not found.exhausted
    assert about(found, ENDS).known.startswith("sampled")
    assert 50 < found.figures["mean_goals"]["red"] < 60


def test_goals_outside_0_to_100_are_found_by_samples_too() -> None:
    rules = FRAME + "(legal a go) (legal a stay) (<= terminal (true (n 2))) (goal a 120)"
    found = judge(load(rules), Limit(seconds=60, nodes=1))
    assert not found.exhausted
    assert about(found, RANGE).good is False


def test_a_judge_that_is_interrupted_says_what_it_knows() -> None:
    found = judge(load("connectfour"), Limit(stop=lambda: True))
    assert found.interrupted
    assert not found.answered
    assert found.figures["matches"] == 1_000
    assert about(found, MOVES).good is True


def test_interrupted_after_the_last_state_everything_but_the_values_is_decided(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    explored: list[PlayoutReport] = []

    def noted(game: GdlGame, report: PlayoutReport, *_: object) -> PlayoutReport:
        explored.append(report)
        return report

    monkeypatch.setattr("stratagem.engine.judge.further_rounds", noted)
    found = judge(load("hexapawn"), Limit(stop=lambda: bool(explored)))
    assert found.exhausted
    assert about(found, ENDS).known == "decided"
    assert about(found, "what can white force against all others?").known == "unknown"
    assert found.interrupted


@pytest.fixture
def too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """No rules can be compiled."""

    def refused(*_: object, **__: object) -> None:
        raise GroundingError("the rules are too large")

    monkeypatch.setattr("stratagem.circuit.compiler.compile.circuit_of", refused)
    monkeypatch.setattr("stratagem.circuit.compiler.compile.circuit_at_once", refused)


@pytest.mark.usefixtures("too_large")
@pytest.mark.filterwarnings("ignore:.*runs on joins")
def test_rules_that_cannot_be_compiled_are_judged_on_joins() -> None:
    game = load("tictactoe")
    asked = iter(range(200))
    found = judge(game, Limit(stop=lambda: next(asked, None) is None))
    assert found.figures["uncompiled"] == "the rules are too large"
    assert found.figures["matches"] >= 200 // 11
    assert found.sound
    assert about(found, MOVES).known.startswith("sampled")


@pytest.mark.usefixtures("too_large")
@pytest.mark.filterwarnings("ignore:.*runs on joins")
def test_faults_are_found_on_joins_too() -> None:
    asked = iter(range(50))
    rules = FRAME + "(<= (legal a go) (true (n 0))) (<= terminal (true (n 2))) (goal a 100)"
    found = judge(load(rules), Limit(stop=lambda: next(asked, None) is None))
    assert about(found, MOVES).good is False
    assert about(found, MOVES).match_text == ("go",)
    assert not found.sound


@pytest.mark.usefixtures("too_large")
@pytest.mark.filterwarnings("ignore:.*runs on joins")
def test_where_no_random_match_was_finished_nothing_is_claimed() -> None:
    found = judge(load("tictactoe"), Limit(stop=lambda: True))
    assert not found.answered
    assert {ruling.known for ruling in found.rulings} == {"unknown"}


@pytest.mark.parametrize("name", ["rockpaperscissors", "tictactoethree", "biddingtictactoe", "nim"])
def test_every_kind_of_game_can_be_judged(name: str) -> None:
    assert judge(load(name), Limit(seconds=60, nodes=50_000)).sound

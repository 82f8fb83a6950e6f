"""The judge: sound rules pass, each fault is found, with a match that shows it."""

from __future__ import annotations

import pytest

from stratagem.engine.judge import ENDS, GOALS, MOVES, Judgement, Verdict, judge
from stratagem.load import load

FRAME = """
(role a) (init (n 0)) (succ 0 1) (succ 1 2)
(<= (next (n ?y)) (true (n ?x)) (succ ?x ?y))
"""


def about(judgement: Judgement, question: str) -> Verdict:
    return next(verdict for verdict in judgement.verdicts if verdict.question == question)


def test_tic_tac_toe_is_sound() -> None:
    found = judge(load("tictactoe"))
    assert found.sound
    assert found.exhausted
    assert found.figures["states"] == 5478
    assert found.figures["longest"] == 9
    assert found.figures["forces"] == {"xplayer": 50, "oplayer": 50}


def test_a_role_without_a_move_is_shown() -> None:
    rules = FRAME + "(<= (legal a go) (true (n 0))) (<= terminal (true (n 2))) (goal a 100)"
    verdict = about(judge(load(rules)), MOVES)
    assert verdict.good is False
    assert verdict.match == ("go",)


def test_an_end_without_a_goal_is_shown() -> None:
    rules = FRAME + "(legal a go) (<= terminal (true (n 2))) (<= (goal a 100) (true (n 1)))"
    found = judge(load(rules))
    assert about(found, GOALS).good is False
    assert about(found, GOALS).match == ("go", "go")
    assert not found.sound


def test_play_without_end_is_shown() -> None:
    rules = "(role a) (init x) (legal a go) (legal a stop) (<= (next x) (does a go)) (<= terminal (not (true x))) (goal a 100)"
    verdict = about(judge(load(rules)), ENDS)
    assert verdict.good is False


def test_a_game_that_cannot_be_won_is_named() -> None:
    rules = FRAME + "(legal a go) (<= terminal (true (n 2))) (goal a 40)"
    assert about(judge(load(rules)), "can a win at all?").good is False


def test_large_games_are_judged_by_samples_and_said_so() -> None:
    found = judge(load("connectfour"), most=5_000)
    assert not found.exhausted
    assert about(found, ENDS).known.startswith("sampled")
    assert 50 < found.figures["mean_goals"]["red"] < 60


@pytest.mark.parametrize("name", ["rockpaperscissors", "tictactoethree", "biddingtictactoe", "nim"])
def test_every_kind_of_game_can_be_judged(name: str) -> None:
    assert judge(load(name), most=50_000).sound

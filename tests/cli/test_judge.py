"""`stratagem judge` and `stratagem sweep` as a user calls them: what is printed, and the exit code."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from typing import Any

import pytest

from stratagem.engine.judge import judge
from stratagem.errors import OutOfTime
from stratagem.limit import Limit
from stratagem.loading import load

COUNTING = """
(role a) (init (n 0)) (succ 0 1) (succ 1 2) (legal a go)
(<= (next (n ?y)) (true (n ?x)) (succ ?x ?y))
(<= terminal (true (n 2)))
"""


@pytest.fixture
def interrupted(monkeypatch):
    """Ctrl-C as soon as the rules are compiled."""
    begun: list[bool] = []

    def compiled(*arguments: Any, **options: Any) -> Any:
        game = load(*arguments, **options)
        begun.append(True)
        return game

    monkeypatch.setattr(sys.modules["stratagem.loading"], "load", compiled)
    monkeypatch.setattr(
        "stratagem.cli.common.progress.with_progress",
        lambda work, **_: work(lambda sentence: None, lambda: bool(begun)),
    )


def test_sound_rules_are_judged_with_exit_code_0(run):
    result = run("judge", "hexapawn")
    assert result.code == 0
    assert result.out.startswith("hexapawn: all 135 states were examined\n")
    assert "✗" not in result.out


def test_goals_above_100_fail_and_the_warning_of_the_checker_is_beside_them(run):
    result = run("judge", COUNTING + "(goal a 120)")
    assert result.code == 1
    assert "✗ is every goal a number from 0 to 100? no, the rules can give a 120 (decided)" in result.out
    assert "warning[GDL106]" in result.out
    assert "force" not in result.out


def test_a_start_without_a_move_is_a_match_that_cannot_begin(run):
    rules = COUNTING.replace("(legal a go)", "(<= (legal a go) (true (n 1)))") + "(goal a 100)"
    result = run("judge", rules)
    assert result.code == 1
    assert "✗ does every match end? no, the match cannot begin" in result.out
    assert "✗ can every role always move? no, a has no legal move at the start" in result.out


def test_compiling_is_a_step_that_can_be_named_when_the_budget_is_spent(run, monkeypatch):
    told: list[str] = []
    monkeypatch.setattr(
        "stratagem.cli.common.progress.with_progress", lambda work, **_: work(told.append, lambda: False)
    )
    run("judge", "hexapawn")
    assert told[0] == "compiling the rules"


def test_what_is_unknown_is_said_once(run, monkeypatch):
    nothing = judge(load("hexapawn", machine="reasoner"), Limit(seconds=0))
    monkeypatch.setattr("stratagem.cli.judge.judged", lambda *_, **__: nothing)
    result = run("judge", "hexapawn")
    assert result.code == 1
    assert "does every match end? unknown: no random match finished in time\n" in result.out


def test_json_holds_the_verdicts_and_the_warnings(run):
    document = json.loads(run("judge", COUNTING + "(goal a 120) (spare 1)", "--json").out)
    assert not document["sound"]
    assert "GDL104" in document["dead_rules"][0]
    assert "GDL106" in document["warnings"][0]
    assert document["figures"]["states"] == 3


@pytest.mark.usefixtures("interrupted")
def test_an_interrupted_judge_prints_what_is_known_and_exits_1(run):
    result = run("judge", "tictactoe")
    assert result.code == 1
    assert result.out.splitlines()[0].endswith("judged by random matches; interrupted")
    assert "✓ can every role always move? in every random match (sampled, 1,000 random matches)" in result.out


@pytest.fixture
def slow_to_compile(monkeypatch):
    """Compiling takes longer than it may."""

    def refused(*_: Any, **__: Any) -> Any:
        raise OutOfTime("the rules were not compiled in the time")

    monkeypatch.setattr("stratagem.circuit.compiler.compile.circuit_of", refused)
    monkeypatch.setattr("stratagem.circuit.compiler.compile.circuit_at_once", refused)


@pytest.mark.usefixtures("slow_to_compile")
def test_rules_that_take_too_long_to_compile_are_judged_on_joins(run, monkeypatch):
    asked = iter(range(100))
    monkeypatch.setattr(
        "stratagem.cli.common.progress.with_progress",
        lambda work, **_: work(lambda sentence: None, lambda: next(asked, None) is None),
    )
    result = run("judge", COUNTING + "(goal a 100)", "--budget", "600")
    assert result.out.startswith(
        "rules: judged by random matches on joins, because the rules were not compiled in the time"
    )
    assert "✓ can a win at all? in 100.0% of random matches (sampled, " in result.out


@pytest.mark.usefixtures("slow_to_compile")
def test_ctrl_c_while_compiling_exits_1(run, monkeypatch):
    monkeypatch.setattr(
        "stratagem.cli.common.progress.with_progress",
        lambda work, **_: work(lambda sentence: None, lambda: True),
    )
    result = run("judge", "tictactoe")
    assert (result.code, result.err) == (1, "stratagem: the rules were not compiled in the time\n")
    result = run("sweep", "connectfour", "--set", "columns=4..5", "--json")
    assert (result.code, json.loads(result.out)) == (1, [])


def test_a_sweep_is_a_row_for_each_size(run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    result = run("sweep", "connectfour", "--set", "columns=3..4", "--set", "rows=3")
    assert result.code == 0
    rows = [line.split() for line in result.out.splitlines() if "columns=" in line]
    assert [(row[0], row[2], row[-1]) for row in rows] == [
        ("columns=3", "869", "no"),
        ("columns=4", "12,031", "yes"),
    ]


@pytest.mark.parametrize("width", ["30", "50", "80"])
def test_a_sweep_cuts_no_number_on_a_narrow_screen(run, monkeypatch, width):
    monkeypatch.setenv("COLUMNS", width)
    result = run("sweep", "connectfour", "--set", "columns=4", "--set", "rows=3")
    assert "12,031" in result.out
    assert "branching" in result.out
    assert "…" not in result.out


def test_a_sweep_as_json(run):
    result = run(
        "sweep", "connectfour", "--set", "columns=3", "--set", "rows=3..4", "--states", "2000", "--json"
    )
    small, large = json.loads(result.out)
    assert (small["sizes"], small["states"], small["longest"]) == ({"columns": 3, "rows": 3}, 869, 9)
    assert (large["states"], large["sound"]) == (None, True)
    assert large["states_at_least"] > 2000


def test_a_sweep_over_a_size_the_game_does_not_have_is_refused_before_any_work(run):
    result = run("sweep", "connectfour", "--set", "columns=20..21")
    assert (result.code, result.out) == (2, "")
    assert "needs columns from 2 to 20, not 21" in result.err
    assert "is not a range of sizes" in run("sweep", "connectfour", "--set", "columns=5..3").err


@pytest.mark.usefixtures("interrupted")
def test_an_interrupted_sweep_prints_the_sizes_judged_so_far_and_exits_1(run):
    result = run("sweep", "connectfour", "--set", "columns=4..5", "--json")
    assert (result.code, json.loads(result.out)) == (1, [])
    assert result.err == "interrupted after 0 of 2 sizes\n"


def test_a_sweep_left_behind_in_its_work_prints_the_rows_it_has(run, monkeypatch):
    def left_behind(work: Any, **_: Any) -> Any:
        work(lambda sentence: None, lambda: False)
        raise OutOfTime("the work went on")

    monkeypatch.setattr("stratagem.cli.common.progress.with_progress", left_behind)
    result = run("sweep", "connectfour", "--set", "columns=3", "--set", "rows=3", "--json")
    assert (result.code, [row["states"] for row in json.loads(result.out)]) == (1, [869])


def test_a_sweep_interrupted_after_a_size_keeps_its_row_and_begins_no_other(run, monkeypatch):
    judged: list[object] = []

    def noted(*arguments: Any, **options: Any) -> Any:
        game, limit = arguments
        judged.append(judge(game, replace(limit, stop=None), **options))
        return judged[-1]

    monkeypatch.setattr("stratagem.engine.judge.judge", noted)
    monkeypatch.setattr(
        "stratagem.cli.common.progress.with_progress",
        lambda work, **_: work(lambda sentence: None, lambda: bool(judged)),
    )
    result = run("sweep", "connectfour", "--set", "columns=3..5", "--set", "rows=3", "--json")
    assert (result.code, [row["states"] for row in json.loads(result.out)]) == (1, [869])
    assert result.err == "interrupted after 1 of 3 sizes\n"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["judge", "tictactoe", "--states", "-1"], "--states must be at least 1; got -1"),
        (["judge", "tictactoe", "--budget", "-1"], "--budget must be more than 0; got -1"),
        (["judge", "tictactoe", "--memory", "0"], "--memory must be at least 1; got 0"),
        (["judge", "tictactoe", "--seed", "-1"], "--seed must be at least 0; got -1"),
        (["sweep", "tictactoe", "--states", "0"], "--states must be at least 1; got 0"),
        (["sweep", "tictactoe", "--budget", "nan"], "--budget must be more than 0; got nan"),
        (["circuit", "tictactoe", "--seconds", "-1"], "--seconds must be more than 0; got -1"),
    ],
)
def test_a_limit_that_makes_no_sense_is_refused(run, arguments, sentence):
    result = run(*arguments)
    assert (result.code, result.out) == (2, "")
    assert result.err == f"stratagem: {sentence}\n"


@pytest.mark.parametrize("command", ["judge", "sweep", "check", "circuit"])
def test_the_help_states_the_exit_codes(run, command):
    said = " ".join(run(command, "--help").out.split())
    assert "Exit code 0 if" in said
    assert "2 if" in said

"""`stratagem search`, `compare`, `collapse` and `exercise` as a user calls them."""

from __future__ import annotations

import json
from importlib import import_module
from io import StringIO
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from tests.support.markdown import run_command

from stratagem.errors import OutOfTime
from stratagem.limit import Limit
from stratagem.search import ADVERSARIAL


def refused(arguments: list[str], capsys: pytest.CaptureFixture[str], code: int = 2) -> str:
    """The one sentence with which a wrong command ends, and its exit code."""
    from stratagem.cli import main

    with patch("sys.argv", ["stratagem", *arguments]), pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == code
    return capsys.readouterr().err


def as_json(*arguments: str) -> Any:
    return json.loads(run_command([*arguments, "--json"]))


def test_search_prints_value_move_counters_and_the_order_of_leaves() -> None:
    found = as_json("search", "--tree", "[[3,12,8],[2,4,6],[14,5,2]]", "--algorithm", "alpha-beta")
    assert found["value"] == 3
    assert found["best_move"] == 0
    assert found["leaf_order"] == [0, 1, 2, 3, 6, 7, 8]
    assert found["principal_variation"] == [0, 0]
    assert {"nodes", "leaves", "cutoffs", "duplicates", "peak_open"} <= found["counters"].keys()


def test_search_takes_trees_from_files_and_names(tmp_path: Path) -> None:
    file = tmp_path / "tree.json"
    file.write_text("[[1, 2], [3, 4]]")
    assert as_json("search", "--tree", str(file), "-a", "minimax")["value"] == 3
    assert as_json("search", "lecture", "-a", "sss-star")["value"] == 12
    assert as_json("search", str(file), "-a", "mtdf")["value"] == 3


def test_search_plays_games_to_a_depth_and_from_a_position() -> None:
    moves = "(mark 1 1) (mark 2 1) (mark 1 2) (mark 2 2)"
    found = as_json("search", "tictactoe", "--after", moves, "--depth", "2")
    assert found["value"] == 100
    assert found["best_move"] == "(mark 1 3)"
    assert "best move            (mark 1 3)" in run_command(
        ["search", "tictactoe", "--after", moves, "--depth", "1"]
    )


def test_search_writes_its_trace(tmp_path: Path) -> None:
    file = tmp_path / "steps.jsonl"
    run_command(["search", "lecture", "-a", "sss-star", "--trace", str(file)])
    lines = file.read_text().splitlines()
    assert json.loads(lines[0])["format"] == "stratagem trace"
    assert json.loads(lines[-1])["event"] == "Finish"


def test_a_limit_that_is_reached_is_told_with_the_option_that_changes_it() -> None:
    found = json.loads(run_command(["search", "tictactoe", "--nodes", "50", "--json"], exit_code=1))
    assert (found["complete"], found["stopped"]) == (False, "nodes")
    said = run_command(["search", "tictactoe", "--nodes", "50"], exit_code=1)
    assert "stopped after 50 nodes; --nodes changes that" in said


def test_the_bounds_of_a_game_are_its_goals_and_a_tree_has_none() -> None:
    for name in ADVERSARIAL:
        game = ["search", "tictactoe", "-a", name, "--nodes", "4"]
        found = json.loads(run_command([*game, "--json"], exit_code=1))
        assert all(0 <= low <= high <= 100 for low, high in found["values"].values())
        assert "inf" not in run_command(game, exit_code=1).replace("-inf on", "")
    said = run_command(["search", "lecture", "--nodes", "3"], exit_code=1)
    assert "unknown so far; nothing is proved yet" in said
    assert "not known yet; the search would play 0" in said
    assert "principal variation" not in said


def test_a_search_without_a_limit_is_stopped_after_a_minute_and_says_so() -> None:
    with patch.object(Limit.__init__, "__kwdefaults__", {"clock": Hours()}):
        said = run_command(["search", "nim", "-a", "sss-star"], exit_code=1)
    assert "stopped after 60 s; --seconds changes that" in said


class Hours:
    """A clock that is an hour on at every look."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 3600.0
        return self.now


def test_a_puzzle_that_is_not_solved_within_its_depth_is_not_answered() -> None:
    said = run_command(["search", "slidingpuzzle", "-a", "breadth-first", "--depth", "2"], exit_code=1)
    assert "nothing deeper than the depth limit was searched" in said
    run_command(["collapse", "tictactoe", "--depth", "2"])


@pytest.mark.parametrize("command", ["search", "compare", "collapse", "explain", "bench"])
def test_the_help_of_a_command_says_what_its_exit_codes_mean(command: str) -> None:
    said = " ".join(run_command([command, "--help"]).split())
    assert "Exit code 0 if" in said
    assert ", 1 if" in said
    assert "2 for bad input" in said


def test_a_puzzle_is_solved() -> None:
    found = as_json("search", "buttonsandlights", "-a", "breadth-first")
    assert found["value"] == 100
    assert len(found["solution"]) == 6
    assert "solution             1 move: (press a)\n" in run_command(
        [
            "search",
            "buttonsandlights",
            "-a",
            "breadth-first",
            "--after",
            "(press a) (press b) (press a) (press c) (press b)",
        ]
    )


@pytest.mark.parametrize("algorithm", ["a-star", "ida-star"])
@pytest.mark.parametrize("heuristic", ["patterns", "patterns:100", "relaxed"])
def test_a_heuristic_from_the_rules_saves_work_and_no_moves(algorithm: str, heuristic: str) -> None:
    found = as_json("search", "slidingpuzzle", "-a", algorithm, "--heuristic", heuristic)
    assert len(found["solution"]) == 14
    assert found["counters"]["nodes"] < 400
    assert "relaxed game" in found["heuristic"] or "pattern database" in found["heuristic"]


def test_searches_are_compared_and_explained_with_a_heuristic() -> None:
    rows = as_json("compare", "slidingpuzzle", "--heuristic", "patterns", "--seconds", "inf")["rows"]
    nodes = {row["method"]: row["counters"]["nodes"] for row in rows}
    assert nodes["a-star"] < 30 < nodes["uniform-cost"]
    assert nodes["ida-star"] < 30
    said = run_command(["explain", "slidingpuzzle", "-a", "a-star", "--heuristic", "patterns"])
    assert "goal" in said


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["search", "tictactoe", "-a", "alfabeta"], "there is no algorithm 'alfabeta'"),
        (["search"], "one game or one tree is needed"),
        (["search", "--tree", "[[1, 2], [3"], "a tree in JSON was expected"),
        (["search", "--tree", "[[1, []]]"], "at least one child was expected"),
        (["search", "nosuchgame"], "no game, file or rules called 'nosuchgame'"),
        (["search", "tictactoe", "--role", "nobody"], "no role nobody"),
        (["search", "hanoi", "--heuristic", "patterns"], "alpha-beta uses no heuristic"),
        (["search", "hanoi", "-a", "a-star", "--heuristic", "luck"], "no heuristic is called luck"),
        (
            ["search", "hanoi", "-a", "a-star", "--heuristic", "patterns:0"],
            "no heuristic is called patterns:0",
        ),
        (["search", "hanoi", "-a", "a-star", "--heuristic", "relaxed:9"], "no heuristic is called relaxed:9"),
        (["search", "lecture", "-a", "a-star", "--heuristic", "relaxed"], "a tree has none"),
        (["search", "tictactoe", "-a", "a-star", "--heuristic", "patterns"], "for one player"),
        (["search", "[7,[1,9]]", "--depth", "1"], "cuts off node 1, an inner node of the tree without"),
        (["search", "lecture", "--depth", "2"], "cuts off node 0.0, an inner node"),
        (["compare", "lecture", "--depth", "2"], "cuts off node 0.0, an inner node"),
        (["explain", "lecture", "--depth", "2"], "cuts off node 0.0, an inner node"),
        (["search", "lecture", "--depth", "2", "--evaluation", "even"], "the evaluation even is for games"),
        (["search", "tictactoe", "--evaluation", "foo"], "no evaluation is called foo"),
        (["compare", "tictactoe", "--evaluation", "foo"], "no evaluation is called foo"),
        (["explain", "tictactoe", "--evaluation", "foo"], "no evaluation is called foo"),
        (["search", "tictactoe", "--evaluation", "even"], "without a depth limit has none"),
        (["search", "tictactoe", "--depth", "-1"], "--depth must be at least 0; got -1"),
        (["search", "tictactoe", "--nodes", "0"], "--nodes must be at least 1; got 0"),
        (["search", "tictactoe", "--seconds", "0"], "--seconds must be more than 0; got 0"),
        (["search", "tictactoe", "--seconds", "nan"], "--seconds must be more than 0; got nan"),
        (["compare", "tictactoe", "--seconds", "-1"], "--seconds must be more than 0; got -1"),
        (["compare", "tictactoe", "--depth", "-1"], "--depth must be at least 0; got -1"),
        (["collapse", "tictactoe", "--depth", "-1"], "--depth must be at least 0; got -1"),
        (["collapse", "tictactoe", "--seconds", "0"], "--seconds must be more than 0; got 0"),
        (["explain", "tictactoe", "--nodes", "-1"], "--nodes must be at least 1; got -1"),
        (["explain", "tictactoe", "--at", "0"], "--at must be at least 1; got 0"),
        (["compare"], "one of a game, a tree, --uniform and --blind is needed"),
        (["compare", "rockpaperscissors"], "at most one player may have a choice at a time"),
        (["compare", "lecture", "--order", "best"], "--order and --seed are for --uniform"),
        (["compare", "--uniform", "3", "2", "--order", "foo"], "the order must be best, worst or random"),
        (["compare", "--blind", "2", "3", "9"], "no tree has 2 moves, 3 levels and a solution on level 9"),
        (["exercise", "minimax", "--seed", "1", "--answers", "{"], "the answers are not JSON"),
        (["exercise", "minimax", "--seed", "-1"], "--seed must be at least 0; got -1"),
    ],
)
def test_mistakes_end_in_one_sentence(
    arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    said = refused(arguments, capsys)
    assert sentence in said
    assert "Traceback" not in said
    assert len(said.strip().splitlines()) == 1


def test_a_tree_that_is_too_large_is_a_limit_and_not_a_mistake(capsys: pytest.CaptureFixture[str]) -> None:
    said = refused(["compare", "--uniform", "9", "99"], capsys, code=1)
    assert "leaves; explicit trees may have" in said
    assert len(said.strip().splitlines()) == 1


def test_compare_shows_every_algorithm_beside_the_minimal_tree() -> None:
    found = as_json("compare", "--uniform", "3", "4", "--order", "best")
    assert found["minimal_tree"] == 17
    leaves = {row["method"]: row["counters"]["leaves"] for row in found["rows"]}
    assert leaves["minimax"] == 81
    assert leaves["alpha-beta"] == leaves["sss-star"] == 17
    assert {row["value"] for row in found["rows"]} == {60}
    assert "has 17 leaves" in run_command(["compare", "--uniform", "3", "4", "--order", "best"])


def test_compare_blind_measures_the_lecture_s_table() -> None:
    found = as_json("compare", "--blind", "2", "5", "3")
    assert all(row["measured"] == row["expected"] for row in found["rows"])
    assert [row["iterative_deepening"] for row in found["deepening"]] == [1, 4, 11, 26, 57]
    assert "28 ✗" in run_command(["compare", "--blind", "2", "5", "3"])


def test_collapse_counts_states_against_tree_nodes() -> None:
    found = as_json("collapse", "buttonsandlights")
    assert (found["tree_nodes"], found["states"]) == (1093, 32)
    shallow = as_json("collapse", "tictactoe", "--depth", "3")
    assert [level["tree_nodes"] for level in shallow["levels"]] == [1, 9, 72, 504]
    assert [level["states"] for level in shallow["levels"]] == [1, 9, 72, 252]
    assert not shallow["complete"]


def test_exercise_grades_answers() -> None:
    asked = json.loads(run_command(["exercise", "alpha-beta", "--seed", "3", "--json", "--solution"]))
    answers = {question["key"]: question["expected"] for question in asked["questions"]}
    assert "passed" in run_command(
        ["exercise", "alpha-beta", "--seed", "3", "--answers", json.dumps(answers)]
    )
    with pytest.raises(AssertionError, match="exit 1"):
        run_command(
            ["exercise", "alpha-beta", "--seed", "3", "--answers", json.dumps(answers | {"value": "0"})]
        )
    assert "expected" not in run_command(["exercise", "alpha-beta", "--seed", "3", "--json"])


@pytest.mark.parametrize("command", ["search", "compare", "collapse", "explain"])
def test_compiling_is_part_of_the_time_that_a_command_has(
    command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[float] = []

    def load(*_source: str, seconds: float, **_options: Any) -> Any:
        given.append(seconds)
        raise OutOfTime("time ran out before the rules were compiled", hint="allow more time")

    monkeypatch.setattr(import_module("stratagem.loading"), "load", load)
    said = run_command([command, "tictactoe"], exit_code=1)
    assert said == "stratagem: time ran out before the rules were compiled; allow more time\n"
    assert 0 < given[0] <= 60


@pytest.mark.parametrize("algorithm", ["breadth-first", "depth-first", "bidirectional", "ida-star"])
def test_a_puzzle_without_a_reachable_end_has_no_value_and_no_best_move(algorithm: str) -> None:
    rules = "(role a) (init (s 0)) (legal a stay) (next (s 0)) (<= terminal (true (s 1))) (goal a 100)"
    text = run_command(["search", rules, "--algorithm", algorithm])
    assert "value                none: no terminal state that has a goal can be reached" in text
    assert "best move            none" in text


def test_a_search_of_one_node_is_told_in_the_singular() -> None:
    assert "stopped after 1 node; --nodes" in run_command(
        ["search", "tictactoe", "--nodes", "1"], exit_code=1
    )


@pytest.mark.parametrize(
    ("given", "score"), [("", "0 of 3 right, 3 not answered"), ("1\n", "0 of 3 right, 2 not answered")]
)
def test_an_exercise_that_is_broken_off_says_what_was_answered(given: str, score: str) -> None:
    """The input ends, or Ctrl-C is pressed at a question."""
    with patch("sys.stdin", StringIO(given)):
        text = run_command(["exercise", "alpha-beta", "--seed", "3"], exit_code=1)
    assert score in text
    assert "Aborted" not in text

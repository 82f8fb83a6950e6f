"""`stratagem show` and `stratagem walk` as a user calls them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import typer
from typer.testing import CliRunner

from stratagem.cli.show import show, walk
from stratagem.errors import IllegalMove, StratagemError, UsageError
from stratagem.loading import load

STUCK = "(role r) (<= (legal r go) (true a)) (init a) (goal r 0) (<= terminal (true b))"


def app() -> typer.Typer:
    small = typer.Typer()
    small.command("show")(show)
    small.command("walk")(walk)
    return small


def printed(*arguments: str) -> str:
    result = CliRunner().invoke(app(), list(arguments), catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def refused(*arguments: str) -> StratagemError:
    result = CliRunner().invoke(app(), list(arguments))
    assert isinstance(result.exception, StratagemError), result.output
    return result.exception


def as_json(*arguments: str) -> Any:
    return json.loads(printed(*arguments, "--json"))


def test_show_says_title_roles_board_and_moves() -> None:
    text = printed("show", "tictactoe", "--after", "(mark 2 2)")
    assert text.startswith("Tic-tac-toe\n")
    assert "roles: xplayer, oplayer" in text
    assert "2 │   │ x │   │" in text
    assert "oplayer to move" in text
    assert "xplayer: noop" in text


def test_show_takes_sizes_and_says_them() -> None:
    text = printed("show", "connectfour", "--set", "columns=5", "--set", "rows=4")
    assert "columns 5; rows 4" in text
    assert "    1   2   3   4   5\n" in text


def test_show_lists_only_so_many_moves() -> None:
    assert "and 222 more" in printed("show", "gomoku", "--moves", "3")


def test_show_tells_how_a_match_ended() -> None:
    moves = "(mark 1 1) (mark 2 1) (mark 1 2) (mark 2 2) (mark 1 3)"
    assert "The match is over: xplayer 100, oplayer 0" in printed("show", "tictactoe", "--after", moves)


def test_show_says_whose_turn_it_is_where_there_is_no_choice() -> None:
    squares = ("1 1", "1 2", "1 3", "2 2", "2 1", "2 3", "3 2", "3 1")
    said = printed("show", "tictactoe", "--after", " ".join(f"(mark {square})" for square in squares))
    assert "xplayer to move, without a choice" in said


def test_show_writes_svg(tmp_path: Path) -> None:
    file = tmp_path / "board.svg"
    printed("show", "hex", "--svg", str(file))
    assert ElementTree.fromstring(file.read_text(encoding="utf-8")).tag.endswith("svg")


def test_show_in_ascii_is_ascii() -> None:
    assert printed("show", "checkers", "--ascii").isascii()


def test_show_as_data_has_facts_moves_and_cells() -> None:
    found = as_json("show", "connectfour", "--set", "columns=4", "--after", "(drop 2)")
    assert found["sizes"] == {"columns": 4, "rows": 6, "line": 4}
    assert found["to_move"] == ["yellow"]
    assert found["legal"]["red"] == ["noop"]
    assert found["facts"] == ["(cell 2 1 red)", "(control yellow)"]
    board = found["boards"][0]
    filled = [cell for cell in board["cells"] if cell["contents"]]
    assert filled == [
        {"cell": ["2", "1"], "plane": 0, "column": 1, "row": 5, "contents": ["red"], "marks": ["●"]}
    ]


def test_simultaneous_moves_are_written_in_brackets() -> None:
    assert "score: left 0, right 5" in printed("show", "prisonersdilemma", "--after", "[cooperate defect]")


def test_show_refuses_in_one_sentence() -> None:
    assert isinstance(refused("show", "tictactoe", "--after", "(mark 1 1) (mark 1 1)"), IllegalMove)
    assert isinstance(refused("show", "tictactoe", "--set", "columns"), UsageError)
    assert isinstance(refused("show", "tictactoe", "--set", "machine=3"), UsageError)
    assert isinstance(refused("show", "no-such-game"), UsageError)
    assert "cannot be written" in str(refused("show", "tictactoe", "--svg", "/nowhere/at/all.svg"))


def test_the_same_seed_walks_the_same_way() -> None:
    first = as_json("walk", "tictactoe", "--seed", "5")
    assert first == as_json("walk", "tictactoe", "--seed", "5")
    assert first["moves"] != as_json("walk", "tictactoe", "--seed", "6")["moves"]


@pytest.mark.parametrize("name", ["tictactoe", "rockpaperscissors", "hanoi"])
def test_a_walk_is_a_legal_match(name: str) -> None:
    found = as_json("walk", name, "--seed", "1", "--plies", "12")
    game = load(name, machine="reasoner")
    state = game.initial()
    for joint, facts in zip(found["moves"], found["states"][1:], strict=True):
        for role, move in joint.items():
            assert game.parse_move(move) in state.legals(role)
        state = state.next(joint)
        assert sorted(map(str, state.facts())) == facts
    assert found["terminal"] == state.terminal
    assert found["goals"] == {role: state.goal(role) for role in game.roles}


def test_a_walk_is_printed_move_by_move_with_its_seed_and_its_end() -> None:
    text = printed("walk", "rockpaperscissors", "--seed", "2")
    assert "seed 2" in text
    assert "3. left" in text
    assert "over after 3 moves: left" in text


def test_a_walk_can_stop_early_and_leave_out_the_boards() -> None:
    text = printed("walk", "connectfour", "--seed", "1", "--plies", "2", "--no-boards")
    assert "stopped after 2 moves" in text
    assert "│" not in text


def test_a_walk_without_a_seed_says_which_it_took() -> None:
    assert "seed " in printed("walk", "tictactoe", "--plies", "0")


def test_rules_that_leave_a_role_without_a_move_are_named() -> None:
    assert "r has no legal move" in str(refused("walk", STUCK, "--seed", "1"))

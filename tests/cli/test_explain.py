"""`stratagem explain` as a user calls it, and the targets that it and its neighbours take."""

from __future__ import annotations

import io
import json
from pathlib import Path
from unittest.mock import patch

import pytest
from tests.support.markdown import run_command

from stratagem.cli import main
from stratagem.cli.common.targets import is_tree, resolve
from stratagem.errors import IllegalMove, UnknownGame, UsageError
from stratagem.trace.events import Begin, Finish
from stratagem.trace.stream import read


def test_explain_prints_the_cuts_and_the_end() -> None:
    text = run_command(["explain", "lecture"])

    assert "Cut in node 1.0.1" in text
    assert "Done: the value is 12, the best move is 1." in text
    assert "\x1b" not in text


def test_explain_writes_a_page_a_picture_and_the_events(tmp_path: Path) -> None:
    page, picture, events = (tmp_path / name for name in ("a.html", "a.svg", "a.jsonl"))
    text = run_command(
        ["explain", "[[3,12,8],[2,4,6],[14,5,2]]", "-a", "sss-star", "--html", str(page), "--svg", str(picture),
         "--jsonl", str(events)]
    )  # fmt: skip

    assert "13 nodes" in text
    assert page.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert picture.read_text(encoding="utf-8").startswith("<svg")
    heard = list(read(events.read_text(encoding="utf-8").splitlines()))
    assert heard[0] == Begin("sss-star", ("max", "min"))
    assert heard[-1] == Finish(3, "0", True)


def test_explain_writes_png(tmp_path: Path) -> None:
    pytest.importorskip("resvg_py", reason="resvg-py is not installed; pip install 'stratagem[png]'")
    picture = tmp_path / "a.png"
    run_command(["explain", "lecture", "--png", str(picture), "--at", "10"])

    assert picture.read_bytes().startswith(b"\x89PNG")


def test_explain_looks_a_few_plies_into_a_real_game() -> None:
    text = run_command(["explain", "tictactoe", "--depth", "2"])

    assert "MAX is xplayer, MIN is oplayer." in text
    assert "Done: the value is 50" in text


def test_explain_starts_from_a_position() -> None:
    moves = "(mark 1 1) (mark 2 1) (mark 1 2) (mark 2 2)"
    text = run_command(["explain", "tictactoe", "--after", moves, "--depth", "1"])

    assert "the value is 100, the best move is (mark 1 3)" in text


def test_explain_solves_puzzles_in_steps() -> None:
    assert "a goal, worth 100" in run_command(["explain", "buttonsandlights", "-a", "breadth-first"])


def test_a_search_that_is_too_long_ends_with_a_note() -> None:
    text = run_command(["explain", "tictactoe", "--nodes", "300"], exit_code=1)
    assert "The search is not complete: it stopped after 300 nodes." in text


def refused(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """The one sentence with which a wrong command ends."""
    with patch("sys.argv", ["stratagem", *arguments]), pytest.raises(SystemExit) as left:
        main()
    assert left.value.code == 2
    return capsys.readouterr().err


def test_stepping_needs_a_keyboard(capsys: pytest.CaptureFixture[str]) -> None:
    with patch("sys.stdin", io.StringIO()):
        text = refused(["explain", "lecture", "--step"], capsys)
    assert "--step waits for keys, and there is no keyboard here" in text


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = refused(["explain", "lecture", "--svg", str(tmp_path / "nowhere" / "a.svg")], capsys)
    assert "a.svg cannot be written: No such file or directory" in text


# -- targets ---------------------------------------------------------------------------------------------------


def test_targets_are_games_trees_files_and_names(tmp_path: Path) -> None:
    file = tmp_path / "mine.json"
    file.write_text(json.dumps([[1, 2], [3, 4]]))

    assert resolve("lecture").label == "the lecture's tree"
    assert len(resolve("lecture36").game.leaves) == 36
    assert len(resolve("uniform:3:4").game.leaves) == 81
    assert resolve("uniform:3:4:1").game == resolve("uniform:3:4").game
    assert resolve("uniform:3:4:2").game != resolve("uniform:3:4").game
    assert resolve(str(file)).game.leaves == (1, 2, 3, 4)
    assert resolve("[1, 2]").label == "tree"
    assert resolve("tictactoe").label == "tictactoe"


def test_targets_take_moves_and_sizes() -> None:
    game, start, label = resolve("connectfour", ["columns=5", "rows=4"], "(drop 1)")

    assert len(game.legals(start, "yellow")) == 5
    assert label == "connectfour after (drop 1)"
    assert resolve("lecture", (), "1 0, 0").start == 18


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        (("[1, 2", (), ""), UsageError, "a tree in JSON was expected"),
        (("lecture", ("columns=5",), ""), UsageError, "a tree has no sizes to set"),
        (("lecture", (), "2"), IllegalMove, "2 is not a move here; legal is a number from 0 to 1"),
        (("[1, 2]", (), "0 0"), IllegalMove, "nothing: this is a leaf"),
        (("uniform:3", (), ""), UsageError, "uniform:BRANCHING:DEPTH"),
        (("nowhere.json", (), ""), UsageError, "cannot be read as a tree"),
        (("tictactow", (), ""), UnknownGame, "did you mean tictactoe"),
    ],
)
def test_wrong_targets_are_refused_in_a_sentence(arguments, error, text) -> None:
    with pytest.raises(error, match=text.replace("(", r"\(")):
        resolve(*arguments)


def test_trees_are_told_from_games_by_their_text() -> None:
    assert is_tree(" [1, 2]")
    assert is_tree('{"children": [1]}')
    assert not is_tree("tictactoe")
    assert not is_tree("(role x)")

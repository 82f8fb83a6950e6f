"""`stratagem matches` and `stratagem replay`."""

from __future__ import annotations

import json

import pytest
import typer
from typer.testing import CliRunner

from stratagem.cli.matches import matches, replay
from stratagem.errors import UsageError
from stratagem.play.choice import Thought
from stratagem.play.records.record import MatchRecord, MatchStep, Remark
from stratagem.play.records.store import Records
from stratagem.sheets import source


@pytest.fixture
def command(tmp_path, monkeypatch):
    monkeypatch.setenv("STRATAGEM_DATA", str(tmp_path))
    app = typer.Typer(add_completion=False)
    app.command("matches")(matches)
    app.command("replay")(replay)

    def run(*arguments: str) -> str:
        result = CliRunner().invoke(app, list(arguments), catch_exceptions=False)
        assert result.exit_code == 0, result.output
        return result.output

    return run


@pytest.fixture
def played(tmp_path) -> None:
    steps = (
        MatchStep(None, 1_700_000_000_000, ("", "")),
        MatchStep(("(mark 2 2)", "noop"), 1_700_000_001_000, ("", "")),
        MatchStep(("noop", "(mark 1 1)"), 1_700_000_002_000, ("", "TO")),
    )
    record = MatchRecord(
        "demo",
        "tictactoe",
        source("tictactoe").text,
        ("xplayer", "oplayer"),
        ("you", "uct"),
        5,
        3,
        1_700_000_000_000,
    )
    with Records(tmp_path / "matches.sqlite") as records:
        number = records.add(record)
        for turn, step in enumerate(steps):
            records.step(number, turn, step)
        thought = Thought("uct", "the most visited move", 61.5, 3, 1234)
        records.remark(number, Remark(1, "oplayer", "(mark 1 1)", "thinker", 0.2, thought))
        records.finish(number, "aborted")


def test_an_empty_list_says_how_to_fill_it(command):
    assert "no matches yet" in command("matches")
    assert json.loads(command("matches", "--json")) == []


@pytest.mark.usefixtures("played")
def test_the_list_names_what_was_played(command):
    line = command("matches")
    assert "tictactoe" in line
    assert "aborted" in line
    assert "you, uct" in line
    (row,) = json.loads(command("matches", "--json"))
    assert (row["matchId"], row["status"], row["players"]) == ("demo", "aborted", ["you", "uct"])


@pytest.mark.usefixtures("played")
def test_a_match_is_gone_through_move_by_move_with_what_was_thought(command):
    text = command("replay", "demo")
    assert "1. xplayer (mark 2 2)   oplayer noop" in text
    assert "oplayer: the most visited move; value 61.5; 1,234 nodes" in text
    assert "oplayer: TO" in text
    assert text.count("┌───┬───┬───┐") == 3
    assert "┌" not in command("replay", "1", "--no-draw")
    assert command("replay", "1", "--turn", "1").count("┌───┬───┬───┐") == 1
    assert json.loads(command("replay", "demo", "--json"))["matchId"] == "demo"


@pytest.mark.usefixtures("played")
def test_what_is_not_there_is_refused_in_a_sentence(command):
    with pytest.raises(UsageError, match="no match 7 in"):
        command("replay", "7")
    with pytest.raises(UsageError, match="has only 2 moves"):
        command("replay", "demo", "--turn", "9")

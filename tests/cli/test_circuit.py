"""``stratagem circuit``: the figures of a game's making, for people and for programs."""

from __future__ import annotations

import json

import pytest
import typer
from typer.testing import CliRunner

from stratagem.cli.circuit import circuit
from stratagem.errors import UnknownGame

COMMAND = typer.Typer()
COMMAND.command()(circuit)


def run(*arguments: str) -> str:
    done = CliRunner().invoke(COMMAND, list(arguments), catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


def test_tic_tac_toe_in_figures():
    said = json.loads(run("tictactoe", "--json"))
    assert said["bases"] == 29
    assert said["moves"] == 20
    assert said["width"] == 19
    assert said["gates"] < said["gates_before"]
    assert set(said["seconds"]) >= {"prepare", "ground", "build", "simplify", "share", "lay out"}


def test_people_see_the_same_figures_and_the_names_of_the_groups():
    text = run("tictactoe", "--names")
    assert "propositions" in text
    assert "exactly one of (cell 1 1 b) (cell 1 1 o) (cell 1 1 x)" in text


def test_without_groups_nothing_is_proved():
    assert "groups" not in json.loads(run("tictactoe", "--json", "--no-groups"))


def test_a_size_can_be_chosen():
    small = json.loads(run("connectfour", "--json", "--no-groups", "--set", "columns=4", "--set", "rows=4"))
    large = json.loads(run("connectfour", "--json", "--no-groups"))
    assert small["bases"] < large["bases"]


def test_an_unknown_game_is_one_sentence():
    with pytest.raises(UnknownGame, match="no game"):
        CliRunner().invoke(COMMAND, ["chessss"], catch_exceptions=False)

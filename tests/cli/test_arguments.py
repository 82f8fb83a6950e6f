"""Limits on the command line: what makes no sense is refused in one sentence, before any work begins."""

from __future__ import annotations

from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from stratagem.cli import app
from stratagem.cli.common.arguments import at_least, more_than
from stratagem.errors import UsageError

COMMAND = typer.Typer()


@COMMAND.command()
def work(
    states: Annotated[int, typer.Option("-n", "--states", callback=at_least(1))] = 10,
    depth: Annotated[int | None, typer.Option(callback=at_least(0))] = None,
    seconds: Annotated[float, typer.Option(callback=more_than(0))] = 1.0,
) -> None:
    typer.echo(f"{states} {depth} {seconds}")


def run(*arguments: str) -> str:
    done = CliRunner().invoke(COMMAND, list(arguments), catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output.strip()


def test_what_makes_sense_passes_and_what_is_not_given_is_not_checked():
    assert run() == "10 None 1.0"
    assert run("-n", "1", "--depth", "0", "--seconds", "0.1") == "1 0 0.1"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--states", "-1"], "--states must be at least 1; got -1"),
        (["-n", "0"], "--states must be at least 1; got 0"),
        (["--depth", "-3"], "--depth must be at least 0; got -3"),
        (["--seconds", "0"], "--seconds must be more than 0; got 0"),
        (["--seconds", "-0.5"], "--seconds must be more than 0; got -0.5"),
        (["--seconds", "nan"], "--seconds must be more than 0; got nan"),
    ],
)
def test_a_limit_that_makes_no_sense_is_refused_in_one_sentence(arguments, sentence):
    with pytest.raises(UsageError) as refused:
        run(*arguments)
    assert str(refused.value) == sentence


@pytest.mark.parametrize(
    "command",
    [
        ["walk", "tictactoe"],
        ["play", "tictactoe"],
        ["host", "tictactoe", "random", "random"],
        ["player"],
        ["tournament", "--games", "tictactoe", "--players", "random,legal"],
        ["exercise", "minimax"],
        ["judge", "tictactoe"],
        ["compare", "--uniform", "2", "2"],
    ],
    ids=lambda command: command[0],
)
def test_a_negative_seed_is_refused_because_it_would_be_the_same_as_the_positive_one(command):
    with pytest.raises(UsageError, match="--seed must be at least 0; got -1"):
        app([*command, "--seed", "-1"], standalone_mode=False)

"""Ctrl-C is a polite request: what is known so far is printed, and the exit code says that it is not the answer.

The interruption is injected after so many questions whether to go on, so that it comes at the same place in every run;
one test sends the real signal to a real process.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from tests.support.markdown import run_command

from stratagem.gdl_game import GdlGame


@pytest.fixture
def interrupt(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Call it with n: the work of the next command is asked to stop when it asks for the n-th time."""

    def after(questions: int) -> None:
        def with_progress(work: Callable[..., Any]) -> Any:
            asked = 0

            def stop() -> bool:
                nonlocal asked
                asked += 1
                return asked >= questions

            return work(lambda _sentence: None, stop)

        monkeypatch.setattr("stratagem.cli.common.watched.with_progress", with_progress)

    return after


def test_an_interrupted_search_prints_what_it_knows(interrupt) -> None:
    interrupt(5_000)
    said = run_command(["search", "tictactoe", "--seconds", "inf"], exit_code=1)
    assert "50 so far; at least 50, at most 100" in said
    assert "not complete         interrupted" in said
    found = json.loads(run_command(["search", "tictactoe", "--seconds", "inf", "--json"], exit_code=1))
    assert (found["stopped"], found["complete"]) == ("interrupted", False)


@pytest.mark.parametrize(
    "algorithm", ["sss-star", "dual-star", "mtdf", "proof-number", "iterative-deepening"]
)
def test_every_kind_of_search_stops_when_asked(algorithm: str, interrupt) -> None:
    interrupt(300)
    found = json.loads(
        run_command(["search", "connectfour", "-a", algorithm, "--seconds", "inf", "--json"], exit_code=1)
    )
    assert found["stopped"] == "interrupted"
    low, high = found["values"]["red"]
    assert 0 <= low <= high <= 100
    assert 0 < found["counters"]["nodes"] <= 301


@pytest.mark.parametrize("algorithm", ["breadth-first", "depth-first", "a-star", "ida-star"])
def test_an_interrupted_search_for_one_player_gives_the_right_reason(algorithm: str, interrupt) -> None:
    interrupt(200)
    said = run_command(["search", "fifteenpuzzle", "-a", algorithm, "--seconds", "inf"], exit_code=1)
    assert "interrupted" in said


def test_an_interrupted_comparison_shows_the_rows_it_has(interrupt) -> None:
    interrupt(600)
    said = run_command(["compare", "--uniform", "3", "5", "--seconds", "inf"], exit_code=1)
    assert "minimax" in said
    assert "(stopped)" in said
    assert "proof-number" not in said
    assert "interrupted" in said


def test_an_interrupted_count_shows_the_levels_it_has(interrupt) -> None:
    interrupt(100)
    found = json.loads(run_command(["collapse", "tictactoe", "--seconds", "inf", "--json"], exit_code=1))
    assert [level["tree_nodes"] for level in found["levels"]] == [1, 9, 72, 504]
    assert found["stopped"] == "interrupted"
    assert "count incomplete: interrupted" in run_command(
        ["collapse", "tictactoe", "--seconds", "inf"], exit_code=1
    )


def test_an_interrupted_explanation_shows_the_steps_it_has(interrupt) -> None:
    interrupt(10)
    said = run_command(["explain", "lecture", "--seconds", "inf"], exit_code=1)
    assert "The search is not complete: it was interrupted." in said


@pytest.mark.parametrize("place", ["explanation_of", "page_of"])
def test_an_interruption_while_the_walkthrough_is_made_shows_the_result(
    place: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def interrupted(*_arguments: Any, **_options: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr(f"stratagem.explanation.{place}", interrupted)
    said = run_command(["explain", "lecture", "--html", str(tmp_path / "page.html")], exit_code=1)
    assert "value                12\n" in said
    assert said.endswith("interrupted before the steps could be shown; this is the result alone\n")


def test_an_interrupted_measurement_prints_what_it_has(monkeypatch: pytest.MonkeyPatch) -> None:
    played = GdlGame.playouts

    def playouts(self: GdlGame, *arguments: Any, **options: Any) -> Any:
        if "seconds" in options:
            raise KeyboardInterrupt
        return played(self, *arguments, **options)

    monkeypatch.setattr(GdlGame, "playouts", playouts)
    said = run_command(["bench", "tictactoe", "connectfour"], exit_code=1)
    assert "gates over" in said
    assert "interrupted: the rest was not measured" in said
    assert "connectfour" not in said
    (found,) = json.loads(run_command(["bench", "tictactoe", "connectfour", "--json"], exit_code=1))
    assert found["interrupted"] is True


def test_an_interruption_before_there_is_anything_to_report_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    def resolve(*_arguments: Any, **_options: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr("stratagem.cli.common.targets.resolve", resolve)
    said = run_command(["search", "tictactoe", "--seconds", "inf"], exit_code=1)
    assert said == "stratagem: interrupted before there was anything to report\n"


def test_an_interruption_while_arguments_are_read_is_no_exit_code_of_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def parse_args(*_arguments: Any) -> Any:
        raise KeyboardInterrupt

    monkeypatch.setattr("stratagem.cli.Commands.parse_args", parse_args)
    said = run_command(["search", "tictactoe"], exit_code=1)
    assert said == "stratagem: interrupted before there was anything to report\n"


def test_an_interruption_while_the_command_line_is_imported_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Interrupted:
        def __getattr__(self, name: str) -> Any:
            raise KeyboardInterrupt

    script = import_module("stratagem.__main__")
    monkeypatch.setitem(sys.modules, "stratagem.cli", Interrupted())
    with pytest.raises(SystemExit) as left:
        script.main()
    assert left.value.code == 1
    assert capsys.readouterr().err == "stratagem: interrupted before there was anything to report\n"


@pytest.mark.realtime
@pytest.mark.skipif(os.name != "posix", reason="signals are sent the POSIX way")
def test_the_signal_itself_ends_a_search_with_what_it_knows(tmp_path: Path) -> None:
    steps = tmp_path / "steps.jsonl"
    process = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "stratagem",
            "search",
            "connectfour",
            "--seconds",
            "600",
            "--trace",
            str(steps),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # Where the tests themselves run in the background the shell has them ignore Ctrl-C, and children inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    try:
        while process.poll() is None and not (steps.exists() and steps.stat().st_size):
            time.sleep(0.05)  # until the search is under way
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=120)
    finally:
        process.kill()
    assert (process.returncode, err) == (1, "")
    assert "interrupted" in out


@pytest.mark.skipif(os.name != "posix", reason="signals are sent the POSIX way")
@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("try:\n    exec('raise KeyboardInterrupt')\nexcept KeyboardInterrupt:\n    raise SystemExit(1)", 1),
        ("sys.taken_down = TakenDown()", 0),
    ],
    ids=["in an exec", "after the last line"],
)
def test_a_signal_that_is_dealt_with_is_not_the_exit_code_of_python(
    command: str, code: int, tmp_path: Path
) -> None:
    (tmp_path / "interrupted.py").write_text(
        f"""import os, signal, sys
import stratagem.cli
from stratagem.__main__ import main

class TakenDown:
    def __del__(self, kill=os.kill, own=os.getpid(), number=signal.SIGINT):
        kill(own, number)

def run():
    exec({command!r}, globals())

stratagem.cli.main = run
main()
"""
    )
    ended = subprocess.run(
        [sys.executable, "-m", "interrupted"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (ended.returncode, ended.stderr) == (code, "")

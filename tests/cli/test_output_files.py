"""No command overwrites a file unless it is told to, and none begins its work before that is known."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from tests.support.markdown import run_command

from stratagem.cli import app
from stratagem.cli.common.output_files import checked_output, write_output
from stratagem.errors import UsageError

COMMANDS = [
    ["explain", "[[3, 12], [2, 4]]", "--svg"],
    ["explain", "[[3, 12], [2, 4]]", "--html"],
    ["explain", "[[3, 12], [2, 4]]", "--jsonl"],
    ["search", "[[3, 12], [2, 4]]", "--trace"],
    ["convert", "rules.kif", "-o"],
    ["show", "tictactoe", "--svg"],
    ["perf", "tictactoe"],
]


@pytest.mark.parametrize("command", COMMANDS, ids=[" ".join((words[0], words[-1])) for words in COMMANDS])
def test_a_file_that_exists_is_overwritten_with_force_alone(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rules.kif").write_text("(role r) (legal r a) (goal r 0) terminal\n")
    place = tmp_path / "mine"
    place.write_text("a letter")
    arguments = [*command, "mine", *(["0.01"] if command[0] == "perf" else [])]
    with pytest.raises(UsageError, match="mine exists already; --force overwrites it"):
        app(arguments, standalone_mode=False)
    assert place.read_text() == "a letter"
    run_command([*arguments, "--force"])
    assert "a letter" not in place.read_text()


def test_empty_files_and_what_keeps_nothing_need_no_force(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    assert checked_output(tmp_path / "empty", force=False) == tmp_path / "empty"
    assert checked_output(os.devnull, force=False) == Path(os.devnull)


def test_a_folder_and_a_missing_folder_are_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is a folder; name a file in it"):
        checked_output(tmp_path, force=True)
    with pytest.raises(
        UsageError, match=r"a.svg cannot be written: No such file or directory; make the folder"
    ):
        checked_output(tmp_path / "none" / "a.svg", force=True)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="/dev/full is Linux's")
def test_a_full_disk_is_one_sentence() -> None:
    with pytest.raises(UsageError, match="/dev/full cannot be written: No space left on device"):
        write_output("/dev/full", "text")

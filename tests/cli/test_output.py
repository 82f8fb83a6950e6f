"""Output on any stream: what its encoding cannot carry comes as ASCII, and a stream that takes nothing is said."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from stratagem import cli
from stratagem.cli.common.output import SIGNS, ascii_form

COMMANDS = {
    "games": ["games"],
    "one game": ["games", "connectfour"],
    "show": ["show", "connectfour", "--after", "(drop 4)"],
    "show chess signs": ["show", "hexapawn"],
    "walk": ["walk", "tictactoe", "--seed", "1"],
    "why": ["why", "tictactoe", "(legal oplayer (mark 1 1))", "--after", "(mark 1 1)"],
    "judge": ["judge", "hexapawn"],
    "check": ["check", "BROKEN"],
    "search": ["search", "lecture", "--algorithm", "sss-star"],
    "compare": ["compare", "lecture"],
    "compare blind": ["compare", "--blind", "2", "5", "3"],
    "collapse": ["collapse", "tictactoe", "--depth", "3"],
    "count": ["count", "tictactoe", "--by", "lines", "--depth", "3"],
    "explain": ["explain", "lecture", "--algorithm", "alpha-beta"],
    "exercise": ["exercise", "alpha-beta", "--seed", "3", "--solution"],
    "solve": ["solve", "hanoi", "--set", "discs=3"],
    "query": ["query", "DATABASE"],
    "play": ["play", "tictactoe", "--against", "random", "--seed", "1", "--no-records", "--clock", "0.2"],
    "circuit": ["circuit", "tictactoe"],
    "refusal": ["show", "naïve–game"],
    "help": ["search", "--help"],
}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Files that commands are given."""
    folder = tmp_path_factory.mktemp("files")
    (folder / "broken.kif").write_text(
        "(role räuber)\n(<= (next (cell ?m ?n x)) (true (control räuber)))\n", "utf-8"
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            sys, "argv", ["stratagem", "solve", "hexapawn", "--database", str(folder / "hexapawn.db")]
        )
        patch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), encoding="utf-8"))
        with pytest.raises(SystemExit):
            cli.main()
    return {"BROKEN": str(folder / "broken.kif"), "DATABASE": str(folder / "hexapawn.db")}


def run(
    monkeypatch: pytest.MonkeyPatch, arguments: list[str], encoding: str, answers: str = ""
) -> tuple[str, int]:
    """What the command prints on streams of this *encoding*, and its exit code."""
    streams = [io.TextIOWrapper(io.BytesIO(), encoding=encoding) for _ in range(2)]
    monkeypatch.setattr(sys, "argv", ["stratagem", *arguments])
    monkeypatch.setattr(sys, "stdin", io.StringIO(answers))
    monkeypatch.setattr(sys, "stdout", streams[0])
    monkeypatch.setattr(sys, "stderr", streams[1])
    with pytest.raises(SystemExit) as ended:
        cli.main()
    for stream in streams:
        stream.flush()
    written = b"".join(stream.buffer.getvalue() for stream in streams)  # type: ignore[attr-defined]
    return written.decode(encoding), ended.value.code or 0  # type: ignore[return-value]


@pytest.mark.parametrize("encoding", ["cp1252", "ascii"])
@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_prints_on_any_encoding(name, encoding, files, monkeypatch):
    arguments = [files.get(argument, argument) for argument in COMMANDS[name]]
    text, code = run(monkeypatch, arguments, encoding, answers="quit\n")
    assert code in ((2,) if name in ("refusal", "check") else (0, 1)), text
    assert len(text) > 40
    assert "Traceback" not in text
    assert not re.search(r"\?{2,}", text)


def test_boards_are_drawn_in_ascii_where_the_encoding_lacks_their_signs(files, monkeypatch):
    drawn, _ = run(monkeypatch, ["query", files["DATABASE"]], "cp1252")
    assert "+---+" in drawn and "| W |" in drawn
    drawn, _ = run(monkeypatch, ["query", files["DATABASE"]], "utf-8")
    assert "┌───┬" in drawn


def test_verdicts_keep_their_meaning_in_ascii(monkeypatch):
    text, code = run(
        monkeypatch, ["why", "tictactoe", "(legal oplayer (mark 1 1))", "--after", "(mark 1 1)"], "ascii"
    )
    assert code == 0
    assert "   + (true (control oplayer))\n   x (true (cell 1 1 b))" in text


@pytest.mark.parametrize("encoding", ["cp1252", "ascii"])
def test_a_replay_prints_on_any_encoding(tmp_path, monkeypatch, encoding):
    monkeypatch.setenv("STRATAGEM_DATA", str(tmp_path))
    play = ["play", "tictactoe", "--against", "legal", "--clock", "0.2"]
    assert run(monkeypatch, play, encoding, answers="5\nquit\n")[1] == 0
    text, code = run(monkeypatch, ["replay", "1"], encoding)
    assert code == 0
    assert "---+---" in text


def test_every_sign_of_the_source_has_an_ascii_form_of_its_own():
    package = Path(cli.__file__).parents[1]
    used = {sign for path in package.rglob("*.py") for sign in path.read_text("utf-8") if not sign.isascii()}
    assert {sign for sign in used if ascii_form(sign) == "?"} <= {"字"}  # the example of one without
    assert all(form.isascii() and form for form in SIGNS.values())


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no /dev/full")
@pytest.mark.parametrize("arguments", [["--version"], ["games"], ["search", "lecture"], ["--help"]])
def test_an_output_that_takes_nothing_is_one_sentence_and_exit_code_1(arguments):
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "stratagem", *arguments], stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert done.returncode == 1
    assert done.stderr.decode() == "stratagem: the output could not be written: No space left on device\n"


@pytest.mark.skipif(os.name != "posix", reason="pipes break the POSIX way")
@pytest.mark.parametrize("arguments", [["games"], ["compare", "lecture"], ["search", "lecture"]])
def test_a_reader_that_leaves_is_no_error(arguments):
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-m", "stratagem", *arguments], stdout=writing, stderr=subprocess.PIPE, check=False
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")

"""`stratagem play` in a terminal: a pseudo-terminal, real keys, real processes."""

from __future__ import annotations

import os
import pty
import re
import select
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.realtime,
    pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals here"),
]
COMMAND = "import typer; from stratagem.cli.play import play; typer.run(play)"

COLOURS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class Terminal:
    """A command at the other end of a pseudo-terminal."""

    def __init__(self, *arguments: str, data: Path) -> None:
        self.screen, inside = pty.openpty()
        environment = {**os.environ, "STRATAGEM_DATA": str(data), "TERM": "xterm", "COLUMNS": "100"}
        self.process = subprocess.Popen(
            [sys.executable, "-c", COMMAND, *arguments],
            stdin=inside,
            stdout=inside,
            stderr=inside,
            env=environment,
            start_new_session=True,
        )
        os.close(inside)
        self.raw, self.text, self.read = b"", "", 0

    def see(self, pattern: str, seconds: float = 120) -> str:
        """Waits until *pattern* is on the screen, after what was seen before; what stands there up to it."""
        deadline = time.monotonic() + seconds
        while True:
            found = re.search(pattern, self.text[self.read :])
            if found is not None:
                seen = self.text[self.read : self.read + found.end()]
                self.read += found.end()
                return seen
            assert time.monotonic() < deadline, f"{pattern} never came:\n{self.text[self.read :]}"
            if select.select([self.screen], [], [], 0.1)[0]:
                try:
                    self.raw += os.read(self.screen, 65536)
                    self.text = COLOURS.sub("", self.raw.decode("utf-8", "ignore"))
                except OSError:
                    raise AssertionError(f"it ended before {pattern}:\n{self.text[self.read :]}") from None

    def type(self, text: str) -> None:
        os.write(self.screen, text.encode() + b"\n")

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self.screen)


@pytest.fixture
def terminal(tmp_path):
    opened: list[Terminal] = []

    def start(*arguments: str) -> Terminal:
        opened.append(Terminal(*arguments, data=tmp_path))
        return opened[-1]

    yield start
    for one in opened:
        one.close()


def test_connect_four_is_played_in_the_terminal(terminal, tmp_path):
    screen = terminal("connectfour", "--as", "red", "--clock", "1", "--set", "columns=5", "--set", "rows=4")
    board = screen.see(r"red> ")
    assert "┌───┬───┬───┬───┬───┐" in board
    assert "1 (drop 1)   2 (drop 2)" in board
    screen.type("drop 9")
    refusal = screen.see(r"red> ")
    assert "drop 9 is not legal here" in refusal
    assert "✗" in refusal or "no rule" in refusal
    screen.type("?")
    advice = screen.see(r"red> ")
    assert len(re.findall(r"\d  \(drop \d\)", advice)) == 5
    screen.type("3")
    moved = screen.see(r"red> ")
    assert re.search(r"yellow plays \(drop \d\)", moved)
    assert "●" in moved
    assert "○" in moved
    screen.type("undo")
    assert "○" not in screen.see(r"red> ").split("┌")[-1].split("└")[0]
    screen.type("drop 2")
    screen.see(r"yellow plays")
    screen.see(r"red> ")
    screen.type(f"save {tmp_path / 'saved.json'}")
    screen.see(r"written to .*saved\.json")
    screen.see(r"red> ")
    screen.type("resign")
    assert "stratagem replay 1" in screen.see(r"replay 1")
    assert screen.process.wait(timeout=120) == 0
    assert (tmp_path / "saved.json").is_file()


def test_the_key_for_the_end_of_input_leaves_the_table(terminal):
    screen = terminal("tictactoe", "--clock", "0.5", "--against", "random")
    screen.see(r"xplayer> ")
    os.write(screen.screen, b"\x04")
    screen.see(r"recorded as match 1")
    assert screen.process.wait(timeout=120) == 0

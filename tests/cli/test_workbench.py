"""`stratagem workbench`, and when `stratagem` alone opens it."""

from __future__ import annotations

import subprocess
import sys
import webbrowser
from typing import Any

import pytest

from stratagem.cli import workbench as command

SCREEN = {"DISPLAY": ":0"}


@pytest.fixture
def person(monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody at a terminal, with a browser and the workbench installed."""
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(webbrowser, "get", lambda *_: object())
    monkeypatch.setattr(command, "find_spec", lambda _: object())


@pytest.mark.usefixtures("person")
@pytest.mark.parametrize(
    ("environment", "platform", "opens"),
    [
        (SCREEN, "linux", True),
        ({"WAYLAND_DISPLAY": "wayland-0"}, "linux", True),
        ({"BROWSER": "firefox"}, "linux", True),
        ({}, "darwin", True),
        ({}, "win32", True),
        ({}, "linux", False),
        ({**SCREEN, "SSH_CONNECTION": "10.0.0.1 1 10.0.0.2 22"}, "linux", False),
        ({**SCREEN, "CI": "true"}, "linux", False),
    ],
)
def test_a_page_is_opened_only_where_somebody_can_see_it(
    environment: dict[str, str], platform: str, opens: bool
) -> None:
    assert command.can_open(environment, platform) is opens


@pytest.mark.usefixtures("person")
def test_no_page_is_opened_in_a_pipe_without_a_browser_or_without_the_workbench(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def none(*_: Any) -> None:
        raise webbrowser.Error("no browser")

    with monkeypatch.context() as patch:
        patch.setattr(sys.stdout, "isatty", lambda: False, raising=False)
        assert not command.can_open(SCREEN, "linux")
    with monkeypatch.context() as patch:
        patch.setattr(webbrowser, "get", none)
        assert not command.can_open(SCREEN, "linux")
    with monkeypatch.context() as patch:
        patch.setattr(command, "find_spec", lambda _: None)
        assert not command.can_open(SCREEN, "linux")
    assert command.can_open(SCREEN, "linux")


def test_without_a_command_the_workbench_opens_or_the_help_is_printed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    served: list[dict[str, Any]] = []
    pytest.importorskip("nicegui", reason="nicegui is not installed; pip install 'stratagem[web]'")
    monkeypatch.setattr(
        "stratagem.web.app.server.serve", lambda host, port, **more: served.append({"host": host, **more})
    )
    monkeypatch.setattr(command, "can_open", lambda: False)
    command.without_command("the help")
    assert capsys.readouterr().out == "the help\n"
    assert served == []
    monkeypatch.setattr(command, "can_open", lambda: True)
    command.without_command("the help")
    assert served == [{"host": "127.0.0.1", "open_browser": True}]
    assert capsys.readouterr().out == ""


def test_stratagem_alone_prints_help_where_nobody_sits_at_a_terminal() -> None:
    done = subprocess.run([sys.executable, "-m", "stratagem"], capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert done.stdout.startswith("Usage:")
    assert "workbench" in done.stdout

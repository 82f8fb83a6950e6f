from __future__ import annotations

import io
from collections.abc import Callable
from types import SimpleNamespace

import pytest

from stratagem.cli import main


@pytest.fixture
def run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., SimpleNamespace]:
    """Calls ``stratagem`` with these arguments; gives the exit code and what was printed."""

    def call(*arguments: object, stdin: bytes = b"") -> SimpleNamespace:
        monkeypatch.setattr("sys.argv", ["stratagem", *map(str, arguments)])
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        with pytest.raises(SystemExit) as left:
            main()
        printed = capsys.readouterr()
        return SimpleNamespace(code=left.value.code or 0, out=printed.out, err=printed.err)

    return call

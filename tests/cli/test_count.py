"""`stratagem count` as a user calls it: tables, JSON, exit codes, Ctrl-C."""

from __future__ import annotations

import json
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

Run = Callable[..., SimpleNamespace]


def test_states_are_counted_by_distance(run: Run) -> None:
    found = run("count", "tictactoe", "--json")
    assert found.code == 0
    data = json.loads(found.out)
    assert (data["by"], data["total"], data["complete"]) == ("distance", 5478, True)
    assert [level["states"] for level in data["levels"]][:4] == [1, 9, 72, 252]
    table = run("count", "tictactoe").out
    assert "5,478" in table
    assert "958" in table, "the terminal states"


def test_lines_are_counted_by_ply(run: Run) -> None:
    data = json.loads(run("count", "tictactoe", "--by", "lines", "--json").out)
    assert data["total"] == 549_946
    assert sum(level["matches"] for level in data["levels"]) == 255_168
    assert data["levels"][5] == {"ply": 5, "states": 1260, "terminal": 120, "lines": 15120, "matches": 1440}


def test_a_depth_is_what_was_asked_for(run: Run) -> None:
    found = run("count", "pegsolitaire", "--by", "ply", "--depth", "3", "--after", "")
    assert found.code == 0
    assert "60" in found.out
    assert "--depth changes that" in " ".join(found.out.split())


def test_what_a_limit_ends_is_exit_code_1_and_prints_whole_levels(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = run("count", "connectfour", "--by", "lines", "--memory", "4")
    assert found.code == 1
    assert "the memory is full; --memory changes that" in found.out

    def interrupted(work: Callable[..., Any]) -> Any:
        asked = iter([False] * 30 + [True] * 10_000)
        return work(lambda _sentence: None, lambda: next(asked))

    monkeypatch.setattr("stratagem.cli.count.with_progress", interrupted)
    found = run("count", "eightpuzzle")
    assert found.code == 1
    assert "interrupted" in found.out
    assert run("count", "eightpuzzle", "--json").code == 1


def test_bad_input_is_exit_code_2(run: Run) -> None:
    found = run("count", "tictactoe", "--by", "size")
    assert found.code == 2
    assert "states are not counted by size; choose one of distance, ply, lines" in found.err
    assert run("count", "nosuchgame").code == 2

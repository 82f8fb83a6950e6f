"""``--on``: the commands that take long print elsewhere what they print here."""

from __future__ import annotations

import json
import re
import sqlite3
from pathlib import Path

import pytest
from tests.cli.conftest import run as run  # the fixture

from stratagem.cli.common.space_view import space_table
from stratagem.engine.shards.progress import SpaceProgress

pytestmark = pytest.mark.realtime
HERE: list[str] = []
THERE = ["--on", "local:2"]


@pytest.mark.parametrize(
    "words",
    [
        ["sweep", "tictactoe", "--json"],
        ["judge", "hexapawn", "--json"],
        ["count", "connectfour", "--set", "columns=4", "--set", "rows=3"],
        ["solve", "hexapawn", "--method", "space"],
    ],
    ids=lambda words: words[0],
)
def test_a_command_prints_elsewhere_what_it_prints_here(words: list[str], run) -> None:
    here, there = run(*words, *HERE), run(*words, *THERE)
    assert here.code == there.code == 0
    assert without_seconds(there.out) == without_seconds(here.out)


def without_seconds(text: str) -> str:
    return re.sub(r"[\d.]+ s$", "… s", text, flags=re.MULTILINE)


def test_rules_in_a_file_go_along(run, tmp_path: Path) -> None:
    sheet = tmp_path / "mine.kif"
    sheet.write_text(
        "(role robot) (init a) (legal robot go) (<= (next b) (true a)) (<= terminal (true b)) (goal robot 100)"
    )
    here, there = run("judge", sheet), run("judge", sheet, *THERE)
    assert there.out == here.out
    assert "mine: all 2 states were examined" in there.out


def test_a_database_by_shards_is_queried_like_any_other(run, tmp_path: Path) -> None:
    for name, more in (("one.db", HERE), ("two.db", ["--shards", "2", "--progress", "json"])):
        said = run("solve", "hexapawn", "--database", tmp_path / name, *more)
        assert said.code == 0
        assert "black: 100" in said.out
    assert json.loads(said.err.splitlines()[0])["phase"] == "forward"
    assert (tmp_path / "one.db").read_bytes() == (tmp_path / "two.db").read_bytes()
    kept = run("solve", "hexapawn", "--database", tmp_path / "parts", "--shards", "2", "--keep-shards")
    assert kept.code == 0
    assert (tmp_path / "parts" / "0001.db").is_file()
    whole = run("query", tmp_path / "one.db", "--json")
    assert run("query", tmp_path / "parts", "--json", "--check").out == whole.out


def test_a_tournament_elsewhere_has_the_results_of_one_here(run, tmp_path: Path) -> None:
    words = [
        "tournament",
        "--games",
        "tictactoe",
        "--players",
        "legal,random",
        "--startclock",
        300,
        "--playclock",
        300,
    ]
    folders = [tmp_path / "tournament-here", tmp_path / "tournament-there"]
    for folder, more in zip(folders, (HERE, [*THERE, "--cores", "1"]), strict=True):
        assert run(*words, "--rounds", 2, "--out", folder, *more).code == 0
    found = []
    for folder in folders:
        with sqlite3.connect(folder / "tournament.sqlite") as database:
            found.append(
                database.execute("SELECT round, seats, goals FROM results ORDER BY round, seats").fetchall()
            )
            assert database.execute("SELECT count(*) FROM running").fetchone() == (0,)
        with sqlite3.connect(folder / "matches.sqlite") as database:
            kept = "SELECT count(*) FROM matches WHERE keeper = 'host' AND status = 'completed'"
            assert database.execute(kept).fetchone() == (4,)
    assert len(found[0]) == 4
    assert found[1] == found[0]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["count", "tictactoe", "--on", "nowhere"], "'nowhere' is not a place to run on"),
        (["solve", "tictactoe", "--shards", "2"], "shards build a database"),
        (["count", "tictactoe", "--by", "ply", "--shards", "2"], "by distance"),
        (["count", "tictactoe", "--shards", "2", "--progress", "film"], "cannot be shown as film"),
        (["count", "tictactoe", "--shards", "0"], "--shards must be at least 1"),
    ],
)
def test_bad_options_are_one_sentence(words: list[str], sentence: str, run) -> None:
    said = run(*words)
    assert said.code == 2
    assert sentence in said.err


def test_the_table_shows_every_shard() -> None:
    progress = SpaceProgress(
        "backward", 3, 9, 1000, 2.0, (10.0, 20.0), 1 << 20, 2 << 20, 30.0, (1, 2), "a note"
    )
    assert space_table(progress).row_count == 8
    assert "about 30 s to go" in str(progress)

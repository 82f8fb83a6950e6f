"""Databases and certificates on disk: every player that searches finds and uses them, and passes over what is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from stratagem.cache import Cache
from stratagem.engine import solved_files
from stratagem.engine.proof.certificate import Certificate
from stratagem.engine.solve import solve
from stratagem.engine.solved_files import note_file, noted_files
from stratagem.engine.space.database import Database
from stratagem.ggp.protocol.sheet import rules_text
from stratagem.loading import load
from stratagem.play.clock import Deadline
from stratagem.play.local import match as play_match
from stratagem.play.match_state import Match
from stratagem.play.players import BASELINES, PLAYERS, player_named
from stratagem.play.players.perfect_play import WithPerfectPlay, solved_positions

GAME = load("hexapawn")  # the second player wins, in six plies at most
PUZZLE = load("buttonsandlights")


@pytest.fixture(autouse=True)
def index(tmp_path, monkeypatch) -> Cache:
    """The index of files is this test's own."""
    cache = Cache(tmp_path / "cache")
    monkeypatch.setattr(solved_files, "user_cache", lambda: cache)
    return cache


def forever() -> Deadline:
    return Deadline(60.0, now=lambda: 0.0)


def moved(player, match):
    return player.play(match, forever(), lambda choice: None)


def second(first: str | None = None) -> Match:
    match = Match.of(GAME, "black")
    move = match.legals("white")[0] if first is None else first
    return match.after([move, "noop"])


def test_a_file_that_is_written_is_noted_and_one_that_is_gone_is_not_found(tmp_path):
    assert noted_files(GAME) == []
    Database.build(tmp_path / "one.db", GAME)
    Certificate.write(tmp_path / "proof.json", GAME.initial(), solve(GAME))
    assert noted_files(GAME) == [tmp_path / "proof.json", tmp_path / "one.db"]
    assert noted_files(load(f"; another layout\n{rules_text(GAME).upper()}\n")) == noted_files(GAME)
    assert noted_files(PUZZLE) == []
    (tmp_path / "proof.json").unlink()
    assert noted_files(GAME) == [tmp_path / "one.db"]
    Database.build(tmp_path / "two.db", GAME)
    note_file(GAME, tmp_path / "one.db")
    assert noted_files(GAME) == [tmp_path / "one.db", tmp_path / "two.db"], "each once, the last first"


@pytest.mark.parametrize("name", sorted(set(PLAYERS) - BASELINES))
def test_every_player_that_searches_plays_by_a_database(name, tmp_path):
    Database.build(tmp_path / "hexapawn.db", GAME)
    player = player_named(name, seed=1, remember=True)
    assert isinstance(player, WithPerfectPlay) and player.name == name
    match = second()
    player.start(match, forever())
    choice = moved(player, match)
    assert choice.final and choice.thought.value == 100 and choice.thought.solved
    assert choice.thought.why == "from hexapawn.db, a database of 135 states"
    assert choice.thought.player == name
    player.stop(match)


def test_a_certificate_wins_what_it_proves(tmp_path):
    Certificate.write(tmp_path / "proof.json", GAME.initial(), solve(GAME))
    for seed in range(4):
        player = player_named("uct", seed=seed, remember=True)
        record = play_match(GAME, ["random", player], clock=60, seed=seed)
        assert record.goals == (0, 100)
        said = [remark.thought.why for remark in record.remarks if remark.role == "black"]
        assert all(why == "from proof.json, a certificate: the move keeps the proved value" for why in said)


def test_a_certificate_says_nothing_to_the_side_that_it_proves_lost(tmp_path):
    Certificate.write(tmp_path / "proof.json", GAME.initial(), solve(GAME))
    (known,) = solved_positions(GAME)
    assert known.choice(Match.of(GAME, "white"), "x") is None
    assert known.choice(second(), "x") is not None


def test_a_puzzle_is_played_by_its_certificate(tmp_path):
    Certificate.write(tmp_path / "proof.json", PUZZLE.initial(), solve(PUZZLE))
    record = play_match(PUZZLE, [player_named("puzzle", remember=True)], clock=60)
    assert record.goals == (100,)
    assert all("from proof.json" in remark.thought.why for remark in record.remarks)


@pytest.mark.parametrize(
    "content", [b"", b"STRATDB", b"{}", b'{"format": "stratagem certificate", "version": 1}']
)
def test_a_file_that_is_neither_is_passed_over(content, tmp_path):
    path = tmp_path / "broken"
    path.write_bytes(content)
    note_file(GAME, path)
    assert noted_files(GAME) == [path]
    assert solved_positions(GAME) == []
    match = second()
    assert moved(player_named("legal"), match).move in match.legals()


def test_a_damaged_certificate_and_one_of_other_rules_are_passed_over(tmp_path):
    path = tmp_path / "proof.json"
    Certificate.write(path, GAME.initial(), solve(GAME))
    whole = path.read_text()
    for damaged in (whole.replace('"claims": [', '"claims": [3, '), whole.replace('"role"', '"rule"')):
        path.write_text(damaged)
        assert solved_positions(GAME) == []
    Certificate.write(path, PUZZLE.initial(), solve(PUZZLE))
    assert noted_files(GAME) == [path]
    assert solved_positions(GAME) == [], "the file is of other rules by now"


def test_an_index_that_says_nothing_is_passed_over(index, tmp_path):
    for content in (b"\xff", b"{}", b"[1, null]"):
        index.part(solved_files.PART).write(solved_files._name(GAME), content)
        assert noted_files(GAME) == []
    note_file(GAME, tmp_path)
    assert noted_files(GAME) == [], "a folder is no file"


def test_who_does_not_remember_and_who_plays_at_random_knows_nothing(tmp_path):
    Database.build(tmp_path / "hexapawn.db", GAME)
    assert not isinstance(player_named("uct", seed=1), WithPerfectPlay)
    assert all(not isinstance(player_named(name, remember=True), WithPerfectPlay) for name in BASELINES)


def test_a_position_that_no_file_has_is_left_to_the_player(tmp_path):
    start = GAME.initial()
    after = start.play(start.legals("white")[0])
    Database.build(Path(tmp_path / "part.db"), GAME, after)
    match = Match.of(GAME, "white")
    player = player_named("uct", seed=1, remember=True)
    clock = iter([0.0] * 300 + [99.0] * 9999)
    choice = player.play(match, Deadline(1.0, now=lambda: next(clock)), lambda choice: None)
    assert choice.move in match.legals() and "database" not in choice.thought.why

"""Databases of perfect play: right, resumable after a kill, and refused in one sentence where damaged."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from tests.engine.test_values import CIRCLE
from tests.support.inline_executor import InlineExecutor

from stratagem.engine.shards.backward import FARTHEST, NEVER, Induction
from stratagem.engine.solve import solve
from stratagem.engine.space.database import Database
from stratagem.engine.space.database_build import build
from stratagem.errors import BrokenFile, LimitExceeded, UnsuitableGame, UsageError
from stratagem.limit import Limit
from stratagem.loading import load
from stratagem.native.compiled import Children
from stratagem.result import Interval

SIZES = {"columns": 4, "rows": 3}


def built(path: Path, *, resume: bool = False) -> bytes:
    game = load("connectfour", settings=SIZES)
    build(game, game.initial(), path, resume=resume)
    return path.read_bytes()


def test_a_database_answers_for_every_position_of_a_match(tmp_path: Path) -> None:
    game = load("hexapawn")
    found = build(game, game.initial(), tmp_path / "h.db")
    assert found.estimates["white"] == 0
    database = Database(tmp_path / "h.db")
    database.check()
    assert len(database) == 135
    state = database.start
    assert state == game.initial()
    length = database[state].distance
    while not state.terminal:
        found = database[state]
        assert found.proved
        assert found.estimates == {"white": 0, "black": 100}
        assert found.distance == length
        (mover,) = [role for role in game.roles if state.legals(role) != ("noop",)]
        options = [(database.entry(state.play(move)), move) for move in state.legals(mover)]
        good = [(entry.distance, move) for entry, move in options if entry.low == (0, 100)]
        best = (min if mover == "black" else max)(good, key=lambda option: option[0])
        if len(options) > 1:
            assert found.moves[mover][0].distance == best[0] + 1
            assert found.best == {mover: found.moves[mover][0].move}
        state = state.play(best[1])
        length -= 1


def test_a_position_that_cannot_be_reached_is_not_in_the_database(tmp_path: Path) -> None:
    game = load("hexapawn")
    later = next(iter(game.initial().legals("white")))
    database = Database.build(tmp_path / "h.db", game, game.initial().play(later))
    assert len(database) < 135
    with pytest.raises(UsageError, match="this position is not in the database"):
        database[game.initial()]


def test_the_same_game_gives_the_same_bytes(tmp_path: Path) -> None:
    assert built(tmp_path / "one.db") == built(tmp_path / "two.db")
    assert not (tmp_path / "one.db.partial").exists()


def test_a_stopped_build_keeps_its_layers_and_goes_on(tmp_path: Path) -> None:
    game = load("connectfour", settings=SIZES)
    asked = 0

    def stop() -> bool:
        nonlocal asked
        asked += 1
        return asked > 5

    with pytest.raises(LimitExceeded, match="keeps the finished layers"):
        build(game, game.initial(), tmp_path / "a.db", limit=Limit(stop=stop))
    assert len(list((tmp_path / "a.db.partial").iterdir())) > 3
    assert built(tmp_path / "a.db", resume=True) == built(tmp_path / "b.db")


@pytest.mark.parametrize("left", [(".abc.part",), (), ("000000", "000001")])
def test_a_build_that_was_ended_without_its_mark_begins_again(tmp_path: Path, left: tuple[str, ...]) -> None:
    """It was killed before the mark was written, or while the pieces were being removed, the mark before others."""
    (tmp_path / "a.db.partial").mkdir()
    for name in left:
        (tmp_path / "a.db.partial" / name).write_bytes(b"a piece of another game")
    assert built(tmp_path / "a.db", resume=True) == built(tmp_path / "b.db")
    assert not (tmp_path / "a.db.partial").exists()


def test_a_damaged_piece_is_made_again(tmp_path: Path) -> None:
    game = load("connectfour", settings=SIZES)
    with pytest.raises(LimitExceeded):
        build(
            game,
            game.initial(),
            tmp_path / "a.db",
            limit=Limit(stop=lambda: len(list((tmp_path / "a.db.partial").iterdir())) > 6),
        )
    (tmp_path / "a.db.partial" / "000003").write_bytes(b"nonsense")
    assert built(tmp_path / "a.db", resume=True) == built(tmp_path / "b.db")


KILLED = """
import sys
from stratagem.loading import load
from stratagem.engine.space.database_build import build
game = load("connectfour", columns=4, rows=4)
print("ready", flush=True)
build(game, game.initial(), sys.argv[1], resume=True)
"""


@pytest.mark.slow
def test_kill_at_twenty_random_moments_leaves_the_same_file(tmp_path: Path) -> None:
    game = load("connectfour", columns=4, rows=4)
    started = time.monotonic()
    build(game, game.initial(), tmp_path / "whole.db")
    length = time.monotonic() - started
    rng = random.Random(5)
    for number in range(20):
        path = tmp_path / f"{number}.db"
        process = subprocess.Popen([sys.executable, "-c", KILLED, str(path)], stdout=subprocess.PIPE)
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(rng.uniform(0, 1.5 * length))
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        process.stdout.close()
        build(game, game.initial(), path, resume=True)
        assert path.read_bytes() == (tmp_path / "whole.db").read_bytes()


def test_files_that_are_damaged_are_refused_in_one_sentence(tmp_path: Path) -> None:
    good = built(tmp_path / "good.db")
    file = tmp_path / "bad.db"
    with pytest.raises(BrokenFile, match="cannot be read"):
        Database(tmp_path / "missing.db")
    for content, sentence in [
        (b"", "is not a database"),
        (b"PNG" + good[3:], "is not a database"),
        (good[:7] + b"\x09" + good[8:], "written by another version"),
        (good[:40], "damaged in its header"),
        (good[:20] + b"\x00" + good[21:], "damaged in its header"),
        (good[:-1000], "is truncated"),
    ]:
        file.write_bytes(content)
        with pytest.raises(BrokenFile, match=sentence):
            Database(file)
    file.write_bytes(good[:-5] + bytes([good[-5] ^ 1]) + good[-4:])
    with pytest.raises(BrokenFile, match="damaged in its distance"):
        Database(file).check()


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    game = load("hexapawn")
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="cannot be written"):
        build(game, game.initial(), tmp_path / "file" / "x.db")


def test_a_build_that_could_not_begin_leaves_no_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    game = load("hexapawn")
    monkeypatch.setattr("stratagem.engine.space.database_build.write_atomically", full)
    with pytest.raises(UsageError, match="No space left on device"):
        build(game, game.initial(), tmp_path / "h.db")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
@pytest.mark.parametrize("force", [False, True])
def test_a_device_or_a_pipe_is_not_replaced_by_a_database(tmp_path: Path, force: bool) -> None:
    game = load("hexapawn")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UsageError, match="is a device or a pipe; name a file"):
        build(game, game.initial(), tmp_path / "pipe", force=force)
    assert (tmp_path / "pipe").is_fifo()
    assert [path.name for path in tmp_path.iterdir()] == ["pipe"]


def test_pieces_of_another_game_are_not_taken(tmp_path: Path) -> None:
    game = load("hexapawn")
    with pytest.raises(LimitExceeded):
        build(game, game.initial(), tmp_path / "a.db", limit=Limit(stop=lambda: True))
    other = load("tictactoe")
    with pytest.raises(UsageError, match="belongs to another game"):
        build(other, other.initial(), tmp_path / "a.db", resume=True)


ROUND = """(role walker) (init (at a)) (link a b) (link b c) (link c a)
(<= (legal walker (go ?y)) (true (at ?x)) (link ?x ?y))
(<= (next (at ?y)) (does walker (go ?y)))
(<= terminal (true (at a)) (true (at b)))
(<= (goal walker 100) (true (at a)) (true (at b)))
(<= (goal walker 0) (true (at ?x)) (not (both)))
(<= (both) (true (at a)) (true (at b)))"""
"""A puzzle in which no reachable state is terminal."""


@pytest.mark.parametrize("shards", [None, 1, 3])
def test_a_game_without_an_end_is_refused_and_leaves_nothing(tmp_path: Path, shards: int | None) -> None:
    game, on = load(ROUND), None if shards is None else InlineExecutor()
    with pytest.raises(UnsuitableGame, match="play never ends: none of the 3 reachable states is terminal"):
        Database.build(tmp_path / "round.db", game, on=on, shards=shards)
    assert list(tmp_path.iterdir()) == []
    solved = solve(game, method="space")
    assert (solved.proved, solved.note) == (
        False,
        "play never ends: none of the 3 reachable states is terminal",
    )


HALTS = """(role a) (role b) (after a b) (after b a) (init (left 6)) (init (turn a))
(less 6 1 5) (less 6 2 4) (less 5 1 4) (less 5 2 3) (less 4 1 3) (less 4 2 2) (less 3 1 2) (less 3 2 1) (less 2 2 0)
(<= (legal ?p (take ?k)) (true (turn ?p)) (true (left ?n)) (less ?n ?k ?m))
(<= (legal ?p noop) (role ?p) (true (turn ?q)) (distinct ?p ?q))
(<= (next (left ?m)) (does ?p (take ?k)) (true (left ?n)) (less ?n ?k ?m))
(<= (next (turn ?q)) (true (turn ?p)) (after ?p ?q))
(<= terminal (true (left 0)))
(<= (goal ?p 100) (role ?p) (true (turn ?q)) (distinct ?p ?q))
(<= (goal ?p 0) (true (turn ?p)))"""
"""Two players take one or two coins, but the last one cannot be taken: play comes to a halt."""


@pytest.mark.parametrize("shards", [1, 3])
def test_play_that_comes_to_a_halt_has_the_values_of_one_process(tmp_path: Path, shards: int) -> None:
    game = load(HALTS)
    Database.build(tmp_path / "alone.db", game)
    Database.build(tmp_path / "shards.db", game, on=InlineExecutor(), shards=shards)
    assert (tmp_path / "shards.db").read_bytes() == (tmp_path / "alone.db").read_bytes()


@pytest.mark.parametrize("shards", [None, 1, 3])
def test_three_players_whose_play_comes_to_a_halt_are_refused(tmp_path: Path, shards: int | None) -> None:
    three = HALTS.replace("(role b)", "(role b) (role c)").replace("(after b a)", "(after b c) (after c a)")
    on = None if shards is None else InlineExecutor()
    with pytest.raises(UnsuitableGame, match="is not terminal and has no legal joint move"):
        Database.build(tmp_path / "t.db", load(three), on=on, shards=shards)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("zero_sum", "roles", "columns"), [(True, 2, 2), (False, 3, 4)])
def test_ends_that_are_too_far_for_shards_are_refused(zero_sum: bool, roles: int, columns: int) -> None:
    induction = Induction(roles, (100,), zero_sum)
    assert induction.columns == columns
    nothing = np.empty((1, 0), np.uint64)
    over, goals = np.zeros(1, np.bool_), np.zeros((1, roles), np.int16)
    child = Children(nothing, np.zeros(1, np.int32), np.zeros((1, roles), np.int32), over, goals)
    result = np.full((1, columns), NEVER, np.int16)
    values = np.full((1, columns), FARTHEST - 1, np.int16)
    induction.back_up(result, np.zeros(1, np.int64), child, None, values)
    assert result[0, -1] == FARTHEST
    with pytest.raises(LimitExceeded, match="more than 32,000 moves away"):
        induction.back_up(result, np.zeros(1, np.int64), child, None, values + 1)


MAZE = """
(role a)
(init (at start))
(way start trap) (way trap trap) (way start mid) (way mid goal) (way mid start)
(<= (legal a (go ?y)) (true (at ?x)) (way ?x ?y))
(<= (next (at ?y)) (does a (go ?y)))
(<= terminal (true (at goal)))
(<= (goal a 100) (true (at goal)))
(<= (goal a 0) (not (true (at goal))))
"""


def test_where_play_need_not_end_the_bounds_are_goals(tmp_path: Path) -> None:
    game = load(CIRCLE)
    build(game, game.initial(), tmp_path / "circle.db")
    database = Database(tmp_path / "circle.db")
    assert database[game.initial()].values == {"a": Interval(0, 100), "b": Interval(0, 100)}
    left = database[game.initial().play("(go left)")]
    assert left.values == {"a": Interval(0, 0), "b": Interval(100, 100)}


def test_a_dead_end_of_a_puzzle_has_no_value(tmp_path: Path) -> None:
    game = load(MAZE)
    build(game, game.initial(), tmp_path / "maze.db")
    trap = Database(tmp_path / "maze.db")[game.initial().play("(go trap)")]
    assert not trap.proved
    assert (trap.values, trap.distance) == ({"a": Interval(0, 100)}, None)

"""The benchmark of accuracy: positions that are solved move by move, and players that are examined on them."""

from __future__ import annotations

import pytest
from benchmarks import bench_accuracy
from benchmarks.bench_accuracy import Answers, times_of
from benchmarks.laboratory.pairs import game_of
from benchmarks.laboratory.positions import after, kept, positions

from stratagem.engine.solve import solve
from stratagem.errors import UsageError

NODES = 100_000


def test_the_moves_that_keep_the_value_are_those_that_the_solver_finds():
    found = positions("hexapawn", 6, NODES, 1, None)
    rules = game_of("hexapawn")
    assert len(found) == 6
    assert len({one.way for one in found}) == 6
    for one in found:
        state = after(rules, list(one.way))
        assert state.choosing == (one.role,)
        values = {
            rules.spell(move): solve(rules, state.play(move)).values[one.role].low
            for move in state.legals(one.role)
        }
        best = max(values.values())
        assert set(one.keeping) == {move for move, value in values.items() if value == best}
        assert 0 < len(one.keeping) < one.moves == len(values)


def test_positions_depend_on_the_seed_alone_and_are_kept(tmp_path):
    path = tmp_path / "positions.jsonl"
    found = positions("tictactoe", 3, NODES, 5, path)
    assert positions("tictactoe", 3, NODES, 5, None) == found == list(kept(path))
    assert positions("tictactoe", 2, 0, 6, path) == found[:2], "those of the file come first"
    assert positions("tictactoe", 3, NODES, 6, None) != found


def test_a_player_is_examined_once_and_its_answers_are_kept(tmp_path, capsys):
    words = ["--games", "tictactoe", "--players", "legal", "--positions", "3", "--seconds", "0.1"]
    words += ["--startclock", "0.1", "--to", str(tmp_path)]
    bench_accuracy.main(words)
    first = capsys.readouterr().out
    assert "tictactoe" in first and "legal" in first and " % [" in first
    answers = (tmp_path / "answers.jsonl").read_text("utf-8")
    assert answers.count("\n") == 3
    bench_accuracy.main(words)
    assert capsys.readouterr().out == first, "nothing was asked again"
    assert (tmp_path / "answers.jsonl").read_text("utf-8") == answers


def test_answers_without_a_file_are_kept_for_the_run():
    answers = Answers(None)
    assert answers.get("a") is None
    answers.add("a", "noop", 0.5)
    assert answers.get("a") == ("noop", 0.5)


def test_what_makes_no_sense_is_refused_in_a_sentence(capsys):
    assert times_of("0.1,1") == [0.1, 1.0]
    with pytest.raises(UsageError, match="not numbers of seconds"):
        times_of("soon")
    for words in (["--seconds", "soon"], ["--players", "mctx"], ["--games", "hex:size"]):
        with pytest.raises(SystemExit) as ended:
            bench_accuracy.main(words)
        assert ended.value.code == 2
        assert len(capsys.readouterr().err.splitlines()) <= 2

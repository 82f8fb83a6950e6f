"""The strength laboratory of benchmarks/: sides, results that are kept, and players of a revision in their own process."""

from __future__ import annotations

import subprocess
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from benchmarks import bench_strength
from benchmarks.laboratory.pairs import MatchesElsewhere, PairMatches, game_of, run, score_of, seating
from benchmarks.laboratory.results import Notebook, Pairing, Played, Summary, read
from benchmarks.laboratory.seats import ROOT, Releases
from hypothesis import given
from hypothesis import strategies as st

from stratagem.cluster import connect
from stratagem.errors import StratagemError, UsageError
from stratagem.executor.interface import Pending, WorkerLost
from stratagem.play.tournaments.statistics import SequentialTest

PAIRING = Pairing("tictactoe", "legal", "random", ("a", "b"), 0.1, 0.0, 0)
TEST = SequentialTest(0.70, 0.85)


def played(number: int, score: float, pairing: Pairing = PAIRING) -> Played:
    return Played(pairing, number, score, 5, (0.1, 0.2))


@given(st.integers(0, 50), st.integers(2, 4))
def test_sides_change_and_both_have_every_role_equally_often(first, roles):
    numbers = range(2 * roles * first, 2 * roles * (first + 1))
    seats = [seating(number, roles) for number in numbers]
    for even, odd in zip(seats[::2], seats[1::2], strict=True):
        assert all(one + other == 1 for one, other in zip(even, odd, strict=True))
        assert even.count(0) == 1
    for role in range(roles):
        assert sum(own[role] for own in seats) == roles


@given(st.lists(st.integers(0, 100), min_size=2, max_size=4), st.integers(0, 20))
def test_the_two_sides_share_one_point(goals, number):
    seats = seating(number, len(goals))
    other = tuple(1 - seat for seat in seats)
    assert score_of(tuple(goals), seats) + score_of(tuple(goals), other) == 1.0


def test_a_run_goes_on_from_its_file_and_passes_over_lines_that_say_nothing(tmp_path):
    path = tmp_path / "matches.jsonl"
    notebook = Notebook(path)
    for number, score in enumerate((1.0, 0.5, 0.0)):
        notebook.add(played(number, score))
    with path.open("a") as file:
        file.write('[]\n{"pairing": 3}\n{"pairing": {"game": "tictactoe", "pla')
    again = Notebook(path)
    assert again.of(PAIRING) == notebook.of(PAIRING) == [played(0, 1.0), played(1, 0.5), played(2, 0.0)]
    newer = Pairing("tictactoe", "legal", "random", ("c", "b"), 0.1, 0.0, 0)
    assert again.of(newer) == [], "another version of a player begins anew"
    assert read("") is None


def test_matches_count_up_to_the_first_that_is_missing():
    notebook = Notebook(None)
    for number in (0, 1, 3):
        notebook.add(played(number, 1.0))
    assert [one.number for one in notebook.of(PAIRING)] == [0, 1]


def test_a_summary_has_counts_intervals_elo_and_the_verdict():
    words = Summary.of([played(number, 1.0) for number in range(16)], TEST).words
    assert "16   0   0  100 % [81, 100]" in words
    assert words.endswith("accepted")
    drawn = Summary.of([played(number, 0.5) for number in range(4)], TEST).words
    assert "+0 [" in drawn and drawn.endswith("open, never lost")


def test_players_of_this_tree_and_of_a_revision_meet_in_their_own_processes(tmp_path):
    if subprocess.run(["git", "-C", str(ROOT), "rev-parse", "HEAD"], capture_output=True).returncode != 0:
        pytest.skip("no git repository here")
    notebook, heard = Notebook(tmp_path / "matches.jsonl"), []
    with Releases() as releases:
        players = {name: releases.contestant(name) for name in ("legal", "random@HEAD")}
        assert players["legal"].source == ROOT / "src"
        assert players["random@HEAD"].source != players["legal"].source
        versions = (players["legal"].version, players["random@HEAD"].version)
        pairing = Pairing("tictactoe", "legal", "random@HEAD", versions, 0.1, 0.0, 1)
        opened = partial(PairMatches, contestants=players)
        run(pairing, opened, notebook, SequentialTest(0.3, 0.7), 2, heard.append)
        run(pairing, opened, notebook, SequentialTest(0.3, 0.7), 2, heard.append)
    matches = notebook.of(pairing)
    assert len(heard) == len(matches) == 2, "the second call found both"
    assert all(one.errors == 0 and one.turns >= 5 for one in matches)


@pytest.mark.realtime
def test_an_executor_plays_the_matches_that_this_process_plays_and_refuses_another_version() -> None:
    with Releases() as releases, connect("local:1") as executor:
        players = {name: releases.contestant(name) for name in ("legal", "random")}
        pairing = replace(PAIRING, versions=(players["legal"].version, players["random"].version))
        here, there = Notebook(None), Notebook(None)
        run(pairing, partial(PairMatches, contestants=players), here, TEST, 2, lambda pairing: None)
        run(pairing, partial(MatchesElsewhere, executor), there, TEST, 2, lambda pairing: None)
        results = [
            [(one.score, one.turns, one.errors) for one in notes.of(pairing)] for notes in (here, there)
        ]
        assert len(results[0]) == 2
        assert results[0] == results[1]
        with pytest.raises(UsageError, match="another version of legal"):
            run(PAIRING, partial(MatchesElsewhere, executor), Notebook(None), TEST, 2, lambda pairing: None)


def test_a_match_whose_process_is_lost_is_played_again() -> None:
    class Losing:
        """An executor whose first two actors are lost in their match."""

        made = 0

        def actor(self, kind, *arguments):
            self.made += 1
            return self

        def call(self, method, number):
            pending = Pending()
            lost = self.made < 3
            pending.settle("failed" if lost else "done", WorkerLost("gone") if lost else played(number, 1.0))
            return pending

        def kill(self):
            pass

    executor, notebook = Losing(), Notebook(None)
    run(PAIRING, partial(MatchesElsewhere, executor), notebook, TEST, 1, lambda pairing: None)
    assert [one.score for one in notebook.of(PAIRING)] == [1.0]
    assert executor.made == 3


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("mctx", "no player called 'mctx'"),
        ("mcts@no-such-tag", "no-such-tag"),
        ("yardstick@HEAD", "of this working tree"),
    ],
)
def test_a_contestant_that_is_not_there_is_refused_in_a_sentence(name, words):
    with Releases() as releases, pytest.raises(UsageError, match=words):
        releases.contestant(name)


def test_games_have_sizes_and_a_puzzle_is_refused():
    assert game_of("hexapawn").roles == ("white", "black")
    with pytest.raises(UsageError, match="is no size"):
        game_of("hex:size")
    pairing = Pairing("lightsout", "legal", "legal", ("a", "a"), 0.1, 0.0, 0)
    with Releases() as releases:
        players = {"legal": releases.contestant("legal")}
    with pytest.raises(StratagemError, match="is a puzzle"):
        run(pairing, partial(PairMatches, contestants=players), Notebook(None), TEST, 2, print)


@pytest.mark.parametrize("words", [["--share", "85,70"], ["--elo", "fifty"], ["--pool", "mcts"]])
def test_the_command_refuses_what_makes_no_sense(words, capsys):
    with pytest.raises(SystemExit) as ended:
        bench_strength.main(words)
    assert ended.value.code == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_the_first_meets_all_others_or_everybody_everybody():
    versions = {"a": "1", "b": "2", "c": "3"}
    few = bench_strength.pairings(bench_strength.options(["--games", "nim"]), versions)
    assert [(one.player, one.opponent) for one in few] == [("a", "b"), ("a", "c")]
    every = bench_strength.pairings(bench_strength.options(["--games", "nim,chess", "--all"]), versions)
    assert len(every) == 6
    assert Path("x") == bench_strength.options(["--to", "x"]).to

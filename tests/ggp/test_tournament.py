from __future__ import annotations

import asyncio
import csv
import json
import sqlite3
import sys
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.programs import Program

from stratagem.errors import UsageError
from stratagem.ggp.tournament.entrants import Entrant, Entrants
from stratagem.ggp.tournament.matches import TournamentPlan
from stratagem.ggp.tournament.results import write_results
from stratagem.ggp.tournament.tournament import Tournament
from stratagem.play.tournaments.fixtures import Fixture, round_robin, swiss
from stratagem.play.tournaments.ratings import PairResult, ratings
from stratagem.play.tournaments.results import MatchResult, cross_table, pair_results

NAMES = st.lists(st.sampled_from("abcdefgh"), min_size=2, max_size=8, unique=True)


@given(NAMES, st.integers(2, 4))
def test_in_a_round_robin_everybody_has_every_role_equally_often(players, roles):
    fixtures = round_robin(1, "game", roles, players)
    assert len(set(fixtures)) == len(fixtures)
    if len(players) >= roles:
        assert all(len(set(fixture.seats)) == roles for fixture in fixtures)
        for role in range(roles):
            assert len(set(Counter(fixture.seats[role] for fixture in fixtures).values())) == 1
        met = Counter(frozenset(fixture.seats) for fixture in fixtures)
        assert set(met.values()) == {roles}
    else:
        assert all(len(set(fixture.seats)) > 1 for fixture in fixtures)


@given(NAMES, st.integers(1, 6), st.randoms(use_true_random=False))
def test_in_a_swiss_tournament_nobody_plays_twice_a_round_and_roles_are_balanced(players, rounds, random):
    played: list[Fixture] = []
    points = dict.fromkeys(players, 0.0)
    for round in range(1, rounds + 1):
        fixtures = swiss(round, "game", players, points, played)
        assert len(fixtures) == len(players) // 2
        seated = [player for fixture in fixtures for player in fixture.seats]
        assert len(set(seated)) == len(seated)
        for fixture in fixtures:
            points[random.choice(fixture.seats)] += 1
        played += fixtures
    first = Counter(fixture.seats[0] for fixture in played)
    total = Counter(player for fixture in played for player in fixture.seats)
    assert max(total.values()) - min(total[player] for player in players) <= 1 + (len(players) % 2) * rounds
    assert all(abs(2 * first[player] - total[player]) <= total[player] for player in players)


def test_the_best_meet_the_best_and_not_again_whom_they_have_met():
    played = [Fixture(1, "g", ("a", "b")), Fixture(1, "g", ("c", "d"))]
    pairs = [fixture.seats for fixture in swiss(2, "g", "abcd", {"a": 1, "c": 1}, played)]
    assert [set(pair) for pair in pairs] == [{"a", "c"}, {"b", "d"}]


def test_three_wins_in_four_are_worth_191_points():
    """400 log10(3) = 190.8, a little less by the belief that nobody is extreme."""
    results = [PairResult("a", "b", score) for score in (1, 1, 1, 0) * 100]
    best, other = ratings(["a", "b"], results)
    assert best.player == "a"
    assert best.elo - other.elo == pytest.approx(190.8, abs=3)
    assert best.elo + other.elo == pytest.approx(3000)
    assert best.low < best.elo < best.high
    assert best.high - best.low < 50
    assert (best.games, best.score) == (400, 0.75)


def test_a_few_results_say_little_and_many_say_more():
    few = ratings(["a", "b"], [PairResult("a", "b", 1.0)] * 2)[0]
    many = ratings(["a", "b"], [PairResult("a", "b", 1.0)] * 50)[0]
    assert few.high - few.low > 400
    assert few.elo < many.elo < 3000
    draws = ratings(["a", "b"], [PairResult("a", "b", 0.5)] * 50)
    assert draws[0].elo == pytest.approx(1500, abs=1)


@settings(max_examples=12)
@given(
    st.lists(
        st.tuples(st.sampled_from("ab"), st.sampled_from("cd"), st.sampled_from([0, 0.5, 1])), max_size=20
    )
)
def test_ratings_are_finite_whatever_the_results(games):
    rated = ratings("abcd", [PairResult(*game) for game in games])
    assert {rating.player for rating in rated} == set("abcd")
    assert all(rating.low <= rating.elo <= rating.high for rating in rated)
    assert all(-5000 < rating.elo < 8000 for rating in rated)


def test_results_for_three_and_for_one_are_compared_pair_by_pair():
    three = MatchResult(Fixture(1, "g", ("a", "b", "c")), (100, 50, 50), 9, 0, "m")
    assert [(one.player, one.opponent, one.score) for one in pair_results([three])] == [
        ("a", "b", 1.0),
        ("a", "c", 1.0),
        ("b", "c", 0.5),
    ]
    assert cross_table(["a", "b"], [PairResult("a", "b", 1.0), PairResult("b", "a", 0.5)]) == [
        ["", "1.5/2"],
        ["0.5/2", ""],
    ]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("deepblue", "no player called 'deepblue'"),
        ("cmd:./x", "does not say where its port goes"),
        ("a:b:c", "not an address"),
    ],
)
def test_entrants_that_are_none_are_refused(text, fault):
    with pytest.raises(UsageError, match=fault):
        Entrant.of(text)


def test_names_must_differ():
    with pytest.raises(UsageError, match="two players are called uct"):
        Entrants([Entrant.of("uct"), Entrant.of("uct")])


def plan(**changes) -> TournamentPlan:
    fields = {
        "games": ("tictactoe", "buttonsandlights"),
        "entrants": (Entrant.of("legal"), Entrant.of("chance=random")),
        "startclock": 300.0,
        "playclock": 300.0,
    }
    return TournamentPlan(**{**fields, **changes})


def test_a_tournament_is_played_rated_and_written_down(tmp_path):
    tournament = Tournament(plan(), tmp_path / "cup")
    results = asyncio.run(tournament.run(parallel=2, machine="reasoner"))
    paths = write_results(tournament)
    tournament.close()
    assert len(results) == 4
    assert all(result.errors == 0 for result in results)
    ranking, matches, page = paths
    with ranking.open(encoding="utf-8") as file:
        assert {row["player"] for row in csv.DictReader(file)} == {"legal", "chance"}
    with matches.open(encoding="utf-8") as file:
        assert len(list(csv.DictReader(file))) == 4
    text = page.read_text(encoding="utf-8")
    assert "<h2>Ranking</h2>" in text
    assert "chance" in text
    with sqlite3.connect(tmp_path / "cup" / "tournament.sqlite") as database:
        assert database.execute("SELECT count(*) FROM results").fetchone() == (4,)
    database.close()


def test_a_tournament_goes_on_where_it_was_and_plays_nothing_twice(tmp_path):
    whole = Tournament(plan(), tmp_path)
    asyncio.run(whole.run(machine="reasoner"))
    before = dict(whole.results)
    whole._database.execute("DELETE FROM results WHERE game = 'tictactoe'")
    whole.close()
    log: list[str] = []
    again = Tournament(plan(), tmp_path, log=log.append)
    assert len(again.results) == 2
    asyncio.run(again.run(machine="reasoner"))
    again.close()
    assert set(again.results) == set(before)
    assert len(log) == 2
    assert all("tictactoe" in text for text in log)


def test_another_tournament_does_not_go_into_the_same_folder(tmp_path):
    Tournament(plan(), tmp_path).close()
    with pytest.raises(UsageError, match="holds another tournament"):
        Tournament(plan(rounds=3), tmp_path)


def test_a_page_that_no_tournament_wrote_is_not_overwritten(tmp_path):
    (tmp_path / "index.html").write_text("my page")
    with pytest.raises(
        UsageError, match=r"holds index.html, and no tournament wrote it; choose another folder"
    ):
        Tournament(plan(), tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["index.html"]


@pytest.mark.realtime
def test_a_tournament_that_is_killed_loses_no_result(tmp_path):
    arguments = [
        *("--games", "tictactoe,buttonsandlights", "--players", "legal,random", "--rounds", "3"),
        *("--startclock", "300", "--playclock", "300", "--out", str(tmp_path / "cup")),
    ]

    async def go() -> tuple[int, str]:
        first = await Program.start("tournament", *arguments, data=tmp_path)
        for _ in range(3):
            await first.see(r"round \d")
        await first.kill()
        with sqlite3.connect(tmp_path / "cup" / "tournament.sqlite") as database:
            kept = database.execute("SELECT count(*) FROM results").fetchone()[0]
        database.close()
        second = await Program.start("tournament", *arguments, "--json", data=tmp_path)
        return kept, await second.rest()

    kept, text = asyncio.run(go())
    assert 3 <= kept <= 12
    rated = json.loads(text)
    assert {rating["player"] for rating in rated} == {"legal", "random"}
    with sqlite3.connect(tmp_path / "cup" / "tournament.sqlite") as database:
        assert database.execute("SELECT count(*) FROM results").fetchone()[0] == 12
    database.close()


@pytest.mark.realtime
def test_programs_are_started_for_a_tournament_and_ended_after_it(tmp_path):
    code = "import typer; from stratagem.cli.player import player; typer.run(player)"
    command = f'cmd:{sys.executable} -c "{code}" --port {{port}} --player legal --no-records --quiet'
    entrants = (Entrant("program", command), Entrant.of("random"))

    async def go():
        tournament = Tournament(plan(games=("tictactoe",), entrants=entrants), tmp_path)
        try:
            return await tournament.run(machine="reasoner")
        finally:
            tournament.close()

    results = asyncio.run(go())
    assert len(results) == 2
    assert all(result.errors == 0 for result in results)


@pytest.mark.realtime
def test_a_program_that_does_not_start_is_said_to_in_a_sentence(tmp_path):
    async def go(command: str) -> None:
        async with Entrants([Entrant("broken", command), Entrant.of("legal")]):
            pass

    with pytest.raises(UsageError, match="cannot be started"):
        asyncio.run(go("cmd:/nowhere/at/all {port}"))
    with pytest.raises(UsageError, match="ended at once with exit code 3"):
        asyncio.run(go(f'cmd:{sys.executable} -c "raise SystemExit(3)" {{port}}'))

"""Before a match: who is there, what they are called, and what happens when somebody is not."""

from __future__ import annotations

import asyncio
from math import inf, nan

import pytest
from tests.support.exchange import FakePlayer, body, http
from tests.support.memory_network import MemoryNetwork
from tests.support.virtual_time import run_virtually

import stratagem
from stratagem.errors import MissingExtra, PlayerUnavailable, UsageError
from stratagem.ggp.manager.client import Address, player_or_address
from stratagem.ggp.manager.contacts import Chance, Contact, Remote
from stratagem.ggp.manager.manager import Event, Manager, Terms
from stratagem.ggp.protocol.messages import Dialect
from stratagem.ggp.tournament.entrants import Entrant, Entrants
from stratagem.ggp.tournament.matches import TournamentPlan
from stratagem.ggp.tournament.tournament import Tournament
from stratagem.play.records.record import MatchRecord
from stratagem.play.records.store import Records
from stratagem.play.tournaments import ratings

GAME = stratagem.load("tictactoe", machine="reasoner")
INFO = http("( ( name Skirmisher ) ( status available ) )")
BUSY = http("( ( name Skirmisher ) ( status busy ) )")


async def nonsense(request: bytes) -> bytes:
    return http("ready" if b"START" in request else "nil")


def hosted(
    answers: list, *, there: bool = True, dialect: Dialect = "base", records: Records | None = None, **terms
) -> tuple[MatchRecord | PlayerUnavailable, list[Event], list[str], float]:
    """A match against a player that gives *answers*: what came of it, what was seen and sent, how long it took."""

    async def go(loop):
        seen: list[Event] = []
        async with MemoryNetwork() as network, FakePlayer(answers, network, 9147) as player:
            if not there:
                network.servers.clear()
            remote = Remote(Address("there", 9147), dialect=dialect, connect=network.connect)
            contacts: list[Contact] = [Chance(), remote]
            manager = Manager(
                GAME, contacts, Terms(20, 20, seed=1, **terms), records=records, watch=seen.append
            )
            begun = loop.now()
            try:
                outcome = await manager.run("m1")
            except PlayerUnavailable as refused:
                outcome = refused
            return outcome, seen, [body(request) for request in player.requests], loop.now() - begun

    return run_virtually(go)


def test_a_match_does_not_begin_while_a_player_cannot_be_reached(tmp_path):
    with Records(tmp_path / "m.sqlite") as records:
        outcome, seen, sent, _ = hosted([], there=False, records=records)
        assert records.newest() == []
    assert isinstance(outcome, PlayerUnavailable)
    assert "oplayer at there:9147 cannot be reached: Connection refused" in str(outcome)
    assert "--play-on" in str(outcome)
    assert (seen, sent) == ([], [])


def test_a_match_does_not_begin_with_a_player_that_is_busy():
    outcome, _, sent, _ = hosted([BUSY])
    assert isinstance(outcome, PlayerUnavailable)
    assert "oplayer at Skirmisher (there:9147) is busy" in str(outcome)
    assert sent == ["( INFO )"]


def test_whoever_wants_to_plays_on_without_a_player_that_is_not_there():
    outcome, seen, _, _ = hosted([], there=False, play_on=True)
    assert isinstance(outcome, MatchRecord)
    assert outcome.status == "completed"
    assert {step.errors[1] for step in outcome.steps} == {"CE"}
    assert seen[0].text == "there:9147 cannot be reached: Connection refused"


def test_a_player_that_is_busy_is_waited_for_as_long_as_was_asked():
    outcome, seen, sent, _ = hosted([BUSY, BUSY, INFO, *[nonsense] * 12], patience=60)
    assert isinstance(outcome, MatchRecord)
    assert sent[:4] == ["( INFO )"] * 3 + [sent[3]]
    assert sent[3].startswith("( START m1")
    assert [event.text for event in seen if event.kind == "waiting"] == [
        "waiting: Skirmisher (there:9147) is busy"
    ]
    refused, _, asked, seconds = hosted([BUSY] * 1000, patience=60)
    assert isinstance(refused, PlayerUnavailable)
    assert len(asked) > 100
    assert 60 <= seconds < 61


@pytest.mark.parametrize("dialect", ["bare", "stanford", "dresden"])
def test_a_player_whose_dialect_has_no_info_need_only_be_reached(dialect):
    async def silence(request: bytes) -> bytes:
        await asyncio.sleep(1000)
        return b""

    outcome, _, _, _ = hosted([b"", *[nonsense] * 12], dialect=dialect)
    assert isinstance(outcome, MatchRecord)
    outcome, _, _, _ = hosted([silence, *[nonsense] * 12], dialect=dialect)
    assert isinstance(outcome, MatchRecord)
    outcome, _, _, _ = hosted([], there=False, dialect=dialect)
    assert isinstance(outcome, PlayerUnavailable)


def test_players_are_called_what_they_call_themselves_and_their_address_is_kept(tmp_path):
    with Records(tmp_path / "m.sqlite") as records:
        outcome, _, _, _ = hosted([INFO, *[nonsense] * 12], records=records)
        assert isinstance(outcome, MatchRecord)
        assert outcome.as_json(GAME)["playerNamesFromHost"] == ["random", "Skirmisher"]
        (row,) = records.newest()
    assert row.labels == ("random", "Skirmisher (there:9147)")
    assert row.addresses == ("random", "there:9147")


@pytest.mark.parametrize(
    ("answer", "name"),
    [
        ("((name \x1b[31mRed) (status available))", "[31mRed"),
        (f"((name {'x' * 500}))", "x" * 40),
        ("ready", "there:9147"),
        ("(((", "there:9147"),
        ("", "there:9147"),
        ("((name) (status) () x)", "there:9147"),
    ],
)
def test_whatever_info_is_answered_with_makes_no_match_impossible(answer, name):
    outcome, _, _, _ = hosted([http(answer), *[nonsense] * 12])
    assert isinstance(outcome, MatchRecord)
    assert outcome.players[1] == name


def test_a_start_that_is_not_answered_with_ready_is_told():
    outcome, seen, _, _ = hosted([INFO, http("busy"), *[nonsense] * 12])
    assert isinstance(outcome, MatchRecord)
    assert ("oplayer", "answered START with busy") in [(event.role, event.text) for event in seen]


def test_a_match_that_is_taken_up_again_needs_its_players_too(tmp_path):
    with Records(tmp_path / "m.sqlite") as records:
        hosted([INFO, *[nonsense] * 12], records=records)
        record = records.get("m1")

    async def go(loop) -> None:
        network = MemoryNetwork()
        remote = Remote(Address("there", 9147), connect=network.connect)
        await Manager(GAME, [Chance(), remote], Terms(20, 20)).resume(record)

    with pytest.raises(PlayerUnavailable, match="there:9147 cannot be reached"):
        run_virtually(go)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("strategem", "no player called 'strategem'; did you mean stratagem?"),
        (
            "localhost",
            "no player called 'localhost'; choose one of .*written host:port, as in localhost:9147",
        ),
        ("", "no player called ''"),
        (":9147", "not an address"),
        ("localhost:port", "not an address"),
        ("localhost:99999", "not an address"),
    ],
)
def test_a_name_that_is_neither_a_player_nor_an_address_is_refused(text, fault):
    with pytest.raises(UsageError, match=fault):
        player_or_address(text)


def test_a_host_without_a_port_is_written_as_an_url():
    assert player_or_address("http://localhost") == Address("localhost", 9147)
    assert player_or_address("localhost:80") == Address("localhost", 80)
    assert player_or_address("uct") is None


@pytest.mark.parametrize(
    "terms", [{"startclock": -1}, {"playclock": float("nan")}, {"grace": float("inf")}, {"patience": -1}]
)
def test_clocks_that_are_none_are_refused(terms):
    with pytest.raises(UsageError, match=r"is not a .*; give a number of seconds from 0"):
        Terms(**terms)


# -- tournaments -----------------------------------------------------------------------------------------------


def test_a_tournament_names_who_is_not_there_before_anything_is_played(tmp_path, closed_port):
    plan = TournamentPlan(
        ("tictactoe",), (Entrant.of("random"), Entrant.of(f"gone=127.0.0.1:{closed_port}")), playclock=20
    )
    tournament = Tournament(plan, tmp_path)
    try:
        with pytest.raises(PlayerUnavailable, match=f"gone at 127.0.0.1:{closed_port} cannot be reached"):
            asyncio.run(tournament.run(machine="reasoner"))
        assert tournament.results == {}
    finally:
        tournament.close()


@pytest.mark.parametrize("patience", [-1, nan, inf])
def test_a_tournament_waits_for_nobody_where_the_wait_is_none(tmp_path, closed_port, patience):
    plan = TournamentPlan(("tictactoe",), (Entrant.of("random"), Entrant.of(f"gone=127.0.0.1:{closed_port}")))
    tournament = Tournament(plan, tmp_path)

    async def go() -> None:
        async with asyncio.timeout(60):
            await tournament.run(machine="reasoner", patience=patience)

    try:
        with pytest.raises(UsageError, match="is not a wait"):
            asyncio.run(go())
    finally:
        tournament.close()


def test_a_tournament_may_be_played_on_without_somebody(closed_port):
    async def go() -> None:
        entrants = [Entrant.of(f"127.0.0.1:{closed_port}"), Entrant.of("random")]
        async with Entrants(entrants, machine="reasoner", play_on=True):
            pass

    asyncio.run(go())


def test_a_tournament_that_has_been_played_needs_nobody(tmp_path):
    plan = TournamentPlan(("hanoi",), (Entrant.of("one=127.0.0.1:1"), Entrant.of("two=127.0.0.1:1")))
    tournament = Tournament(plan, tmp_path)
    for fixture in tournament.fixtures(1):
        tournament._database.execute(
            "INSERT INTO results VALUES (1, 'hanoi', ?, '[100]', 1, 0, 'm', 0)",
            (f'["{fixture.seats[0]}"]',),
        )
    tournament.close()
    again = Tournament(plan, tmp_path)
    try:
        assert len(asyncio.run(again.run())) == 2
    finally:
        again.close()


@pytest.mark.parametrize("clock", [-1.0, float("nan"), float("inf")])
def test_a_tournament_with_clocks_that_are_none_is_refused(tmp_path, clock):
    entrants = (Entrant.of("random"), Entrant.of("legal"))
    with pytest.raises(UsageError, match="is not a play clock"):
        Tournament(TournamentPlan(("tictactoe",), entrants, playclock=clock), tmp_path)


def test_what_ratings_need_is_asked_for_before_anything_is_played(monkeypatch):
    monkeypatch.setattr(ratings, "find_spec", lambda name: None)
    with pytest.raises(
        MissingExtra, match=r"choix, which is not installed; .*pip install 'stratagem\[ggp\]'"
    ):
        ratings.need_choix()

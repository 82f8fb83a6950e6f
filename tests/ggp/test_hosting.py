"""Whole matches over HTTP between our manager and our players."""

from __future__ import annotations

import asyncio

import pytest
from tests.support.exchange import FakePlayer, body, http
from tests.support.stopped_clock import StoppedClock

import stratagem
from stratagem.errors import UsageError
from stratagem.ggp.manager.client import Address
from stratagem.ggp.manager.contacts import Chance, Contact, Remote
from stratagem.ggp.manager.manager import Manager, Terms
from stratagem.ggp.player.handler import MessageHandler, PlayerConfig
from stratagem.ggp.player.server import PlayerServer
from stratagem.ggp.protocol.messages import DIALECTS
from stratagem.play.records.record import MatchRecord
from stratagem.play.records.store import Records

SIZES = {"connectfour": {"columns": 4, "rows": 4}, "hanoi": {"discs": 3}}
THREE = """
(role a) (role b) (role c) (init (step 0)) (succ 0 1) (succ 1 2)
(<= (legal ?r (pick ?n)) (role ?r) (number ?n)) (number 1) (number 2) (number 3)
(<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
(<= (next (took ?r ?n)) (does ?r (pick ?n)))
(<= (shared ?r) (true (took ?r ?n)) (true (took ?s ?n)) (distinct ?r ?s))
(<= (goal ?r 100) (role ?r) (not (shared ?r))) (<= (goal ?r 0) (shared ?r))
(<= terminal (true (step 2)))
"""
LONG = 300
"""Seconds: a clock that matters to nobody."""
QUICK = ["tictactoe", "hanoi", THREE]
ALL = [
    "tictactoe",
    "hanoi",
    "rockpaperscissors",
    "tictactoethree",
    "connectfour",
    "nim",
    "prisonersdilemma",
    "eightpuzzle",
    "hexapawn",
    "biddingtictactoe",
]


async def hosted(
    name: str, terms: Terms, records: Records, *, player: str = "stratagem"
) -> tuple[MatchRecord, list]:
    """A match in which every role has a player of ours at a port of its own."""
    game = stratagem.load(name, **SIZES.get(name, {}))
    servers = [
        PlayerServer(
            MessageHandler(PlayerConfig(f"Player{number}", player, seed=number), records=records), port=0
        )
        for number in range(len(game.roles))
    ]
    for server in servers:
        await server.__aenter__()
    try:
        contacts = [
            Remote(Address("127.0.0.1", server.port), name=f"Player{at}") for at, server in enumerate(servers)
        ]
        record = await Manager(game, contacts, terms, records=records).run()
        async with asyncio.timeout(LONG):  # players write down the end when they have taken leave
            while any(one.status == "running" for one in records.sides(record.id)):
                await asyncio.sleep(0.05)
        return record, [slack for server in servers for slack in server.slacks]
    finally:
        for server in servers:
            await server.__aexit__()


def still(player: str) -> MessageHandler:
    """A player whose clock stands still."""
    return MessageHandler(PlayerConfig("One", player, machine="reasoner"), clock=StoppedClock())


def check(name: str, record: MatchRecord, slacks: list[float], records: Records) -> None:
    assert record.status == "completed"
    assert [step.errors for step in record.steps if any(step.errors)] == []
    assert min(slacks) > 0
    assert record.goals is not None
    kept = records.get(record.number or record.id)
    data = record.as_json()
    assert len(data["states"]) == len(data["moves"]) + 1 == len(data["stateTimes"]) == len(data["errors"])
    assert data["isCompleted"]
    assert kept.id == record.id
    sides = [one for one in records.sides(record.id) if one.keeper == "player"]
    assert len(sides) == len(record.roles), name
    for whole in sides:
        assert whole.moves == record.moves
        assert (whole.status, whole.goals) == ("completed", record.goals)
        assert len(whole.remarks) == len(record.moves), "there is a search record for every one of our moves"


@pytest.mark.realtime
@pytest.mark.parametrize("name", QUICK, ids=["duel", "puzzle", "three-at-once"])
def test_a_match_over_http_is_complete_and_nobody_is_late(name, tmp_path):
    with Records(tmp_path / "m.sqlite") as records:
        record, slacks = asyncio.run(hosted(name, Terms(8, 4), records))
        check(name, record, slacks, records)


@pytest.mark.slow
@pytest.mark.realtime
@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("clocks", [(2, 1), (5, 5)])
def test_ten_games_over_http_with_clocks_of_one_to_five_seconds(name, clocks, tmp_path):
    with Records(tmp_path / "m.sqlite") as records:
        record, slacks = asyncio.run(hosted(name, Terms(*clocks), records))
        check(name, record, slacks, records)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("scramble", [False, True])
def test_every_dialect_and_scrambled_words_lead_to_the_same_kind_of_match(dialect, scramble, tmp_path):
    game = stratagem.load("tictactoe", machine="reasoner")

    async def go() -> MatchRecord:
        handlers = (
            MessageHandler(PlayerConfig("One", "legal", machine="reasoner"), clock=StoppedClock()),
            MessageHandler(PlayerConfig("Two", "random", machine="reasoner", seed=4), clock=StoppedClock()),
        )
        async with PlayerServer(handlers[0], port=0) as one, PlayerServer(handlers[1], port=0) as two:
            contacts = [Remote(Address("127.0.0.1", server.port), dialect=dialect) for server in (one, two)]
            return await Manager(game, contacts, Terms(LONG, LONG, LONG, scramble=scramble, seed=2)).run(
                "M.1"
            )

    record = asyncio.run(go())
    assert record.status == "completed"
    assert [step.errors for step in record.steps if any(step.errors)] == []
    assert all(move == "noop" or move.startswith("(mark ") for joint in record.moves for move in joint)


def test_a_role_called_random_is_played_by_the_manager():
    rules = """
    (role player) (role random) (init (step 0)) (succ 0 1) (succ 1 2) (succ 2 3)
    (<= (legal ?r (pick ?n)) (role ?r) (number ?n)) (number 1) (number 2) (number 3)
    (<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
    (<= (goal ?r 50) (role ?r)) (<= terminal (true (step 3)))
    """
    game = stratagem.load(rules, machine="reasoner")

    async def go() -> MatchRecord:
        async with PlayerServer(still("legal"), port=0) as one:
            contacts: list[Contact] = [Remote(Address("127.0.0.1", one.port))]
            return await Manager(game, contacts, Terms(LONG, LONG, seed=5)).run()

    record = asyncio.run(go())
    assert record.players[1] == "random"
    assert record.status == "completed"
    assert [step.errors for step in record.steps] == [("", "")] * 4


def test_the_wrong_number_of_players_is_refused():
    game = stratagem.load("tictactoe", machine="reasoner")
    with pytest.raises(UsageError, match="2 players are needed, for xplayer, oplayer; 3 were given"):
        Manager(game, [Chance(), Chance(), Chance()])
    with pytest.raises(UsageError, match="for xplayer, oplayer; 1 was given"):
        Manager(game, [Chance()])
    with pytest.raises(UsageError, match="1 player is needed, for robot; 2 were given"):
        Manager(stratagem.load("hanoi", machine="reasoner"), [Chance(), Chance()])


def test_a_player_that_talks_nonsense_loses_nothing_but_its_choice():
    game = stratagem.load("tictactoe", machine="reasoner")

    async def nonsense(request: bytes) -> bytes:
        return http("(((((" if b"PLAY" in request else "what?")

    async def go() -> tuple[MatchRecord, list[bytes]]:
        async with (
            FakePlayer([nonsense] * 20) as fake,
            PlayerServer(still("legal"), port=0) as one,
        ):
            contacts = [Remote(Address("127.0.0.1", fake.port)), Remote(Address("127.0.0.1", one.port))]
            record = await Manager(game, contacts, Terms(LONG, LONG, seed=5)).run()
            return record, fake.requests

    record, requests = asyncio.run(go())
    assert record.status == "completed"
    assert {step.errors[0] for step in record.steps[1:]} == {"IL ((((("}
    assert {step.errors[1] for step in record.steps[1:]} == {""}
    assert body(requests[-1]).startswith("( STOP")


def test_a_match_that_never_ends_is_broken_off():
    game = stratagem.load("hanoi", machine="reasoner")

    async def go() -> tuple[MatchRecord, list[bytes]]:
        async with FakePlayer([http("ready")] * 2 + [http("(move 1 2)"), http("(move 1 1)")] * 5) as fake:
            terms = Terms(LONG, LONG, most_turns=6)
            record = await Manager(game, [Remote(Address("127.0.0.1", fake.port))], terms).run()
            return record, fake.requests

    record, requests = asyncio.run(go())
    assert record.status == "aborted"
    assert len(record.moves) == 6
    assert body(requests[-1]).startswith("( ABORT")

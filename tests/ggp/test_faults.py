"""The fault table of docs/ggp.md: everything that can go wrong does, and what happens is what the page says.

Where nothing depends on clocks they stand still. What needs whole processes and clocks that run is marked `realtime`.
"""

from __future__ import annotations

import asyncio
import socket
import struct
import sys
import threading
import time
from collections.abc import Callable
from random import Random

import pytest
from tests.support.data import corpus
from tests.support.exchange import FakePlayer, body, http, post, say, send
from tests.support.processes import alive, command_of, family
from tests.support.programs import Program, player_at
from tests.support.stopped_clock import StoppedClock

import stratagem
from stratagem import sheets as games
from stratagem.ggp.manager.client import Address
from stratagem.ggp.manager.contacts import Remote
from stratagem.ggp.manager.manager import Event, Manager, Terms
from stratagem.ggp.player import handler as desk_module
from stratagem.ggp.player.handler import MessageHandler, PlayerConfig
from stratagem.ggp.player.server import PlayerServer
from stratagem.ggp.protocol.messages import read
from stratagem.ggp.protocol.sheet import rules_text
from stratagem.play.clock import REAL
from stratagem.play.match_state import Match
from stratagem.play.process.protocol import Report
from stratagem.play.records.record import MatchRecord
from stratagem.play.records.store import Records

TICTACTOE = games.source("tictactoe").text
LEGAL_FIRST = {f"( mark {row} {column} )" for row in "123" for column in "123"}
LONG = """
(role a) (role b) (init (step 0))
(<= (legal ?r (go ?n)) (role ?r) (number ?n)) (number 1) (number 2) (number 3)
(<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
(<= (next (last ?r ?n)) (does ?r (go ?n)))
(<= (goal ?r 50) (role ?r)) (<= terminal (true (step 8)))
""" + "\n".join(f"(succ {number} {number + 1})" for number in range(8))


PATIENCE = 120.0
"""Seconds that a busy machine may take for anything here."""


class Running:
    """A player server with one match going on, which is to be disturbed and must not be."""

    def __init__(self, player: str = "legal", *, clock: float | None = None) -> None:
        """Its clock stands still unless seconds are given."""
        config = PlayerConfig("Target", player, machine="reasoner", seed=1)
        handler = MessageHandler(config, clock=StoppedClock() if clock is None else REAL)
        self.server = PlayerServer(handler, port=0, slowest=PATIENCE)
        self.clock = 20.0 if clock is None else clock

    async def __aenter__(self) -> Running:
        await self.server.__aenter__()
        assert await self.say(f"( START m1 xplayer ({TICTACTOE}) {self.clock} {self.clock} )") == "ready"
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.server.__aexit__()

    @property
    def port(self) -> int:
        return self.server.port

    async def say(self, message: str) -> str:
        return await say(self.port, message)

    async def still_plays(self) -> None:
        assert await self.say("( PLAY m1 NIL )") in LEGAL_FIRST
        assert self.server.slacks[-1] > 0
        assert list(self.server.handler.sessions) == ["m1"]


def test_a_connection_that_is_reset_disturbs_nobody():
    async def go() -> None:
        async with Running() as running:
            for sent in (b"", b"POST / HT", post("( PLAY m1 NIL )")[:-4], post("( PLAY m1 NIL )")):
                raw = socket.create_connection(("127.0.0.1", running.port))
                raw.sendall(sent)
                raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                raw.close()
            await running.still_plays()

    asyncio.run(go())


def test_half_a_message_is_answered_as_half_a_message():
    async def go() -> None:
        async with Running() as running:
            whole = post("( PLAY m1 NIL )")
            closed = await send(running.port, whole[:-8], finish=True)
            assert closed.startswith(b"HTTP/1.0 400 ")
            assert body(closed) == "nil ; a bracket is never closed"
            running.server.slowest = 0.1
            stalled = await send(running.port, whole[:-8])
            assert stalled.startswith(b"HTTP/1.0 408 ")
            assert body(stalled) == "nil ; no complete message within 0.1 seconds"
            running.server.slowest = PATIENCE
            await running.still_plays()

    asyncio.run(go())


def test_clients_that_send_slowly_hold_up_nobody():
    async def go() -> None:
        async with Running() as running:
            slow = [await asyncio.open_connection("127.0.0.1", running.port) for _ in range(20)]
            for _, writer in slow:
                writer.write(b"POST / HTTP/1.0\r\nContent-Length: 100\r\n\r\n( INFO")
            await running.still_plays()
            for _, writer in slow:
                writer.close()

    asyncio.run(go())


def test_a_client_that_sends_letter_by_letter_is_cut_off():
    async def go() -> bytes:
        async with PlayerServer(
            MessageHandler(PlayerConfig("Target", "legal")), port=0, slowest=0.2
        ) as server:
            reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
            answer = asyncio.ensure_future(reader.read())
            try:
                while not answer.done():
                    writer.write(b"x")
                    await asyncio.sleep(0.01)
                return answer.result()
            except ConnectionError:
                return b"reset"
            finally:
                writer.close()

    answer = asyncio.run(go())
    assert answer == b"reset" or b" 408 " in answer


GARBAGE = Random(1).randbytes(1 << 20) * 10


@pytest.mark.parametrize(
    "head",
    [
        b"",
        b"POST / HTTP/1.0\r\nContent-Length: %d\r\n\r\n" % len(GARBAGE),
        b"POST / HTTP/1.0\r\n\r\n((((",
        b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n" % len(GARBAGE),
    ],
)
def test_ten_megabytes_of_garbage_are_refused_at_once(head):
    async def flood(port: int) -> bytes:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        try:
            writer.write(head + GARBAGE)
            try:
                await writer.drain()
                return await reader.read()
            except ConnectionError:
                return b"reset"
        finally:
            writer.close()

    async def go() -> None:
        async with Running() as running:
            async with asyncio.timeout(PATIENCE):
                answer, _ = await asyncio.gather(flood(running.port), running.still_plays())
            assert answer == b"reset" or answer.startswith((b"HTTP/1.0 413", b"HTTP/1.0 400"))

    asyncio.run(go())


def test_a_long_message_that_is_being_read_keeps_nobody_else_from_being_answered(monkeypatch):
    """A sea of brackets is taken apart elsewhere: a move asked for meanwhile is answered before that is done."""
    begun, answered = threading.Event(), threading.Event()

    def read_slowly(text: str):
        if len(text) > desk_module.LONG_TEXT:
            begun.set()
            assert answered.wait(PATIENCE), "the move was not answered while a message was read"
        return read(text)

    monkeypatch.setattr(desk_module, "read", read_slowly)

    async def go() -> None:
        async with Running() as running:
            message = "( START big xplayer (" + "(a b) " * 20_000 + ") 20 20 )"
            flood = asyncio.create_task(send(running.port, post(message)))
            await asyncio.to_thread(begun.wait, PATIENCE)
            assert await running.say("( PLAY m1 NIL )") in LEGAL_FIRST
            answered.set()
            assert body(await flood).split()[0] in ("nil", "ready")

    asyncio.run(go())


CROWD = """
import asyncio, sys

async def info():
    reader, writer = await asyncio.open_connection("127.0.0.1", int(sys.argv[1]))
    writer.write(b"POST / HTTP/1.0\\r\\nContent-Length: 8\\r\\n\\r\\n( INFO )")
    return await reader.read()

async def crowd():
    answers = await asyncio.gather(*(info() for _ in range(200)))
    print(sum(answer.endswith(b"( ( name Target ) ( status available ) )") for answer in answers))

asyncio.run(crowd())
"""


@pytest.mark.realtime
def test_two_hundred_questions_at_once_are_all_answered_while_a_move_is_thought_about():
    async def go() -> None:
        async with Running("uct", clock=8) as running:
            crowd = await asyncio.create_subprocess_exec(
                *(sys.executable, "-c", CROWD, str(running.port)), stdout=asyncio.subprocess.PIPE
            )
            await running.still_plays()
            async with asyncio.timeout(PATIENCE):
                await crowd.wait()
            assert crowd.stdout is not None
            assert (await crowd.stdout.read()).strip() == b"200"
            assert min(running.server.slacks) > 0

    asyncio.run(go())


def test_several_matches_do_not_mix():
    async def go() -> None:
        async with Running() as running:
            for number in range(2, 6):
                assert await running.say(f"( START m{number} oplayer ({TICTACTOE}) 20 20 )") == "ready"
            first = await asyncio.gather(*(running.say(f"( PLAY m{number} NIL )") for number in range(1, 6)))
            assert first == ["( mark 1 1 )", *["noop"] * 4]
            moves = [f"( PLAY m{number} ((mark {number - 2} 1) noop) )" for number in range(3, 6)]
            assert await asyncio.gather(*map(running.say, moves)) == [
                "( mark 1 2 )",
                "( mark 1 1 )",
                "( mark 1 1 )",
            ]
            assert await running.say("( ABORT m3 )") == "aborted"
            assert await running.say("( PLAY m3 NIL )") == "busy"
            await running.say("( PLAY m1 NIL )")

    asyncio.run(go())


def test_more_matches_than_one_takes_on_are_refused_with_busy():
    async def go() -> None:
        handler = MessageHandler(
            PlayerConfig("Small", "legal", machine="reasoner", matches=1), clock=StoppedClock()
        )
        async with PlayerServer(handler, port=0) as server:
            assert await say(server.port, f"( START m1 xplayer ({TICTACTOE}) 20 20 )") == "ready"
            assert await say(server.port, f"( START m2 xplayer ({TICTACTOE}) 20 20 )") == "busy"
            assert await say(server.port, "( INFO )") == "( ( name Small ) ( status busy ) )"
            assert await say(server.port, "(ping)") == "busy"
            assert await say(server.port, "( STOP m1 NIL )") == "done"
            assert await say(server.port, f"( START m2 xplayer ({TICTACTOE}) 20 20 )") == "ready"

    asyncio.run(go())


def test_rules_that_are_none_are_refused_and_the_running_match_goes_on():
    async def go() -> None:
        async with Running() as running:
            answer = await running.say("( START bad x ((role x) (<= (legal x ?y) (not (p ?y)))) 2 1 )")
            assert answer.startswith("nil ; ")
            assert "error[GDL" in answer
            assert await running.say("( PLAY bad NIL )") == "busy"
            await running.still_plays()

    asyncio.run(go())


EXPLODING = (
    "(role a) (init (at 1 1 1 1 1 1)) (init (step 0))"
    + "".join(f"(n {number}) (succ {number} {number + 1})" for number in range(1, 61))
    + """
    (succ 0 1)
    (<= (legal a (jump ?a ?b ?c ?d ?e ?f)) (true (at ?u ?v ?w ?x ?y ?z))
        (succ ?u ?a) (succ ?v ?b) (succ ?w ?c) (succ ?x ?d) (succ ?y ?e) (succ ?z ?f))
    (<= (legal a (stay ?a ?b ?c ?d ?e ?f)) (true (at ?a ?b ?c ?d ?e ?f)))
    (<= (legal a (mix ?b ?a ?d ?c ?f ?e)) (true (at ?a ?b ?c ?d ?e ?f)))
    (<= (next (at ?a ?b ?c ?d ?e ?f)) (does a (jump ?a ?b ?c ?d ?e ?f)))
    (<= (next (at ?a ?b ?c ?d ?e ?f)) (does a (stay ?a ?b ?c ?d ?e ?f)))
    (<= (next (at ?b ?c ?d ?e ?f ?a)) (does a (mix ?a ?b ?c ?d ?e ?f)))
    (<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
    (<= terminal (true (step 60))) (goal a 50)
    """
)


@pytest.mark.realtime
def test_rules_that_explode_when_ground_are_played_all_the_same():
    """46,656,000,000 positions: no circuit holds them, and the reasoner needs only the one it is in."""

    async def go() -> None:
        async with PlayerServer(MessageHandler(PlayerConfig("Calm", seed=1)), port=0) as server:
            assert await say(server.port, f"( START boom a ({EXPLODING}) 8 4 )") == "ready"
            match = Match.of(stratagem.load(EXPLODING, machine="reasoner"), "a")
            told = "NIL"
            for _ in range(2):
                move = await say(server.port, f"( PLAY boom {told} )")
                match = match.after([move])
                told = f"({move} )"
            assert min(server.slacks) > 0

    asyncio.run(go())


@pytest.mark.realtime
@pytest.mark.parametrize(
    "name", ["amazons", *(pytest.param(name, marks=pytest.mark.slow) for name in ("checkers", "reversi"))]
)
def test_a_short_clock_is_enough_for_a_large_game(name):
    game = stratagem.load(name, machine="reasoner")

    async def go() -> None:
        async with PlayerServer(MessageHandler(PlayerConfig("Quick", seed=1)), port=0) as server:
            assert await say(server.port, f"( START m {game.roles[0]} ({rules_text(game)}) 12 8 )") == "ready"
            move = await say(server.port, "( PLAY m NIL )")
            assert min(server.slacks) > 0
            assert game.parse_move(move) in game.legals(game.initial(), game.roles[0])

    asyncio.run(go())


@pytest.mark.realtime
def test_a_short_clock_is_kept_even_where_nobody_knows_a_move_yet():
    """Chess as the field has it takes the reasoner seconds for its first position: the answer is in time, legal or not."""
    rules = (corpus() / "games" / "chess.kif").read_text(encoding="utf-8")

    async def go() -> None:
        async with PlayerServer(MessageHandler(PlayerConfig("Quick", seed=1)), port=0) as server:
            assert await say(server.port, f"( START m white ({rules}) 8 8 )") == "ready"
            assert await say(server.port, "( PLAY m NIL )")
            assert min(server.slacks) > 0

    asyncio.run(go())


# -- whole processes that are killed ---------------------------------------------------------------------------


@pytest.mark.realtime
def test_a_player_that_is_killed_and_started_again_takes_up_its_match(tmp_path):
    game = stratagem.load(LONG, machine="reasoner")

    async def written(enough: Callable[[MatchRecord], bool]) -> MatchRecord:
        """The victim's record: it writes when it has answered, and a busy machine takes its time."""
        for _ in range(600):
            with Records(tmp_path / "victim" / "matches.sqlite") as records:
                kept = records.get("killed")
            if enough(kept):
                break
            await asyncio.sleep(0.2)
        return kept

    async def go() -> None:
        victim, port = await player_at(tmp_path / "victim", "--player", "legal")
        partner, other = await player_at(tmp_path / "partner", "--player", "legal")
        try:
            manager = Manager(
                game,
                [Remote(Address("127.0.0.1", port)), Remote(Address("127.0.0.1", other))],
                Terms(20, 20),
            )
            paused, turn = manager._turn, 0

            async def turn_with_accident(match: Match, *rest):
                nonlocal victim, turn
                turn = match.turn
                if turn == 4:
                    await written(lambda kept: len(kept.moves) == 3)
                    await victim.kill()
                    victim, _ = await player_at(tmp_path / "victim", "--player", "legal", port=port)
                return await paused(match, *rest)

            manager._turn = turn_with_accident  # type: ignore[method-assign]
            record = await manager.run("killed")
            assert record.status == "completed"
            assert all(not any(step.errors) for step in record.steps), "nobody noticed"
            assert set(record.moves) == {("(go 1)", "(go 1)")}
            kept = await written(lambda kept: kept.status == "completed")
            assert kept.moves == record.moves
            assert (kept.status, kept.goals) == ("completed", (50, 50))
        finally:
            await victim.kill()
            await partner.kill()

    asyncio.run(go())


@pytest.mark.realtime
def test_a_player_that_is_killed_and_stays_dead_has_random_moves_made_for_it(tmp_path):
    game = stratagem.load(LONG, machine="reasoner")

    async def go() -> None:
        victim, port = await player_at(tmp_path / "victim", "--player", "legal")
        seen: list[Event] = []
        try:
            async with PlayerServer(
                MessageHandler(PlayerConfig("Alive", "legal", machine="reasoner")), port=0
            ) as server:
                contacts = [Remote(Address("127.0.0.1", port)), Remote(Address("127.0.0.1", server.port))]
                manager = Manager(game, contacts, Terms(20, 20, seed=1), watch=seen.append)
                unharmed = manager._turn

                async def turn_with_accident(match: Match, *rest):
                    if match.turn == 4:
                        await victim.kill()
                    return await unharmed(match, *rest)

                manager._turn = turn_with_accident  # type: ignore[method-assign]
                record = await manager.run("dead")
        finally:
            await victim.kill()
        assert record.status == "completed"
        assert record.goals == (50, 50)
        assert [step.errors for step in record.steps[1:]] == [("", "")] * 4 + [("CE", "")] * 4
        assert {joint[1] for joint in record.moves} == {"(go 1)"}, (
            "the other plays on as if nothing had happened"
        )
        assert any(event.kind == "error" and event.role == "a" for event in seen)

    asyncio.run(go())


@pytest.mark.realtime
def test_a_manager_that_is_killed_goes_on_where_it_was(tmp_path):
    """One player has answered and the other has not when the manager dies: only the other is asked again."""
    sheet = tmp_path / "long.kif"
    sheet.write_text(LONG, encoding="utf-8")

    async def go() -> None:
        reached, killed = asyncio.Event(), asyncio.Event()
        plays = 0

        async def thinker(request: bytes) -> bytes:
            nonlocal plays
            if b"PLAY" not in request:
                return http("ready")
            plays += 1
            if plays == 4:
                reached.set()
                await killed.wait()
            return http("(go 2)")

        one = MessageHandler(PlayerConfig("One", "legal", machine="reasoner"))
        async with PlayerServer(one, port=0) as first, FakePlayer([thinker] * 40) as second:
            places = [f"127.0.0.1:{first.port}", f"127.0.0.1:{second.port}"]
            clocks = ["--startclock", "20", "--playclock", "20", "--id", "m7"]
            host = await Program.start("host", str(sheet), *places, *clocks, data=tmp_path)
            await reached.wait()
            with Records(tmp_path / "matches.sqlite") as records:
                while not any(remark.turn == 3 for remark in records.get("m7").remarks):
                    await asyncio.sleep(0.05)
                await host.kill()
                killed.set()
                broken = records.get("m7")
            assert broken.status == "running"
            assert len(broken.moves) == 3
            asked = len(first.slacks)
            again = await Program.start("host", "--resume", "m7", data=tmp_path)
            text = await again.rest()
            assert again.process.returncode == 0, text
            assert "over: a 50, b 50" in text
            with Records(tmp_path / "matches.sqlite") as records:
                whole = records.get("m7")
                assert len(records.newest()) == 1, "it is the same match"
            assert whole.status == "completed"
            assert whole.moves == (("(go 1)", "(go 2)"),) * 8
            assert [step.errors for step in whole.steps if any(step.errors)] == []
            assert len(first.slacks) - asked == 4, "turns 4 to 7: the answer to turn 3 was known"

    asyncio.run(go())


def test_a_question_that_is_asked_again_because_nobody_heard_the_answer_is_the_same_question():
    async def go() -> None:
        unheard = asyncio.Event()
        handler = MessageHandler(PlayerConfig("One", "legal", machine="reasoner"), clock=StoppedClock())

        def log(text: str) -> None:
            if "could not be delivered" in text:
                unheard.set()

        async with PlayerServer(handler, port=0, log=log) as server:
            assert await say(server.port, f"( START m a ({LONG}) 20 20 )") == "ready"
            await say(server.port, "( PLAY m NIL )")
            raw = socket.create_connection(("127.0.0.1", server.port))
            raw.sendall(post("( PLAY m (( go 1 ) ( go 1 ) ) )"))
            raw.close()
            async with asyncio.timeout(PATIENCE):
                await unheard.wait()
            heard = await asyncio.wrap_future(
                handler.sessions["m"].player.play(Report(("( go 1 )", "( go 1 )")))
            )
            assert heard.past is not None
            assert heard.past.turn == 1, "not the next turn, though the moves would be legal again"
            following = await asyncio.wrap_future(
                handler.sessions["m"].player.play(Report(("( go 1 )", "( go 1 )")))
            )
            assert following.past is not None
            assert following.past.turn == 2, "this answer was heard: now it is the next turn"

    asyncio.run(go())


@pytest.mark.realtime
@pytest.mark.skipif(sys.platform != "linux", reason="the processes are looked up in /proc")
def test_a_player_that_is_killed_leaves_no_processes_behind(tmp_path):
    async def go() -> None:
        program, port = await player_at(tmp_path, "--player", "uct")
        try:
            await say(port, f"( START m1 xplayer ({TICTACTOE}) 8 8 )")
            processes = family(program.process.pid)
            assert len(processes) >= 4
        finally:
            await program.kill()
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline and any(map(alive, processes)):
            await asyncio.sleep(0.1)
        assert not [(number, command_of(number)) for number in processes if alive(number)]

    asyncio.run(go())

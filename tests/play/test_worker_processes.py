"""Real processes: they think, hang, die and run out of memory, and a move is answered all the same.

What is answered when is tested in virtual time (test_timed_player.py), what workers say without processes (test_worker.py): here
only what needs the system, with clocks that no load makes too short.
"""

from __future__ import annotations

import os
import signal
import sys
import time

import pytest
from tests.support.processes import alive

import stratagem
from stratagem import sheets as games
from stratagem.play.match_state import Match
from stratagem.play.process import fork_server
from stratagem.play.process.fork_server import WorkerHandle
from stratagem.play.process.protocol import Report
from stratagem.play.process.timed_player import TimedPlayer
from stratagem.play.process.turn import TurnAnswer

pytestmark = [
    pytest.mark.realtime,
    pytest.mark.skipif(sys.platform != "linux", reason="signals to single workers need the fork server"),
]
CLOCK = 12.0
"""Seconds for a move; those who think use them up."""
PATIENCE = 120.0
RULES = games.source("tictactoe").text


@pytest.fixture(scope="module", autouse=True)
def fork_server_is_up() -> None:
    """The process that workers come from is up before the first clock runs, as it is in a player that serves."""
    fork_server.fork_server().wait()


class Watched:
    """A seat whose processes can be told apart and stopped."""

    def __init__(self, player: str, **how) -> None:
        self.spawned: dict[str, list[WorkerHandle]] = {"thinker": [], "deputy": []}
        self.log: list[str] = []

        def spawn(config, heard):
            worker = fork_server.spawn(config, heard)
            self.spawned["thinker" if config.ponders else "deputy"].append(worker)
            return worker

        self.seat = TimedPlayer(player, machine="reasoner", spawn=spawn, log=self.log.append, **how)

    def signal(self, who: str, number: int) -> None:
        os.kill(self.spawned[who][-1].number, number)


@pytest.fixture
def watched():
    made: list[Watched] = []

    def make(player: str, **how) -> Watched:
        made.append(Watched(player, **how))
        return made[-1]

    yield make
    for each in made:
        for workers in each.spawned.values():
            for worker in workers:
                worker.kill()
        each.seat.close()


def start(seat: TimedPlayer) -> None:
    """Returns when the match has begun."""
    started = seat.start("m", "xplayer", RULES, CLOCK, CLOCK).result(timeout=PATIENCE)
    assert started.refusal == ""


def answered(seat: TimedPlayer, match: Match, role: str = "xplayer") -> tuple[Match, TurnAnswer]:
    """The match after the answer of *role*, which must be legal, and the first legal moves of all others."""
    report = Report(tuple(map(match.rules.spell, match.node.moves))) if match.turn else Report()
    answer = seat.play(report).result(timeout=PATIENCE)
    move = match.rules.parse_move(answer.move)
    assert move in match.legals(role), answer
    return match.after([move if one == role else match.legals(one)[0] for one in match.roles]), answer


def beginning() -> Match:
    return Match.of(stratagem.load(RULES, machine="reasoner"), "xplayer")


@pytest.mark.parametrize("player", ["random", pytest.param("uct", marks=pytest.mark.slow), "stratagem"])
def test_processes_play_legally_and_say_why(watched, player):
    here = watched(player)
    start(here.seat)
    match, first = answered(here.seat, beginning())
    match, second = answered(here.seat, match)
    for answer in (first, second):
        assert answer.source in ("thinker", "deputy")
        assert answer.decided < answer.deadline
        assert answer.thought.why


def test_a_thinker_that_hangs_is_answered_for_by_the_deputy(watched):
    """A process that is stopped dead is what a native call that never returns looks like from outside."""
    here = watched("random")
    start(here.seat)
    match, _ = answered(here.seat, beginning())
    here.signal("thinker", signal.SIGSTOP)
    match, waiting = answered(here.seat, match)
    assert (waiting.move, waiting.source) == ("noop", "deputy")
    _, answer = answered(here.seat, match)
    assert answer.source == "deputy"


def test_a_thinker_that_is_killed_comes_back_and_takes_up_the_match(watched):
    here = watched("random")
    start(here.seat)
    match, _ = answered(here.seat, beginning())
    here.signal("thinker", signal.SIGKILL)
    deadline = time.monotonic() + PATIENCE
    while len(here.spawned["thinker"]) < 2 and time.monotonic() < deadline:
        time.sleep(0.05)
    assert "the thinker has died" in here.log
    for _ in range(3):
        match, answer = answered(here.seat, match)
    assert answer.source in ("thinker", "deputy")


def test_both_hang_and_a_guess_is_answered_all_the_same(watched):
    here = watched("random")
    start(here.seat)
    match, _ = answered(here.seat, beginning())
    for who in here.spawned:
        here.signal(who, signal.SIGSTOP)
    _, answer = answered(here.seat, match)
    assert (answer.source, answer.move) == ("guess", "noop")


def test_workers_end_when_the_match_does(watched):
    here = watched("random")
    start(here.seat)
    numbers = [workers[0].number for workers in here.spawned.values()]
    here.seat.close()
    deadline = time.monotonic() + PATIENCE
    while any(map(alive, numbers)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(map(alive, numbers))

"""Real processes: they think, hang, die and run out of memory, and a move is answered all the same."""

from __future__ import annotations

import os
import signal
import sys
import time

import pytest

import stratagem
from stratagem import games
from stratagem.play import nursery
from stratagem.play.clock import Margin
from stratagem.play.match import Match
from stratagem.play.nursery import Hired
from stratagem.play.orders import Report
from stratagem.play.seat import Seat

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="signals to single workers need the nursery")
RULES = games.source("tictactoe").text


class Watched:
    """A seat whose processes can be told apart and stopped."""

    def __init__(self, player: str, **how) -> None:
        self.hired: dict[str, list[Hired]] = {"thinker": [], "deputy": []}
        self.log: list[str] = []

        def hire(employment, heard):
            worker = nursery.hire(employment, heard)
            self.hired["thinker" if employment.ponders else "deputy"].append(worker)
            return worker

        self.seat = Seat(player, machine="reasoner", hire=hire, log=self.log.append, **how)

    def signal(self, who: str, number: int) -> None:
        os.kill(self.hired[who][-1].number, number)


@pytest.fixture
def watched():
    made: list[Watched] = []

    def make(player: str, **how) -> Watched:
        made.append(Watched(player, **how))
        return made[-1]

    yield make
    for each in made:
        for workers in each.hired.values():
            for worker in workers:
                worker.dismiss()
        each.seat.close()


def game_of(seat: Seat, role: str, *, playclock: float, disturb=None, turns: int = 99):
    """A whole match against the first legal move; checks every answer and how long it took."""
    match = Match.of(stratagem.load(RULES, machine="reasoner"), role)
    report = Report()
    slowest = 0.0
    answers = []
    while not match.over and match.turn < turns:
        if disturb is not None:
            disturb(match)
        begun = time.monotonic()
        answer = seat.play(report).result(timeout=20)
        slowest = max(slowest, time.monotonic() - begun)
        move = match.rules.parse_move(answer.move)
        assert move in match.legals(), answer
        joint = [move if one == role else match.legals(one)[0] for one in match.roles]
        match = match.after(joint)
        report = Report(tuple(map(str, joint)))
        answers.append(answer)
    assert slowest < playclock
    return match, answers


@pytest.mark.parametrize("player", ["legal", "random", "uct", "alphabeta", "stratagem"])
def test_every_player_plays_a_whole_match_legally_and_in_time(watched, player):
    here = watched(player)
    assert here.seat.start("m", "xplayer", RULES, 1, 2).result(timeout=10).refusal == ""
    _, answers = game_of(here.seat, "xplayer", playclock=2, turns=3)
    assert {answer.source for answer in answers} <= {"thinker", "deputy"}
    assert all(answer.thought.why for answer in answers)


def test_a_thinker_that_hangs_is_replaced_by_the_deputy_s_move_in_time(watched):
    """A process that is stopped dead is what a native call that never returns looks like from outside."""
    here = watched("uct")
    here.seat.start("m", "xplayer", RULES, 0.5, 1.5).result(timeout=10)

    def hang(match: Match) -> None:
        if match.turn == 2:
            here.signal("thinker", signal.SIGSTOP)

    _, answers = game_of(here.seat, "xplayer", playclock=1.5, disturb=hang, turns=4)
    assert answers[2].source == "deputy"
    assert answers[2].thought.nodes > 0, "the deputy has thought"


def test_a_thinker_that_is_killed_comes_back_and_takes_up_the_match(watched):
    here = watched("uct")
    here.seat.start("m", "xplayer", RULES, 0.5, 2).result(timeout=10)

    def kill(match: Match) -> None:
        if match.turn == 0:
            here.signal("thinker", signal.SIGKILL)
            time.sleep(0.2)

    _, answers = game_of(here.seat, "xplayer", playclock=2, disturb=kill, turns=3)
    assert len(here.hired["thinker"]) == 2
    assert any(answer.source == "thinker" and answer.thought.nodes > 0 for answer in answers)
    assert "the thinker has died" in here.log


def test_both_hang_and_an_answer_comes_in_time_all_the_same(watched):
    here = watched("uct")
    here.seat.start("m", "xplayer", RULES, 0.5, 1).result(timeout=10)
    for who in here.hired:
        here.signal(who, signal.SIGSTOP)
    begun = time.monotonic()
    answer = here.seat.play(Report()).result(timeout=10)
    assert time.monotonic() - begun < 1
    assert answer.source == "guess"


def test_workers_end_when_the_match_does(watched):
    here = watched("uct")
    here.seat.start("m", "xplayer", RULES, 0.3, 0.3).result(timeout=10)
    numbers = [workers[0].number for workers in here.hired.values()]
    here.seat.close()
    deadline = time.monotonic() + 5
    while any(map(alive, numbers)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(map(alive, numbers))


def alive(number: int) -> bool:
    try:
        with open(f"/proc/{number}/stat", encoding="ascii") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_rules_that_are_no_rules_are_refused_in_a_sentence(watched):
    started = (
        watched("legal").seat.start("m", "xplayer", "(role xplayer) (<= (legal", 2, 1).result(timeout=10)
    )
    assert "never closed" in started.refusal


def test_a_role_that_is_not_in_the_rules_is_refused(watched):
    started = watched("legal").seat.start("m", "zplayer", RULES, 2, 1).result(timeout=10)
    assert "no role zplayer" in started.refusal


def test_thinking_goes_on_in_the_others_time(watched):
    here = watched("uct", margin=Margin(0.0))
    here.seat.start("m", "xplayer", RULES, 0.5, 1).result(timeout=10)
    first = here.seat.play(Report()).result(timeout=5)
    waiting = here.seat.play(Report((first.move, "noop"))).result(timeout=5)
    assert waiting.move == "noop"
    time.sleep(1.0)
    reply = next(move for move in ("(mark 1 1)", "(mark 3 3)") if move != first.move)
    answer = here.seat.play(Report(("noop", reply))).result(timeout=5)
    playouts, now = (int(word.replace(",", "")) for word in answer.thought.why.split() if word[0].isdigit())
    assert playouts > now, "some of the tree was grown before the question came"

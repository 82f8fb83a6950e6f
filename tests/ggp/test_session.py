from __future__ import annotations

import asyncio
from concurrent.futures import Future

from tests.support.virtual_time import run_virtually

from stratagem.ggp.player.session import Session
from stratagem.ggp.protocol.messages import Play, Start
from stratagem.play.choice import Thought
from stratagem.play.process.protocol import Past
from stratagem.play.process.timed_player import MatchStarted
from stratagem.play.process.turn import TurnAnswer
from stratagem.play.records.store import Records

START = Start("m", "a", "(role a) (role b)", 10, 10)
KNOWN = TurnAnswer("noop", Thought("uct", "the only legal move"), "deputy", 1.0, 9.0, past=Past())
GUESS = TurnAnswer("noop", Thought("guess", "a guess: no legal move was known in time"), "guess", 1.0, 9.0)


class Answering:
    """A seat that has the answer at once."""

    def __init__(self, answer: TurnAnswer) -> None:
        self.answer = answer

    def play(self, report, *, turn, received) -> Future[TurnAnswer]:
        future: Future[TurnAnswer] = Future()
        future.set_result(self.answer)
        return future


def noted(tmp_path, *answers: TurnAnswer):
    """What is in the record after these answers, the first of which comes while the match is just beginning."""
    with Records(tmp_path / "m.sqlite") as records:

        async def work(loop) -> None:
            started: Future[MatchStarted] = Future()
            seat = Answering(answers[0])
            session = Session(START, seat, started, records)  # type: ignore[arg-type]
            beginning = loop.create_task(session.begin("me"))
            await asyncio.sleep(0)
            started.set_result(MatchStarted(roles=("a", "b")))
            for answer in answers:
                seat.answer = answer
                await session.play(Play("m", None), 0.0, lambda said: None)
            await beginning

        run_virtually(work)
        (kept,) = records.newest(5)
        return records.get(kept.number or 0)


def test_an_answer_that_comes_at_once_is_in_the_record(tmp_path):
    record = noted(tmp_path, KNOWN)
    assert [remark.move for remark in record.remarks] == ["noop"]
    assert record.players == ("me", "?")


def test_a_guess_is_in_the_record_and_called_one(tmp_path):
    remarks = noted(tmp_path, KNOWN, GUESS).remarks
    assert [(remark.turn, remark.source) for remark in remarks] == [(0, "deputy"), (1, "guess")]
    assert remarks[1].thought.why == "a guess: no legal move was known in time"

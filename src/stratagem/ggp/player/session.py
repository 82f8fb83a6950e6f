"""One running match of a network player: its timed player, what the manager sent, and its record."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass

from stratagem.ggp.protocol.messages import Play, Start, Stop
from stratagem.ggp.protocol.sheet import game_name
from stratagem.play.process.protocol import Finished, Past, Report
from stratagem.play.process.timed_player import MatchStarted, TimedPlayer
from stratagem.play.process.turn import TurnAnswer
from stratagem.play.records.record import UNKNOWN, MatchRecord, MatchStep, Remark, milliseconds
from stratagem.play.records.store import Records, known

PATIENCE = 60.0
"""Seconds for computing how a match ended. No clock runs then, and on a busy machine less would lose the last move."""


@dataclass(slots=True)
class Session:
    """A running match of ours; *record* is its number in the list of matches."""

    start: Start
    player: TimedPlayer
    started: Future[MatchStarted]
    records: Records | None
    record: Future[int] | None = None
    heard: float = 0.0
    """When the manager last said something."""
    steps: int = 0
    """How many joint moves have been written down."""
    asked: bool = False
    turn: int = -1
    """The turn of our last move."""
    roles: tuple[str, ...] = ()
    name: str = ""

    def is_idle(self, now: float) -> bool:
        """Whether the manager has been silent for longer than any clock explains."""
        return now - self.heard > 2 * max(self.start.startclock, self.start.playclock) + 10

    async def begin(self, name: str) -> MatchStarted:
        """Waits until the player, called *name*, is ready."""
        self.name = name
        started = await asyncio.shield(asyncio.wrap_future(self.started))
        self.roles = started.roles
        self._open_record(started)
        return started

    def _open_record(self, started: MatchStarted) -> None:
        if not started.refusal and self.record is None and self.records is not None:
            self.record = self.records.add(_record(self.start, started.roles, self.name))

    async def play(self, message: Play, received: float, decided: Callable[[TurnAnswer], None]) -> TurnAnswer:
        """Our move; *decided* hears of it first, in the thread that watches the clock."""
        self.heard, self.asked = received, True
        future = self.player.play(report_of(message), turn=message.turn, received=received)
        future.add_done_callback(lambda done: None if done.cancelled() else decided(done.result()))
        answer = await asyncio.wrap_future(future)
        if self.started.done() and not self.started.cancelled():
            self._open_record(self.started.result())  # a quick answer may overtake `begin`
        # Who guesses does not know where the match is: most likely one turn on.
        self.turn = self.turn + 1 if answer.past is None else answer.past.turn
        if self.records is not None and self.record is not None:
            if answer.past is not None:
                self._write(self.records, self.record, answer.past)
            slack = answer.deadline - answer.decided
            remark = Remark(self.turn, self.start.role, answer.move, answer.source, slack, answer.thought)
            self.records.remark(self.record, remark)
        return answer

    def finish(self, message: Stop, over: Callable[[Finished], None]) -> Future[None]:
        """Ends the match; the goals are computed in the background and passed to *over*.

        Done when all is written down.
        """
        future = self.player.finish(report_of(message), PATIENCE)
        written: Future[None] = Future()

        def write(done: Future[Finished]) -> None:
            try:
                finished = Finished(None) if done.cancelled() else done.result()
                over(finished)
                if self.records is not None and self.record is not None:
                    self._write(self.records, self.record, finished.past)
                    status = "aborted" if finished.goals is None else "completed"
                    self.records.finish(self.record, status, finished.goals)
            finally:
                written.set_result(None)

        future.add_done_callback(write)
        return written

    def outcome(self, finished: Finished) -> str:
        """How the match ended, in words, our own goal first."""
        moves = f" after {finished.past.turn} moves" if finished.past.turn else ""
        if finished.goals is None:
            return f"stopped{moves}, before the end of the game"
        ours = self.start.role.lower()
        roles = self.roles or tuple(f"role {place}" for place in range(1, len(finished.goals) + 1))
        pairs = sorted(zip(roles, finished.goals, strict=False), key=lambda pair: pair[0].lower() != ours)
        told = [f"{role} {'?' if goal is None else goal}" for role, goal in pairs]
        return f"over{moves}: {', '.join([f'{told[0]} (this player)', *told[1:]])}"

    def abort(self) -> None:
        self.player.close()
        if self.records is not None and self.record is not None:
            self.records.finish(self.record, "aborted")

    def _write(self, records: Records, number: Future[int], past: Past) -> None:
        """Writes down the joint moves that are new."""
        first = past.turn - len(past.recent)
        for turn in range(max(self.steps, first) + 1, past.turn + 1):
            records.step(number, turn, MatchStep(past.recent[turn - first - 1], milliseconds()))
        self.steps = max(self.steps, past.turn)


def report_of(message: Play | Stop) -> Report:
    """What a message says has happened. In GDL-II nothing seen is not the same as nothing told."""
    percepts = () if message.own is not None and message.percepts is None else message.percepts
    return Report(message.moves, message.own, percepts)


def resumed(record: MatchRecord, player: TimedPlayer, records: Records, now: float) -> Session:
    """A session for an interrupted match, from its record."""
    start = Start(record.id, record.role or "", record.rules, record.startclock, record.playclock)
    answers = {remark.turn: remark.move for remark in record.remarks}
    reports = tuple(
        Report(step.moves, answered=answers.get(turn - 1))
        for turn, step in enumerate(record.steps)
        if step.moves is not None
    )
    started = player.start(record.id, start.role, record.rules, 0, record.playclock, received=now)
    player.recall(reports)
    number, turns = known(record.number), len(reports)
    return Session(
        start,
        player,
        started,
        records,
        number,
        steps=turns,
        asked=bool(answers),
        turn=turns - 1,
        roles=record.roles,
        heard=now,
    )


def _record(start: Start, roles: tuple[str, ...], name: str) -> MatchRecord:
    now = milliseconds()
    return MatchRecord(
        id=start.match,
        game=game_name(start.rules),
        rules=start.rules,
        roles=roles,
        players=tuple(name if role == start.role.lower() else UNKNOWN for role in roles),
        startclock=start.startclock,
        playclock=start.playclock,
        started=now,
        keeper="player",
        role=start.role,
        steps=(MatchStep(None, now),),
    )

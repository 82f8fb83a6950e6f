"""The message handler of a network player: a protocol message in, an answer out, over any transport.

One handler serves any number of matches at once, each with a timed player of its own. Every message is answered in the
words of the protocol: ``busy`` for an unknown match, ``nil`` and a comment for what cannot be understood. A match that
was running when the player was last stopped is resumed from its record.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, wait
from dataclasses import dataclass
from functools import partial
from typing import Final

from stratagem.errors import StratagemError
from stratagem.ggp.player.session import Session, resumed
from stratagem.ggp.protocol.expressions import compact
from stratagem.ggp.protocol.messages import Abort, Info, Message, Ping, Play, Preview, Start, Stop, read
from stratagem.ggp.protocol.sheet import bundled_by_digest
from stratagem.loading import MachineName
from stratagem.play.clock import REAL, Clock, Margin
from stratagem.play.process.protocol import Finished
from stratagem.play.process.timed_player import MatchStarted, TimedPlayer
from stratagem.play.process.turn import TurnAnswer
from stratagem.play.records.record import spaced
from stratagem.play.records.store import Records

BUSY: Final = "busy"
LONG_TEXT: Final = 20_000
"""Characters: longer messages are taken apart in a thread, so that other matches do not wait."""
REMEMBERED: Final = 200
RECORDS_TIMEOUT: Final = 5.0
"""Seconds for records of finished matches to be written when the handler closes."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What to say, and the moment at which it was decided; *understood*: the message was one."""

    text: str
    decided: float
    understood: bool = True
    match: str = ""
    """The match in which this is a move."""
    deadline: float = 0.0


@dataclass(frozen=True, slots=True)
class PlayerConfig:
    """The configuration of a network player: its name, the player that chooses, and its limits."""

    name: str = "Stratagem"
    player: str = "stratagem"
    machine: MachineName | None = None
    seed: int | None = None
    matches: int = 8
    """How many matches at once."""
    memory: int | None = None
    remember: bool = False
    """Whether what is learned about rules is kept on disk and used again."""


class MessageHandler:
    """Answers the messages of game managers."""

    def __init__(
        self,
        config: PlayerConfig | None = None,
        *,
        records: Records | None = None,
        margin: Margin | None = None,
        clock: Clock = REAL,
        log: Callable[[str], None] = lambda text: None,
    ) -> None:
        self.clock = clock
        self.config = PlayerConfig() if config is None else config
        self.records = records
        self.margin = Margin() if margin is None else margin
        self.log = log
        self.sessions: dict[str, Session] = {}
        self._over: deque[str] = deque(maxlen=REMEMBERED)
        self._previewed: tuple[str, TimedPlayer] | None = None
        self._writing: set[Future[None]] = set()
        if records is not None:
            bundled_by_digest()  # now, while no clock runs

    async def answer(
        self, text: str, received: float | None = None, decided: Callable[[Reply], None] = lambda reply: None
    ) -> Reply:
        """The answer to the message in *text*, which came in at *received* by the monotonic clock.

        If a clock is running, *decided* is called with it at once, from another thread, before it is returned.
        """
        at = self.clock.now() if received is None else received
        try:
            message = await asyncio.to_thread(read, text) if len(text) > LONG_TEXT else read(text)
        except StratagemError as refused:
            self.log(f"not a message: {refused}")
            return Reply(f"nil ; {_one_line(str(refused))}", self.clock.now(), understood=False)
        said = await self._reply(message, at, decided)
        return said if isinstance(said, Reply) else Reply(said, self.clock.now())

    def unheard(self, match: str) -> None:
        """Notes that our last move in *match* was not delivered."""
        session = self.sessions.get(match)
        if session is not None:
            session.player.unheard()

    def close(self) -> None:
        """Ends all thinking; running matches can be taken up again from their records, and finished ones are in them."""
        wait(self._writing, timeout=RECORDS_TIMEOUT)
        for session in self.sessions.values():
            session.player.close()
        self.sessions.clear()
        if self._previewed is not None:
            self._previewed[1].close()

    @property
    def full(self) -> bool:
        self._forget_idle()
        return len(self.sessions) >= self.config.matches

    async def _reply(self, message: Message, at: float, decided: Callable[[Reply], None]) -> Reply | str:
        match message:
            case Info():
                status = BUSY if self.full else "available"
                return f"( ( name {self.config.name} ) ( status {status} ) )"
            case Ping():
                return BUSY if self.full else "ready"
            case Preview():
                return self._preview(message)
            case Start():
                return await self._start(message, at, decided)
            case Play():
                return await self._play(message, at, decided)
            case Stop():
                return await self._leave(message, "done")
            case Abort():
                return await self._leave(message, "aborted")

    # -- the life of a match -------------------------------------------------------------------------------

    async def _start(self, message: Start, at: float, decided: Callable[[Reply], None]) -> Reply | str:
        session = self.sessions.get(message.match)
        if session is not None and (session.start != message or session.asked):
            if at - session.heard <= session.start.playclock:
                return BUSY
            self.log(f"{message.match}: started again; the old match is dropped")
            session.abort()
            session = None
        if session is None:
            if self.full:
                self.log(f"{message.match}: refused, {self.config.matches} matches are running")
                return BUSY
            session = self._open_session(message, at)
        session.started.add_done_callback(lambda done: _tell_ready(done, decided))
        started = await session.begin(self.config.name)
        if started.refusal:
            self.log(f"{message.match}: {started.refusal}")
            self.sessions.pop(message.match, None)
            session.player.close()
            return f"nil ; {_one_line(started.refusal)}"
        if started.note:
            self.log(f"{message.match}: {started.note}")
        return Reply("ready", started.decided, deadline=started.deadline)

    def _open_session(self, message: Start, at: float) -> Session:
        player = self._player_for(message.rules)
        started = player.start(
            message.match, message.role, message.rules, message.startclock, message.playclock, received=at
        )
        session = Session(message, player, started, self.records, heard=at)
        self.sessions[message.match] = session
        self.log(
            f"{message.match}: {message.role}, {message.startclock:g} s and {message.playclock:g} s a move"
        )
        return session

    async def _play(self, message: Play, at: float, decided: Callable[[Reply], None]) -> Reply | str:
        session = self.sessions.get(message.match) or await self._resume(message.match)
        if session is None:
            self.log(f"{message.match}: asked for a move in an unknown match")
            return BUSY

        def reply(answer: TurnAnswer) -> Reply:
            return Reply(spaced(answer.move), answer.decided, match=message.match, deadline=answer.deadline)

        answer = await session.play(message, at, lambda answer: decided(reply(answer)))
        if answer.source == "guess" or not answer.certain:
            self.log(f"{message.match}: {answer.thought.why}")
        return reply(answer)

    async def _leave(self, message: Stop | Abort, word: str) -> str:
        session = self.sessions.pop(message.match, None)
        if session is None and message.match not in self._over and isinstance(message, Stop):
            session = await self._resume(message.match)
            self.sessions.pop(message.match, None)
        if session is None:
            return word if message.match in self._over else BUSY
        self._over.append(message.match)
        if isinstance(message, Stop):
            finishing = session.finish(message, partial(self._tell_outcome, message.match, session))
            self._writing = {one for one in self._writing if not one.done()} | {finishing}
        else:
            session.abort()
            self.log(f"{message.match}: {word}")
        return word

    def _tell_outcome(self, match: str, session: Session, finished: Finished) -> None:
        self.log(f"{match}: {session.outcome(finished)}")

    def _preview(self, message: Preview) -> str:
        if self.full:
            return BUSY
        if self._previewed is not None:
            self._previewed[1].close()
        player = self._new_player()
        player.prepare(message.rules, message.clock)
        self._previewed = compact(message.rules), player
        return "done"

    async def _resume(self, match: str) -> Session | None:
        """The session of a match that was running when we were last stopped, if the record has one."""
        if self.records is None or match in self._over:
            return None
        record = await asyncio.to_thread(self.records.find, match, keeper="player", status="running")
        if record is None or match in self.sessions:
            return self.sessions.get(match)
        self.log(f"{match}: resumed after {len(record.moves)} moves")
        session = self.sessions[match] = resumed(record, self._new_player(), self.records, self.clock.now())
        return session

    # -- timed players -----------------------------------------------------------------------------------------

    def _player_for(self, rules: str) -> TimedPlayer:
        """A timed player for a match by *rules*: the one that has loaded them already, if there is one."""
        if self._previewed is not None and self._previewed[0] == compact(rules):
            player, self._previewed = self._previewed[1], None
            return player
        return self._new_player()

    def _new_player(self) -> TimedPlayer:
        who = self.config
        return TimedPlayer(
            who.player,
            machine=who.machine,
            seed=who.seed,
            margin=self.margin,
            memory=who.memory,
            remember=who.remember,
            clock=self.clock,
            log=self.log,
        )

    def _forget_idle(self) -> None:
        """Closes sessions whose manager is gone; the record keeps what is needed to resume them."""
        now = self.clock.now()
        for match in [match for match, session in self.sessions.items() if session.is_idle(now)]:
            self.log(f"{match}: no message for too long, session closed")
            self.sessions.pop(match).player.close()


def _tell_ready(done: Future[MatchStarted], decided: Callable[[Reply], None]) -> None:
    """Says that we are ready at once, from the thread that watches the clock; a refusal has time."""
    if not done.cancelled() and not done.result().refusal:
        started = done.result()
        decided(Reply("ready", started.decided, deadline=started.deadline))


def _one_line(text: str) -> str:
    return " ".join(text.split())

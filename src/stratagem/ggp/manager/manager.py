"""The game manager: runs one match between any players, keeps its clocks and its record.

As the reference does it (../play/records/record.py has its words for errors): START to all, then PLAY to all after every joint
move, then STOP. For a player that is late, gone, or answers with no legal move a random legal one is played, and the
record says so. A role called ``random`` is played here. After every joint move the record is on disk,
so that a match whose manager was killed can go on.
"""

from __future__ import annotations

import asyncio
import string
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from random import Random
from typing import Final, Literal

from stratagem.errors import RulesError, StratagemError, UsageError
from stratagem.gdl.parse import parse_term
from stratagem.gdl.terms import Term
from stratagem.gdl_game import GdlGame
from stratagem.ggp.manager.client import Failure
from stratagem.ggp.manager.contacts import Chance, Contact
from stratagem.ggp.manager.introductions import all_there
from stratagem.ggp.protocol.expressions import first
from stratagem.ggp.protocol.messages import LONGEST_CLOCK, Abort, Message, Play, Preview, Start, Stop
from stratagem.ggp.protocol.scramble import Scrambler
from stratagem.ggp.protocol.sheet import rules_text
from stratagem.play.choice import Thought
from stratagem.play.match_state import Match, by_role, new_id
from stratagem.play.records.record import REPLY, MatchRecord, MatchStep, Remark, milliseconds, spaced
from stratagem.play.records.store import Records, known

GRACE: Final = 1.0
"""Seconds beyond the play clock before a move counts as late, as with the reference."""
ABORTING: Final = 1.0
READY: Final = "ready"
NOTHING: Final[Mapping[str, str]] = {}

Kind = Literal["info", "start", "move", "error", "state", "over", "waiting"]


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened in a match, for an observer."""

    kind: Kind
    match: Match
    text: str = ""
    role: str = ""


@dataclass(frozen=True, slots=True)
class Terms:
    """How a match is to be played."""

    startclock: float = 15
    playclock: float = 10
    previewclock: float | None = None
    grace: float = GRACE
    scramble: bool = False
    strict: bool = False
    """Compare moves letter by letter, as the reference does; otherwise, as GDL says, the case does not matter."""
    tournament: str = ""
    seed: int | None = None
    most_turns: int = 10_000
    play_on: bool = False
    """Begin even where a player cannot be reached or is busy: random moves are made for it."""
    patience: float = 0.0
    """Seconds that players may take, before the match, to be there and free."""

    def __post_init__(self) -> None:
        clocks = {
            "start clock": self.startclock,
            "play clock": self.playclock,
            "preview clock": self.previewclock or 0.0,
            "grace": self.grace,
            "wait": self.patience,
        }
        for name, seconds in clocks.items():
            if not 0 <= seconds <= LONGEST_CLOCK:
                raise UsageError(
                    f"{seconds:g} is not a {name}",
                    hint=f"give a number of seconds from 0 to {LONGEST_CLOCK:,.0f}",
                )


class Manager:
    """Runs matches of *game* between *contacts*, one for each role in order."""

    def __init__(
        self,
        game: GdlGame,
        contacts: Sequence[Contact],
        terms: Terms | None = None,
        *,
        records: Records | None = None,
        watch: Callable[[Event], None] = lambda event: None,
    ) -> None:
        self.game = game
        self.terms = Terms() if terms is None else terms
        self.contacts = tuple(Chance() if one is None else one for one in by_role(game.roles, contacts))
        self.records = records
        self.watch = watch
        self.random = Random(self.terms.seed)
        self.rules = rules_text(game)
        self.scrambler = Scrambler(self.rules, self.terms.seed) if self.terms.scramble else None

    async def run(self, id: str | None = None) -> MatchRecord:
        """Plays a whole match; the record says how it went."""
        terms = self.terms
        match = Match.of(
            self.game, None, id=id or new_id(), startclock=terms.startclock, playclock=terms.playclock
        )
        await self._introduce(match)
        record = self._new_record(match)
        if terms.previewclock is not None:
            preview = Preview(self._hidden(self.rules), terms.previewclock)
            await self._ask_all(match, [preview] * len(match.roles), terms.previewclock)
        self.watch(Event("start", match))
        rules, start, play = self._hidden(self.rules), terms.startclock, terms.playclock
        spelled = [self._hidden(self.game.spell(self.game.move(role))) for role in match.roles]
        starts = [Start(match.id, role, rules, start, play) for role in spelled]
        answers = await self._ask_all(match, starts, start)
        errors = tuple(answer.code if isinstance(answer, Failure) else "" for answer in answers)
        for role, answer in zip(match.roles, answers, strict=True):
            if not isinstance(answer, Failure) and not answer.strip().lower().startswith(READY):
                self.watch(
                    Event("error", match, f"answered START with {spaced(answer)[:80] or 'nothing'}", role)
                )
        record = replace(record, steps=(MatchStep(None, milliseconds(), errors),))
        number = None if self.records is None else self.records.add(record)
        return await self._go_on(match, record, number)

    async def resume(self, record: MatchRecord) -> MatchRecord:
        """Goes on with a match whose manager was stopped: the next PLAY repeats the last joint move."""
        if record.scrambled:
            raise UsageError(
                f"match {record.id} was scrambled, and its words are lost", hint="start a new match"
            )
        match = list(record.positions(self.game))[-1]
        await self._introduce(match, busy_is_fine=True)  # with this very match
        number = None if self.records is None else known(record.number)
        answered = {remark.role: remark.move for remark in record.remarks if remark.turn == match.turn}
        return await self._go_on(match, record, number, answered)

    async def abort(self, match: Match) -> None:
        """Sends ABORT to all players."""
        await self._ask_all(match, [Abort(match.id)] * len(match.roles), ABORTING)

    # -- the match -----------------------------------------------------------------------------------------

    async def _go_on(
        self,
        match: Match,
        record: MatchRecord,
        number: Future[int] | None,
        answered: Mapping[str, str] = NOTHING,
    ) -> MatchRecord:
        """Plays on from *match*; *answered* has what some had answered already when the match was interrupted."""
        try:
            while not await asyncio.to_thread(_is_over, match):
                if match.turn >= self.terms.most_turns:
                    return await self._break_off(match, record, number)
                joint, errors = await self._turn(match, number, answered)
                answered = NOTHING
                match = await asyncio.to_thread(match.after, joint)
                step = MatchStep(match_texts(match), milliseconds(), errors)
                record = replace(record, steps=(*record.steps, step))
                if self.records is not None and number is not None:
                    self.records.step(number, match.turn, step)
                self.watch(Event("state", match))
        except asyncio.CancelledError:
            await self._break_off(match, record, number)
            raise
        goals = match.goals()
        record = replace(record, status="completed", goals=goals)
        if self.records is not None and number is not None:
            self.records.finish(number, "completed", goals)
        self.watch(Event("over", match))
        last = self._last_moves(match)
        await self._ask_all(match, [Stop(match.id, last)] * len(match.roles), self.terms.playclock)
        return record

    async def _break_off(self, match: Match, record: MatchRecord, number: Future[int] | None) -> MatchRecord:
        if self.records is not None and number is not None:
            self.records.finish(number, "aborted")
        await self.abort(match)
        return replace(record, status="aborted")

    async def _turn(
        self, match: Match, number: Future[int] | None, answered: Mapping[str, str]
    ) -> tuple[tuple[Term, ...], tuple[str, ...]]:
        """The joint move of one turn, and what was wrong with each part of it."""
        loop = asyncio.get_running_loop()
        play = Play(match.id, self._last_moves(match))
        clock = self.terms.playclock

        async def ask(role: str, contact: Contact) -> str | Failure:
            if role in answered:
                return answered[role]
            begun = loop.time()
            answer = await contact.ask(play, clock + self.terms.grace)
            if self.records is not None and number is not None and not isinstance(answer, Failure):
                seconds = loop.time() - begun
                thought = Thought(contact.name, seconds=seconds)
                self.records.remark(number, Remark(match.turn, role, answer, REPLY, clock - seconds, thought))
            return answer

        answers = await asyncio.gather(*map(ask, match.roles, self.contacts))
        self._tell_failures(match, answers)
        joint: list[Term] = []
        errors: list[str] = []
        for role, answer in zip(match.roles, answers, strict=True):
            legal = match.legals(role)
            if not legal:
                raise StratagemError(
                    f"{role} has no legal move, so match {match.id} cannot go on", hint="check the rules"
                )
            move, error = self._judged(answer, legal)
            joint.append(self.random.choice(legal) if move is None else move)
            errors.append(error)
            if error and not isinstance(answer, Failure):
                self.watch(Event("error", match, error, role))
        return tuple(joint), tuple(errors)

    def _judged(self, answer: str | Failure, legal: Sequence[Term]) -> tuple[Term | None, str]:
        """The move that *answer* means, None where it means none, and what is wrong with it."""
        if isinstance(answer, Failure):
            return None, answer.code
        try:
            said = first(answer)
            text = said if self.scrambler is None else self.scrambler.unscramble(said)
            move = parse_term(text)
        except RulesError:
            return None, f"IL {spaced(said)}"
        except StratagemError:
            return None, f"IL {' '.join(answer.split())[:80] or 'nothing'}"
        if move not in legal:
            return None, f"IL {spaced(text)}"
        if self.terms.strict and self.scrambler is None and spaced(text) != spaced(self.game.spell(move)):
            return None, f"IL {spaced(text)}"
        return move, ""

    # -- talking -------------------------------------------------------------------------------------------

    async def _ask_all(
        self, match: Match, messages: Sequence[Message], seconds: float
    ) -> list[str | Failure]:
        """The answers of all roles to a message each, in order."""
        answers = await asyncio.gather(
            *(contact.ask(message, seconds) for contact, message in zip(self.contacts, messages, strict=True))
        )
        self._tell_failures(match, answers)
        return answers

    def _tell_failures(self, match: Match, answers: Sequence[str | Failure]) -> None:
        for role, answer in zip(match.roles, answers, strict=True):
            if isinstance(answer, Failure) and answer.code:
                self.watch(Event("error", match, answer.why, role))

    async def _introduce(self, match: Match, *, busy_is_fine: bool = False) -> None:
        """Asks all players who they are; refuses to begin while one is not there, unless the terms say to play on."""
        answers = await all_there(
            list(zip(match.roles, self.contacts, strict=True)),
            patience=self.terms.patience,
            busy_is_fine=busy_is_fine,
            play_on=self.terms.play_on,
            waiting=lambda text: self.watch(Event("waiting", match, text)),
        )
        self._tell_failures(match, answers)
        for role, answer in zip(match.roles, answers, strict=True):
            if not isinstance(answer, Failure):
                self.watch(Event("info", match, " ".join(answer.split()), role))

    def _last_moves(self, match: Match) -> tuple[str, ...] | None:
        if match.turn == 0:
            return None
        return tuple(map(self._hidden, match_texts(match)))

    def _hidden(self, text: str) -> str:
        return text if self.scrambler is None else self.scrambler.scramble(text)

    def _new_record(self, match: Match) -> MatchRecord:
        token = "".join(self.random.choices(string.ascii_letters + string.digits, k=32))
        return MatchRecord(
            id=match.id,
            game=self.game.identity.name,
            rules=self.rules,
            roles=match.roles,
            players=tuple(contact.name for contact in self.contacts),
            startclock=match.startclock,
            playclock=match.playclock,
            started=milliseconds(),
            scrambled=self.scrambler is not None,
            previewclock=self.terms.previewclock,
            tournament=self.terms.tournament,
            token=token,
            addresses=tuple(contact.address for contact in self.contacts),
        )


def _is_over(match: Match) -> bool:
    """Whether *match* is over; otherwise all legal moves are computed too, before any clock runs."""
    if not match.over:
        for role in match.roles:
            match.legals(role)
        return False
    return True


def match_texts(match: Match) -> tuple[str, ...]:
    """The last joint move of *match*, in the spelling of the rules."""
    return tuple(map(match.rules.spell, match.node.moves))

"""A timed player: a player run in processes, with a clock, that answers by the deadline whatever happens.

Two worker processes search for it. The *thinker* runs the player on the fastest machine for the rules. The *deputy* runs
plain UCT on joins, which need no grounding: it has a legal move ready when the thinker is still compiling, hangs, or has died, and
searches in its place. The timed player itself is a thread that computes nothing: it stops the thinker a little before
the deadline, and if no choice arrives it answers with the best move offered so far. A thinker that does not answer is
killed; its replacement continues the match from where it is.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from math import inf
from typing import Final, TypeVar

from stratagem.errors import LimitExceeded
from stratagem.loading import MachineName
from stratagem.play.clock import REAL, Clock, Mailbox, Margin
from stratagem.play.process.fallback_move import NOOP, guessed_move
from stratagem.play.process.fork_server import spawn
from stratagem.play.process.protocol import (
    BeginMatch,
    Finished,
    FinishMatch,
    Follow,
    Idle,
    Notification,
    Offered,
    Prepare,
    Ready,
    Report,
    RulesLoaded,
    TakeTurn,
    Trouble,
    not_ready,
)
from stratagem.play.process.turn import PendingTurn, Source, TurnAnswer
from stratagem.play.process.worker import WorkerConfig
from stratagem.play.process.worker_pair import Spawn, WorkerPair

DEPUTY_WAITS: Final = 0.1
"""Seconds that a thinker has for its first offer before the deputy is asked too."""
LONGEST_SILENCE: Final = 10.0
"""Seconds past its deadline, or three play clocks, after which a silent thinker is replaced."""
LONGEST_LOADING: Final = 120.0
"""Seconds, or ten start clocks, that rules may take to be compiled."""
UNKNOWN: Final = "?"
"""A move that is never legal: it stands for one that was not reported."""
Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class MatchStarted:
    """Whether a match can be played; *refusal* says why not, *note* what is slower than it might be."""

    refusal: str = ""
    note: str = ""
    roles: tuple[str, ...] = ()
    decided: float = 0.0
    deadline: float = 0.0


class TimedPlayer:
    """Plays one match. All methods return at once; answers come as futures, by the deadline."""

    def __init__(
        self,
        player: str = "stratagem",
        *,
        machine: MachineName | None = None,
        seed: int | None = None,
        margin: Margin | None = None,
        memory: int | None = None,
        remember: bool = False,
        nice: int = 0,
        patience: float = 0.0,
        clock: Clock = REAL,
        spawn: Spawn = spawn,
        offered: Callable[[Offered], None] = lambda offered: None,
        log: Callable[[str], None] = lambda text: None,
    ) -> None:
        """*offered* gets the thinker's offers. With *patience* a ready thinker and a legal move are waited for past the deadline."""
        self._patience, self._tell_offer = patience, offered
        self.margin = Margin() if margin is None else margin
        self.clock, self.log = clock, log
        self._events: Mailbox[Callable[[], None]] = Mailbox(clock)
        self._workers = WorkerPair(
            {
                "thinker": WorkerConfig(player, machine, seed, nice, memory=memory, remember=remember),
                "deputy": WorkerConfig("uct", "joins", seed, nice, ponders=False, memory=memory),
            },
            spawn,
            lambda who, number, notification: self._events.put(
                partial(self._hear, who, number, notification)
            ),
            clock=clock,
            log=log,
        )
        self._started: Future[MatchStarted] | None = None
        self._loaded: RulesLoaded | None = None
        self._start_by = self._start_deadline = inf
        self._reports: tuple[Report, ...] = ()
        self._asked: PendingTurn | None = None
        self._waiting: list[Future[TurnAnswer]] = []
        self._number = 0
        self._deputy_at = inf
        self._deputy_asked = False
        self._give_up_at = inf
        self._finishing: Future[Finished] | None = None
        self._guess: str | None = None
        self._closed = False
        clock.start(self._run, "timed player")

    # -- public methods --------------------------------------------------------------------------------

    def prepare(self, rules: str, seconds: float) -> None:
        """Lets the workers read *rules* that may be played soon."""
        self._events.put(partial(self._prepare, rules, self.clock.now() + seconds))

    def start(
        self,
        match: str,
        role: str,
        rules: str,
        startclock: float,
        playclock: float,
        *,
        received: float | None = None,
    ) -> Future[MatchStarted]:
        """Begins a match; the future is done when the player is ready, or the start clock is about to run out."""
        self.margin.look_at_load()
        at = self.clock.now() if received is None else received
        deadline = at + startclock - self.margin.begin(startclock)
        future: Future[MatchStarted] = Future()
        begin = BeginMatch(match, role, rules, startclock, playclock, deadline)
        self._events.put(partial(self._start, begin, at + startclock, future))
        return future

    def play(
        self, report: Report, *, turn: int | None = None, received: float | None = None
    ) -> Future[TurnAnswer]:
        """Asks for a move after what *report* says; *turn* is the number of the turn where the manager counts."""
        future: Future[TurnAnswer] = Future()
        at = self.clock.now() if received is None else received
        self._events.put(partial(self._play, report, turn, at, future))
        return future

    def unheard(self) -> None:
        """Notes that the last answer was not delivered: the same report again is the same question."""
        self._events.put(self._unheard)

    def recall(self, reports: tuple[Report, ...]) -> None:
        """Goes to the position after *reports*, all there are: a match was interrupted, or moves were taken back."""
        self._events.put(partial(self._recall, reports))

    def finish(self, report: Report, patience: float = 5.0) -> Future[Finished]:
        """The goals after the last *report*, and the moves that led there; then closes this player."""
        future: Future[Finished] = Future()
        self._events.put(partial(self._finish, report, patience, future))
        return future

    def close(self) -> None:
        """Ends the match and kills its worker processes."""
        self._events.put(self._close)

    # -- the thread that watches the clock -----------------------------------------------------------------

    def _run(self) -> None:
        while not self._closed:
            event = self._events.take(until=self._alarm())
            if event is not None:
                event()
            if not self._closed:
                self._look_at_clock(self.clock.now())

    def _alarm(self) -> float:
        alarm = min(self._deputy_at, self._give_up_at)
        if self._asked is not None and self._asked.answer is None:
            alarm = min(alarm, self._asked.due)
        if self._started is not None:
            alarm = min(alarm, self._start_by)
        return alarm

    def _look_at_clock(self, now: float) -> None:
        if self._started is not None and now >= self._start_by:
            self.margin.waking.note(now - self._start_by)
            self._answer_not_ready()
        if now >= self._deputy_at:
            self._deputy_at = inf
            self._order_deputy()
        if now >= self._give_up_at and self._finishing is not None:
            self._close()
        elif now >= self._give_up_at:
            self._give_up_at = inf
            self.log("the thinker does not respond and is replaced")
            self._replace("thinker")
        self._decide(now)

    def _decide(self, now: float) -> None:
        if (asked := self._asked) is None or not self._waiting:
            return
        lives, known = self._workers.lives("thinker"), self._workers.ready["deputy"]
        guess = self._guess or (known.move if known is not None else "") or NOOP
        answer = asked.decide(now, thinker_lives=lives, guess=guess)
        if answer is not None:
            if answer.overruled and now >= asked.overrule and not self._patience:
                self.margin.stopping.note(asked.overrule - asked.stop)
                self.margin.waking.note(now - asked.overrule)
            for future in self._waiting:
                fulfil(future, answer)
            self._waiting.clear()

    # -- starting ------------------------------------------------------------------------------------------

    def _prepare(self, rules: str, deadline: float) -> None:
        self._workers.send("thinker", Prepare(rules, deadline))
        self._workers.send("deputy", Prepare(rules, deadline))

    def _start(self, begin: BeginMatch, deadline: float, future: Future[MatchStarted]) -> None:
        self._started = future
        self._loaded = None
        self._start_deadline = deadline
        self._start_by = inf if self._patience else deadline - self.margin.think(begin.startclock)
        self._workers.start(begin)
        self._guess = guessed_move(begin.rules, begin.role)
        self._give_up_at = self.clock.now() + max(LONGEST_LOADING, 10 * begin.startclock)

    def _answer_not_ready(self) -> None:
        known = self._loaded or self._workers.ready["deputy"]
        self._answer_start(MatchStarted(note=not_ready(self._loaded), roles=known.roles if known else ()))

    def _answer_start(self, started: MatchStarted) -> None:
        if self._started is not None:
            at = self._start_deadline
            fulfil(self._started, replace(started, decided=self.clock.now(), deadline=at))
            self._started = None

    # -- turns ---------------------------------------------------------------------------------------------

    def _play(self, report: Report, turn: int | None, received: float, future: Future[TurnAnswer]) -> None:
        if (begin := self._workers.begin) is None:
            future.set_exception(LimitExceeded("no match has been started here"))
            return
        self._waiting.append(future)
        if self._is_repeated(report, turn):
            if self._asked is not None:
                self._asked.unheard = False
            return
        self.margin.waking.note(self._events.longest_wait())
        last = self._asked
        answered = None if last is None or last.answer is None else last.answer.move
        if turn is not None:
            missing = max(0, turn - len(self._reports) - 1)
            self._reports += (Report(own=answered or UNKNOWN),) * missing
        if report != Report():
            self._reports += (replace(report, answered=answered),)
        clock, deadline = begin.playclock, received + begin.playclock
        self._number += 1
        self._asked = PendingTurn(
            number=self._number,
            begun=received,
            deadline=deadline,
            overrule=deadline - self.margin.overrule(clock),
            stop=deadline - self.margin.think(clock),
            patience=self._patience,
        )
        if not self._reports:
            self._asked.hear_ready(self._workers.ready["deputy"])
        trusted = self._workers.ready["thinker"] is not None and (last is None or last.thinker_done)
        if trusted:
            self._give_up_at = deadline + max(LONGEST_SILENCE, 3 * clock)
            self._asked.thinker_first = self._deputy_at = self.clock.now() + DEPUTY_WAITS
        self._workers.send("thinker", self._turn("thinker", self._asked))
        if trusted:
            self._deputy_asked = False
            self._workers.send("deputy", self._follow())
        else:
            self._order_deputy()

    def _is_repeated(self, report: Report, turn: int | None) -> bool:
        """Whether a message asks for a move that has been asked for already."""
        if (asked := self._asked) is None:
            return False
        if turn is not None:
            return turn <= len(self._reports)
        if report == Report():
            return True
        unheard = asked.answer is None or asked.unheard
        return unheard and bool(self._reports) and replace(self._reports[-1], answered=None) == report

    def _unheard(self) -> None:
        if self._asked is not None:
            self._asked.unheard = True

    def _order_deputy(self) -> None:
        if self._asked is not None and self._asked.answer is None:
            self._deputy_asked = True
            self._workers.send("deputy", self._turn("deputy", self._asked))

    def _turn(self, who: Source, asked: PendingTurn) -> TakeTurn:
        return TakeTurn(asked.number, self._workers.update(who, self._reports), asked.stop)

    def _follow(self) -> Follow:
        return Follow(self._number, self._workers.update("deputy", self._reports))

    def _recall(self, reports: tuple[Report, ...]) -> None:
        self._reports = reports
        self._workers.forget()
        self._asked = None

    def _finish(self, report: Report, patience: float, future: Future[Finished]) -> None:
        if report != Report():
            self._reports += (report,)
        self._finishing = future
        self._give_up_at = self.clock.now() + patience
        self._workers.kill("thinker")
        self._workers.send("deputy", FinishMatch(self._workers.update("deputy", self._reports)))

    # -- workers -------------------------------------------------------------------------------------------

    def _hear(self, who: Source, number: int, notification: Notification | None) -> None:
        if not self._workers.is_current(who, number):
            return  # from a worker that has been replaced
        match notification:
            case RulesLoaded():
                self._loaded = notification if who == "thinker" else self._loaded
            case Ready():
                self._workers.ready[who] = notification
                if who == "thinker":
                    self._give_up_at = inf
                    self._answer_start(MatchStarted(note=notification.note, roles=notification.roles))
            case Offered():
                self._offered(who, notification)
            case Trouble():
                self.log(f"{who}: {notification.text}")
                if notification.fatal and who == "deputy":
                    self._answer_start(MatchStarted(refusal=notification.text))
            case Finished():
                if self._finishing is not None:
                    fulfil(self._finishing, notification)
                    self._finishing = None
                self._close()
            case None if self._finishing is not None:
                self._close()
            case None:
                self.log(f"the {who} has died")
                self._replace(who)

    def _offered(self, who: Source, offered: Offered) -> None:
        asked = self._asked
        if asked is None or offered.number != asked.number:
            return
        first = asked.thinker is None
        asked.hear(who, offered)
        if who != "thinker":
            return
        self._tell_offer(offered)
        if first:
            self._deputy_at = inf
            if self._deputy_asked:
                self._workers.send("deputy", Idle())
        if offered.done:
            self._give_up_at = inf
            if self.clock.now() >= asked.stop:
                self.margin.stopping.note(self.clock.now() - asked.stop)

    def _replace(self, who: Source) -> None:
        """Kills a worker and, unless that was done too often, spawns another that catches up."""
        self._workers.kill(who)
        if self._workers.begin is None or not self._workers.may_spawn(who):
            self._answer_not_ready()
            return
        if (asked := self._asked) is not None and asked.answer is None:
            self._workers.send(who, self._turn(who, asked))
            if who == "thinker":
                self._order_deputy()
        elif who == "deputy":
            self._workers.send(who, self._follow())
        else:
            self._workers.send(who, Idle())

    def _close(self) -> None:
        self._closed = True
        self._workers.kill_all()
        if self._finishing is not None:
            fulfil(self._finishing, Finished(None))
        for future in self._waiting:
            future.cancel()
        if self._started is not None:
            self._started.cancel()


def fulfil(future: Future[Found], value: Found) -> None:
    """Gives *future* its value, unless it was cancelled."""
    with suppress(InvalidStateError):
        future.set_result(value)

"""The thinking process: it follows one match, runs one player, and says what it would play, better and better.

It is a process of its own so that nothing that happens in it, a compiler at work, the garbage collector, a native call
that does not return, memory that runs out, can keep an answer from being given. Orders come in by a pipe and interrupt
whatever thinking is going on; offers go out by the same pipe. The first offer of every turn is a legal move, made
before any thinking.
"""

from __future__ import annotations

import gc
import os
import threading
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection
from typing import Final, Protocol

from stratagem.errors import StratagemError
from stratagem.gdl_game import GdlGame
from stratagem.loading import MachineName, load
from stratagem.platform import ignore_interrupts, limit_memory, lower_priority
from stratagem.play.choice import Choice, Thought
from stratagem.play.clock import Deadline, Now
from stratagem.play.interface import Player
from stratagem.play.match_state import Match
from stratagem.play.players import player_named
from stratagem.play.process.kernel_compilation import COMPILER
from stratagem.play.process.protocol import (
    Begin,
    Finish,
    Finished,
    Follow,
    Loaded,
    Offered,
    Order,
    Past,
    Prepare,
    Ready,
    Report,
    Rest,
    Trouble,
    Turn,
    Word,
)
from stratagem.play.process.tracker import Tracker

RECENT: Final = 64
"""How many joint moves are told back with every offer, for the record."""


@dataclass(frozen=True, slots=True)
class Employment:
    """What a worker is told when it is hired."""

    player: str = "stratagem"
    machine: MachineName | None = None
    seed: int | None = None
    nice: int = 0
    ponders: bool = True
    memory: int | None = None
    """Bytes it may use; None: no limit."""


class Orders(Protocol):
    """Where orders come from."""

    def waiting(self) -> bool:
        """Whether there is one: then thinking ends."""

    def take(self) -> Order:
        """The next order, once there is one."""


class Inbox:
    """Orders as they come in, read by a thread of its own, so that thinking can ask whether one is waiting."""

    def __init__(self, connection: Connection, closed: Callable[[], None]) -> None:
        self._connection = connection
        self._closed = closed
        self._orders: deque[Order] = deque()
        self._arrived = threading.Condition()
        threading.Thread(target=self._read, name="inbox", daemon=True).start()

    def waiting(self) -> bool:
        return len(self._orders) > 0

    def take(self) -> Order:
        """The next order, once there is one."""
        with self._arrived:
            while not self._orders:
                self._arrived.wait()
            return self._orders.popleft()

    def _read(self) -> None:
        while True:
            try:
                order = self._connection.recv()
            except (EOFError, OSError):
                self._closed()
                return
            with self._arrived:
                self._orders.append(order)
                self._arrived.notify()


class Worker:
    """One player at work on one match."""

    def __init__(
        self,
        employment: Employment,
        inbox: Orders,
        say: Callable[[Word], None],
        *,
        now: Now = time.monotonic,
        loaded: Callable[[], None] = lambda: None,
    ) -> None:
        """*loaded* is called when rules have been loaded, which stay for the rest of the match."""
        self.now = now
        self.loaded = loaded
        self.employment = employment
        self.inbox = inbox
        self.say = say
        self.player: Player = player_named(employment.player, seed=employment.seed)
        self.prepared: tuple[str, GdlGame] | None = None
        self.tracker: Tracker | None = None
        self.heard: tuple[Report, ...] = ()
        """All that was reported of the match."""

    def run(self) -> None:
        while True:
            order = self.inbox.take()
            if isinstance(order, Turn | Follow | Finish):
                self.heard = order.story.after(self.heard)
            if isinstance(order, Turn | Follow | Rest) and self.inbox.waiting():
                continue  # overtaken by events
            try:
                self._obey(order)
            except StratagemError as refused:
                self.say(Trouble(str(refused), fatal=isinstance(order, Begin)))

    def _obey(self, order: Order) -> None:
        match order:
            case Prepare():
                self.player.preview(self._load(order.rules), self._until(order.deadline))
            case Begin():
                self._begin(order)
            case Turn():
                self._turn(order)
            case Finish() if self.tracker is not None:
                match = self.tracker.to(self.heard)
                self.player.stop(match)
                self.say(Finished(match.goals() if match.over else None, past_of(match)))
            case Follow() if self.tracker is not None:
                self.tracker.to(self.heard)
                self._first_offer(order.number, self.tracker, thinks=False)
            case _:
                pass

    def _begin(self, order: Begin) -> None:
        before = self.now()
        rules = self._load(order.rules)
        self.say(Loaded(rules.roles, rules.machine.name, self.now() - before))
        match = Match.of(
            rules, order.role, id=order.match, startclock=order.startclock, playclock=order.playclock
        )
        self.tracker = Tracker(match)
        self.heard = ()
        if self.employment.ponders:
            self.player.start(match, self._until(order.deadline))
        legal = match.legals()  # the first question is the slowest: better asked now
        move = rules.spell(legal[0]) if legal else ""
        seconds, note = self.now() - before, rules.fallback or ""
        self.say(Ready(rules.roles, rules.machine.name, seconds, note, move, len(legal) == 1))
        if self.employment.ponders and not self.inbox.waiting():
            self._ponder(match)

    def _turn(self, order: Turn) -> None:
        if self.tracker is None:
            return
        match = self.tracker.to(self.heard)
        if self.tracker.doubt:
            self.say(Trouble(self.tracker.doubt))
        decided, legal = self._first_offer(order.number, self.tracker, thinks=True), match.legals()
        if not legal:
            return
        move = legal[0]
        if not decided:
            say = partial(self._offer, order.number, self.tracker)
            with no_garbage_collection():
                choice = self.player.play(match, self._until(order.deadline), say)
            say(choice if choice.move in legal else Choice(legal[0], choice.thought), done=True)
            move = choice.move
        if self.employment.ponders and not self.inbox.waiting():
            self._ponder(match.expecting(move))

    def _first_offer(self, number: int, tracker: Tracker, *, thinks: bool) -> bool:
        """Says what is legal where *tracker* is, before any thinking; whether that decides the turn."""
        match = tracker.match
        legal, who = match.legals(), self.player.name
        if not legal:
            over = Thought(who, "nothing is legal here")
            self.say(Offered(number, "nil", over, thinks, False, tracker.certain, past_of(match)))
            return True
        if len(legal) == 1 and tracker.certain:
            only = Choice(legal[0], Thought(who, "the only legal move"))
            self._offer(number, tracker, only, done=True, only=True)
            return True
        first = Choice(legal[0], Thought(who, "the first legal move, before any thinking"))
        self._offer(number, tracker, first)
        return False

    def _offer(
        self, number: int, tracker: Tracker, choice: Choice, done: bool = False, only: bool = False
    ) -> None:
        match = tracker.match
        move = match.rules.spell(tracker.choose(choice.move))
        self.say(Offered(number, move, choice.thought, done, only, tracker.certain, past_of(match)))

    def _ponder(self, match: Match) -> None:
        if not match.over:
            patience = 5 + 2 * match.playclock + match.startclock
            self.player.ponder(match, self._until(self.now() + patience))

    def _load(self, rules: str) -> GdlGame:
        if self.prepared is None or self.prepared[0] != rules:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # a slower machine is reported with Ready
                self.prepared = rules, load(rules, machine=self.employment.machine)
            self.loaded()
        return self.prepared[1]

    def _until(self, deadline: float) -> Deadline:
        return Deadline(deadline, self.now, self.inbox.waiting)


def past_of(match: Match) -> Past:
    """How the position of *match* was reached, in the spelling of the rules."""
    recent = [tuple(map(match.rules.spell, node.moves)) for node in match.node.way(RECENT) if node.moves]
    return Past(match.turn, tuple(recent))


@contextmanager
def no_garbage_collection() -> Iterator[None]:
    """Keeps the collector, which may pause a large heap for a second, away from a running clock."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def work(connection: Connection, employment: Employment) -> None:
    """What the process runs, until the other end of *connection* is gone."""
    ignore_interrupts()
    lower_priority(employment.nice)
    COMPILER.leave_to_others()  # whoever hired us has seen to it
    if employment.memory is not None:
        limit_memory(employment.memory)
    inbox = Inbox(connection, closed=lambda: os._exit(0))
    speaking = threading.Lock()

    def say(word: Word) -> None:
        with speaking:
            try:
                connection.send(word)
            except (BrokenPipeError, ConnectionError):
                os._exit(0)

    # Rules stay: nobody need look at them again for garbage.
    Worker(employment, inbox, say, loaded=gc.freeze).run()

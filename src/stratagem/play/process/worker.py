"""The worker process of a timed player: it follows one match, runs one player, and offers better and better moves.

It is a separate process so that nothing that happens in it (a compiler, the garbage collector, a native call that does not
return, memory that runs out) can delay an answer. Commands arrive by a pipe and interrupt a running search; offers
leave by the same pipe. The first offer of every turn is a legal move, made before any search.
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
from stratagem.play.process.first_kernels import compile_first_kernels_ahead
from stratagem.play.process.protocol import (
    BeginMatch,
    Command,
    Finished,
    FinishMatch,
    Follow,
    Idle,
    Notification,
    Offered,
    Past,
    Prepare,
    Ready,
    Report,
    RulesLoaded,
    TakeTurn,
    Trouble,
)
from stratagem.play.process.tracker import Tracker

RECENT: Final = 64
"""How many joint moves are told back with every offer, for the record."""


@dataclass(frozen=True, slots=True)
class WorkerConfig:
    """How a worker is set up: its player, machine, seed, priority and memory limit."""

    player: str = "stratagem"
    machine: MachineName | None = None
    seed: int | None = None
    nice: int = 0
    ponders: bool = True
    memory: int | None = None
    """Bytes it may use; None: no limit."""
    remember: bool = False
    """Whether the player uses and keeps what is learned about rules on disk."""


class CommandSource(Protocol):
    """Where a worker takes its commands from."""

    def waiting(self) -> bool:
        """Whether there is one: then a running search ends."""

    def take(self) -> Command:
        """The next command, once there is one."""


class CommandQueue:
    """Commands from a pipe, read by a thread, so that a search can ask whether one is waiting."""

    def __init__(self, connection: Connection, closed: Callable[[], None]) -> None:
        self._connection = connection
        self._closed = closed
        self._commands: deque[Command] = deque()
        self._arrived = threading.Condition()
        threading.Thread(target=self._read, name="inbox", daemon=True).start()

    def waiting(self) -> bool:
        return len(self._commands) > 0

    def take(self) -> Command:
        """The next command, once there is one."""
        with self._arrived:
            while not self._commands:
                self._arrived.wait()
            return self._commands.popleft()

    def _read(self) -> None:
        while True:
            try:
                command = self._connection.recv()
            except (EOFError, OSError):
                self._closed()
                return
            with self._arrived:
                self._commands.append(command)
                self._arrived.notify()


class Worker:
    """One player in one match: executes commands and sends notifications."""

    def __init__(
        self,
        config: WorkerConfig,
        inbox: CommandSource,
        say: Callable[[Notification], None],
        *,
        now: Now = time.monotonic,
        loaded: Callable[[], None] = lambda: None,
    ) -> None:
        """*loaded* is called when rules have been loaded, which stay for the rest of the match."""
        self.now = now
        self.loaded = loaded
        self.config = config
        self.inbox = inbox
        self.say = say
        self.player: Player = player_named(config.player, seed=config.seed, remember=config.remember)
        self.prepared: tuple[str, GdlGame] | None = None
        self.tracker: Tracker | None = None
        self.heard: tuple[Report, ...] = ()
        """All that was reported of the match."""

    def run(self) -> None:
        while True:
            command = self.inbox.take()
            if isinstance(command, TakeTurn | Follow | FinishMatch):
                self.heard = command.update.after(self.heard)
            if isinstance(command, TakeTurn | Follow | Idle) and self.inbox.waiting():
                continue  # overtaken by events
            try:
                self._execute(command)
            except StratagemError as refused:
                self.say(Trouble(str(refused), fatal=isinstance(command, BeginMatch)))

    def _execute(self, command: Command) -> None:
        match command:
            case Prepare():
                self.player.preview(self._load(command.rules), self._until(command.deadline))
            case BeginMatch():
                self._begin(command)
            case TakeTurn():
                self._turn(command)
            case FinishMatch() if self.tracker is not None:
                match = self.tracker.to(self.heard)
                self.player.stop(match)
                self.say(Finished(match.goals() if match.over else None, past_of(match)))
            case Follow() if self.tracker is not None:
                self.tracker.to(self.heard)
                self._first_offer(command.number, self.tracker, thinks=False)
            case _:
                pass

    def _begin(self, command: BeginMatch) -> None:
        before = self.now()
        rules = self._load(command.rules)
        self.say(RulesLoaded(rules.roles, rules.machine.name, self.now() - before))
        match = Match.of(
            rules, command.role, id=command.match, startclock=command.startclock, playclock=command.playclock
        )
        self.tracker = Tracker(match)
        self.heard = ()
        if self.config.ponders:
            self.player.start(match, self._until(command.deadline))
        legal = match.legals()  # the first question is the slowest: better asked now
        move = rules.spell(legal[0]) if legal else ""
        seconds, note = self.now() - before, rules.fallback or ""
        self.say(Ready(rules.roles, rules.machine.name, seconds, note, move, len(legal) == 1))
        if self.config.ponders and not self.inbox.waiting():
            self._ponder(match)

    def _turn(self, command: TakeTurn) -> None:
        if self.tracker is None:
            return
        match = self.tracker.to(self.heard)
        if self.tracker.doubt:
            self.say(Trouble(self.tracker.doubt))
        decided, legal = self._first_offer(command.number, self.tracker, thinks=True), match.legals()
        if not legal:
            return
        move = legal[0]
        if not decided:
            say = partial(self._offer, command.number, self.tracker)
            with no_garbage_collection():
                choice = self.player.play(match, self._until(command.deadline), say)
            say(choice if choice.move in legal else Choice(legal[0], choice.thought), done=True)
            move = choice.move
        if self.config.ponders and not self.inbox.waiting():
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
                self.prepared = rules, loaded_rules(rules, self.config.machine)
            self.loaded()
        return self.prepared[1]

    def _until(self, deadline: float) -> Deadline:
        return Deadline(deadline, self.now, self.inbox.waiting)


def loaded_rules(rules: str, machine: MachineName | None) -> GdlGame:
    """The game of *rules* on *machine*; what joins cannot take is left to the reasoner."""
    try:
        game = load(rules, machine=machine, background=False)
        if machine == "joins":
            game.initial().legals(game.roles[0])  # where they meet a limit, that is soon
    except StratagemError:
        if machine != "joins":
            raise
        return load(rules, machine="reasoner")
    return game


def past_of(match: Match) -> Past:
    """How the position of *match* was reached, in the spelling of the rules."""
    recent = [tuple(map(match.rules.spell, node.moves)) for node in match.node.way(RECENT) if node.moves]
    return Past(match.turn, tuple(recent))


@contextmanager
def no_garbage_collection() -> Iterator[None]:
    """Disables the garbage collector, which may pause a large heap for a second, while a clock runs."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def work(connection: Connection, config: WorkerConfig) -> None:
    """What the process runs, until the other end of *connection* is gone."""
    ignore_interrupts()
    lower_priority(config.nice)
    if config.memory is not None:
        limit_memory(config.memory)
    inbox = CommandQueue(connection, closed=lambda: os._exit(0))
    if config.machine not in ("joins", "reasoner"):
        compile_first_kernels_ahead(config.player)
    speaking = threading.Lock()

    def say(notification: Notification) -> None:
        with speaking:
            try:
                connection.send(notification)
            except (BrokenPipeError, ConnectionError):
                os._exit(0)

    # Rules stay for the whole match: the collector need not look at them again.
    Worker(config, inbox, say, loaded=gc.freeze).run()

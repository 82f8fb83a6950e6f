"""The scheduler of the workbench: which process works on what, and which request has to wait.

Every game in use has a worker process that has loaded its rules, shared by all visitors of that game; visitors' own sheets
have a pool apart from that of the bundled games, so that an endless one slows down its own visitors only. Heavy work (searches,
playouts, solutions) gets a fresh process each, as many at once as there are cores; the visitor with the least running
goes first. Each player has a timed player of low priority.
"""

from __future__ import annotations

import asyncio
import hashlib
import zlib
from collections import Counter, OrderedDict
from collections.abc import Callable, Hashable
from contextlib import suppress
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, Generic, Protocol, TypeVar

from stratagem import platform
from stratagem.errors import LimitExceeded, StratagemError
from stratagem.web.app.address import Sheet
from stratagem.web.app.limits import (
    COMPILING_SECONDS,
    GAMES_IN_USE,
    HEAVY_SECONDS,
    IDLE_SECONDS,
    LOADING_SECONDS,
    PLAYERS_IN_USE,
    POSITIONS_KEPT,
    QUICK_SECONDS,
    REASONER_SECONDS,
    RULES_SECONDS,
    SHEETS_IN_USE,
    TASKS_EACH,
    TURN_SECONDS,
    WAITING,
)
from stratagem.web.match import engine_bar
from stratagem.web.match.archive import Archive, WatchedMatch
from stratagem.web.tasks import positions
from stratagem.web.tasks.compile import Compilation, compile_rules
from stratagem.web.tasks.loaded import FASTEST
from stratagem.web.workers.compilations import Compilations
from stratagem.web.workers.player_process import PlayerProcess
from stratagem.web.workers.worker_process import Heard, WorkerProcess

if TYPE_CHECKING:
    from stratagem.loading import MachineName
    from stratagem.web.match.engine_bar import BarReading
    from stratagem.web.tasks.course import Measured
    from stratagem.web.tasks.loaded import Joint
    from stratagem.web.tasks.positions import PositionView
    from stratagem.web.tasks.searches import ComparisonRow, PackedWalkthrough

Found = TypeVar("Found")
PLAYERS_NICE: Final = 10
HEAVY_NICE: Final = 5
LOWEST_NICE: Final = 15
ENDED: Final = 1_000
COURSE: Final = "course"
"""The owner of the examples of the course, which are kept for all: it may have any number of them."""


class Pooled(Protocol):
    """What a pool keeps: processes that are busy or idle, and can be ended."""

    used: float
    busy: int

    def clear(self) -> None:
        """Ends the processes."""


Process = TypeVar("Process", bound=Pooled)


class WorkerPool(Generic[Process]):
    """Processes by key, at most so many: the one that was idle for longest makes room for a new one.

    Where none is idle there may be twice as many; a busy process is never ended to make room.
    """

    def __init__(self, most: int, make: Callable[[], Process]) -> None:
        self.most = most
        self._make = make
        self._workers: dict[Hashable, Process] = {}

    def at(self, key: Hashable) -> Process:
        worker = self._workers.get(key)
        if worker is None:
            idle = [one for one, other in self._workers.items() if other.busy == 0]
            if len(self._workers) >= self.most and idle:
                self.drop(min(idle, key=lambda one: self._workers[one].used))
            elif len(self._workers) >= 2 * self.most:
                raise LimitExceeded("all worker processes are busy", hint="try again in a while")
            worker = self._workers[key] = self._make()
        return worker

    def drop(self, key: Hashable) -> None:
        worker = self._workers.pop(key, None)
        if worker is not None:
            worker.clear()

    def drop_idle(self, seconds: float) -> None:
        """Ends the processes that were idle for that long."""
        for key, worker in list(self._workers.items()):
            if worker.busy == 0 and monotonic() - worker.used > seconds:
                self.drop(key)

    def drop_all(self) -> None:
        for key in list(self._workers):
            self.drop(key)


class FairGate:
    """A fair semaphore: so many may run at once; of those waiting, the one whose *owner* has the least running goes first."""

    def __init__(self, places: int, waiting: int = WAITING, each: int = TASKS_EACH) -> None:
        self.places = places
        self.waiting = waiting
        self.each = each
        self._running: Counter[str] = Counter()
        self._queue: list[tuple[str, asyncio.Future[None]]] = []

    @property
    def queue(self) -> int:
        """How many wait."""
        return len(self._queue)

    async def enter(self, owner: str) -> None:
        """Waits for a turn; refuses an *owner* that has too much waiting already."""
        own = self._running[owner] + sum(name == owner for name, _ in self._queue)
        if (own >= self.each and owner != COURSE) or len(self._queue) >= self.waiting:
            raise LimitExceeded(
                "too many tasks are running already", hint="wait for something to finish, or cancel it"
            )
        if self._running.total() < self.places:
            self._running[owner] += 1
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._queue.append((owner, turn))
        try:
            await turn
        except asyncio.CancelledError:
            if (owner, turn) in self._queue:
                self._queue.remove((owner, turn))
            elif turn.done() and not turn.cancelled():
                self.leave(owner)
            raise

    def leave(self, owner: str) -> None:
        """Gives the place to the next one waiting."""
        self._running[owner] -= 1
        if self._running[owner] <= 0:
            del self._running[owner]
        while self._queue and self._running.total() < self.places:
            following = min(self._queue, key=lambda entry: self._running[entry[0]])
            self._queue.remove(following)
            if not following[1].done():
                self._running[following[0]] += 1
                following[1].set_result(None)


class Walkthroughs:
    """The results of recent searches, by what was searched: the same request gets the same result."""

    def __init__(self, most: int = 120, most_bytes: int = 200 << 20) -> None:
        self.most = most
        self.most_bytes = most_bytes
        self._told: OrderedDict[str, PackedWalkthrough] = OrderedDict()

    @staticmethod
    def key(*asked: object) -> str:
        """A name for a question, which says nothing about it."""
        return hashlib.sha256(repr(asked).encode()).hexdigest()[:32]

    def get(self, key: str) -> PackedWalkthrough | None:
        found = self._told.get(key)
        if found is not None:
            self._told.move_to_end(key)
        return found

    def put(self, key: str, told: PackedWalkthrough) -> None:
        self._told[key] = told
        while (
            len(self._told) > self.most
            or sum(len(one.packed) for one in self._told.values()) > self.most_bytes
        ):
            self._told.popitem(last=False)


class Scheduler:
    """All workers of one server."""

    def __init__(self, cores: int | None = None) -> None:
        places = max(1, cores or platform.cores())
        self.games = WorkerPool(GAMES_IN_USE, WorkerProcess)
        self.sheets = WorkerPool(SHEETS_IN_USE, WorkerProcess)
        self.players = WorkerPool(PLAYERS_IN_USE, partial(PlayerProcess, nice=PLAYERS_NICE))
        self.heavy = FairGate(places)
        self.bars = FairGate(places, each=1)
        self.engines = WorkerPool(GAMES_IN_USE, partial(WorkerProcess, nice=PLAYERS_NICE))
        self.own_engines = WorkerPool(SHEETS_IN_USE, partial(WorkerProcess, nice=PLAYERS_NICE))
        self.tournaments = FairGate(1, waiting=4, each=1)
        self.compilers = FairGate(places, each=WAITING)
        self.compilations = Compilations(self._compile)
        self.pictures = WorkerProcess(nice=HEAVY_NICE)
        self.archive = Archive()
        self.live: dict[str, WatchedMatch] = {}
        """Matches that are being played here, by the page they are played on."""
        self.ended: OrderedDict[str, int] = OrderedDict()
        """The numbers of matches that were finished here, by the page they were played on."""
        self.walkthroughs = Walkthroughs()
        self.positions: OrderedDict[tuple[Sheet, tuple[Joint, ...]], PositionView] = OrderedDict()
        self.comparisons: dict[str, tuple[ComparisonRow, ...]] = {}
        self.measured: dict[tuple[str, tuple[str, ...]], Measured] = {}

    async def ask(
        self, sheet: Sheet, task: Callable[..., Found], *arguments: Any, seconds: float = QUICK_SECONDS
    ) -> Found:
        """A quick question about a game: *task* is called with *sheet* and *arguments* where its rules are known."""
        worker = (self.games if sheet.name else self.sheets).at(sheet)
        limit = seconds if worker.warm else max(seconds, LOADING_SECONDS)
        return await worker.ask(task, sheet, *arguments, seconds=limit)

    async def position(self, sheet: Sheet, history: tuple[Joint, ...]) -> PositionView:
        """The position after *history* with its picture; those that were looked at lately are not drawn again."""
        key = sheet, history
        known = self.positions.get(key)
        if known is None:
            limit = LOADING_SECONDS + TURN_SECONDS * len(history)
            known = await self.ask(sheet, positions.position, history, seconds=limit)
            self.positions[key] = known
            while len(self.positions) > POSITIONS_KEPT:
                self.positions.popitem(last=False)
        else:
            self.positions.move_to_end(key)
        return known

    async def work(
        self,
        owner: str,
        task: Callable[..., Found],
        *arguments: Any,
        seconds: float = HEAVY_SECONDS,
        heard: Heard | None = None,
        begun: Callable[[], None] | None = None,
        gate: FairGate | None = None,
    ) -> Found:
        """Heavy work in a process of its own; cancelling the caller ends it at once."""
        gate = gate or self.heavy
        await gate.enter(owner)
        worker = WorkerProcess(nice=LOWEST_NICE if gate is self.tournaments else HEAVY_NICE)
        try:
            if begun is not None:
                begun()
            return await worker.ask(task, *arguments, seconds=seconds, heard=heard)
        finally:
            worker.clear()
            gate.leave(owner)

    async def _compile(self, sheet: Sheet, seconds: float, heard: Heard) -> Compilation:
        """Compiles rules in a process of its own."""
        heard("waiting for its turn")
        return await self.work(
            sheet.name or "rules",
            compile_rules,
            sheet,
            seconds,
            seconds=RULES_SECONDS,
            heard=heard,
            gate=self.compilers,
        )

    async def glance(
        self,
        sheet: Sheet,
        owner: str,
        history: tuple[Joint, ...],
        heard: Heard | None = None,
        *,
        machine: MachineName | None = FASTEST,
        whole: float = engine_bar.SECONDS,
    ) -> BarReading | None:
        """What the engine thinks of a position after one more look at it; first a plain player, while it is being made.

        Where a player thinks in place of the engine, it is asked once, for the *whole* time.
        """
        gate = self.bars
        await gate.enter(owner)
        try:
            # Visitors of the same game share a process for each core: its code is compiled there already.
            place = zlib.crc32(owner.encode()) % gate.places
            worker = (self.engines if sheet.name else self.own_engines).at((sheet, place))
            if machine is not FASTEST:
                limit = REASONER_SECONDS + whole
                return await worker.ask(
                    engine_bar.by_player, sheet, history, machine, whole, seconds=limit, heard=heard
                )
            if not worker.warm and heard is not None:
                word = await worker.ask(engine_bar.first_word, sheet, history, seconds=LOADING_SECONDS)
                if word is not None:
                    heard(word)
            asked = sheet, owner, history, engine_bar.GLANCE, whole
            return await worker.ask(engine_bar.glance, *asked, seconds=COMPILING_SECONDS, heard=heard)
        finally:
            gate.leave(owner)

    def kept(self, page: str, number: int) -> None:
        """Remembers under which *number* the match of a *page* is kept, for those who watched it."""
        self.ended[page] = number
        while len(self.ended) > ENDED:
            self.ended.popitem(last=False)

    async def warm_up(self) -> None:
        """Starts the process from which all others are forked, and has the engine's code compiled by a first use of it."""
        with suppress(StratagemError):
            await self.pictures.ask(positions.thumbnail, "tictactoe", "light", seconds=LOADING_SECONDS)
        with suppress(StratagemError):
            await self.compilations.of(Sheet("tictactoe"), "scheduler")
            await self.glance(Sheet("tictactoe"), "scheduler", ())

    def _kept(self) -> tuple[WorkerPool[WorkerProcess] | WorkerPool[PlayerProcess], ...]:
        return self.games, self.sheets, self.players, self.engines, self.own_engines

    def tidy(self) -> None:
        """Ends processes that have been idle for long."""
        for workers in self._kept():
            workers.drop_idle(IDLE_SECONDS)

    def close(self) -> None:
        """Ends all processes that are kept."""
        for workers in self._kept():
            workers.drop_all()
        self.pictures.clear()
        self.archive.close()

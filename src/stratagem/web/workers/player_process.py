"""The timed player of one role of a live match, used from the event loop.

It is the timed player of `stratagem.play.process`, as on the network and in the terminal, with two differences: a page has no
hard deadline, so that it waits for the player where the network would get a guess or the deputy's move; and a move without a search behind it is
asked for once more.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from time import monotonic
from typing import Final, TypeVar

from stratagem.errors import LimitExceeded
from stratagem.play.choice import Thought
from stratagem.play.clock import Margin
from stratagem.play.process.fork_server import spawn
from stratagem.play.process.protocol import Offered, Report
from stratagem.play.process.timed_player import MatchStarted, TimedPlayer
from stratagem.play.process.worker_pair import Spawn
from stratagem.web.app.limits import MEMORY
from stratagem.web.tasks.loaded import Joint
from stratagem.web.tasks.thinking import TOLD_EVERY, PlayerSeat, Thinking

SOLVERS: Final = ("stratagem", "solver", "puzzle")
SOLVING: Final = 30.0
"""Seconds in which these may solve a puzzle before their first move: it is solved once, and the solution played."""
PATIENCE: Final = 5.0
"""Seconds past its clock that a player has for its first search; a page has no hard deadline."""
PLAIN: Final = ("legal", "random", "uct")
"""Players that need no preparation."""
Found = TypeVar("Found")


class PlayerProcess:
    """The processes of one player, started when it is first needed. To be used from one event loop."""

    def __init__(self, *, nice: int = 0, memory: int = MEMORY, spawn: Spawn = spawn) -> None:
        self.used = monotonic()
        self.busy = 0
        self._nice = nice
        self._memory = memory
        self._spawn = spawn
        self._seat: PlayerSeat | None = None
        self._player: TimedPlayer | None = None
        self._started: Future[MatchStarted] = Future()
        self._offered: Callable[[Offered], None] | None = None

    def prepare(self, seat: PlayerSeat, rules: str, roles: int) -> TimedPlayer:
        """Has the player of *seat* load the *rules* and begin; returns at once."""
        if self._player is None or self._seat != seat:
            self.clear()
            self._seat = seat
            self._player = TimedPlayer(
                seat.player,
                machine=seat.machine,
                seed=seat.seed,
                margin=Margin(0.0),
                memory=self._memory,
                nice=self._nice,
                patience=PATIENCE,
                spawn=self._spawn,
                offered=self._tell_offer,
            )
            start = startclock_of(seat, roles)
            self._started = self._player.start("workbench", seat.role, rules, start, seat.seconds)
        return self._player

    async def think(
        self,
        seat: PlayerSeat,
        rules: str,
        roles: int,
        history: Sequence[Joint],
        moves: int,
        heard: Callable[[Thinking], None],
    ) -> Thinking:
        """The move of the player of *seat* after *history*, where it has so many legal *moves*; offers are *heard*."""
        self.busy += 1
        try:
            player = self.prepare(seat, rules, roles)
            started = await _result_of(self._started)
            if started.refusal:
                raise LimitExceeded(started.refusal)
            self._offered = self._told_to(heard, seat.role)
            for _ in range(2):
                player.recall(tuple(map(Report, history)))
                answer = await _result_of(player.play(Report()))
                if seat.player in PLAIN or searched(answer.thought, moves):
                    break
            return Thinking(seat.role, answer.move.lower(), answer.thought.as_json())
        finally:
            self._offered = None
            self.busy -= 1
            self.used = monotonic()

    def clear(self) -> None:
        """Kills the processes, whatever they are doing; the next question starts others."""
        player, self._player = self._player, None
        if player is not None:
            player.close()

    def _tell_offer(self, offered: Offered) -> None:
        tell = self._offered
        if tell is not None and offered.thought.nodes > 0:
            tell(offered)

    def _told_to(self, heard: Callable[[Thinking], None], role: str) -> Callable[[Offered], None]:
        """Passes offers, which come in another thread, to *heard* in the event loop, now and then."""
        loop, last = asyncio.get_running_loop(), 0.0

        def tell(offered: Offered) -> None:
            nonlocal last
            if monotonic() - last > TOLD_EVERY:
                last = monotonic()
                found = Thinking(role, offered.move.lower(), offered.thought.as_json())
                loop.call_soon_threadsafe(heard, found)

        return tell


def startclock_of(seat: PlayerSeat, roles: int) -> float:
    """Seconds before the first move in a game of so many *roles*: a puzzle may be solved in them."""
    puzzle = roles == 1 and seat.player in SOLVERS
    return max(SOLVING, seat.seconds) if puzzle else seat.seconds


def searched(thought: Thought, moves: int) -> bool:
    """Whether there is a search behind *thought* that could have looked at every one of so many *moves*."""
    return thought.solved or thought.nodes >= moves


async def _result_of(future: Future[Found]) -> Found:
    """The result of *future*; a caller that is cancelled does not cancel it."""
    waiting = asyncio.wrap_future(future)
    await asyncio.wait([waiting])
    if waiting.cancelled():
        raise LimitExceeded("its process was ended")
    return waiting.result()

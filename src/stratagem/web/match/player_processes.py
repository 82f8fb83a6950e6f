"""The processes in which the players of one match think, one for each role, each ended when it takes too long."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from stratagem.errors import LimitExceeded, StratagemError
from stratagem.web.app.address import Sheet
from stratagem.web.app.limits import LOADING_SECONDS, TURN_SECONDS
from stratagem.web.match.readiness import Readiness
from stratagem.web.tasks import thinking
from stratagem.web.tasks.loaded import Joint
from stratagem.web.tasks.thinking import PlayerSeat, Thinking
from stratagem.web.workers.scheduler import Scheduler

SPARE_SECONDS: Final = 60.0
"""How long past its clock a player's process may need before it is ended: rules are read first, at low priority."""
PATIENCE: Final = 5.0
"""Seconds that a move waits for rules that are being compiled, or its clock where that is longer."""


@dataclass(frozen=True, slots=True)
class PlayerProcesses:
    """Those of one page. Rules that are not compiled in time run on the reasoner."""

    scheduler: Scheduler
    sheet: Sheet
    page: str
    readiness: Readiness

    async def think(
        self,
        role: str,
        player: str,
        clock: float,
        history: Sequence[Joint],
        heard: Callable[[Thinking], None],
    ) -> Thinking:
        """The move of the *player* of *role*; what it finds on its way is *heard*."""
        await self.readiness.wait(max(clock, PATIENCE))
        # Its own search, a deputy's where that was not ready, and the start clock before the first move.
        limit = self._limit(3 * clock + thinking.SOLVING + SPARE_SECONDS, history)
        try:
            return await self.scheduler.players.at(self._key(role)).ask(
                thinking.think, self._seat(role, player, clock), history, seconds=limit, heard=heard
            )
        except LimitExceeded as refused:
            hint = "try again, or give the seat to another player"
            raise LimitExceeded(
                f"the player of {role} was stopped: {refused.message}", hint=hint
            ) from refused

    async def prepare(self, role: str, player: str, clock: float, history: Sequence[Joint]) -> None:
        """Has the *player* of *role* read the rules and begin before it has to move."""
        limit = self._limit(LOADING_SECONDS, history)
        with suppress(StratagemError):
            await self.scheduler.players.at(self._key(role)).ask(
                thinking.prepare, self._seat(role, player, clock), history, seconds=limit
            )

    def end(self, role: str) -> None:
        """Ends the process of *role*, whatever it is doing."""
        self.scheduler.players.drop(self._key(role))

    def _limit(self, seconds: float, history: Sequence[Joint]) -> float:
        """*seconds*, and what a new process takes to get here; without a store it compiles the rules once more."""
        compiled = self.readiness.compiled
        again = 0.0 if compiled is None or compiled.reason else 2 * compiled.seconds
        return seconds + again + TURN_SECONDS * len(history)

    def _seat(self, role: str, player: str, clock: float) -> PlayerSeat:
        return PlayerSeat(self.sheet, role, player, clock, machine=self.readiness.machine)

    def _key(self, role: str) -> tuple[str, Sheet, str]:
        return self.page, self.sheet, role

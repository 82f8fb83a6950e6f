"""The players of one live match: a timed player for each role, ended when it takes too long."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from stratagem.errors import LimitExceeded, StratagemError
from stratagem.web.app.address import Sheet
from stratagem.web.app.limits import TURN_SECONDS
from stratagem.web.match.readiness import Readiness
from stratagem.web.tasks import positions
from stratagem.web.tasks.loaded import Joint
from stratagem.web.tasks.positions import PositionView
from stratagem.web.tasks.thinking import PlayerSeat, Thinking
from stratagem.web.workers.player_process import SOLVING, PlayerProcess
from stratagem.web.workers.scheduler import Scheduler

SPARE_SECONDS: Final = 60.0
"""How long past its clock a player's process may need before it is ended: rules are read first, at low priority."""
PATIENCE: Final = 5.0
"""Seconds that a move waits for rules that are being compiled, or its clock where that is longer."""


@dataclass(slots=True)
class PlayerProcesses:
    """Those of one page. Rules that are not compiled in time run on a slower machine."""

    scheduler: Scheduler
    sheet: Sheet
    page: str
    readiness: Readiness
    _rules: str = ""

    async def think(
        self, role: str, player: str, clock: float, position: PositionView, heard: Callable[[Thinking], None]
    ) -> Thinking:
        """The move of the *player* of *role*; what it finds on its way is *heard*."""
        await self.readiness.wait(max(clock, PATIENCE))
        # Two searches, and the start clock before the first move.
        limit = self._limit(3 * clock + SOLVING + SPARE_SECONDS, position.history)
        process, seat, moves = self._process(role), self._seat(role, player, clock), len(position.moves(role))
        try:
            rules = await self._kif()
            async with asyncio.timeout(limit):
                return await process.think(seat, rules, len(position.roles), position.history, moves, heard)
        except TimeoutError:
            process.clear()
            reason = f"it took longer than {limit:g} seconds"
        except LimitExceeded as refused:
            reason = refused.message
        hint = "try again, or give the seat to another player"
        raise LimitExceeded(f"the player of {role} was stopped: {reason}", hint=hint)

    async def prepare(self, role: str, player: str, clock: float, roles: int) -> None:
        """Has the *player* of *role* load the rules and begin before it has to move."""
        with suppress(StratagemError):
            rules = await self._kif()
            self._process(role).prepare(self._seat(role, player, clock), rules, roles)

    def end(self, role: str) -> None:
        """Ends the process of *role*, whatever it is doing."""
        self.scheduler.players.drop(self._key(role))

    def _limit(self, seconds: float, history: Sequence[Joint]) -> float:
        """*seconds*, and what a new process takes to get here; without a store it compiles the rules once more."""
        compiled = self.readiness.compiled
        again = 0.0 if compiled is None or compiled.reason else 2 * compiled.seconds
        return seconds + again + TURN_SECONDS * len(history)

    async def _kif(self) -> str:
        """The rules as text, worked out once."""
        if not self._rules:
            self._rules, _ = await self.scheduler.ask(self.sheet, positions.as_kif, ())
        return self._rules

    def _process(self, role: str) -> PlayerProcess:
        return self.scheduler.players.at(self._key(role))

    def _seat(self, role: str, player: str, clock: float) -> PlayerSeat:
        return PlayerSeat(self.sheet, role, player, clock, machine=self.readiness.machine)

    def _key(self, role: str) -> tuple[str, Sheet, str]:
        return self.page, self.sheet, role

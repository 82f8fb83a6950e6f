"""Readiness of the rules of one match: whether they are compiled, with waiting, cancelling and trying again.

Players and the engine bar want compiled rules. Until these are there, and where they cannot be had, players search on
joins, and on the reasoner where joins do not take the rules, or are not known to: both are slower.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from stratagem.errors import StratagemError
from stratagem.loading import MachineName
from stratagem.plural import plural
from stratagem.web.app.address import Sheet
from stratagem.web.tasks.compile import Compilation
from stratagem.web.workers.compilations import Compilations

SLOWER = "The match is played on {machine}, which is slower."


@dataclass(slots=True)
class Readiness:
    """Of the rules of *sheet*, for one *page*. *changed* is called when there is something new to show."""

    compilations: Compilations
    sheet: Sheet
    page: str
    changed: Callable[[], None]
    compiled: Compilation | None = None
    cancelled: bool = False
    _meanwhile: MachineName = "reasoner"
    _task: asyncio.Task[None] | None = None

    @property
    def machine(self) -> MachineName | None:
        """What the rules run on at this moment."""
        if self.compiled is not None:
            return self.compiled.machine
        running = self.compilations.running(self.sheet)
        return self._meanwhile if running is None else running.meanwhile

    @property
    def waiting(self) -> bool:
        """Whether the rules are being compiled."""
        return self._task is not None and not self._task.done()

    async def wait(self, seconds: float | None = None) -> MachineName | None:
        """What the rules run on once they are compiled, or after so many *seconds*, or when that is cancelled."""
        if self.compiled is None and not self.cancelled:
            if not self.waiting:
                self._task = asyncio.ensure_future(self._compile())
            assert self._task is not None
            await asyncio.wait([self._task], timeout=seconds)
        return self.machine

    def cancel(self) -> None:
        """Waits no longer: the match goes on, on a slower machine."""
        running = self.compilations.running(self.sheet)
        if running is not None:
            self._meanwhile = running.meanwhile
        self.cancelled = self.compiled is None
        self.leave()
        self.changed()

    async def retry(self) -> None:
        """Tries again: with a larger budget where the last one was not enough."""
        self.compilations.again(self.sheet)
        self.compiled, self.cancelled = None, False
        await self.wait()

    def leave(self) -> None:
        """The page is gone, or has cancelled."""
        if self._task is not None:
            self._task.cancel()
        self.compilations.leave(self.sheet, self.page)

    def words(self) -> str:
        """What a page says of it; nothing where the rules are compiled."""
        if self.cancelled:
            return f"Compiling the rules was cancelled. {self._slower()}"
        if self.compiled is not None:
            reason = self.compiled.reason
            return f"{reason[:1].upper()}{reason[1:].rstrip('.')}. {self._slower()}" if reason else ""
        running = self.compilations.running(self.sheet)
        if running is None:
            return ""
        stage = f" ({running.stage})" if running.stage else ""
        return (
            f"Compiling the rules{stage}: {plural(int(running.seconds), 'second')}; "
            f"given up after {plural(int(running.budget), 'second')} of computing."
        )

    def _slower(self) -> str:
        return SLOWER.format(machine="joins" if self.machine == "joins" else "the reasoner")

    async def _compile(self) -> None:
        try:
            self.compiled = await self.compilations.of(self.sheet, self.page)
        except StratagemError as refused:
            self.compiled = Compilation("reasoner", 0.0, refused.message)
        self.changed()

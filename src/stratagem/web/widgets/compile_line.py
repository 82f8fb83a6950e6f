"""A status line for the compilation of the rules, with Cancel and Try again."""

from __future__ import annotations

from typing import Final

from nicegui import ui

from stratagem.platform import available_memory
from stratagem.web.app import shell
from stratagem.web.match.live_match import LiveMatch
from stratagem.web.tasks.compile import memory_for
from stratagem.web.widgets.progress import background

SOON: Final = 1.0
"""Seconds after which a compilation is shown: most are done by then."""


class CompileLine:
    """One line above the board, hidden when there is nothing to report."""

    def __init__(self, live: LiveMatch) -> None:
        self.client = ui.context.client
        self.live = live
        with ui.element("div").classes("job no-print").props('role="status"') as self.line:
            self.spinner = ui.spinner(size="1.4em")
            self.words = ui.label().classes("grow").mark("compiling")
            self.cancel = shell.button("Cancel", self._cancel, kind="quiet")
            self.again = shell.button("Try again", self._again, kind="quiet")
        self.line.set_visibility(False)
        ui.timer(SOON, self.refresh)

    def refresh(self) -> None:
        """Updates the line."""
        readiness = self.live.readiness
        running = readiness.compilations.running(readiness.sheet)
        waits = running is not None and not readiness.cancelled
        early = waits and running is not None and running.seconds < SOON
        words = "" if early else readiness.words()
        self.line.set_visibility(bool(words))
        if not words:
            return
        self.words.text = words
        self.spinner.set_visibility(waits)
        self.cancel.set_visibility(waits)
        self.again.set_visibility(not waits)
        budget = readiness.compilations.next_budget(readiness.sheet)
        memory = memory_for(budget, available_memory()) >> 30
        more = f"Try again with {budget:.0f} seconds and {memory} GiB"
        self.again.text = "Try again" if readiness.cancelled else more

    def _cancel(self) -> None:
        self.live.readiness.cancel()
        self.refresh()

    def _again(self) -> None:
        background(self._try(), self.client)
        self.refresh()

    async def _try(self) -> None:
        await self.live.readiness.retry()
        await self.live.prepare()

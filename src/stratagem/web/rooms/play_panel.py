"""The bar beside the board: what the position is worth, how it may go on, and how fast that was found out."""

from __future__ import annotations

import asyncio

from nicegui import ui

from stratagem.errors import StratagemError
from stratagem.web import engine_bar, markup
from stratagem.web.engine_bar import Reading
from stratagem.web.house import House
from stratagem.web.rooms.progress import background
from stratagem.web.table import Table
from stratagem.web.tasks.loaded import Joint


class EngineBar:
    """Thinks about every position for a few seconds while it is switched on."""

    def __init__(self, house: House, table: Table, thinks: bool = True) -> None:
        self.client = ui.context.client
        self.house = house
        self.table = table
        self.hinting = False
        self.reading: Reading | None = None
        self._about: tuple[Joint, ...] | None = None
        self._wanted: tuple[Joint, ...] | None = None
        self._looks = 0
        self._task: asyncio.Task[None] | None = None
        with ui.element("section").classes("card engine"):
            with ui.element("div").classes("flow between"):
                ui.html(markup.heading("Engine"), sanitize=False)
                self.switch = ui.switch("think along", value=thinks, on_change=self._switched).props("dense")
                self.switch.classes("no-print")
            self.gauge = ui.html(gauge(None), sanitize=False)
            self.words = ui.label().classes("small").mark("engine-words")
            self.line = ui.label().classes("small mono soft")

    @property
    def values(self) -> tuple[tuple[str, float], ...]:
        """What each move seems worth to whoever is to move."""
        if self.reading is None or self._about != self.table.history:
            return ()
        return tuple((markup.bare(move), value) for move, value in self.reading.values)

    def refresh(self) -> None:
        """Looks at the position of the table anew, if it has changed."""
        table = self.table
        if table.busy and table.latest is not None:
            self._show(engine_bar.reading_of(table.latest))
            return
        if self._about == table.history:
            return
        self.stop()
        self._about = table.history
        self.hinting = False
        self.reading = None
        if table.over:
            self._clear("The match is over.")
        elif self.switch.value and table.mover is not None:
            self._clear("Thinking …")
            self._wake()
        elif not table.busy:
            self._clear("")

    async def hint(self) -> None:
        """Lists what each move is worth as soon as that is known."""
        if self.table.mover is None:
            return
        self.hinting = True
        if self.reading is None and self._wanted is None:
            self._about = self.table.history
            self._clear("Thinking …")
            self._wake()
        self.table.changed()

    def stop(self) -> None:
        """Thinks no further than to the end of the look that it is in."""
        self._wanted = None

    def _wake(self) -> None:
        self._wanted, self._looks = self.table.history, 0
        if self._task is None or self._task.done():
            self._task = background(self._think(), self.client)

    async def _think(self) -> None:
        """Looks again and again at the position that is wanted, until it has been looked at long enough."""
        while (history := self._wanted) is not None and not self.client.is_deleted:

            def heard(reading: Reading, history: tuple[Joint, ...] = history) -> None:
                if self._wanted == history:
                    self._read(reading)

            try:
                found = await self.house.glance(self.table.sheet, self.client.id, history, heard)
            except StratagemError as refused:
                if self._wanted == history:
                    self._wanted = None
                    self._clear(str(refused))
                continue
            if self._wanted != history:
                continue
            self._looks += 1
            if found is not None:
                self._read(found)
            if found is None or found.rest or self._looks * engine_bar.GLANCE >= engine_bar.SECONDS:
                self._wanted = None

    def _read(self, reading: Reading) -> None:
        self.reading = reading
        self._show(reading)
        if self.hinting:
            self.table.changed()

    def _show(self, reading: Reading) -> None:
        self.gauge.content = gauge(reading.value)
        self.words.text = words_of(reading)
        self.line.text = " → ".join(said for joint in reading.line[:8] if (said := markup.spoken(joint)))

    def _clear(self, words: str) -> None:
        self.gauge.content = gauge(None)
        self.words.text, self.line.text = words, ""

    def _switched(self) -> None:
        self.stop()
        self._about = None
        self.table.changed()


def words_of(reading: Reading) -> str:
    """A reading in one line: what the position is worth to whom, and how much work is behind that."""
    worth = "Not known yet" if reading.value is None else f"{reading.value:.0f} of 100"
    proved = " (proved)" if reading.solved else ""
    work = f"{reading.nodes:,} nodes"
    if reading.matches > reading.nodes:
        work += f", {reading.matches:,} random matches"
    if reading.speed:
        work += f", {reading.speed:,.0f} a second"
    return f"{worth} for {reading.role}{proved} · {work}"


def gauge(value: float | None) -> str:
    """A bar from 0 to 100."""
    width = 50.0 if value is None else max(0.0, min(100.0, value))
    said = "unknown" if value is None else f"{value:.0f} of 100"
    shade = "opacity:.25" if value is None else ""
    return (
        f'<div class="gauge" role="meter" aria-valuemin="0" aria-valuemax="100" aria-valuenow="{width:.0f}" '
        f'aria-label="value {said}"><div class="fill" style="width:{width:.1f}%;{shade}"></div>'
        '<div class="half"></div></div>'
    )

"""The engine bar beside the board: value of the position, principal variation, speed."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from typing import Final

from nicegui import ui

from stratagem.errors import StratagemError
from stratagem.loading import MachineName
from stratagem.plural import plural
from stratagem.show.labels import bare
from stratagem.web.match import engine_bar
from stratagem.web.match.engine_bar import BarReading
from stratagem.web.match.live_match import LiveMatch
from stratagem.web.tasks.loaded import Joint
from stratagem.web.tasks.positions import MoveView
from stratagem.web.widgets import markup
from stratagem.web.widgets.progress import background
from stratagem.web.workers.scheduler import Scheduler

HINTED: Final = 12
"""Moves that a hint lists, at most."""


class EngineBar:
    """Analyses every position for a few seconds while it is switched on."""

    def __init__(self, scheduler: Scheduler, live: LiveMatch, thinks: bool = True) -> None:
        self.client = ui.context.client
        self.scheduler = scheduler
        self.live = live
        self.hinting = False
        self.reading: BarReading | None = None
        self._about: tuple[Joint, ...] | None = None
        self._wanted: tuple[Joint, ...] | None = None
        self._looks = 0
        self._seconds = 0.0
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
        """The estimated values of moves of the role to move, the best move first."""
        if self.reading is None or not self.reading.counts or self._about != self.live.history:
            return ()
        return tuple((bare(move), value) for move, value in self.reading.values)

    def refresh(self) -> None:
        """Looks at the position of the match anew, if it has changed."""
        live = self.live
        if live.busy and live.latest is not None and live.position is not None:
            moves = len(live.position.moves(live.latest.role))
            self._show(engine_bar.reading_of(live.latest, moves), looks_on=True)
            return
        if self._about == live.history:
            return
        self.stop()
        self._about = live.history
        self.hinting = False
        self.reading = None
        if live.over:
            self._clear("The match is over.")
        elif self.switch.value and live.mover is not None:
            self._wake(engine_bar.SECONDS)
        elif not live.busy:
            self._clear("")

    async def hint(self) -> None:
        """Lists the values of the moves as soon as they are known."""
        if self.live.mover is None:
            return
        self.hinting = True
        if self.reading is None or not self.reading.counts:
            self._about = self.live.history
            self._wake(engine_bar.HINT_SECONDS)
        self.live.changed()

    def stop(self) -> None:
        """Stops after the current step of the analysis."""
        self._wanted = None

    def _wake(self, seconds: float) -> None:
        self._wanted, self._looks, self._seconds = self.live.history, 0, seconds
        self._clear(self._waiting_words())
        if self._task is None or self._task.done():
            self._task = background(self._think(), self.client)

    async def _think(self) -> None:
        """Analyses the wanted position step by step until its time is used."""
        while (history := self._wanted) is not None and not self.client.is_deleted:

            def heard(reading: BarReading, history: tuple[Joint, ...] = history) -> None:
                if self._wanted == history:
                    self._read(reading)

            try:
                machine = await self._machine()
                found = await self.scheduler.glance(
                    self.live.sheet, self.client.id, history, heard, machine=machine, whole=self._seconds
                )
            except StratagemError as refused:
                if self._wanted == history:
                    self._wanted = None
                    self._clear(str(refused))
                continue
            if self._wanted != history:
                continue
            self._looks += 1
            if found is None or found.rest or self._looks * engine_bar.GLANCE >= self._seconds:
                self._wanted = None
            if found is None:
                self._clear("No role has a choice here.")
            else:
                self._read(found)

    async def _machine(self) -> MachineName | None:
        """The machine that runs the rules, once it is known."""
        readiness = self.live.readiness
        if readiness.compiled is None and not readiness.cancelled:
            self._clear(self._waiting_words())
            await readiness.wait()
            self._clear(self._waiting_words())
        return readiness.machine

    def _waiting_words(self) -> str:
        """What is shown before the first reading: the engine waits for the rules, or thinks."""
        readiness = self.live.readiness
        ready = readiness.compiled is not None or readiness.cancelled
        return "Thinking …" if ready else "Waiting for the rules to be compiled …"

    def _read(self, reading: BarReading) -> None:
        self.reading = reading
        self._show(reading, looks_on=self._wanted is not None)
        if self.hinting:
            self.live.changed()

    def _show(self, reading: BarReading, *, looks_on: bool) -> None:
        self.gauge.content = gauge(reading.value if reading.counts else None)
        self.words.text = words_of(reading, looks_on=looks_on)
        line = (said for joint in reading.line[:8] if (said := markup.spoken(joint)))
        self.line.text = " → ".join(line) if reading.counts else ""

    def _clear(self, words: str) -> None:
        self.gauge.content = gauge(None)
        self.words.text, self.line.text = words, ""

    def _switched(self) -> None:
        self.stop()
        self._about = None
        self.live.changed()


def words_of(reading: BarReading, *, looks_on: bool = False) -> str:
    """A reading in one line: the value, for which role, and the work behind it.

    Says so where the work is too little for an estimate.
    """
    if not reading.counts:
        work = plural(reading.nodes, "position")
        if looks_on:
            return f"Still looking ({work}) …"
        return f"No estimate: {work} searched, too few for {plural(reading.moves, 'move')}."
    proved = " (proved)" if reading.solved else ""
    work = plural(reading.nodes, "node")
    if reading.matches > reading.nodes:
        work += f", {plural(reading.matches, 'random match', 'random matches')}"
    if reading.speed:
        work += f", {reading.speed:,.0f} a second"
    return f"{reading.value or 0:.0f} of 100 for {reading.role}{proved} · {work}"


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


def hinted_moves(legal: Sequence[MoveView], valued: Iterable[str]) -> tuple[MoveView, ...]:
    """The moves whose labels are *valued*, in that order; then those that are made nowhere but in the list."""
    labelled = {move.label: move for move in legal}
    known = tuple(labelled[label] for label in valued if label in labelled)[:HINTED]
    return (*known, *(move for move in legal if not move.steps and move not in known))

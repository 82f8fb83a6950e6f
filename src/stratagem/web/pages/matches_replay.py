"""The replay of one match: the board, the slider, and the search behind every move."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from nicegui import events, ui

from stratagem.errors import StratagemError
from stratagem.play.records.record import MatchRecord
from stratagem.plural import plural
from stratagem.show.labels import bare
from stratagem.web.app import shell
from stratagem.web.app.address import Sheet, address, game_title, moves_text
from stratagem.web.match.archive import WatchedMatch
from stratagem.web.tasks.loaded import Joint
from stratagem.web.widgets import figures, markup
from stratagem.web.workers.scheduler import Scheduler

PATH: Final = "/matches"
LOOK_AGAIN: Final = 0.7
STEP_SECONDS: Final = 1.0
"""Seconds between two moves while the replay runs."""


class ReplayPage:
    """A recorded match, or a running one: then the page follows its last turn."""

    def __init__(
        self,
        scheduler: Scheduler,
        record: MatchRecord | None,
        live: WatchedMatch | None,
        name: str,
        tournament: str = "",
    ) -> None:
        self.scheduler = scheduler
        self.record = record
        self.live = live
        self.name = name
        self.tournament = tournament
        self.sheet = (
            live.sheet if live is not None else Sheet(text=record.rules if record is not None else "")
        )
        self.turn = 0
        self.follows = live is not None or (record is not None and record.status == "running")
        self._asked = 0
        self._length = len(self.moves)
        """The number of moves."""

    @property
    def moves(self) -> tuple[Joint, ...]:
        if self.live is not None:
            return self.live.history
        return () if self.record is None else self.record.moves

    @property
    def roles(self) -> tuple[str, ...]:
        return tuple(self.live.seats) if self.live is not None else self.record.roles if self.record else ()

    @property
    def players(self) -> tuple[str, ...]:
        if self.live is not None:
            return self.live.places.words
        return () if self.record is None else self.record.players

    async def build(self, turn: int | None) -> None:
        """Builds the page and shows *turn*, the last one unless given."""
        title = self.live.sheet.title if self.live is not None else ""
        if self.record is not None:
            title = game_title(self.record.game)
        with ui.element("div").classes("headline"):
            ui.html(markup.heading(title, 1), sanitize=False)
            ui.label(self._who()).classes("soft")
            with ui.element("div").classes("flow no-print small"):
                self.on_link = ui.link("Play on from here", "/play")
                self.search_link = ui.link("Search from here", "/search")
                ui.link("All matches", address(PATH, {"tournament": self.tournament}))
        with ui.element("div").classes("split"):
            with ui.element("section").classes("card"):
                self.words = ui.label().classes("turn-line").props('aria-live="polite"').mark("turn")
                with ui.element("div").classes("flow no-print replay"):
                    shell.button(
                        "", lambda: self.go(0), icon="first_page", kind="quiet", tip="To the beginning (Home)"
                    )
                    shell.button("", self._back, icon="chevron_left", kind="quiet", tip="One move back (←)")
                    shell.button(
                        "", self._on, icon="chevron_right", kind="quiet", tip="One move on (→)"
                    ).mark("on")
                    self.runs = shell.button(
                        "", self._run, icon="play_arrow", kind="quiet", tip="Play the match (space)"
                    )
                    shell.button("", self._end, icon="last_page", kind="quiet", tip="To the end (End)").mark(
                        "end"
                    )
                    self.slider = ui.slider(min=0, max=max(1, len(self.moves)), value=0)
                    self.slider.props('label aria-label="turn"').classes("grow").mark("slider")
                    self.slider.on_value_change(self._slid)
                self.board = ui.html("", sanitize=False).classes("board").mark("board")
                self.facts = ui.html("", sanitize=False).classes("facts")
            with ui.element("div").classes("side"):
                with ui.element("section").classes("card"):
                    ui.html(markup.heading("The search behind the move"), sanitize=False)
                    self.thoughts = ui.html("", sanitize=False).classes("scroll").mark("thoughts")
                    self.curve = ui.html("", sanitize=False)
                with ui.element("section").classes("card"):
                    ui.html(markup.heading("Moves"), sanitize=False)
                    self.log = ui.html("", sanitize=False).classes("log").mark("log")
                    self.log.on("click", self._picked, js_handler=TURN)
        ui.keyboard(on_key=self._key)
        self.clock = ui.timer(STEP_SECONDS, self._tick, active=False)
        self._list()
        await self.go(len(self.moves) if turn is None else turn)
        if self.follows:
            ui.timer(LOOK_AGAIN, self._look)

    def _who(self) -> str:
        pairs = zip(self.roles, self.players, strict=False)
        return ", ".join(f"{role}: {player}" for role, player in pairs)

    # -- navigation ----------------------------------------------------------------------------------------

    async def go(self, turn: int) -> None:
        """Shows the position after *turn* moves."""
        self.turn = max(0, min(turn, len(self.moves)))
        self._asked += 1
        asked = self._asked
        try:
            position = await self.scheduler.position(self.sheet, self.moves[: self.turn])
        except StratagemError as refused:
            self.words.text = str(refused)
            return
        if asked != self._asked:
            return
        self.board.content = position.svg
        self.board.set_visibility(bool(position.svg))
        self.facts.content = markup.facts(position.rest)
        self.slider.value = self.turn
        goals = ", ".join(
            f"{role} {'?' if goal is None else goal}"
            for role, goal in zip(position.roles, position.goals, strict=True)
        )
        ending = f" The match is over: {goals}." if position.terminal else ""
        self.words.text = f"After {self.turn} of {plural(len(self.moves), 'move')}.{ending}"
        self._show_thoughts()
        query = {**self.sheet.query(), "moves": moves_text(position.choices)}
        shell.lead(self.on_link, address("/play", query))
        shell.lead(
            self.search_link, address("/search", {**query, "depth": "3" if len(self.roles) > 1 else ""})
        )
        if self.record is not None:
            query = {"tournament": self.tournament, "match": self.name, "turn": str(self.turn)}
            ui.navigate.history.replace(address(PATH, query))

    async def _back(self) -> None:
        await self.go(self.turn - 1)

    async def _on(self) -> None:
        await self.go(self.turn + 1)

    async def _end(self) -> None:
        await self.go(len(self.moves))

    async def _slid(self, event: events.ValueChangeEventArguments[float | None]) -> None:
        if isinstance(event.value, int | float) and int(event.value) != self.turn:
            await self.go(int(event.value))

    async def _picked(self, event: events.GenericEventArguments) -> None:
        if str(event.args).isdecimal():
            await self.go(int(str(event.args)))

    async def _key(self, event: events.KeyEventArguments) -> None:
        if not event.action.keydown:
            return
        if event.key.arrow_left:
            await self._back()
        elif event.key.arrow_right:
            await self._on()
        elif event.key.home:
            await self.go(0)
        elif event.key.end:
            await self._end()
        elif event.key.space:
            await self._run()

    async def _run(self) -> None:
        """Plays the moves one after another; from the beginning if the last one is shown."""
        self.clock.active = not self.clock.active
        if self.clock.active and self.turn >= len(self.moves):
            await self.go(0)
        self._show_running()

    async def _tick(self) -> None:
        if self.turn < len(self.moves):
            await self.go(self.turn + 1)
        if self.turn >= len(self.moves):
            self.clock.active = False
            self._show_running()

    def _show_running(self) -> None:
        self.runs.props(f"icon={'pause' if self.clock.active else 'play_arrow'}")

    async def _look(self) -> None:
        """Whether a running match has new moves."""
        if self.live is None and self.record is not None and self.record.status == "running":
            found = await self.scheduler.archive.find(self.name, self.tournament)
            self.record = found or self.record
        before, now = self._length, len(self.moves)
        if now == before:
            return
        self._length = now
        self.slider.props(f"max={max(1, now)}")
        self._list()
        await self.go(now if self.turn == before else self.turn)

    # -- panels -------------------------------------------------------------------------------------------

    def _remarks(self) -> list[tuple[int, str, str, Mapping[str, Any]]]:
        """Turn, role, move and search report of every recorded search."""
        if self.live is not None:
            thoughts = sorted(self.live.thoughts.items())
            return [(turn, role, found.move, found.thought) for (turn, role), found in thoughts]
        kept = () if self.record is None else self.record.remarks
        return [(one.turn, one.role, one.move, one.thought.as_json()) for one in kept]

    def _show_thoughts(self) -> None:
        remarks = self._remarks()
        about = [remark for remark in remarks if remark[0] == self.turn - 1]
        self.thoughts.content = "".join(thought_html(*remark[1:]) for remark in about) or (
            '<p class="empty">No search was recorded for this move.</p>'
        )
        curves: dict[str, list[tuple[int, float]]] = {}
        for turn, role, _, thought in remarks:
            if thought["value"] is not None:
                curves.setdefault(role, []).append((turn + 1, float(thought["value"])))
        self.curve.content = figures.value_curve(curves, len(self.moves), self.turn)

    def _list(self) -> None:
        rows = "".join(
            f'<tr data-turn="{turn}"><td class="number">{turn}</td><td><button type="button" class="pill">'
            f"{markup.escape(markup.spoken(' '.join(joint)) or '–')}</button></td></tr>"
            for turn, joint in enumerate(self.moves, start=1)
        )
        self.log.content = f'<table class="plain"><tbody>{rows}</tbody></table>'


TURN: Final = (
    "(event) => { const row = event.target.closest('[data-turn]'); if (row) emit(row.dataset.turn); }"
)


def thought_html(role: str, move: str, thought: Mapping[str, Any]) -> str:
    """A search report as HTML, with the value of every move where it is known."""
    value = (
        ""
        if thought["value"] is None
        else f"{thought['value']:.1f}{' (proved)' if thought['solved'] else ''}"
    )
    rows = [("move", bare(move)), ("value", value), ("nodes", f"{thought['nodes']:,}")]
    if thought["depth"]:
        rows.append(("depth", str(thought["depth"])))
    if thought["seconds"]:
        rows.append(("seconds", f"{thought['seconds']:.2f}"))
    line = " → ".join(said for joint in thought["line"] if (said := markup.spoken(joint)))
    if line:
        rows.append(("line", line))
    values = "".join(
        f"<tr><td>{markup.escape(bare(each))}</td><td class=number>{worth:.1f}</td></tr>"
        for each, worth in thought["values"][:8]
    )
    listed = f'<table class="plain"><tbody>{values}</tbody></table>' if values else ""
    title = f"{role}: {thought['player']}"
    return (
        f"{markup.heading(title, 3)}<p class='soft small'>{markup.escape(thought['why'])}</p>"
        f"{markup.table(('', ''), rows)}{listed}"
    )

"""The Play page: the board, the players, the clock, hints, undo and explanations."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from fastapi import Request
from nicegui import ui

from stratagem import sheets as games
from stratagem.errors import RulesError, StratagemError
from stratagem.play.players import PLAYERS, player_names
from stratagem.web.app import shell
from stratagem.web.app.address import Sheet, address
from stratagem.web.app.limits import MOVES_LISTED
from stratagem.web.app.setting import PlaySetting
from stratagem.web.match.live_match import CHANCE, LiveMatch
from stratagem.web.match.occupants import YOU
from stratagem.web.match.record import record_of
from stratagem.web.pages.play_panel import EngineBar, hinted_moves
from stratagem.web.pages.play_words import log_rows, turn_words
from stratagem.web.tasks.positions import MoveView
from stratagem.web.widgets import markup
from stratagem.web.widgets.clock_field import ClockField
from stratagem.web.widgets.compile_line import CompileLine
from stratagem.web.widgets.game_choice import game_chooser
from stratagem.web.widgets.progress import background
from stratagem.web.workers.scheduler import Scheduler

PAGE: Final = shell.PAGES[0]
AT_ONCE: Final = 1.5
"""Seconds after which a page is sent while its rules are still being read."""
CLICKED: Final = "(event) => { const cell = Workbench.cell(event); if (cell) emit(cell); }"
CHIP: Final = (
    "(event) => { const chip = event.target.closest('[data-chip]'); if (chip) emit(chip.dataset.chip); }"
)
LINE: Final = (
    "(event) => { const line = event.target.closest('[data-line]'); if (line) emit(line.dataset.line); }"
)
PLAYERS_EXPLAINED: Final = (
    '<details class="small"><summary>Who is who</summary><dl class="who">'
    f"<dt>{YOU}</dt><dd>You, with the mouse or the keyboard.</dd>"
    + "".join(f"<dt>{name}</dt><dd>{markup.escape(about)}</dd>" for name, (_, about) in PLAYERS.items())
    + "</dl></details>"
)
NO_MOVES: Final = '<p class="empty">No moves yet.</p>'


def _tool(words: str, action: Callable[[], object], icon: str, tip: str) -> ui.button:
    """A button above the board."""
    return shell.button(words, action, icon=icon, kind="quiet", tip=tip)


def register(scheduler: Scheduler) -> None:
    """Adds the page."""

    @ui.page(PAGE.path, response_timeout=60)
    async def play(request: Request) -> None:
        query = dict(request.query_params)
        try:
            sheet = Sheet.from_query(query, "tictactoe")
        except StratagemError as refused:
            with shell.page(PAGE, request):
                shell.trouble_card(refused.message, refused.hint, ("All games", "/"))
            return
        with shell.page(PAGE, request, sheet.title):
            await PlayPage(scheduler, sheet, PlaySetting.from_query(query), query.get("think") != "0").build()


class PlayPage:
    """One visitor's page."""

    def __init__(self, scheduler: Scheduler, sheet: Sheet, setting: PlaySetting, thinks: bool) -> None:
        self.client = ui.context.client
        self.scheduler = scheduler
        self.sheet = sheet
        self.live = LiveMatch(scheduler, sheet, setting, self.client.id, self.refresh)
        self.opened = 0
        self.thinks = thinks
        self.kept = False
        self._pointed = ""
        self._listed: object = None
        self._logged: object = None
        self._waiting = False

    async def build(self) -> None:
        """Builds the page and opens the match."""
        with ui.element("div").classes("headline"):
            ui.html(markup.heading(self.sheet.title, 1), sanitize=False)
            ui.link("All games", "/#games").classes("small no-print")
            if self.sheet.name:
                ui.label(games.header(self.sheet.name).about).classes("soft")
        with ui.element("div").classes("side") as self.body:
            ui.label("Reading the rules …").classes("empty")
        beginning = background(self._begin())
        await asyncio.wait([beginning], timeout=AT_ONCE)

    async def _begin(self) -> None:
        """Opens the match and then fills the page: some rules take long to load."""
        try:
            await self.live.open()
        except StratagemError as refused:
            self.body.clear()
            with self.body:
                self._refused(refused)
            return
        self.opened = len(self.live.history)
        self.body.clear()
        with self.body:
            with ui.element("div").classes("split"):
                with ui.element("section").classes("card"):
                    self._board()
                with ui.element("div").classes("side"):
                    self._seats()
                    self.bar = EngineBar(self.scheduler, self.live, self.thinks)
                    self._notes()
            game_chooser(self.scheduler, self.sheet, PAGE.path)
            ui.keyboard(on_key=self._key)
            ui.timer(1.0, self._count)
        self.client.on_delete(self._leave)
        self.scheduler.live[self.client.id] = self.live
        self.refresh()
        background(self.live.prepare())
        background(self.live.go_on())

    def _refused(self, refused: StratagemError) -> None:
        message = refused.message
        if isinstance(refused, RulesError) and refused.findings:
            fault = refused.findings[0]
            message = f"Line {fault.place.line}: {fault.message}"
        link = ("Open them in the Rules page", self._rules())
        shell.trouble_card(f"These rules cannot be played. {message}", refused.hint, link)

    # -- parts ---------------------------------------------------------------------------------------------

    def _board(self) -> None:
        with ui.element("div").classes("flow between"):
            self.turn = ui.label().classes("turn-line").props('aria-live="polite"').mark("turn")
            with ui.element("div").classes("flow tools no-print"):
                self.undo = _tool("Undo", self._undo, "undo", "Take back (u)")
                self.hint = _tool(
                    "Hint", self._hint, "lightbulb", "Hint: the estimated value of each move (h)"
                )
                self.pause = _tool("Pause", self._pause, "pause", "Pause")
                self.again = _tool("Try again", self._again, "refresh", "Ask for the move once more")
                self.out = _tool("Finish", self._play_out, "fast_forward", "Let players finish the match")
                _tool("New match", self._new, "restart_alt", "New match (n)")
        self.compiling = CompileLine(self.live)
        self.choices = ui.html("", sanitize=False).classes("chips moves").mark("moves")
        self.choices.on("click", self._chip, js_handler=CHIP)
        self.board = ui.html("", sanitize=False).classes("board").mark("board")
        self.board.on("click", self._clicked, js_handler=CLICKED)
        self.facts = ui.html("", sanitize=False).classes("facts").mark("facts")
        self.refusal = ui.html("", sanitize=False).classes("card trouble").mark("refusal")
        self.refusal.on("click", lambda event: self._to_line(str(event.args)), js_handler=LINE)
        self.refusal.set_visibility(False)

    def _seats(self) -> None:
        seats = {YOU: "you", **{name: name for name in player_names()}}
        self.scores: dict[str, tuple[ui.element, ui.label]] = {}
        self.choosers: dict[str, ui.select] = {}
        with ui.element("section").classes("card seats"):
            for role, seat in self.live.seats.items():
                with ui.element("div").classes("seat") as row:
                    ui.label(role).classes("role")
                    score = ui.label().classes("score")
                    if role == CHANCE:
                        ui.label("chance").classes("soft")
                    else:
                        choice = ui.select(seats, value=seat).props("outlined dense options-dense")
                        choice.props["aria-label"] = f"who plays {role}"
                        choice.classes("no-print").mark(f"seat-{role}")
                        choice.on_value_change(lambda event, role=role: self._seat(role, str(event.value)))
                        self.choosers[role] = choice
                self.scores[role] = row, score
            with ui.element("div").classes("flow no-print"):
                ClockField(self.live.clock, self._clock)
            ui.html(PLAYERS_EXPLAINED, sanitize=False).classes("no-print").mark("who-is-who")

    def _notes(self) -> None:
        with ui.element("section").classes("card"):
            with ui.element("div").classes("flow between"):
                ui.html(markup.heading("Moves"), sanitize=False)
                with ui.element("div").classes("flow no-print"):
                    self.replay_link = ui.link("Replay", "/matches").classes("small")
                    self.replay_link.set_visibility(False)
                    self.search_link = ui.link("Search from here", "/search").classes("small")
                    self.rules_link = ui.link("Rules", self._rules()).classes("small")
            self.log = ui.html("", sanitize=False).classes("log")

    # -- updates -------------------------------------------------------------------------------------------

    def refresh(self) -> None:
        """Updates the page; several changes in a row cause one update."""
        if self._waiting or self.client.is_deleted:
            return
        self._waiting = True
        background(self._refresh(), self.client)

    def _count(self) -> None:
        if self.live.busy:
            self.turn.text = turn_words(self.live)

    async def _refresh(self) -> None:
        self._waiting = False
        live = self.live
        position = live.position
        if position is None or not hasattr(self, "log"):
            return
        self.turn.text = turn_words(self.live)
        self.board.content = live.svg
        self.board.set_visibility(bool(live.svg))
        self.facts.content = markup.facts(position.rest)
        self.board.classes(add="wait" if live.busy else "", remove="" if live.busy else "wait")
        movers = position.choosers
        for role, (row, score) in self.scores.items():
            row.classes(add="turn" if role in movers else "", remove="" if role in movers else "turn")
            goal = position.goals[position.roles.index(role)]
            score.text = "" if not live.over else "?" if goal is None else str(goal)
        for role, choice in self.choosers.items():
            choice.value = live.seats[role]  # Finish gives seats to players too
        watched = YOU not in live.seats.values()
        self.undo.set_enabled(live.made != [])
        self.hint.set_enabled(live.mover is not None)
        self.pause.set_visibility(watched and not live.over and not live.trouble)
        self.again.set_visibility(bool(live.trouble) and live.paused and not live.over)
        self.compiling.refresh()
        self.pause.props(f"icon={'play_arrow' if live.paused else 'pause'}")
        self.pause.text = "Go on" if live.paused else "Pause"
        if not live.over:
            self.replay_link.set_visibility(False)
        self.out.set_visibility(not watched and not live.over)
        self._list_moves()
        self._show_log()
        self.bar.refresh()
        ui.navigate.history.replace(address(PAGE.path, self._query(live.query())))
        await self._keep()

    def _query(self, match: dict[str, str]) -> dict[str, str]:
        return {**match, "think": "" if self.bar.switch.value else "0"}

    def _list_moves(self) -> None:
        live = self.live
        role = live.mover
        values = dict(self.bar.values) if self.bar.hinting else {}
        state = (live.history, role, live.candidates, tuple(values.items()))
        if state == self._listed:
            return
        if not values:
            self._pointed = ""
        self._listed = state
        moves: tuple[MoveView, ...] = ()
        if role is not None and live.position is not None:
            legal = live.position.moves(role)
            if live.candidates:
                moves = live.candidates
            elif values:
                moves = hinted_moves(legal, values)
            else:
                moves = tuple(move for move in legal if not move.steps)
        best = next(iter(values.values()), 0.0)
        if role is not None and values and moves and not live.clicked and moves[0].text != self._pointed:
            self._pointed = moves[0].text
            background(live.point(role, moves[0]), self.client)
        shown = moves[:MOVES_LISTED]
        labels = [
            (move.text, move.label + (f" · {values[move.label]:.0f}" if move.label in values else ""))
            for move in shown
        ]
        marks = {move.text: "best" for move in shown if values.get(move.label) == best and values}
        self.choices.content = markup.chips(labels, classes=marks)

    def _show_log(self) -> None:
        live = self.live
        if live.history == self._logged:
            return
        self._logged = live.history
        rows = log_rows(live)
        self.log.content = markup.table(("", "moves", "thoughts"), reversed(rows)) if rows else NO_MOVES
        query = {**self.sheet.query(), "moves": live.query()["moves"]}
        shell.lead(
            self.search_link, address("/search", {**query, "depth": "3" if len(live.seats) > 1 else ""})
        )
        shell.lead(self.rules_link, address("/rules", query))

    async def _keep(self) -> None:
        """Records a match that was finished on this page."""
        if self.live.over and not self.kept and len(self.live.history) > self.opened:
            self.kept = True
            number = await self.scheduler.archive.keep(await record_of(self.live))
            if number is not None:
                self.scheduler.kept(self.client.id, number)
                shell.lead(self.replay_link, address("/matches", {"match": str(number)}))
                self.replay_link.set_visibility(True)
                shell.say(f"Recorded as match {number}.")

    async def _clicked(self, event: object) -> None:
        key = str(getattr(event, "args", ""))
        self.refusal.set_visibility(False)
        reasons = await self.live.click(key)
        if reasons:
            told = "".join(map(markup.reason, reasons))
            self.refusal.content = (
                f"<b>That is not a legal move: {markup.escape(self.live.tried)}</b>"
                f'<span class="soft small">What the rules say:</span>{told}'
            )
            self.refusal.set_visibility(True)

    async def _chip(self, event: object) -> None:
        role = self.live.mover
        if role is not None:
            self.refusal.set_visibility(False)
            await self.live.pick(role, str(getattr(event, "args", "")))

    async def _undo(self) -> None:
        self.kept, self.opened = False, 0
        self.refusal.set_visibility(False)
        await self.live.undo()
        await self.live.go_on()

    async def _hint(self) -> None:
        await self.bar.hint()

    async def _pause(self) -> None:
        self.live.paused = not self.live.paused
        self.refresh()
        await self.live.go_on()

    async def _play_out(self) -> None:
        self.live.play_out()
        self.refresh()
        await self.live.go_on()

    async def _again(self) -> None:
        await self.live.try_again()

    def _new(self) -> None:
        ui.navigate.to(address(PAGE.path, self._query(self.live.query_anew())))

    async def _seat(self, role: str, seat: str) -> None:
        if seat in (YOU, *player_names()) and seat != self.live.seats[role]:
            self.live.assign(role, seat)
            self.live.stop()
            self.live.trouble, self.live.paused = "", False
            self.refresh()
            await self.live.go_on()

    def _clock(self, seconds: float) -> None:
        self.live.clock = seconds
        self.refresh()

    async def _key(self, event: object) -> None:
        key, action = str(getattr(event, "key", "")), getattr(event, "action", None)
        if action is None or not action.keydown or action.repeat:
            return
        match key:
            case "u":
                await self._undo()
            case "h":
                await self._hint()
            case "n":
                self._new()
            case "Escape":
                await self.live.unclick()

    def _to_line(self, line: str) -> None:
        moves = self.live.query()["moves"]
        query = {**self.sheet.query(), "moves": moves, "line": line if line.isdecimal() else ""}
        ui.navigate.to(address("/rules", query))

    def _rules(self) -> str:
        return address("/rules", self.sheet.query())

    def _leave(self) -> None:
        self.scheduler.live.pop(self.client.id, None)
        self.bar.stop()
        self.live.leave()

"""The panels beside the editor: position, why and why not, relations, circuit, judge, playouts, solve."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from nicegui import events, ui

from stratagem.errors import StratagemError
from stratagem.plural import plural
from stratagem.show.labels import bare
from stratagem.web.app import shell
from stratagem.web.app.address import Sheet, address, moves_from, moves_text
from stratagem.web.app.limits import MOVES_LISTED
from stratagem.web.tasks import positions, sheets, verdicts
from stratagem.web.tasks.positions import PositionView
from stratagem.web.tasks.sheets import Checked
from stratagem.web.tasks.verdicts import VerdictTable
from stratagem.web.widgets import markup
from stratagem.web.widgets.progress import Progress, background
from stratagem.web.workers.scheduler import Scheduler

CHIP: Final = (
    "(event) => { const chip = event.target.closest('[data-chip]'); if (chip) emit(chip.dataset.chip); }"
)
LINE: Final = "(event) => { const at = event.target.closest('[data-line]'); if (at) emit(at.dataset.line); }"
CELL: Final = "(event) => { const cell = Workbench.cell(event); if (cell) emit(cell); }"
NOT_LEGAL: Final = 24
"""Moves that are not legal, listed for each role."""
NONE_YET: Final = "Rules without errors have their position here."
ERRORS_SINCE: Final = "This is the position of the rules before the errors."
WORKED_OUT: Final = (
    "This is the position of the rules before the last change; the new one is being worked out."
)
MOVES_REPLAYED: Final = 4_000
LONGEST_QUERY: Final = 2_000
SEED: Final = 1


class Panels:
    """Everything that needs valid rules; updated whenever they change."""

    def __init__(
        self,
        scheduler: Scheduler,
        owner: str,
        reveal: Callable[[int], None],
        query: Mapping[str, str],
        changed: Callable[[], None],
    ) -> None:
        self.client = ui.context.client
        self.scheduler = scheduler
        self.owner = owner
        self.reveal = reveal
        self.changed = changed
        self.choices = moves_from(query.get("moves", ""))[:MOVES_REPLAYED]
        self.asked = query.get("why", "")[:LONGEST_QUERY]
        self.sheet: Sheet | None = None
        self.position: PositionView | None = None
        self._waiting = bool(self.asked)
        first = query.get("tab", "")
        with ui.element("section").classes("card"):
            with ui.tabs().props("dense no-caps align=left inline-label narrow-indicator") as tabs:
                for name, icon in TABS.items():
                    ui.tab(name, icon=icon)
            with (
                ui.tab_panels(tabs, value=first if first in TABS else "Position")
                .props("animated=false")
                .classes("panels")
            ):
                with ui.tab_panel("Position"):
                    self._position_panel()
                with ui.tab_panel("Why"):
                    self._why_panel()
                with ui.tab_panel("Relations"):
                    self.relations = ui.html("", sanitize=False).classes("scroll findings")
                    self.relations.on("click", self._to_line, js_handler=LINE)
                with ui.tab_panel("Verdict"):
                    self._verdict_panel()
            self.tabs = tabs
            tabs.on_value_change(lambda: self.changed())

    def query_part(self) -> dict[str, str]:
        """The panel, the position and the query, for the address."""
        tab = str(self.tabs.value)
        return {
            "moves": moves_text(self.choices),
            "tab": "" if tab == "Position" else tab,
            "why": self.asked,
        }

    def _position_panel(self) -> None:
        with ui.element("div").classes("flow between") as self.later:
            self.where = ui.label().classes("strong")
            shell.button("Back to the start", self._start, icon="first_page", kind="quiet")
        self.later.set_visibility(False)
        self.stale = ui.label(NONE_YET).classes("soft small").props('role="status"').mark("stale")
        self.board = ui.html("", sanitize=False).classes("board").mark("board")
        self.board.on("click", self._touched, js_handler=CELL)
        ui.label("Click a cell, a fact or a move to ask why it holds, or why not.").classes("soft small")
        self.facts = ui.html("", sanitize=False).classes("log")
        self.facts.on("click", self._asked, js_handler=CHIP)

    def _why_panel(self) -> None:
        with ui.element("div").classes("flow"):
            self.query = ui.input(
                "Why, or why not?", value=self.asked, placeholder="(legal xplayer (mark 1 1))"
            )
            self.query.props("outlined dense").classes("grow").mark("query")
            self.query.on("keydown.enter", self._why)
            shell.button("Ask", self._why, kind="main").mark("ask")
        self.make = shell.button("Make this move", self._make, icon="play_arrow", kind="quiet")
        self.make.set_visibility(False)
        self.reason = ui.html("", sanitize=False).mark("reason")
        self.reason.on("click", self._to_line, js_handler=LINE)

    def _verdict_panel(self) -> None:
        with ui.element("div").classes("flow no-print"):
            self.buttons = [
                shell.button(name, action, icon=icon).mark(name)
                for name, icon, action in (
                    ("Judge", "gavel", self._judge),
                    ("Playouts", "casino", self._playouts),
                    ("Solve", "emoji_objects", self._solve),
                    ("Circuit", "memory", self._circuit),
                )
            ]
        self.progress = Progress()
        self.verdict = ui.html("", sanitize=False).classes("scroll").mark("verdict")
        self.fault = ui.link("Look at a match that shows it", "").classes("small")
        self.fault.set_visibility(False)

    # -- showing -------------------------------------------------------------------------------------------

    def show(self, sheet: Sheet, found: Checked) -> None:
        """Shows what the check *found*; the position follows when it is computed."""
        for button in self.buttons:
            button.set_enabled(found.sound)
        if not found.sound:
            self._stale(NONE_YET if self.position is None else ERRORS_SINCE)
            return
        if self.position is not None and self.sheet != sheet:
            self._stale(WORKED_OUT)
        if self.sheet != sheet:
            self.progress.cancel()
            self.verdict.content = ""
            self.fault.set_visibility(False)
        self.sheet = sheet
        rows = (
            (f"{one.name}/{one.arity}", one.kind, one.rules, one.facts, one.line) for one in found.relations
        )
        self.relations.content = markup.table(("relation", "what it is", "rules", "facts", "line"), rows)
        background(self._draw(sheet), self.client)

    def _stale(self, words: str) -> None:
        """Says that the position is not that of the text in the editor; with no *words* it is."""
        self.stale.text = words
        self.stale.set_visibility(bool(words))
        for part in (self.board, self.facts):
            part.classes(add="stale" if words else "", remove="" if words else "stale")

    async def _draw(self, sheet: Sheet) -> None:
        try:
            position = await self.scheduler.ask(sheet, positions.position_of, self.choices)
        except StratagemError as refused:
            if sheet == self.sheet:
                self.position = None
                self._stale("")
                self.board.set_visibility(True)
                self.board.content = f'<div class="empty">{markup.escape(str(refused))}</div>'
                self.facts.content = ""
            return
        if sheet != self.sheet:
            return
        self.position = position
        if self.choices and not position.history:
            self.choices = ()
            self.changed()
        self.where.text = f"After {plural(position.turn, 'move')}"
        self.later.set_visibility(position.turn > 0)
        self._stale("")
        self.board.set_visibility(bool(position.svg))
        self.board.content = position.svg
        self.facts.content = facts_html(position)
        self.make.set_visibility(self._move() is not None)
        if self._waiting:
            self._waiting = False
            await self._why()
        try:
            others = await self.scheduler.ask(sheet, positions.not_legal, position.history, NOT_LEGAL)
        except StratagemError:
            return  # where there are too many moves to list, the query field remains
        if sheet == self.sheet and self.position is position:
            self.facts.content = facts_html(position) + not_legal_html(others)

    def _start(self) -> None:
        self.choices = ()
        self.changed()
        if self.sheet is not None:
            background(self._draw(self.sheet), self.client)

    # -- asking --------------------------------------------------------------------------------------------

    async def _asked(self, event: events.GenericEventArguments) -> None:
        self.query.value = str(event.args)[:LONGEST_QUERY]
        self.tabs.set_value("Why")
        await self._why()

    async def _touched(self, event: events.GenericEventArguments) -> None:
        """A cell was clicked: why the first move there is legal, or why none is."""
        position, key = self.position, str(event.args)
        if self.sheet is None or position is None or key not in position.squares:
            return
        number = position.squares.index(key)
        for role, legal in zip(position.roles, position.legals, strict=True):
            for move in legal:
                if move.steps and number in move.steps[0]:
                    self.query.value = f"(legal {role} {move.text})"
                    self.tabs.set_value("Why")
                    await self._why()
                    return
        role = next(iter(position.choosers), position.roles[0])
        reasons = await self.scheduler.ask(self.sheet, positions.why_not, position.history, role, (number,))
        if reasons:
            self.query.value = self.asked = str(reasons[0]["query"])[:LONGEST_QUERY]
            self.tabs.set_value("Why")
            self.reason.content = "".join(map(markup.reason, reasons))
            self.make.set_visibility(False)
            self.changed()

    async def _why(self) -> None:
        asked = (self.query.value or "").strip()[:LONGEST_QUERY]
        if self.sheet is None or not asked:
            return
        self.asked = asked
        self.changed()
        self.make.set_visibility(self._move() is not None)
        history = () if self.position is None else self.position.history
        try:
            answer = await self.scheduler.ask(self.sheet, positions.why, history, asked)
        except StratagemError as refused:
            self.reason.content = f'<div class="empty">{markup.escape(str(refused))}</div>'
            return
        self.reason.content = markup.reason(answer)

    def _move(self) -> str | None:
        """The legal move that the query is about, if its role is the only one with a choice."""
        position = self.position
        if position is None or len(position.choosers) != 1:
            return None
        role = position.choosers[0]
        moves = (move.text for move in position.moves(role))
        return next((move for move in moves if f"(legal {role} {move})" == self.asked), None)

    def _make(self) -> None:
        move = self._move()
        if move is not None and self.sheet is not None and self.position is not None:
            self.choices = (*self.position.choices, move)
            self.make.set_visibility(False)
            self.tabs.set_value("Position")
            self.changed()
            background(self._draw(self.sheet), self.client)

    def _to_line(self, event: events.GenericEventArguments) -> None:
        line = str(event.args)
        if line.isdecimal():
            self.reveal(int(line))

    # -- verdicts ------------------------------------------------------------------------------------------

    def _judge(self) -> None:
        self._work("Random matches are being played …", verdicts.judge, SEED)

    def _playouts(self) -> None:
        self._work("Random matches are being played …", verdicts.playouts, (), SEED)

    def _solve(self) -> None:
        self._work("Searching …", verdicts.solve, ())

    def _circuit(self) -> None:
        self._work("Compiling the rules …", sheets.circuit_figures)

    def _work(self, words: str, task: Callable[..., Any], *arguments: Any) -> None:
        if self.sheet is None:
            return
        sheet = self.sheet
        self.verdict.content = ""
        self.fault.set_visibility(False)
        work = self.scheduler.work(
            self.owner, task, sheet, *arguments, heard=lambda said: self.progress.say(str(said))
        )
        self.progress.run(words, work, lambda found: self._found(sheet, found), self._failed)

    def _failed(self, words: str) -> None:
        self.verdict.content = f'<div class="empty">{markup.escape(words)}</div>'

    def _found(self, sheet: Sheet, found: Any) -> None:
        if isinstance(found, VerdictTable):
            self.verdict.content = verdict_html(found)
            if found.shown:
                history = moves_text([move for joint in found.shown for move in joint if move != "noop"])
                link = address("/play", {**sheet.query(), "moves": history})
                shell.lead(self.fault, link)
                self.fault.set_visibility(True)
        else:
            self.verdict.content = markup.heading("Circuit", 3) + markup.table(("", ""), found)


TABS: Final = {"Position": "grid_on", "Why": "help_outline", "Relations": "schema", "Verdict": "gavel"}
MARKS: Final = {"good": "✓ ", "bad": "✗ ", "warn": "! "}


def facts_html(position: PositionView) -> str:
    """The facts of a position and the moves of each role, as chips that ask why."""
    parts = [markup.heading("Facts", 3)]
    shown = [(f"(true {fact})", bare(fact)) for fact in position.facts[:MOVES_LISTED]]
    parts.append(f'<div class="chips">{markup.chips(shown)}</div>')
    for role, legal in zip(position.roles, position.legals, strict=True):
        parts.append(markup.heading(f"Moves of {role}", 3))
        moves = [(f"(legal {role} {move.text})", move.label) for move in legal[:MOVES_LISTED]]
        parts.append(f'<div class="chips">{markup.chips(moves)}</div>')
    return "".join(parts)


def not_legal_html(others: Sequence[tuple[str, Sequence[str]]]) -> str:
    """Moves that are not legal here, as chips that ask why not."""
    parts = []
    for role, moves in others:
        if moves:
            chips = markup.chips((f"(legal {role} {move})", bare(move)) for move in moves)
            parts.append(
                f"{markup.heading(f'Not legal for {role}', 3)}<div class='chips barred'>{chips}</div>"
            )
    return "".join(parts)


def verdict_html(found: VerdictTable) -> str:
    """A verdict as a table; nothing is said by colour alone."""
    rows = "".join(
        f"<tr><td>{markup.escape(what)}</td>"
        f'<td><span class="{f"badge {kind}" if kind else ""}">{MARKS.get(kind, "")}{markup.escape(answer)}</span></td></tr>'
        for what, answer, kind in found.rows
    )
    note = f'<p class="soft small">{markup.escape(found.note)}</p>' if found.note else ""
    return f'{markup.heading(found.title, 3)}<table class="plain"><tbody>{rows}</tbody></table>{note}'

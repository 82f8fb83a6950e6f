"""The Rules page: an editor that checks rules as you type, and panels that analyse them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from itertools import groupby
from typing import Any, Final

from fastapi import Request
from nicegui import events, ui

from stratagem import sheets as games
from stratagem.errors import StratagemError
from stratagem.gdl.codes import CODES, ERRORS
from stratagem.gdl.findings import FOLDED
from stratagem.gdl.text.files import guess_syntax
from stratagem.plural import plural
from stratagem.web.app import shell
from stratagem.web.app.address import Sheet, address, checked
from stratagem.web.app.limits import QUICK_SECONDS, SHEET_CHARACTERS
from stratagem.web.pages.rules_panels import Panels
from stratagem.web.tasks import sheets
from stratagem.web.tasks.sheets import Checked
from stratagem.web.widgets import markup
from stratagem.web.widgets.game_choice import game_chooser
from stratagem.web.widgets.progress import background
from stratagem.web.workers.scheduler import Scheduler
from stratagem.web.workers.worker_process import WorkerProcess

PAGE: Final = shell.PAGES[2]
PAUSE: Final = 0.35
"""Seconds after the last key before the sheet is checked."""
LANGUAGES: Final = {"kif": "Scheme", "hrf": "Erlang"}
BLANK: Final = """\
;;; Walk along the row to its last cell. Every line that begins with a semicolon is a remark.
(role you)

(succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5)

(init (cell 1 b)) (init (cell 2 you)) (init (cell 3 b)) (init (cell 4 b)) (init (cell 5 b))

(<= (legal you (go ?there)) (true (cell ?here you)) (succ ?here ?there))
(<= (legal you (go ?there)) (true (cell ?here you)) (succ ?there ?here))

(<= (next (cell ?there you)) (does you (go ?there)))
(<= (next (cell ?other b)) (does you (go ?there)) (true (cell ?other ?_thing)) (distinct ?other ?there))

(<= terminal (true (cell 5 you)))
(<= (goal you 100) (true (cell 5 you)))
(<= (goal you 0) (not (true (cell 5 you))))
"""


def register(scheduler: Scheduler) -> None:
    """Adds the page."""

    @ui.page(PAGE.path, response_timeout=30)
    async def rules(request: Request) -> None:
        query = dict(request.query_params)
        try:
            sheet = Sheet.from_query(query, "tictactoe")
        except StratagemError as refused:
            with shell.page(PAGE, request):
                shell.trouble_card(refused.message, refused.hint, ("Begin with tic-tac-toe", PAGE.path))
            return
        with shell.page(PAGE, request, sheet.title):
            RulesPage(scheduler, sheet, query).build()


class RulesPage:
    """One visitor's page. The text of the editor is the sheet; a bundled game stays one until it is changed."""

    def __init__(self, scheduler: Scheduler, sheet: Sheet, query: Mapping[str, str]) -> None:
        self.client = ui.context.client
        self.scheduler = scheduler
        self.sheet = sheet
        self.query = query
        self.text = games.source(sheet.name).text if sheet.name else sheet.text
        line = query.get("line", "")
        self.line = int(line) if line.isdecimal() and len(line) < 7 else None
        self.worker = WorkerProcess()
        self.checked: Checked | None = None
        self._timer: asyncio.Task[Any] | None = None

    def build(self) -> None:
        """Builds the page and checks the sheet for the first time."""
        with ui.element("div").classes("split even"):
            with ui.element("section").classes("card"):
                self._editor()
            with ui.element("div").classes("side"):
                with ui.element("section").classes("card"):
                    ui.html(markup.heading("Errors and warnings"), sanitize=False)
                    self.findings = ui.html("", sanitize=False).classes("findings").mark("findings")
                    self.findings.on("click", self._to_finding, js_handler=FINDING)
                self.panels = Panels(self.scheduler, self.client.id, self.reveal, self.query, self._remember)
        game_chooser(self.scheduler, self.sheet, PAGE.path)
        self.client.on_delete(self._leave)
        background(self._check())
        if self.line is not None:
            background(self._reveal_later(self.line))

    def _editor(self) -> None:
        with ui.element("div").classes("flow between"):
            self.status = ui.label("Checking …").classes("strong").props('aria-live="polite"').mark("status")
            with ui.element("div").classes("flow no-print"):
                shell.button("New", self._new, icon="note_add", kind="quiet")
                shell.button("Save", self._save, icon="download", kind="quiet")
                self.play = shell.button("Play", self._play, icon="sports_esports", kind="main")
        with ui.element("div").classes("editor"):
            self.editor = ui.codemirror(
                self.text,
                language=LANGUAGES[guess_syntax(self.text)],  # type: ignore[arg-type]
                theme="githubLight",
                indent="  ",
                on_change=self._changed,
            )
            self.editor.props('aria-label="rule sheet"')
            shell.when_dark(
                lambda dark: self.editor.set_theme("githubDark" if dark else "githubLight") and None
            )

    # -- checking ------------------------------------------------------------------------------------------

    def _changed(self, event: events.ValueChangeEventArguments[str]) -> None:
        text = event.value or ""
        if text == self.text:
            return
        self.text = text
        self.sheet = Sheet(text=text)
        self.line = None
        if self._timer is not None:
            self._timer.cancel()
        self._timer = background(self._later(), self.client)

    async def _later(self) -> None:
        await asyncio.sleep(PAUSE)
        await self._check()

    async def _check(self) -> None:
        text, sheet = self.text, self.sheet
        try:
            checked(text)
            found = await self.worker.ask(
                sheets.check, text, guess_syntax(text), sheet.sizes, seconds=QUICK_SECONDS
            )
        except StratagemError as refused:
            if text == self.text:
                self.checked = None
                self.status.text = str(refused)
                self.play.set_enabled(False)
            return
        if text != self.text:
            return
        self.checked = found
        self._show(found)
        self._remember()
        self.panels.show(sheet, found)

    def _remember(self) -> None:
        """Writes the sheet, the position, the panel and the query into the address."""
        if hasattr(self, "panels") and not self.client.is_deleted:
            line = "" if self.line is None else str(self.line)
            query = {**self.sheet.query(), **self.panels.query_part(), "line": line}
            self.client.run_javascript(f"Workbench.address({json.dumps(address(PAGE.path, query))})")

    def _show(self, found: Checked) -> None:
        errors, warnings = found.errors, found.warnings
        parts = [plural(errors, "error") if errors else "No errors"]
        if warnings:
            parts.append(plural(warnings, "warning"))
        if found.sound:
            parts.append(f"{found.rules:,} rules")
        self.status.text = ", ".join(parts)
        self.play.set_enabled(found.sound)
        self.findings.content = findings_html(found)
        self.editor.decorations = list(decorations(self.text, found.findings))
        self.editor.line_tooltips = tooltips(found.findings)

    def _to_finding(self, event: events.GenericEventArguments) -> None:
        line = str(event.args)
        if line.isdecimal():
            self.reveal(int(line))

    def reveal(self, line: int) -> None:
        """Scrolls to a line of the sheet and highlights it briefly."""
        if 1 <= line <= self.text.count("\n") + 1:
            found = () if self.checked is None else self.checked.findings
            marks = list(decorations(self.text, found))
            self.editor.decorations = [*marks, {"kind": "line", "line": line, "class": "sheet-line"}]
            self.editor.reveal_line(line)
            self.line = line
            self._remember()

    async def _reveal_later(self, line: int) -> None:
        await self.client.connected()
        await asyncio.sleep(0.8)
        self.reveal(line)

    # -- other actions ------------------------------------------------------------------------------------

    def _new(self) -> None:
        """Begins another sheet in the same editor, so that undoing brings the old one back."""
        self.editor.line_tooltips = {}
        self.editor.set_language("Scheme")
        self.editor.value = BLANK
        shell.say("A new sheet. Ctrl-Z in the editor brings the one before back.")

    def _play(self) -> None:
        ui.navigate.to(address("/play", self.sheet.query()))

    def _save(self) -> None:
        name = self.sheet.name or "rules"
        ui.download.content(self.text[:SHEET_CHARACTERS], f"{name}.{guess_syntax(self.text)}")

    def _leave(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self.worker.clear()


FINDING: Final = (
    "(event) => { const at = event.target.closest('[data-line]'); if (at) emit(at.dataset.line); }"
)


def findings_html(found: Checked) -> str:
    """The findings as a list, many warnings of one kind folded into one; a click on one goes to its line."""
    if not found.findings:
        return '<div class="empty">Nothing to complain about.</div>'
    items = []
    for code, several in groupby(found.findings, key=lambda finding: str(finding["code"])):
        buttons = [_finding_html(finding) for finding in several]
        if code in ERRORS or len(buttons) <= FOLDED:
            items += buttons
        else:
            items.append(
                f'<details><summary><span class="badge warn">{len(buttons):,} times</span> '
                f'{markup.escape(CODES[code])} <span class="mono">{markup.escape(code)}</span></summary>'
                f"{''.join(buttons)}</details>"
            )
    hidden = found.errors + found.warnings - len(found.findings)
    if hidden:
        items.append(f'<div class="empty">… and {hidden:,} more</div>')
    return "".join(items)


def _finding_html(finding: Mapping[str, Any]) -> str:
    kind = "bad" if finding["severity"] == "error" else "warn"
    return (
        f'<button type="button" class="finding" data-line="{int(finding["line"])}">'
        f'<span class="badge {kind}">line {int(finding["line"])}</span>'
        f'<span class="what">{markup.escape(finding["message"])}</span>'
        f'<span class="more">expected: {markup.escape(finding["expected"])}; {markup.escape(finding["hint"])} '
        f'<span class="mono">{markup.escape(finding["code"])}</span></span></button>'
    )


def decorations(text: str, findings: Any) -> Any:
    """Underlines the words that the findings are about."""
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    for finding in findings:
        line, column, length = finding["line"], finding["column"], finding["length"]
        if line >= len(starts):
            continue
        start = starts[line - 1] + column - 1
        end = min(start + max(1, length), starts[line] - 1, len(text))
        if 0 <= start < end:
            yield {"kind": "mark", "from": start, "to": end, "class": f"sheet-{finding['severity']}"}


def tooltips(findings: Any) -> dict[int, str]:
    """The tooltip of each line with findings."""
    found: dict[int, str] = {}
    for finding in findings:
        words = f"{finding['severity']}: {finding['message']}"
        line = int(finding["line"])
        found[line] = f"{found[line]}\n{words}" if line in found else words
    return found

"""The Search page: any taught algorithm on any tree or position, step by step."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from fastapi import HTTPException, Request, Response
from nicegui import app, events, ui

from stratagem import sheets as games
from stratagem.errors import StratagemError, UsageError
from stratagem.search import ADVERSARIAL, ALGORITHMS, SINGLE
from stratagem.show.labels import title
from stratagem.web.app import shell
from stratagem.web.app.address import address
from stratagem.web.app.limits import TREE_CHARACTERS
from stratagem.web.app.subject import DEEPEST, Subject, edited
from stratagem.web.pages.search_source import SourceForm
from stratagem.web.tasks import searches
from stratagem.web.tasks.searches import ComparisonRow, PackedWalkthrough
from stratagem.web.widgets import markup
from stratagem.web.widgets.progress import Progress, background
from stratagem.web.workers.scheduler import Scheduler

PAGE: Final = shell.PAGES[1]
NONE: Final = ""
FILES: Final = {
    "svg": "Picture at this step (SVG)",
    "png": "Picture at this step (PNG)",
    "html": "Standalone page (HTML)",
    "json": "All events (JSON lines)",
}
COUNTERS: Final = {
    "nodes": "nodes visited",
    "leaves": "leaves",
    "cutoffs": "cuts",
    "duplicates": "seen before",
    "pops": "popped",
    "peak_open": "peak size",
    "passes": "passes",
}


def fitting(alone: bool | None) -> dict[str, str]:
    """The algorithms with their titles: for a puzzle (*alone*), for two sides, or all if that is not known."""
    names = (*SINGLE, *ADVERSARIAL) if alone or alone is None else tuple(ADVERSARIAL)
    return {name: title(name) for name in names}


def default_algorithm(subject: Subject) -> str:
    """What an address without an algorithm runs.

    >>> from stratagem.web.app.address import Sheet
    >>> [default_algorithm(Subject(sheet=Sheet(name))) for name in ("eightpuzzle", "nim")]
    ['breadth-first', 'alpha-beta']
    """
    sheet = subject.sheet
    if sheet is None:
        return "sss-star"
    puzzle = bool(sheet.name) and games.header(sheet.name).kind == "puzzle"
    return "breadth-first" if puzzle else "alpha-beta"


LARGEST_LEAF: Final = 1_000_000_000
LEAVES: Final = "Click a leaf to give it another value. "
KEYS: Final = (
    "→ and ← step, space plays, c goes to the next cut; a click on a node folds or opens what is below it."
)


def register(scheduler: Scheduler) -> None:
    """Adds the page, the data of walkthroughs, and the script that shows them."""
    from stratagem.show.walkthrough.render.html import page_script, page_style

    script = f'(() => {{\n"use strict";\n{page_script()}\n}})();'
    style = page_style()

    @app.get("/walkthrough.js")
    def walkthrough_script() -> Response:
        return Response(script, media_type="text/javascript", headers={"Cache-Control": "max-age=3600"})

    @app.get("/walkthrough.css")
    def walkthrough_style() -> Response:
        return Response(style, media_type="text/css", headers={"Cache-Control": "max-age=3600"})

    @app.get("/walkthrough/{key}.json")
    def walkthrough(key: str) -> Response:
        told = scheduler.walkthroughs.get(key)
        if told is None:
            raise HTTPException(404)
        headers = {"Content-Encoding": "gzip", "Cache-Control": "no-store"}
        return Response(told.packed, media_type="application/json", headers=headers)

    @ui.page(PAGE.path, response_timeout=30)
    async def search(request: Request) -> None:
        query = dict(request.query_params)
        add_walkthrough_assets()
        try:
            subject = Subject.from_query(query)
        except StratagemError as refused:
            with shell.page(PAGE, request):
                shell.trouble_card(
                    refused.message, refused.hint, ("Begin with the lecture's tree", PAGE.path)
                )
            return
        with shell.page(PAGE, request, subject.title):
            await SearchPage(scheduler, subject, query).build()


def add_walkthrough_assets() -> None:
    """The script and style sheet that walkthroughs need."""
    from stratagem.show.walkthrough.render.html import page_script, page_style

    style, script = shell.fingerprint(page_style()), shell.fingerprint(page_script())
    ui.add_head_html(
        f'<link rel="stylesheet" href="/walkthrough.css?v={style}">'
        f'<script src="/walkthrough.js?v={script}"></script>'
        f'<script defer src="{shell.asset("search.js")}"></script>'
    )


class SearchPage:
    """One visitor's page."""

    def __init__(self, scheduler: Scheduler, subject: Subject, query: Mapping[str, str]) -> None:
        self.client = ui.context.client
        self.scheduler = scheduler
        self.subject = subject
        default = default_algorithm(subject)
        self.first = query.get("a", default) if query.get("a", default) in ALGORITHMS else default
        self.second = query["b"] if query.get("b") in ALGORITHMS else NONE
        step = query.get("step", "1")
        self.step = int(step) if step.isdecimal() and len(step) < 8 else 1
        self.compared = query.get("compare") == "1"
        self.told: PackedWalkthrough | None = None
        self._offering = False

    async def build(self) -> None:
        """Builds the page and runs the first search."""
        with ui.element("section").classes("card no-print"):
            with ui.element("div").classes("flow"):
                self.form = SourceForm(self.scheduler, self.subject, self._subject)
                names = fitting(self.form.alone)
                for name in (self.first, self.second):
                    if name:
                        names.setdefault(name, title(name))
                self.choice = ui.select(
                    names, value=self.first, label="Algorithm", on_change=self._algorithms
                )
                self.beside = ui.select(
                    {NONE: "nothing", **names},
                    value=self.second,
                    label="Side by side with",
                    on_change=self._algorithms,
                )
                for select in (self.choice, self.beside):
                    select.props("outlined dense options-dense").classes("field wide")
                self.choice.mark("algorithm")
                self.beside.mark("beside")
                with (
                    ui.dropdown_button("Export", icon="download", color=None, auto_close=True)
                    .props("no-caps flat")
                    .classes("quiet export")
                ):
                    for kind, words in FILES.items():
                        ui.item(words, on_click=lambda kind=kind: self._export(kind)).props(
                            f'data-export="{kind}"'
                        )
            self.progress = Progress()
        self.trouble = ui.label().classes("card trouble").props('role="alert"').mark("trouble")
        self.trouble.set_visibility(False)
        with ui.element("div").classes("walkthroughs") as self.stages:
            self.hosts = [
                ui.element("div").classes("walkthrough").mark(f"stage-{number}") for number in (1, 2)
            ]
        for host in self.hosts:
            host.on("leaf", self._leaf, js_handler="(event) => emit(event.detail)")
        self.help = ui.label().classes("soft small no-print")
        with ui.element("section").classes("card"):
            with ui.element("div").classes("flow between"):
                ui.html(markup.heading("All algorithms on the same subject"), sanitize=False)
                self.compare_button = shell.button("Compare", self._ask, icon="table_chart", kind="quiet")
            self.comparing = Progress()
            self.table = ui.html("", sanitize=False).classes("scroll").mark("comparison")
        self.run(self.step)

    # -- searching -----------------------------------------------------------------------------------------

    def run(self, step: int = 1) -> None:
        """Runs the chosen algorithms and shows them at *step*."""
        self.hosts[1].set_visibility(bool(self.second))
        self.stages.classes(add="two" if self.second else "", remove="" if self.second else "two")
        self._trouble("")
        self._remember(step)
        self.progress.run(
            "Searching …", self._walkthroughs(), lambda found: self._show(found, step), self._trouble
        )
        tree = self.subject.sheet is None
        self.help.text = f"{LEAVES if tree else ''}{KEYS}"
        self.compare_button.set_visibility(not tree and not self.compared)
        if tree or self.compared:
            self._compare()
        else:
            self.comparing.cancel()
            self.table.content = '<p class="empty">Press Compare to run all of them on this position.</p>'

    def _remember(self, step: int) -> None:
        query = {
            **self.subject.query(),
            "a": self.first,
            "b": self.second,
            "step": "" if step == 1 else str(step),
            "compare": "1" if self.compared and self.subject.sheet is not None else "",
        }
        ui.navigate.history.replace(address(PAGE.path, query))

    async def _walkthroughs(self) -> list[tuple[str, PackedWalkthrough]]:
        names = [self.first, self.second] if self.second else [self.first]
        return await asyncio.gather(*(self._walkthrough(name) for name in names))

    async def _walkthrough(self, algorithm: str) -> tuple[str, PackedWalkthrough]:
        key = self.scheduler.walkthroughs.key(self.subject, algorithm)
        told = self.scheduler.walkthroughs.get(key)
        if told is None:
            told = await self.scheduler.work(
                self.client.id,
                searches.walkthrough,
                self.subject,
                algorithm,
                heard=lambda said: self.progress.say(str(said)),
            )
            self.scheduler.walkthroughs.put(key, told)
        return key, told

    async def _show(self, found: list[tuple[str, PackedWalkthrough]], step: int) -> None:
        self.told = found[0][1]
        hosts = ", ".join(f"getHtmlElement({host.id})" for host in self.hosts[: len(found)])
        urls = json.dumps([f"/walkthrough/{key}.json" for key, _ in found])
        editable = "true" if self.subject.sheet is None else "false"
        ui.run_javascript(f"SearchPage.show([{hosts}], {urls}, {{step: {step - 1}, editable: {editable}}})")

    def _trouble(self, words: str) -> None:
        self.trouble.text = words
        self.trouble.set_visibility(bool(words))
        self.stages.set_visibility(not words)  # the tree of the search before would be taken for an answer

    def _subject(self, subject: Subject) -> None:
        if subject != self.subject:
            puzzle = self.form.alone
            if puzzle is not None and puzzle != (self.first in SINGLE):
                self.first = "breadth-first" if puzzle else "alpha-beta"
                self.second = NONE
            self.subject = subject
            self.compared = False
            self._offering = True  # changes below come from the program; one run follows
            self.choice.set_options(fitting(puzzle), value=self.first)
            self.beside.set_options({NONE: "nothing", **fitting(puzzle)}, value=self.second)
            self._offering = False
            self.run()

    async def _algorithms(self) -> None:
        first, second = str(self.choice.value), str(self.beside.value or NONE)
        changed = (first, second) != (self.first, self.second)
        if changed and not self._offering and first in ALGORITHMS:
            stays = first == self.first  # then the step that is looked at stays
            self.first, self.second = first, second if second in ALGORITHMS else NONE
            self.run(await self._at() if stays else 1)

    async def _at(self) -> int:
        """The step that is looked at."""
        step = await ui.run_javascript("return SearchPage.at()", timeout=5)
        return step if isinstance(step, int) else 1

    def _leaf(self, event: events.GenericEventArguments) -> None:
        """A leaf was edited on the page: the tree becomes one of the visitor's own."""
        told, said = self.told, event.args
        if told is None or told.spec is None or not isinstance(said, dict):
            return
        path, value = said.get("path"), said.get("value")
        if not isinstance(path, list) or not all(type(part) is int for part in path):
            return
        if not isinstance(value, int | float) or abs(value) > LARGEST_LEAF:
            shell.say(f"A leaf is worth a number from -{LARGEST_LEAF:,} to {LARGEST_LEAF:,} here.", "warning")
            return
        try:
            spec = edited(told.spec, path[:DEEPEST], value)
            text = json.dumps(spec, separators=(",", ":"))
            if len(text) > TREE_CHARACTERS:
                raise UsageError("this tree is too large to be edited here", hint="take a smaller one")
        except StratagemError as refused:
            shell.refuse(refused)
            return
        self.subject = Subject(text, depth=self.subject.depth)
        self.form.take(self.subject)
        self.run()

    # -- comparison and export -----------------------------------------------------------------------------

    async def _ask(self) -> None:
        self.compared = True
        self.compare_button.set_visibility(False)
        self.table.content = ""
        self._remember(await self._at())
        self._compare()

    def _compare(self) -> None:
        key = self.scheduler.walkthroughs.key(self.subject, "compare")
        known = self.scheduler.comparisons.get(key)
        if known is not None:
            self.comparing.cancel()
            self._rows(key, known)
            return
        work = self.scheduler.work(
            self.client.id, searches.compare, self.subject, heard=lambda said: self.comparing.say(str(said))
        )
        self.comparing.run("Comparing …", work, lambda rows: self._rows(key, rows), self._failed)

    def _failed(self, words: str) -> None:
        self.table.content = f'<p class="empty">{markup.escape(words)}</p>'

    def _rows(self, key: str, rows: tuple[ComparisonRow, ...]) -> None:
        self.scheduler.comparisons[key] = rows
        while len(self.scheduler.comparisons) > 200:
            self.scheduler.comparisons.pop(next(iter(self.scheduler.comparisons)))
        self.table.content = comparison_html(rows, (self.first, self.second))

    def _export(self, kind: str) -> None:
        background(self._exported(kind), self.client)

    async def _exported(self, kind: str) -> None:
        shown = await ui.run_javascript("return SearchPage.shown()", timeout=5)
        names = (self.first, self.second) if self.second else (self.first,)
        self.progress.run("Drawing …", self._files(kind, names, shown), self._download)

    async def _files(self, kind: str, names: Sequence[str], shown: Any) -> list[tuple[str, bytes]]:
        """One file for each search on the page, with its name."""
        views = [shown_from(one) for one in shown] if isinstance(shown, list) else []
        files = []
        for number, name in enumerate(names):
            at, drawn = views[number] if number < len(views) else (1, None)
            data = await self.scheduler.work(
                self.client.id, searches.exported, self.subject, name, kind, at, drawn
            )
            files.append((f"{self.subject.kind}-{name}.{'jsonl' if kind == 'json' else kind}", data))
        return files

    def _download(self, files: Sequence[tuple[str, bytes]]) -> None:
        for name, data in files:
            ui.download.content(data, name)


def shown_from(said: Any) -> tuple[int, frozenset[int] | None]:
    """The step and the nodes that a walkthrough of the page shows; its beginning and all nodes where it says nothing.

    >>> shown_from({"at": 3, "drawn": [0, 2]})
    (3, frozenset({0, 2}))
    """
    if not isinstance(said, dict):
        return 1, None
    at, drawn = said.get("at"), said.get("drawn")
    numbers = frozenset(one for one in drawn if isinstance(one, int)) if isinstance(drawn, list) else None
    return at if isinstance(at, int) else 1, numbers


def comparison_html(rows: tuple[ComparisonRow, ...], chosen: tuple[str, str]) -> str:
    """The table of all algorithms; those shown on the page are marked."""
    whole = next((row.counters["leaves"] for row in rows if row.algorithm == "minimax" and row.counters), 0)
    used = [name for name in COUNTERS if any(row.counters and row.counters[name] for row in rows)]
    head = ["algorithm", "value", *(COUNTERS[name] for name in used)]
    if whole:
        head.append("leaves, % of minimax")
    body: list[list[Any]] = []
    for row in rows:
        name = f"▸ {title(row.algorithm)}" if row.algorithm in chosen else title(row.algorithm)
        if row.counters is None:
            body.append([name, row.refused, *[None] * (len(head) - 2)])
            continue
        share = [round(100 * row.counters["leaves"] / whole)] if whole else []
        value = None if row.value is None else row.value
        cells = [row.counters[each] or None for each in used]
        body.append([name if row.complete else f"{name} (stopped)", value, *cells, *share])
    return markup.table(head, body)

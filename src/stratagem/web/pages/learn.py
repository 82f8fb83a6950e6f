"""The Learn page: the chapters of the course with live examples; progress is stored in the browser."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final

from fastapi import Request
from nicegui import ui

from stratagem import sheets as games
from stratagem.web import course
from stratagem.web.app import shell
from stratagem.web.app.address import Sheet, address
from stratagem.web.app.subject import Subject
from stratagem.web.course import CHAPTERS, Chapter, ChapterPart
from stratagem.web.pages.learn_exercise import ExerciseCard
from stratagem.web.pages.search import add_walkthrough_assets
from stratagem.web.tasks import course as tables
from stratagem.web.tasks import searches
from stratagem.web.tasks.course import Measured
from stratagem.web.tasks.searches import PackedWalkthrough
from stratagem.web.widgets import markup
from stratagem.web.widgets.progress import Progress
from stratagem.web.workers.scheduler import COURSE, Scheduler

PAGE: Final = shell.PAGES[4]
KEPT: Final = "course"


def register(scheduler: Scheduler) -> None:
    """Adds the page."""

    @ui.page(PAGE.path, response_timeout=30)
    async def learn(request: Request) -> None:
        query = dict(request.query_params)
        chapter = course.chapter(query.get("page", ""))
        if chapter is not None:
            add_walkthrough_assets()
        with shell.page(PAGE, request, chapter.title if chapter is not None else ""):
            if chapter is None:
                ContentsPage().build()
            else:
                await ChapterPage(scheduler, chapter, query).build()


class ContentsPage:
    """The list of chapters, with what has been read and solved in this browser."""

    def build(self) -> None:
        ui.html(markup.heading("A course in search", 1), sanitize=False)
        ui.label(
            "Short chapters in the order of the lectures. Every table is measured on the spot, every search can be "
            "stepped through, and the exercises say where an answer is wrong and why."
        ).classes("soft")
        self.marks: dict[str, ui.label] = {}
        with ui.element("div").classes("chapters"):
            for number, chapter in enumerate(CHAPTERS, start=1):
                link = address(PAGE.path, {"page": chapter.name})
                with ui.element("a").props(f'href="{link}"').classes("card chapter"):
                    ui.label(str(number)).classes("number")
                    with ui.element("div").classes("grow"):
                        ui.label(chapter.title).classes("strong")
                        ui.label(chapter.about).classes("soft small")
                    self.marks[chapter.name] = ui.label().classes("badge")
        with ui.element("div").classes("flow no-print"):
            shell.button("Forget my progress", self._forget, icon="delete_outline", kind="quiet")
        ui.timer(0.1, self._kept, once=True)

    async def _kept(self) -> None:
        kept = await ui.run_javascript(f"return Workbench.kept({json.dumps(KEPT)})", timeout=10)
        if isinstance(kept, dict):
            self._show(kept)

    def _show(self, kept: Mapping[str, object]) -> None:
        for chapter in CHAPTERS:
            mark = self.marks[chapter.name]
            solved = kept.get(f"solved {chapter.exercise}") if chapter.exercise else None
            if isinstance(solved, list) and solved:
                mark.text = f"✓ {len(solved)} solved"
                mark.classes(replace="badge good")
            elif kept.get(f"read {chapter.name}"):
                mark.text = "✓ read"
                mark.classes(replace="badge info")
            else:
                mark.text = ""
                mark.classes(replace="")

    def _forget(self) -> None:
        ui.run_javascript(f"Workbench.forget({json.dumps(KEPT)})")
        self._show({})


class ChapterPage:
    """One chapter."""

    def __init__(self, scheduler: Scheduler, chapter: Chapter, query: Mapping[str, str]) -> None:
        self.client = ui.context.client
        self.scheduler = scheduler
        self.chapter = chapter
        self.query = query

    async def build(self) -> None:
        """Builds the page; examples appear as they are computed."""
        place = CHAPTERS.index(self.chapter)
        with ui.element("article").classes("prose"):
            ui.html(markup.heading(f"{place + 1}. {self.chapter.title}", 1), sanitize=False)
            for part in course.parts(self.chapter.name):
                await self._part(part)
            with ui.element("nav").classes("flow between no-print").props('aria-label="chapters"'):
                self._link("←", CHAPTERS[place - 1] if place else None)
                ui.link("All chapters", PAGE.path)
                self._link("→", CHAPTERS[place + 1] if place + 1 < len(CHAPTERS) else None)
        ui.run_javascript(
            f"Workbench.keep({json.dumps(KEPT)}, {json.dumps('read ' + self.chapter.name)}, true)"
        )

    def _link(self, arrow: str, chapter: Chapter | None) -> None:
        if chapter is None:
            ui.label("")
        else:
            words = f"{arrow} {chapter.title}" if arrow == "←" else f"{chapter.title} {arrow}"
            ui.link(words, address(PAGE.path, {"page": chapter.name}))

    async def _part(self, part: ChapterPart) -> None:
        match part.kind:
            case "text":
                ui.markdown(part.text)
            case "play":
                self._play(part.words[0])
            case "search":
                self._walkthrough(part.words[0], part.words[1])
            case "table":
                self._table(part.words[0], part.words[1:])
            case "exercise":
                await ExerciseCard(part.words[0], self.query).build()

    def _play(self, name: str) -> None:
        header = games.header(name)
        with ui.element("a").props(f'href="{address("/play", {"game": name})}"').classes("card play-card"):
            for theme, when in (("light", "by-day"), ("dark", "by-night")):
                ui.element("img").props(
                    f'src="/picture/{name}/{theme}.svg" alt="" width="120" height="120"'
                ).classes(when)
            with ui.element("div").classes("grow"):
                ui.label(f"Play {header.title or name}").classes("strong")
                ui.label(header.about).classes("soft small")

    def _walkthrough(self, what: str, algorithm: str) -> None:
        subject = _subject(what)
        with ui.element("figure").classes("live"):
            progress = Progress()
            host = ui.element("div").classes("walkthrough").mark(f"walkthrough-{algorithm}")
            link = address("/search", {**subject.query(), "a": algorithm})
            ui.link("Open in the Search page", link).classes("small no-print")
        key = self.scheduler.walkthroughs.key(subject, algorithm)

        async def told() -> PackedWalkthrough:
            known = self.scheduler.walkthroughs.get(key)
            if known is None:
                known = await self.scheduler.work(COURSE, searches.walkthrough, subject, algorithm)
                self.scheduler.walkthroughs.put(key, known)
            return known

        def show(found: PackedWalkthrough) -> None:
            self.client.run_javascript(
                f"SearchPage.add(getHtmlElement({host.id}), {json.dumps(f'/walkthrough/{key}.json')})"
            )

        progress.run("Searching …", told(), show)

    def _table(self, kind: str, words: tuple[str, ...]) -> None:
        with ui.element("figure").classes("card live"):
            progress = Progress()
            place = ui.html("", sanitize=False).classes("scroll").mark(f"table-{kind}")
            ui.label("Measured on this machine, just now.").classes("soft small")

        def show(found: Measured) -> None:
            note = f'<p class="soft small">{markup.escape(found.note)}</p>' if found.note else ""
            place.content = markup.table(found.head, found.rows) + note

        progress.run("Measuring …", self._measured(kind, words), show)

    async def _measured(self, kind: str, words: tuple[str, ...]) -> Measured:
        known = self.scheduler.measured.get((kind, words))
        if known is None:
            known = await self.scheduler.work(COURSE, tables.measure, kind, words)
            self.scheduler.measured[kind, words] = known
        return known


def _subject(what: str) -> Subject:
    """The subject of an example: ``lecture``, or ``game:NAME`` with a depth behind it where one is wanted."""
    if not what.startswith("game:"):
        return Subject(what)
    name, _, depth = what.removeprefix("game:").partition(":")
    return Subject("", Sheet(name), depth=int(depth) if depth else None)

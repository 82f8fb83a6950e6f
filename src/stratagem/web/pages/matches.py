"""The Matches page: recorded and running matches, replays, tournaments."""

from __future__ import annotations

from time import localtime, strftime
from typing import Final

from fastapi import Request
from nicegui import ui

from stratagem.errors import StratagemError
from stratagem.play.records.record import MatchRecord
from stratagem.web.app import shell
from stratagem.web.app.address import address, game_title
from stratagem.web.pages.matches_replay import ReplayPage
from stratagem.web.pages.matches_tournaments import TournamentForm, show_standing
from stratagem.web.widgets import markup
from stratagem.web.workers.scheduler import Scheduler

PAGE: Final = shell.PAGES[3]
LISTED: Final = 60
LOOK_AGAIN: Final = 3.0
"""Seconds between two updates of the running matches."""


def register(scheduler: Scheduler) -> None:
    """Adds the page."""

    @ui.page(PAGE.path, response_timeout=30)
    async def matches(request: Request) -> None:
        query = dict(request.query_params)
        tournament, wanted = query.get("tournament", ""), query.get("match", "")
        with shell.page(PAGE, request, tournament or wanted):
            try:
                if wanted:
                    await _replay(scheduler, wanted, tournament, query.get("turn", ""))
                elif tournament:
                    await show_standing(scheduler, tournament)
                else:
                    await Overview(scheduler).build()
            except StratagemError as refused:
                shell.trouble_card(refused.message, refused.hint, ("All matches", PAGE.path))


async def _replay(scheduler: Scheduler, wanted: str, tournament: str, turn: str) -> None:
    live = scheduler.live.get(wanted.removeprefix("live-")) if wanted.startswith("live-") else None
    if live is not None:
        await ReplayPage(scheduler, None, live, wanted).build(int(turn) if turn.isdecimal() else None)
        return
    if live is None and wanted.startswith("live-"):
        wanted = str(scheduler.ended.get(wanted.removeprefix("live-"), wanted))
    record = await scheduler.archive.find(wanted[:200], tournament)
    if record is None:
        shell.trouble_card(
            "There is no such match here.", scheduler.archive.trouble or None, ("All matches", PAGE.path)
        )
        return
    await ReplayPage(scheduler, record, None, wanted, tournament).build(
        int(turn) if turn.isdecimal() else None
    )


class Overview:
    """The lists."""

    def __init__(self, scheduler: Scheduler) -> None:
        self.scheduler = scheduler
        self._live_shown = ""

    async def build(self) -> None:
        """Builds the page; the list of running matches is updated."""
        ui.html(markup.heading("Matches", 1), sanitize=False)
        with ui.element("div").classes("split even"):
            with ui.element("div").classes("side"):
                with ui.element("section").classes("card"):
                    ui.html(markup.heading("Being played now"), sanitize=False)
                    self.live = ui.html("", sanitize=False).classes("scroll").mark("live")
                with ui.element("section").classes("card"):
                    ui.html(markup.heading("Played"), sanitize=False)
                    self.played = ui.html("", sanitize=False).classes("scroll").mark("played")
            with ui.element("div").classes("side"):
                TournamentForm(self.scheduler)
        await self._look()
        ui.timer(LOOK_AGAIN, self._look)

    async def _look(self) -> None:
        newest = await self.scheduler.archive.newest(LISTED)
        running = [record for record in newest if record.status == "running"]
        content = live_html(self.scheduler, running)
        if content != self._live_shown:
            self._live_shown = self.live.content = content
        shown = played_html([record for record in newest if record.status != "running"])
        trouble = self.scheduler.archive.trouble
        wanted = f'<p class="soft">{markup.escape(trouble)}</p>' if trouble else shown
        if self.played.content != wanted:
            self.played.content = wanted


def live_html(scheduler: Scheduler, running: list[MatchRecord]) -> str:
    """Matches at the tables of this scheduler, and those that others host on this machine."""
    rows = []
    for key, live in scheduler.live.items():
        if live.position is None or live.over or not live.history:
            continue  # opened, but not begun
        pairs = zip(live.seats, live.places.words, strict=True)
        seats = ", ".join(f"{role}: {who}" for role, who in pairs)
        link = address(PAGE.path, {"match": f"live-{key}"})
        rows.append(_row(link, "watch", live.sheet.title, seats, f"turn {live.position.turn}"))
    for record in running:
        link = address(PAGE.path, {"match": str(record.number)})
        rows.append(_row(link, "watch", game_title(record.game), ", ".join(record.players), _when(record)))
    if not rows:
        return '<p class="empty">No match is running.</p>'
    return f'<table class="plain"><tbody>{"".join(rows)}</tbody></table>'


def played_html(records: list[MatchRecord]) -> str:
    """The list of matches, newest first, each with a link."""
    if not records:
        return (
            '<p class="empty">No match has been played to its end yet. '
            '<a href="/play?game=tictactoe&amp;seats=stratagem,stratagem">Watch one now.</a></p>'
        )
    rows = []
    for record in records:
        link = address(PAGE.path, {"match": str(record.number)})
        goals = (
            ""
            if record.goals is None
            else " : ".join("?" if goal is None else str(goal) for goal in record.goals)
        )
        status = goals if record.status == "completed" else record.status
        rows.append(
            _row(
                link,
                str(record.number),
                game_title(record.game),
                ", ".join(record.players),
                status,
                _when(record),
            )
        )
    return (
        '<table class="plain"><thead><tr><th></th><th>game</th><th>players</th><th>result</th><th>when</th></tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table>"
    )


def _row(link: str, name: str, *cells: str) -> str:
    rest = "".join(f"<td>{markup.escape(cell)}</td>" for cell in cells)
    return f'<tr><td><a href="{markup.escape(link, quote=True)}">{markup.escape(name)}</a></td>{rest}</tr>'


def _when(record: MatchRecord) -> str:
    return strftime("%Y-%m-%d %H:%M", localtime(record.started / 1000))

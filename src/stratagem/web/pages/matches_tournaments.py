"""Tournaments: the form to start one, its ratings and its cross table."""

from __future__ import annotations

from typing import Final

from nicegui import ui

from stratagem import sheets as games
from stratagem.play.players import player_names
from stratagem.play.records.record import milliseconds
from stratagem.web.app import shell
from stratagem.web.app.address import address, game_title
from stratagem.web.app.limits import QUICK_SECONDS, TOURNAMENT_CLOCK
from stratagem.web.tasks import tournaments
from stratagem.web.tasks.tournaments import Listed, Standing
from stratagem.web.widgets import figures, markup
from stratagem.web.widgets.clock_field import ClockField
from stratagem.web.widgets.progress import Progress
from stratagem.web.workers.scheduler import Scheduler

PATH: Final = "/matches"
LONGEST: Final = 3_600.0
LOOK_AGAIN: Final = 2.0
"""Seconds between two updates of a running tournament."""


class TournamentForm:
    """A form to start a tournament, and the list of tournaments."""

    def __init__(self, scheduler: Scheduler) -> None:
        self.client = ui.context.client
        self.scheduler = scheduler
        with ui.element("section").classes("card"):
            ui.html(markup.heading("Tournaments"), sanitize=False)
            self.list = ui.html("", sanitize=False).classes("scroll").mark("tournaments")
            form = ui.expansion("Play a tournament", icon="emoji_events").classes("no-print").props("dense")
            with form, ui.element("div").classes("side"):
                self._fields()
            self.progress = Progress()
            self.watch = ui.link("Look at the tables as they grow", PATH).props("target=_blank")
            self.watch.classes("small").set_visibility(False)
        self.progress.run("Looking …", self._listed(), self._show_list)

    def _fields(self) -> None:
        titles = {name: games.header(name).title or name for name in games.names()}
        self.name = ui.input("Name", value="friendly").props("outlined dense maxlength=40").classes("fill")
        self.games = ui.select(titles, value=["tictactoe"], multiple=True, label="Games")
        self.games.props("outlined dense use-chips options-dense").classes("fill")
        self.players = ui.select(
            list(player_names()), value=["stratagem", "random"], multiple=True, label="Players"
        )
        self.players.props("outlined dense use-chips options-dense").classes("fill")
        with ui.element("div").classes("flow"):
            self.rounds = ui.number("Rounds", value=1, min=1, max=tournaments.MOST_ROUNDS, step=1)
            self.rounds.props("outlined dense").classes("field")
            shortest, longest = TOURNAMENT_CLOCK
            self.clock = ClockField(1.0, shortest=shortest, longest=longest)
        shell.button("Play", self._play, icon="play_arrow", kind="main")

    async def _listed(self) -> list[Listed]:
        return await self.scheduler.pictures.ask(tournaments.listed, seconds=QUICK_SECONDS)

    def _show_list(self, found: list[Listed]) -> None:
        rows = "".join(
            f'<tr><td><a href="{markup.escape(address(PATH, {"tournament": one.name}), quote=True)}">'
            f"{markup.escape(one.name)}</a></td><td>{markup.escape(', '.join(map(game_title, one.games)))}</td>"
            f"<td>{markup.escape(', '.join(one.players))}</td><td class=number>{one.played}</td>"
            f"<td class=number>{one.running or ''}</td></tr>"
            for one in found
        )
        head = (
            "<thead><tr><th></th><th>games</th><th>players</th><th class=number>matches</th>"
            "<th class=number>now</th></tr></thead>"
        )
        self.list.content = (
            f'<table class="plain">{head}<tbody>{rows}</tbody></table>'
            if rows
            else '<p class="empty">None has been played here.</p>'
        )

    def _play(self) -> None:
        if not self.clock.read():
            return
        work = self.scheduler.work(
            self.client.id,
            tournaments.play,
            str(self.name.value or ""),
            tuple(self.games.value or ()),
            tuple(self.players.value or ()),
            int(self.rounds.value or 0),
            self.clock.seconds,
            seconds=LONGEST,
            heard=self._heard,
            gate=self.scheduler.tournaments,
        )
        self.progress.run("The tournament is queued …", work, self._done)

    def _heard(self, said: object) -> None:
        self.progress.say(str(said))
        shell.lead(self.watch, address(PATH, {"tournament": str(self.name.value)}))
        self.watch.set_visibility(True)

    def _done(self, name: str) -> None:
        ui.navigate.to(address(PATH, {"tournament": name}))


async def show_standing(scheduler: Scheduler, name: str) -> None:
    """The page of one tournament, updated while it runs."""
    await StandingPage(scheduler, name).build()


class StandingPage:
    """Ratings, cross table and matches."""

    def __init__(self, scheduler: Scheduler, name: str) -> None:
        self.scheduler = scheduler
        self.name = name
        self._shown: Standing | None = None

    async def build(self) -> None:
        found = await self._ask()
        with ui.element("div").classes("headline"):
            ui.html(markup.heading(f"Tournament: {found.name}", 1), sanitize=False)
            self.summary = ui.label().classes("soft").mark("summary")
        with ui.element("div").classes("split even"):
            with ui.element("section").classes("card"):
                ui.html(markup.heading("Ratings"), sanitize=False)
                self.plot = ui.html("", sanitize=False).classes("plot")
                self.ranking = ui.html("", sanitize=False).classes("scroll")
            with ui.element("section").classes("card"):
                ui.html(markup.heading("Who against whom"), sanitize=False)
                self.cross = ui.html("", sanitize=False).classes("scroll").mark("cross")
                ui.label("Points of each row against each column, and the maximum.").classes("soft small")
        with ui.element("section").classes("card") as self.now:
            ui.html(markup.heading("Being played"), sanitize=False)
            self.running = ui.html("", sanitize=False).classes("scroll").mark("running")
        with ui.element("section").classes("card"):
            ui.html(markup.heading("Matches"), sanitize=False)
            self.matches = ui.html("", sanitize=False).classes("scroll")
        ui.link("All matches", PATH)
        self._show(found)
        if found.missing:
            self.timer = ui.timer(LOOK_AGAIN, self._look)

    async def _ask(self) -> Standing:
        return await self.scheduler.pictures.ask(tournaments.standing, self.name, seconds=QUICK_SECONDS)

    async def _look(self) -> None:
        found = await self._ask()
        if found != self._shown:
            self._show(found)
        if not found.missing:
            self.timer.active = False

    def _show(self, found: Standing) -> None:
        self._shown = found
        missing = f", {found.missing} to come" if found.missing else ""
        self.summary.text = f"{found.summary}{missing}"
        self.plot.content = figures.rating_plot(found.ratings)
        self.ranking.content = ranking_html(found)
        self.cross.content = cross_html(found)
        self.matches.content = matches_html(found)
        self.running.content = running_html(found)
        self.now.set_visibility(bool(found.running))


def ranking_html(found: Standing) -> str:
    rows = (
        (
            str(place),
            one.player,
            f"{one.elo:.0f}",
            f"{one.low:.0f} to {one.high:.0f}",
            one.games,
            f"{100 * one.score:.0f} %",
        )
        for place, one in enumerate(found.ratings, start=1)
    )
    return markup.table(("", "player", "Elo", "95 %", "games", "score"), rows)


def cross_html(found: Standing) -> str:
    """Points of each row against each column, and the maximum."""
    names = [rating.player for rating in found.ratings]
    rows = ((name, *cells) for name, cells in zip(names, found.cross, strict=True))
    return markup.table(("", *names), rows)


def running_html(found: Standing) -> str:
    """The matches that are being played, and for how long."""
    now = milliseconds()
    rows = ((match, f"{max(0, now - began) // 1000} s") for match, began in found.running)
    return markup.table(("match", "for"), rows)


def matches_html(found: Standing) -> str:
    rows = []
    for round, game, result, turns, match in found.matches:
        link = markup.escape(address(PATH, {"tournament": found.name, "match": match}), quote=True)
        rows.append(
            f'<tr><td>{round}</td><td>{markup.escape(game_title(game))}</td><td><a href="{link}">{markup.escape(result)}</a></td>'
            f"<td class=number>{turns}</td></tr>"
        )
    head = "<thead><tr><th>round</th><th>game</th><th>result</th><th class=number>turns</th></tr></thead>"
    return f'<table class="plain">{head}<tbody>{"".join(rows)}</tbody></table>'

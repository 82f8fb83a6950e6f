"""The start page: the list of pages, and a card with a picture for every game."""

from __future__ import annotations

import asyncio
from typing import Final

from fastapi import HTTPException, Request, Response
from nicegui import app, ui

from stratagem import __version__
from stratagem import sheets as games
from stratagem.web.app import shell
from stratagem.web.app.address import address
from stratagem.web.app.limits import LOADING_SECONDS
from stratagem.web.tasks import positions
from stratagem.web.workers.scheduler import Scheduler

FIRST: Final = (
    "tictactoe",
    "connectfour",
    "hex",
    "reversi",
    "breakthrough",
    "buttonsandlights",
    "nim",
    "eightpuzzle",
)
KINDS: Final = {
    "all": "All",
    "two players in turn": "For two",
    "puzzle": "Puzzles",
    "three players in turn": "For three",
    "two players at once": "Simultaneous",
}
BEGINNINGS: Final = (
    ("Play tic-tac-toe", "play_arrow", "/play?game=tictactoe", "main"),
    ("Watch two players", "visibility", "/play?game=connectfour&seats=stratagem,stratagem", "plain"),
    ("Watch a search", "account_tree", "/search?tree=lecture&a=sss-star", "plain"),
    ("Begin the course", "school", "/learn?page=states", "plain"),
)
"""Text, icon, address and style of the suggestions for newcomers."""
THEMES: Final = ("light", "dark")
WATCHED: Final = "stratagem,stratagem"


def register(scheduler: Scheduler) -> None:
    """Adds the start page and the pictures of the games."""
    pictures: dict[tuple[str, str], asyncio.Future[str]] = {}

    @app.get("/picture/{name}/{theme}.svg")
    async def picture(name: str, theme: str) -> Response:
        if name not in games.names() or theme not in THEMES:
            raise HTTPException(404)
        key = name, theme
        if key not in pictures:
            pictures[key] = asyncio.ensure_future(
                scheduler.pictures.ask(positions.thumbnail, name, theme, seconds=LOADING_SECONDS)
            )
        svg = await asyncio.shield(pictures[key])
        return Response(svg, media_type="image/svg+xml", headers={"Cache-Control": "max-age=86400"})

    @ui.page("/")
    def start(request: Request) -> None:
        with shell.page(shell.HOME, request):
            with ui.element("section").classes("hero"):
                ui.html("Any game you can write down", sanitize=False, tag="h1")
                ui.html(
                    "Play it, watch a search on it, change its rules, and ask why. Everything is drawn "
                    "and decided from the rules alone.",
                    sanitize=False,
                    tag="p",
                )
                with ui.element("div").classes("flow no-print"):
                    for words, icon, path, kind in BEGINNINGS:
                        with ui.element("a").props(f'href="{path}"').classes(f"call {kind}"):
                            ui.icon(icon)
                            ui.label(words)
            with ui.element("section").classes("page-cards no-print"):
                for each in shell.PAGES:
                    with ui.element("a").props(f'href="{each.path}"').classes("card page-card"):
                        ui.icon(each.icon)
                        ui.label(each.title).classes("strong")
                        ui.html(each.about, sanitize=False, tag="span")
            _gallery()


def _gallery() -> None:
    ordered = [*FIRST, *(name for name in games.names() if name not in FIRST)]
    cards: list[tuple[str, str, ui.element]] = []

    def filter_cards() -> None:
        wanted = (search.value or "").lower()
        for name, words, card in cards:
            fits = kind.value == "all" or kind.value == games_kind(name)
            card.set_visibility(fits and wanted in words)
        nothing.set_visibility(not any(card.visible for _, _, card in cards))

    with ui.element("div").classes("flow between").props('id="games"'):
        ui.html("Games", sanitize=False, tag="h2")
        with ui.element("div").classes("flow no-print"):
            kind = ui.toggle(dict(KINDS), value="all", on_change=filter_cards).props(
                "no-caps unelevated dense"
            )
            search = ui.input(placeholder="Find a game", on_change=filter_cards)
            search.props('outlined dense clearable debounce=200 aria-label="Find a game"')
    with ui.element("section").classes("games"):
        for name in ordered:
            cards.append(
                (name, f"{name} {games.header(name).title} {games.header(name).about}".lower(), _card(name))
            )
    nothing = ui.label("No bundled game fits. Rules of your own can be written on the Rules page.").classes(
        "empty"
    )
    nothing.set_visibility(False)
    ui.label(f"Stratagem {__version__}").classes("soft small")


def _card(name: str) -> ui.element:
    header = games.header(name)
    title = header.title or name
    play = address("/play", {"game": name})
    with ui.element("article").classes("card game") as card:
        with ui.element("a").props(f'href="{play}"').classes("face"):
            with ui.element("div").classes("picture"):
                for theme, when in zip(THEMES, ("by-day", "by-night"), strict=True):
                    ui.element("img").props(
                        f'src="/picture/{name}/{theme}.svg" alt="" loading="lazy" width="130" height="130"'
                    ).classes(when)
            ui.label(title).classes("strong")
            ui.label(header.about).classes("about")
        with ui.element("div").classes("ways no-print"):
            ui.link("Play", play)
            if games_kind(name) == "two players in turn":
                ui.link("Watch", address("/play", {"game": name, "seats": WATCHED}))
            ui.link("Rules", address("/rules", {"game": name}))
    return card


def games_kind(name: str) -> str:
    """Which of `KINDS` a bundled game belongs to."""
    kind = games.header(name).kind
    return kind if kind in KINDS else "two players in turn"

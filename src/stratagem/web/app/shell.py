"""The frame of every page: navigation bar, theme, style sheet, buttons, messages.

The theme is kept in a cookie, so that a page is drawn right at once; all other state of a page is in its address.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Final

from fastapi import Request
from nicegui import app, background_tasks, ui
from nicegui.events import ClickEventArguments, Handler

from stratagem.errors import StratagemError
from stratagem.show.board.svg.marks import style as board_style

THEME_COOKIE: Final = "stratagem-theme"
ASSETS: Final = "/workbench-assets"


@dataclass(frozen=True, slots=True)
class PageInfo:
    """An entry of the navigation bar."""

    path: str
    title: str
    icon: str
    about: str


PAGES: Final = (
    PageInfo("/play", "Play", "sports_esports", "Play any game against any player, with hints and reasons."),
    PageInfo("/search", "Search", "account_tree", "Watch any search step by step, and see why it cuts."),
    PageInfo("/rules", "Rules", "edit_note", "Write rules; errors appear at their line as you type."),
    PageInfo("/matches", "Matches", "history", "Replay matches and inspect the search behind every move."),
    PageInfo("/learn", "Learn", "school", "The lectures as a course with live measurements and exercises."),
)
HOME: Final = PageInfo("/", "Stratagem", "grid_view", "")


def add_assets() -> None:
    """Serves the assets and adds the style sheet to every page; called once, before the server starts."""
    folder = _assets()
    app.add_static_files(ASSETS, str(folder), max_cache_age=3600)
    css = folder.joinpath("workbench.css").read_text(encoding="utf-8")
    boards = board_style().removeprefix("<style>").removesuffix("</style>")
    ui.add_head_html(
        f"<style>{boards}\n{css}</style>"
        f'<script defer src="{asset("workbench.js")}"></script>'
        '<link rel="icon" type="image/svg+xml" href="/workbench-assets/icon.svg">'
        '<meta name="description" content="Stratagem: play, search, write and explain any game">',
        shared=True,
    )


def asset(name: str) -> str:
    """The address of an asset, with a fingerprint: browsers keep it, and ask again after an upgrade."""
    return f"{ASSETS}/{name}?v={fingerprint(_assets().joinpath(name).read_text(encoding='utf-8'))}"


def fingerprint(text: str) -> str:
    """A few letters that are others for another *text*."""
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _assets() -> Traversable:
    return files("stratagem.web").joinpath("assets")


@contextmanager
def page(info: PageInfo, request: Request, title: str = "") -> Iterator[None]:
    """The frame of a page; elements created inside are its content."""
    ui.page_title(f"{title} · {info.title}" if title else info.title)
    ui.colors(
        primary="#0072b2", secondary="#56b4e9", accent="#cc79a7", positive="#00785a", negative="#b94700"
    )
    dark = ui.dark_mode(_theme(request))
    ui.on_exception(_show_bug)
    with ui.header(elevated=False).classes("bar"), ui.element("nav").classes("bar-inner"):
        with ui.element("a").props('href="/" aria-label="Start page"').classes("brand"):
            ui.html(_logo(), sanitize=False, tag="span").classes("logo")
            ui.label("Stratagem").classes("brand-name")
        with ui.element("div").classes("nav-links"):
            for each in PAGES:
                link = ui.element("a").props(f'href="{each.path}"').classes("nav-link")
                if each.path == info.path:
                    link.classes("here").props('aria-current="page"')
                with link:
                    ui.icon(each.icon)
                    ui.label(each.title)
        theme_button(dark)
    with ui.element("main").classes("content"):
        yield


def button(
    text: str = "",
    action: Handler[ClickEventArguments] | None = None,
    *,
    icon: str = "",
    kind: str = "plain",
    tip: str = "",
) -> ui.button:
    """A button: ``main``, ``plain``, ``quiet`` or ``warn``; without *text* it is round and *tip* says what it does."""
    made = ui.button(text, on_click=action, icon=icon or None, color=None).classes(kind)
    made.props(
        "flat dense round" if not text else "flat dense no-caps" if kind == "quiet" else "unelevated no-caps"
    )
    if tip:
        made.props(f'aria-label="{tip}"').tooltip(tip)
    return made


def lead(link: ui.link, where: str) -> None:
    """Changes the target of *link*. Set as a value: written as props, an address would have to be escaped."""
    link.props["href"] = where
    link.update()


def when_dark(use: Callable[[bool], object]) -> None:
    """Calls *use* with whether the page is dark, at first and after every change."""
    client = ui.context.client

    async def ask() -> None:
        await client.connected()
        found = await client.run_javascript(
            "return document.body.classList.contains('body--dark')", timeout=5
        )
        if found is not None:
            use(bool(found))

    client.storage.setdefault("when_dark", []).append(ask)
    background_tasks.create(ask(), context=client)


def theme_button(dark: ui.dark_mode) -> None:
    """Light, dark, or the theme of the system."""

    def turn() -> None:
        client = ui.context.client
        dark.value = {None: True, True: False, False: None}[dark.value]
        name = {None: "auto", True: "dark", False: "light"}[dark.value]
        toggle.props(f"icon={_icon(dark.value)}")
        tip.text = f"Theme: {name}"
        ui.run_javascript(
            f'document.cookie = "{THEME_COOKIE}={name}; path=/; max-age=31536000; SameSite=Lax"'
        )
        for ask in client.storage.get("when_dark", []):
            background_tasks.create(ask(), context=client)

    toggle = button("", turn, icon=_icon(dark.value), kind="theme")
    toggle.props('aria-label="Theme: light, dark or automatic"')
    with toggle:
        tip = ui.tooltip("Theme")


def _icon(dark: bool | None) -> str:
    return {None: "brightness_auto", True: "dark_mode", False: "light_mode"}[dark]


def _theme(request: Request) -> bool | None:
    return {"dark": True, "light": False}.get(request.cookies.get(THEME_COOKIE, ""))


def say(text: str, kind: str = "info") -> None:
    """A notification at the edge of the page; *kind* is ``info``, ``positive``, ``warning`` or ``negative``."""
    ui.notify(text, type=None if kind == "info" else kind, position="bottom", close_button="close")  # type: ignore[arg-type]


def refuse(refused: StratagemError) -> None:
    """Shows an error of ours with its hint."""
    say(str(refused), "warning")


def sentence(words: str) -> str:
    """*words* with a capital letter and a full stop, as they stand alone on a page.

    >>> sentence("there is no game called chess"), sentence("Line 3: an open bracket.")
    ('There is no game called chess.', 'Line 3: an open bracket.')
    """
    stop = "" if words.endswith((".", "?", "!", "…")) else "."
    return f"{words[:1].upper()}{words[1:]}{stop}"


def trouble_card(message: str, hint: str | None = None, link: tuple[str, str] | None = None) -> None:
    """An error in place of the page's content."""
    with ui.element("div").classes("card trouble").props('role="alert"'):
        ui.label(sentence(message)).classes("strong")
        if hint:
            ui.label(sentence(hint))
        if link is not None:
            ui.link(*link)


def _show_bug(failure: Exception) -> None:
    if isinstance(failure, StratagemError):
        refuse(failure)
    else:
        say("An internal error occurred; the server's terminal has the details.", "negative")


def _logo() -> str:
    return _assets().joinpath("icon.svg").read_text(encoding="utf-8")

"""Pictures of every room for docs/screenshots: light and dark, on a desk and on a phone.

    python -m benchmarks.workbench_screenshots [FOLDER]

Each room is brought into a state worth looking at first; nothing is retouched.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

from tests.support.browser import resize, started
from tests.support.workbench import Visitor, until, workbench

DESK = (1240, 780)
TALL = (1240, 900)
PHONE = (390, 800)
CONNECT = "/play?game=connectfour&clock=1.5&seats=you,stratagem&moves=drop 4;drop 4;drop 3;drop 5;drop 3"
BROKEN = "/rules?game=tictactoe"


def start(visitor: Visitor) -> None:
    visitor.open("/")
    until(
        lambda: visitor.js(
            "return [...document.images].filter((i) => i.offsetParent).slice(0, 10).every((i) => i.complete)"
        )
    )


def play(visitor: Visitor) -> None:
    visitor.open(CONNECT)
    visitor.sees(".turn-line", "Your move")
    visitor.js("document.querySelector('[aria-label^=\"Hint\"]').click()")
    until(lambda: visitor.text(".moves") and "a second" in visitor.text(".engine"), 60)
    visitor.js("scrollTo(0, 0)")
    time.sleep(3.0)


def search(visitor: Visitor) -> None:
    visitor.open("/search?tree=lecture&a=sss-star&step=20")
    until(lambda: visitor.js("return document.querySelector('.stratagem')?.dataset.step === '19'"))
    visitor.sees("main table.plain", "SSS*", 60)
    visitor.js("scrollTo(0, 0)")


def rules(visitor: Visitor) -> None:
    from selenium.webdriver.common.keys import Keys

    visitor.open(BROKEN)
    visitor.sees("main", "No errors")
    visitor.click(".cm-content")
    editor = visitor.chrome.switch_to.active_element
    editor.send_keys(Keys.CONTROL, Keys.HOME)
    editor.send_keys(Keys.NULL)
    for _ in range(31):
        editor.send_keys(Keys.ARROW_DOWN)
    editor.send_keys("(<= (next (cell ?row ?n x)) (does xplayer (mark ?row ?column)))", Keys.ENTER)
    visitor.sees(".findings", "variable ?n")
    visitor.click(".finding")
    visitor.js("document.activeElement.blur(); scrollTo(0, 0)")


def matches(visitor: Visitor) -> None:
    visitor.open("/play?game=connectfour&set-columns=5&set-rows=4&seats=stratagem,uct&clock=0.5")
    until(lambda: any(word in visitor.text(".turn-line") for word in ("wins", "draw")), 120)
    visitor.sees(".q-notification", "Recorded as match")
    number = visitor.text(".q-notification").split("match ")[1].split(".")[0]
    visitor.open(f"/matches?match={number}&turn=9")
    visitor.sees(".turn-line", "After 9")


def learn(visitor: Visitor) -> None:
    visitor.open("/learn?page=alpha-beta&seed=7")
    until(lambda: visitor.js("return document.querySelector('.stratagem') !== null"), 60)
    visitor.sees("main table.plain", "minimal tree", 60)
    for _ in range(2):
        visitor.js("document.querySelector('[data-do=cut]').click()")
    visitor.js("scrollTo(0, document.querySelector('.live').getBoundingClientRect().top + scrollY - 150)")


def beside(visitor: Visitor) -> None:
    visitor.open("/search?tree=lecture&a=sss-star&b=alpha-beta&step=20")
    until(lambda: visitor.js("return document.querySelectorAll('.stratagem[data-step=\"19\"]').length === 2"))
    visitor.js(
        "scrollTo(0, document.querySelector('.walkthroughs').getBoundingClientRect().top + scrollY - 66)"
    )


def frontier(visitor: Visitor) -> None:
    visitor.open("/search?game=buttonsandlights&a=breadth-first&step=9")
    until(lambda: visitor.js("return document.querySelector('.stratagem')?.dataset.step === '8'"), 60)


def tournament(visitor: Visitor) -> None:
    """Played in the terminal's way, in the folder of the server."""
    visitor.open("/matches?tournament=spring")
    visitor.sees("main", "Who against whom")


PAGES = (start, play, search, rules, matches, learn)
MORE = (beside, frontier, tournament)
"""Shown once each, light and on a desk."""


def play_a_tournament(data: Path) -> None:
    from stratagem.web.tasks import tournaments

    os.environ["STRATAGEM_DATA"] = str(data)
    players = ("stratagem", "alphabeta", "uct", "random")
    tournaments.play("spring", ("tictactoe", "nim"), players, 1, 0.5, tell=lambda said: None)


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "docs/screenshots")
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as data, workbench(Path(data)) as address, started(DESK) as chrome:
        visitor = Visitor(chrome, address)

        def take(name: str) -> None:
            time.sleep(0.8)
            path = folder / f"{name}.png"
            chrome.save_screenshot(str(path))
            print(path, path.stat().st_size // 1000, "kB", flush=True)

        play_a_tournament(Path(data))
        for extra in MORE:
            resize(chrome, TALL if extra is beside else DESK)
            extra(visitor)
            take(extra.__name__)
        for room in PAGES:
            for size, name in ((DESK, "desk"), (PHONE, "phone")):
                for dark in (False, True):
                    resize(chrome, size, dark=dark)
                    if not (room is matches and (dark or name == "phone")):
                        room(visitor)
                    else:
                        visitor.open("/matches?match=1&turn=9")
                        visitor.sees(".turn-line", "After 9")
                    take(f"{room.__name__}-{name}-{'dark' if dark else 'light'}")


if __name__ == "__main__":
    main()

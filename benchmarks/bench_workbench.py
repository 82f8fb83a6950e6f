"""Ten visitors at once: how long each waits for what it did, on one machine with the players thinking beside it.

    python -m benchmarks.bench_workbench [--visitors 10] [--seconds 60]

Visitors are simulated at the level of the page's own messages: each opens pages, connects as a browser does, and sends
the events that clicks send; an interaction is over when the page has been told to show its result. Four of ten play
against a player, three replay a match, two switch between algorithms in the Search page, one asks why.
"""

from __future__ import annotations

import argparse
import asyncio
import html
import json
import random
import re
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import aiohttp
import socketio
from tests.support.workbench import workbench

LOST = 10.0
"""Seconds after which an interaction counts as lost."""
PAUSE = (0.4, 1.2)
"""How long a visitor looks before the next click."""


@dataclass
class Times:
    """Seconds of every interaction, by kind; *lost* are those without any answer. Opening a page is counted apart."""

    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    opened: list[float] = field(default_factory=list)
    lost: int = 0

    def share_within(self, limit: float) -> float:
        every = [one for several in self.seconds.values() for one in several]
        return sum(one <= limit for one in every) / max(1, len(every))

    def lines(self) -> list[str]:
        rows = []
        everything = sorted(one for several in self.seconds.values() for one in several)
        for kind, several in [
            *sorted(self.seconds.items()),
            ("all interactions", everything),
            ("(open a page)", self.opened),
        ]:
            ordered = sorted(several)
            if ordered:
                shown = [
                    1000 * ordered[min(len(ordered) - 1, int(q * len(ordered)))]
                    for q in (0.5, 0.9, 0.95, 0.99)
                ]
                numbers = "  ".join(f"{number:7.0f}" for number in shown)
                rows.append(f"{kind:22} {len(ordered):6}  {numbers}  {1000 * ordered[-1]:7.0f}")
        head = f"{'interaction':22} {'count':>6}  {'p50':>7}  {'p90':>7}  {'p95':>7}  {'p99':>7}  {'worst':>7}   (ms)"
        return [
            head,
            *rows,
            f"lost: {self.lost}",
            f"interactions within 200 ms: {100 * self.share_within(0.2):.1f} %",
        ]


class Page:
    """A page as its browser sees it: elements by number, and messages that change them."""

    def __init__(self, address: str, session: aiohttp.ClientSession) -> None:
        self.address = address
        self.session = session
        self.elements: dict[str, dict[str, Any]] = {}
        self.scripts: list[str] = []
        self.socket = socketio.AsyncClient(reconnection=False)
        self.changed = asyncio.Event()

    async def open(self, path: str) -> None:
        async with self.session.get(self.address + path) as answer:
            text = await answer.text()
        found = re.search(r"parseElements\(String\.raw`(.*?)`\)", text, re.S)
        client = re.search(r"client_id['\"]: ['\"]([0-9a-f-]+)", text)
        assert found is not None
        assert client is not None, "the page does not say who it is"
        self.client = client[1]
        self.elements = json.loads(html.unescape(found[1]))
        self.socket.on("update", self._update)
        self.socket.on("run_javascript", self._script)
        tab = f"{random.getrandbits(64):x}"
        query = f"client_id={self.client}&next_message_id=0&implicit_handshake=true&tab_id={tab}&document_id={tab}&old_tab_id="
        await self.socket.connect(
            f"{self.address}?{query}",
            socketio_path="/_nicegui_ws/socket.io",
            transports=["websocket"],
            wait_timeout=20,
        )

    async def close(self) -> None:
        await self.socket.disconnect()

    def _update(self, message: dict[str, Any]) -> None:
        for number, element in message.items():
            if isinstance(element, dict):
                self.elements[number] = {**self.elements.get(number, {}), **element}
        self.changed.set()

    def _script(self, message: dict[str, Any]) -> None:
        self.scripts.append(str(message.get("code", "")))
        self.changed.set()

    async def find(self, *classes: str) -> str:
        """The number of the first element with all these classes, as soon as there is one."""
        wanted = set(classes)

        def found() -> list[str]:
            return [number for number, one in self.elements.items() if wanted <= set(one.get("class", ()))]

        assert await self.until(lambda: bool(found())), f"no element has {classes}"
        return found()[0]

    def text(self, number: str) -> str:
        element = self.elements[number]
        return str(element.get("text") or element.get("props", {}).get("innerHTML", ""))

    async def emit(self, number: str, kind: str, *arguments: Any) -> None:
        """Sends what the browser sends when *kind* happens to an element."""
        listener = next(event for event in self.elements[number]["events"] if event["type"] == kind)
        await self.socket.emit(
            "event",
            {
                "id": int(number),
                "client_id": self.client,
                "listener_id": listener["listener_id"],
                "args": [json.dumps(argument) for argument in arguments],
            },
        )

    async def until(self, true: Callable[[], bool]) -> bool:
        """Waits until *true* of what has arrived; False if it never is."""
        end = time.monotonic() + LOST
        while not true():
            self.changed.clear()
            if true():
                break
            try:
                await asyncio.wait_for(self.changed.wait(), max(0.01, end - time.monotonic()))
            except TimeoutError:
                return False
        return True


async def interact(times: Times, kind: str, page: Page, act: Any, seen: Callable[[], bool]) -> bool:
    """Does something, waits until it is to be seen, and writes down how long that took."""
    start = time.monotonic()
    await act
    if await page.until(seen):
        times.seconds[kind].append(time.monotonic() - start)
        return True
    times.lost += 1
    return False


async def pause(chance: random.Random) -> None:
    await asyncio.sleep(chance.uniform(*PAUSE))


async def playing(
    address: str, session: aiohttp.ClientSession, times: Times, end: float, chance: random.Random
) -> None:
    """Plays tic-tac-toe against a player, match after match."""
    while time.monotonic() < end:
        await one_match(address, session, times, end, chance)


async def one_match(
    address: str, session: aiohttp.ClientSession, times: Times, end: float, chance: random.Random
) -> None:
    page = Page(address, session)
    start = time.monotonic()
    await page.open("/play?game=tictactoe&clock=0.3")
    board, turn = await page.find("board"), await page.find("turn-line")
    if not await page.until(lambda: "Your move" in page.text(turn)):
        times.lost += 1
    times.opened.append(time.monotonic() - start)
    while time.monotonic() < end and "Your move" in page.text(turn):
        free = re.findall(
            r'data-cell="([^"]+)"(?:(?!</g>).)*?<title>[^<]*: b</title>', page.text(board), re.S
        )
        if not free:
            break
        cell, before = chance.choice(free), page.text(board)
        act = page.emit(board, "click", f"0:{cell}")
        await interact(times, "make a move", page, act, lambda before=before: page.text(board) != before)
        await page.until(lambda: "think" not in page.text(turn) and page.text(turn) != "")
        await pause(chance)
    await page.close()


async def replaying(
    address: str, session: aiohttp.ClientSession, times: Times, end: float, chance: random.Random
) -> None:
    """Goes to and fro in a match that was played."""
    page = Page(address, session)
    await page.open("/matches?match=1")
    turn = await page.find("turn-line")
    buttons = [
        number
        for number, element in page.elements.items()
        if element.get("props", {}).get("icon")
        in ("chevron_left", "chevron_right", "first_page", "last_page")
    ]
    await page.until(lambda: "After" in page.text(turn))
    while time.monotonic() < end:
        before = page.text(turn)
        button = chance.choice(buttons)
        icon = page.elements[button]["props"]["icon"]
        at, last = map(int, re.findall(r"\d+", before)[:2])
        if (at == 0 and icon in ("chevron_left", "first_page")) or (
            at == last and icon in ("chevron_right", "last_page")
        ):
            continue
        act = page.emit(button, "click", {})
        await interact(
            times, "step through a match", page, act, lambda before=before: page.text(turn) != before
        )
        await pause(chance)
    await page.close()


async def searching(
    address: str, session: aiohttp.ClientSession, times: Times, end: float, chance: random.Random
) -> None:
    """Switches between algorithms; the steps themselves are taken in the browser and ask nobody."""
    page = Page(address, session)
    await page.open("/search?tree=lecture&a=alpha-beta")
    select = next(n for n, e in page.elements.items() if e.get("props", {}).get("label") == "Algorithm")
    await page.until(lambda: any("SearchPage.show" in script for script in page.scripts))
    options = page.elements[select]["props"]["options"]
    wanted = [
        option
        for option in options
        if option["label"] in ("Minimax", "Alpha-beta", "SSS*", "NegaScout", "MTD(f)")
    ]
    current = "Alpha-beta"
    while time.monotonic() < end:
        option = chance.choice([one for one in wanted if one["label"] != current])
        current = option["label"]
        page.scripts.clear()
        act = page.emit(select, "update:modelValue", option)
        seen = lambda: any("SearchPage.show" in script for script in page.scripts)  # noqa: E731
        await interact(times, "run another search", page, act, seen)
        walkthrough = next(
            (
                re.search(r"/walkthrough/\w+\.json", script)
                for script in page.scripts
                if "/walkthrough/" in script
            ),
            None,
        )
        if walkthrough is not None:
            start = time.monotonic()
            async with session.get(address + walkthrough[0]) as answer:
                await answer.read()
            times.seconds["fetch a walkthrough"].append(time.monotonic() - start)
        await pause(chance)
    await page.close()


async def asking(
    address: str, session: aiohttp.ClientSession, times: Times, end: float, chance: random.Random
) -> None:
    """Asks why in the Rules page."""
    page = Page(address, session)
    await page.open("/rules?game=tictactoe")
    facts = next(n for n, e in page.elements.items() if "log" in e.get("class", ()))
    await page.until(lambda: "data-chip" in page.text(facts))
    queries = [html.unescape(query) for query in re.findall(r'data-chip="([^"]+)"', page.text(facts))]
    last = ""
    while time.monotonic() < end:
        query = chance.choice([one for one in queries if one != last])
        last = query
        escaped = html.escape(query)
        act = page.emit(facts, "click", query)
        await interact(
            times,
            "ask why",
            page,
            act,
            lambda escaped=escaped: any(f"<b>{escaped}</b>" in page.text(number) for number in page.elements),
        )
        await pause(chance)
    await page.close()


KINDS = (playing, replaying, playing, searching, playing, replaying, asking, playing, searching, replaying)


async def visit(address: str, visitors: int, seconds: float, seed: int = 1) -> Times:
    """So many visitors for so long; the match that some of them replay is played first."""
    times = Times()
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
        await _play_one(address, session)
        end = time.monotonic() + seconds
        kinds = [KINDS[number % len(KINDS)] for number in range(visitors)]
        await asyncio.gather(
            *(
                kind(address, session, times, end, random.Random(seed + number))
                for number, kind in enumerate(kinds)
            )
        )
    return times


async def _play_one(address: str, session: aiohttp.ClientSession) -> None:
    page = Page(address, session)
    await page.open("/play?game=tictactoe&seats=legal,legal")
    turn = await page.find("turn-line")
    assert await page.until(lambda: "wins" in page.text(turn) or "draw" in page.text(turn))
    await asyncio.sleep(1.0)
    await page.close()


def main(arguments: Sequence[str] = ()) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--visitors", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=60.0)
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder, workbench(Path(folder)) as address:
        times = asyncio.run(visit(address, options.visitors, options.seconds))
    print(f"{options.visitors} visitors for {options.seconds:g} s")
    print("\n".join(times.lines()))


if __name__ == "__main__":
    main(sys.argv[1:])

"""A workbench of its own for tests: started as a user would start it, on a free port, with a data folder of its own."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.request import urlopen

START = "from stratagem.web.app.server import serve; serve('127.0.0.1', {port}, open_browser=False)"
PATIENCE = 120.0
"""Seconds after which something that should be seen is missing: so long that no busy machine takes them."""
FIRST = "return document.querySelector(arguments[0])"
NOTE = """
    if (window.notes) return;
    const said = new Set();
    const note = () => document.querySelectorAll('.q-notification').forEach((each) => said.add(each.innerText));
    new MutationObserver(note).observe(document.body, {childList: true, subtree: true});
    window.notes = () => { note(); return [...said]; };
"""
"""Keeps what the page's notifications say: they vanish after some seconds, whether or not somebody has looked."""


@contextmanager
def workbench(folder: Path) -> Iterator[str]:
    """The address of a running workbench that keeps its matches in *folder*."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    log = folder / "server.log"
    environment = {**os.environ, "STRATAGEM_DATA": str(folder)}
    environment.pop("PYTEST_CURRENT_TEST", None)  # the server takes itself for a part of the test otherwise
    with log.open("wb") as file:
        server = subprocess.Popen(
            [sys.executable, "-c", START.format(port=port)],
            stdout=file,
            stderr=subprocess.STDOUT,
            env=environment,
            cwd=folder,
        )
    address = f"http://127.0.0.1:{port}"
    try:
        _wait(address, server, log)
        yield address
    finally:
        server.terminate()
        try:
            server.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def _wait(address: str, server: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if server.poll() is not None:
            raise AssertionError(f"the server ended at once:\n{log.read_text(errors='replace')[-2000:]}")
        try:
            with urlopen(f"{address}/alive", timeout=5) as answer:
                if answer.read() == b"alive":
                    return
        except (URLError, OSError):
            time.sleep(0.1)
    raise AssertionError(f"the server does not answer:\n{log.read_text(errors='replace')[-2000:]}")


def until(found: Callable[[], Any], seconds: float = PATIENCE, what: str = "") -> Any:
    """What *found* finds, as soon as it finds anything; fails after so many *seconds*."""
    end = time.monotonic() + seconds
    while True:
        value = found()
        if value:
            return value
        if time.monotonic() > end:
            raise AssertionError(f"not within {seconds} s: {what or found}")
        time.sleep(0.03)


class Visitor:
    """Somebody in front of a browser: looks for what can be seen and clicks on it."""

    def __init__(self, chrome: Any, address: str) -> None:
        self.chrome = chrome
        self.address = address

    def open(self, path: str) -> None:
        """Goes to a page and waits until it is connected."""
        self.chrome.get(self.address + path)
        until(
            lambda: self.js("return window.did_handshake === true && document.querySelector('main') !== null")
        )
        self.js(NOTE)

    def js(self, script: str, *arguments: Any) -> Any:
        return self.chrome.execute_script(script, *arguments)

    def text(self, selector: str) -> str:
        """What is written in the first element that fits, or nothing."""
        found: str = self.js("return document.querySelector(arguments[0])?.innerText ?? ''", selector)
        return found

    def sees(self, selector: str, words: str, seconds: float = PATIENCE) -> str:
        """Waits until *words* are there; all that is written there then."""

        def found() -> str:
            text = self.text(selector)
            return text if words in text else ""

        return str(until(found, seconds, f"{words} in {selector}"))

    def hears(self, words: str) -> str:
        """Waits for a notification with *words*, and finds one that has gone again since the page was opened."""

        def found() -> str:
            said: list[str] = self.js("return window.notes?.() ?? []")
            return next((text for text in said if words in text), "")

        return str(until(found, what=f"{words} in a notification"))

    def address_has(self, part: str) -> None:
        """Waits until *part* stands in the address, which follows the page."""
        until(lambda: part in self.chrome.current_url, what=f"{part} in the address")

    def click(self, selector: str) -> None:
        """Clicks as a person does: where the element is, once it is there."""
        self.click_found(FIRST, selector)

    def enters(self, selector: str, words: str, end: str) -> None:
        """Writes *words* into a field in place of what is there, sees them there, and presses the key *end*.

        A field of a part that is just being unfolded may not take the focus at the first click.
        """
        from selenium.webdriver.common.keys import Keys

        def focused() -> bool:
            script = "return document.activeElement === document.querySelector(arguments[0])"
            return self.js(script, selector) or (self.clicked(FIRST, selector) and self.js(script, selector))

        def written() -> bool:
            until(focused, what=f"{selector} has the focus")
            field = self.chrome.find_element("css selector", selector)
            field.send_keys(Keys.CONTROL, "a")
            field.send_keys(Keys.NULL)
            field.send_keys(words)
            there: str = self.js("return document.querySelector(arguments[0])?.value", selector)
            return there == words

        until(written, what=f"{words} in {selector}")
        self.chrome.find_element("css selector", selector).send_keys(end)

    def press(self, words: str) -> None:
        """Clicks the first button or link with these *words* on it."""
        script = """
            const wanted = arguments[0];
            return [...document.querySelectorAll('button, a, .q-tab')].find(
                (each) => each.offsetParent && each.innerText.trim().includes(wanted)) ?? null"""
        self.click_found(script, words)

    def click_found(self, script: str, *arguments: Any) -> None:
        """Clicks what *script* finds; looks again where the page was drawn anew or still moves."""
        until(lambda: self.clicked(script, *arguments), what=f"{script} {arguments} clicked")

    def clicked(self, script: str, *arguments: Any) -> bool:
        """Whether there was something that *script* finds, and it could be clicked."""
        from selenium.common.exceptions import (
            ElementClickInterceptedException,
            ElementNotInteractableException,
            StaleElementReferenceException,
        )

        element = self.js(script, *arguments)
        if element is None:
            return False
        try:
            self.js("arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", element)
            element.click()
        except (
            StaleElementReferenceException,
            ElementClickInterceptedException,
            ElementNotInteractableException,
        ):
            return False
        return True

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

    def js(self, script: str, *arguments: Any) -> Any:
        return self.chrome.execute_script(script, *arguments)

    def text(self, selector: str) -> str:
        """What is written in the first element that fits, or nothing."""
        found: str = self.js("return document.querySelector(arguments[0])?.innerText ?? ''", selector)
        return found

    def sees(self, selector: str, words: str, seconds: float = PATIENCE) -> str:
        """Waits until *words* are there."""
        return str(
            until(
                lambda: words in self.text(selector) and self.text(selector),
                seconds,
                f"{words} in {selector}",
            )
        )

    def click(self, selector: str) -> None:
        """Clicks as a person does: where the element is, once it is there."""
        self.click_found("return document.querySelector(arguments[0])", selector)

    def press(self, words: str) -> None:
        """Clicks the first button or link with these *words* on it."""
        script = """
            const wanted = arguments[0];
            return [...document.querySelectorAll('button, a, .q-tab')].find(
                (each) => each.offsetParent && each.innerText.trim().includes(wanted)) ?? null"""
        self.click_found(script, words)

    def click_found(self, script: str, *arguments: Any) -> None:
        """Clicks what *script* finds; looks again where the page was drawn anew or still moves."""
        from selenium.common.exceptions import (
            ElementClickInterceptedException,
            StaleElementReferenceException,
        )

        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            element = until(lambda: self.js(script, *arguments), what=f"{script} {arguments}")
            try:
                self.js("arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", element)
                element.click()
                return
            except (StaleElementReferenceException, ElementClickInterceptedException):
                time.sleep(0.03)
        raise AssertionError(f"never to be clicked: {script} {arguments}")

"""A real browser without a window, for tests of pages: Debian's chromium, driven by selenium.

    from tests.support.browser import browser as browser     (in a conftest.py, or in the test file)

    def test_the_page_says_hello(browser, tmp_path):
        browser.get((tmp_path / "page.html").as_uri())

Each test session starts one, with a new and empty profile. Where there is no chromium, or no chromedriver that fits it,
the tests skip and say how to get one.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS = (
    "--headless=new",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--force-device-scale-factor=1",
)
DESKTOP = (1280, 800)
PHONE = (390, 780)


def programs() -> tuple[str, str]:
    """The paths of the browser and of its driver; skips the test where one is missing."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    driver = shutil.which("chromedriver")
    if browser is None or driver is None:
        what = "chromium" if browser is None else "chromedriver"
        pytest.skip(f"no {what} here; on Debian: apt-get install chromium chromium-driver")
    return browser, driver


@contextmanager
def started(size: tuple[int, int] = DESKTOP) -> Iterator[Any]:
    """A browser of its own, closed at the end."""
    pytest.importorskip("selenium", reason="selenium is not installed; pip install 'stratagem[dev]'")
    from selenium.webdriver import Chrome
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service

    path, driver = programs()
    with tempfile.TemporaryDirectory(prefix="browser-", ignore_cleanup_errors=True) as profile:
        options = Options()
        options.binary_location = path
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        for flag in FLAGS:
            options.add_argument(flag)
        if hasattr(os, "geteuid") and os.geteuid() == 0:
            options.add_argument("--no-sandbox")  # chromium refuses to run as root with it
        options.add_argument(f"--user-data-dir={profile}")
        options.add_argument(f"--window-size={size[0]},{size[1]}")
        chrome = Chrome(options=options, service=Service(driver))
        try:
            yield chrome
        finally:
            chrome.quit()


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    """One browser for all tests of a session."""
    with started() as chrome:
        yield chrome


def resize(chrome: Any, size: tuple[int, int], *, dark: bool = False) -> None:
    """Makes the page as large as *size*, as on a phone where it is narrow, and says that dark is preferred, or light."""
    width, height = size
    chrome.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600},
    )
    scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
    chrome.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})


def complaints(chrome: Any) -> list[str]:
    """What the page has said on the console: errors of its script, and what its policy forbade."""
    return [entry["message"] for entry in chrome.get_log("browser")]


def loaded(chrome: Any) -> list[str]:
    """The addresses of everything that the page has loaded beside itself."""
    found: list[str] = chrome.execute_script(
        "return performance.getEntriesByType('resource').map((entry) => entry.name)"
    )
    return found

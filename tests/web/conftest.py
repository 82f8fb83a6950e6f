"""One server and one browser for all tests of pages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from tests.support.browser import browser as browser
from tests.support.workbench import Visitor, workbench


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a workbench."""
    pytest.importorskip("nicegui", reason="nicegui is not installed; pip install 'stratagem[web]'")
    with workbench(tmp_path_factory.mktemp("workbench")) as address:
        yield address


@pytest.fixture
def visitor(browser: Any, server: str) -> Visitor:
    """Somebody in front of a browser of the size of a desk."""
    from tests.support.browser import DESKTOP, complaints, resize

    resize(browser, DESKTOP)
    browser.delete_all_cookies()
    browser.get("about:blank")  # whatever the page before still does or says is not this test's
    complaints(browser)
    return Visitor(browser, server)

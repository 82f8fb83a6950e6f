"""Every example in the README and the docs runs and prints what it says."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.data import ROOT
from tests.support.markdown import blocks, missing, run_console, run_python

PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=[page.relative_to(ROOT).as_posix() for page in PAGES])
def test_the_examples_of_a_page_run(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("COLUMNS", "110")
    monkeypatch.setenv("NO_COLOR", "1")
    names: dict[str, object] = {}
    for block in blocks(page):
        if block.language == "python" and ">>>" in block.text:
            if not missing(block):  # an example of an extra that is not installed is left out
                run_python(block, names)
        elif block.language == "console":
            run_console(block)

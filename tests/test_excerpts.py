"""Code shown in the docs is the code: every excerpt occurs in the file that it names, word for word.

A ``python`` block whose first line is a comment with the path of a file below src/ is an excerpt of that file. A line
``# …`` stands for lines that are left out; what lies between two of them must follow in the file in that order.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.data import ROOT
from tests.support.markdown import Block, blocks

from stratagem.search import ALGORITHMS

NAMED = re.compile(r"# (src/stratagem/[\w/]+\.py)")
PAGES = sorted((ROOT / "docs").rglob("*.md"))
ALGORITHM_PAGES = sorted(
    set((ROOT / "docs" / "algorithms").glob("*.md"))
    - {ROOT / "docs" / "algorithms" / name for name in ("index.md", "where-the-seeds-are-loose.md")}
)


def source_of(block: Block) -> str | None:
    """The path that an excerpt names; None for other blocks."""
    named = NAMED.fullmatch(block.text.partition("\n")[0].strip())
    return named[1] if block.language == "python" and named else None


def pieces(text: str) -> Iterator[list[str]]:
    """The runs of lines between the elisions of an excerpt, without the line that names the file."""
    piece: list[str] = []
    for line in [*text.splitlines()[1:], "# …"]:
        if line.strip() == "# …":
            while piece and not piece[-1].strip():
                piece.pop()
            if piece:
                yield piece
            piece = []
        elif piece or line.strip():
            piece.append(line.rstrip())


def missing(text: str, source: str) -> list[str] | None:
    """The first run of lines of the excerpt *text* that does not follow in *source*; None where all do."""
    lines = [line.rstrip() for line in source.splitlines()]
    position = 0
    for piece in pieces(text):
        starts = range(position, len(lines) - len(piece) + 1)
        found = next((start for start in starts if lines[start : start + len(piece)] == piece), None)
        if found is None:
            return piece
        position = found + len(piece)
    return None


@pytest.mark.parametrize("page", PAGES, ids=[page.relative_to(ROOT).as_posix() for page in PAGES])
def test_every_excerpt_of_a_page_is_in_the_file_it_names(page: Path) -> None:
    for block in blocks(page):
        named = source_of(block)
        if named is not None:
            assert (ROOT / named).is_file(), f"{page.name}:{block.line}: there is no {named}"
            lost = missing(block.text, (ROOT / named).read_text(encoding="utf-8"))
            assert lost is None, f"{page.name}:{block.line}: not in {named}:\n" + "\n".join(lost)


@pytest.mark.parametrize("page", ALGORITHM_PAGES, ids=[page.stem for page in ALGORITHM_PAGES])
def test_every_page_on_an_algorithm_shows_its_code_and_a_live_example(page: Path) -> None:
    found = list(blocks(page))
    assert any(source_of(block) for block in found)
    assert any(
        (block.language == "python" and ">>>" in block.text)
        or (block.language == "console" and "$ stratagem" in block.text)
        for block in found
    )


def test_every_algorithm_is_in_the_index() -> None:
    index = (ROOT / "docs" / "algorithms" / "index.md").read_text(encoding="utf-8")
    assert [name for name in ALGORITHMS if f"`{name}`" not in index] == []


def test_every_page_is_in_the_navigation() -> None:
    navigation = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    listed = set(re.findall(r"[\w/.-]+\.md", navigation))
    lost = [page for page in PAGES if page.relative_to(ROOT / "docs").as_posix() not in listed]
    assert lost == [], "add these pages to nav: in mkdocs.yml"


EXCERPT = "# src/stratagem/x.py\nfirst = 1\n# …\nthird = 3\n"


def test_lines_may_be_left_out_only_where_the_excerpt_says_so() -> None:
    assert missing(EXCERPT, "first = 1\nsecond = 2\nthird = 3\n") is None
    assert missing(EXCERPT.replace("# …\n", ""), "first = 1\nsecond = 2\nthird = 3\n") == [
        "first = 1",
        "third = 3",
    ]


@pytest.mark.parametrize(
    "source",
    ["first = 1\n", "third = 3\nfirst = 1\n", "first = 1\nthird = 33\n", "first = 1\n    third = 3\n"],
    ids=["gone", "in another order", "changed", "indented"],
)
def test_an_excerpt_that_has_left_its_source_is_found_out(source: str) -> None:
    assert missing(EXCERPT, source) == ["third = 3"]

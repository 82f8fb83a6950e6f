"""Syntax trees: what both readers return, with the place of every word in the text.

A `Node` is a word (`text` is set) or a list (`items` is set), always in prefix form: the HRF reader turns
``head :- a & ~b`` into the same nodes as ``(<= head a (not b))``. Places point into the text as written.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache


@dataclass(frozen=True, slots=True)
class Place:
    """Where something stands: lines and columns count from 1; *length* is in characters, on that line."""

    line: int
    column: int
    length: int = 1


@dataclass(frozen=True, slots=True)
class Node:
    """A word or a list of nodes, and where it stands. A list's place is that of its opening."""

    place: Place
    text: str | None = None
    items: tuple[Node, ...] = ()

    @property
    def is_word(self) -> bool:
        return self.text is not None

    @property
    def word(self) -> str:
        """The word in lower case, or "" for a list."""
        return "" if self.text is None else self.text.lower()


@dataclass(frozen=True, slots=True)
class Source:
    """A text and the name by which messages call it; *syntax* is "kif" or "hrf".

    *settings* are the sizes chosen for a sheet that has some (see sizes.py); the others keep their defaults.
    """

    text: str
    name: str = "<rules>"
    syntax: str = "kif"
    settings: tuple[tuple[str, int], ...] = ()

    def line(self, number: int) -> str:
        """Line *number* (from 1) of the text, or "" past its end."""
        lines = split_lines(self.text)
        return lines[number - 1] if 1 <= number <= len(lines) else ""


@lru_cache(maxsize=4)
def split_lines(text: str) -> tuple[str, ...]:
    r"""The lines of *text*, without a byte-order mark; \n, \r\n and \r end a line, and nothing else does."""
    return tuple(text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n"))


@dataclass(frozen=True, slots=True)
class SheetLimits:
    """Limits against hostile sheets. The largest published ones have 40,000 characters and 500 rules."""

    characters: int = 4_000_000
    nesting: int = 100
    rules: int = 50_000
    words: int = 1_000_000
    word_length: int = 1_000
    """Also keeps every number short enough for ``int``."""
    findings: int = 10_000
    """How many findings a sheet is told about; there may be more."""


LIMITS = SheetLimits()

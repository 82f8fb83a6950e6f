"""The course: one Markdown file a chapter, with live examples between the paragraphs.

A line that begins with three colons is an example; everything else is Markdown.

    ::: play tictactoe                     a card that opens a game
    ::: search lecture alpha-beta          a search, step by step, on the page
    ::: search game:buttonsandlights breadth-first
    ::: table deepening 2 6                a table, measured when the page opens
    ::: exercise minimax                   an exercise, graded step by step
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final


@dataclass(frozen=True, slots=True)
class Chapter:
    """A chapter by the name of its file."""

    name: str
    title: str
    about: str
    exercise: str = ""


@dataclass(frozen=True, slots=True)
class ChapterPart:
    """A part of a chapter: *kind* is ``text`` or the kind of an example, *words* its arguments."""

    kind: str
    words: tuple[str, ...] = ()
    text: str = ""


CHAPTERS: Final = (
    Chapter("states", "States and moves", "What a game is, and why its tree is larger than its space."),
    Chapter("blind", "Blind search", "Breadth first, depth first, iterative deepening.", "blind"),
    Chapter("minimax", "Minimax", "Two players, one value.", "minimax"),
    Chapter("alpha-beta", "Alpha-beta", "What need not be searched.", "alpha-beta"),
    Chapter(
        "strategies", "Strategies and clusters", "Plans for every reply, and how to think of many at once."
    ),
    Chapter("sss-star", "SSS*", "Best first, on two sides.", "sss"),
    Chapter("playing", "Playing by the clock", "From a value to a move, in time."),
    Chapter("rules", "Writing rules", "A game as a text that a program can play."),
)


@cache
def parts(name: str) -> tuple[ChapterPart, ...]:
    """The pieces of a chapter, in order."""
    text = files(__name__).joinpath(f"{name}.md").read_text(encoding="utf-8")
    found: list[ChapterPart] = []
    lines: list[str] = []

    def close() -> None:
        if any(line.strip() for line in lines):
            found.append(ChapterPart("text", text="\n".join(lines).strip()))
        lines.clear()

    for line in text.splitlines():
        if line.startswith(":::"):
            close()
            kind, *words = line.removeprefix(":::").split()
            found.append(ChapterPart(kind, tuple(words)))
        else:
            lines.append(line)
    close()
    return tuple(found)


def chapter(name: str) -> Chapter | None:
    return next((one for one in CHAPTERS if one.name == name), None)

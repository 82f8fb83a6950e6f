"""Coloured text as data: lines of pieces, each with the name of a colour of the palette or None.

Drawings for a terminal are made of these, and converted to plain text or to rich's text.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from rich.text import Text

STYLES: Final = {
    "red": "bright_red",
    "blue": "bright_blue",
    "green": "green",
    "yellow": "bright_yellow",
    "orange": "dark_orange",
    "pink": "magenta",
    "sky": "cyan",
    "white": "bold white",
    "black": "bold bright_black",
    "grey": "bright_black",
    "dim": "dim",
    "bold": "bold",
}
"""How rich shows the colours of the palette."""


@dataclass(frozen=True, slots=True)
class TextSpan:
    """A run of characters in one style; *lit* pieces stand out, such as the cells of the last move."""

    text: str
    colour: str | None = None
    lit: bool = False


@dataclass(slots=True)
class TextLine:
    """One line under construction."""

    pieces: list[TextSpan] = field(default_factory=list)

    def add(self, text: str, colour: str | None = None, lit: bool = False) -> TextLine:
        if text:
            self.pieces.append(TextSpan(text, colour, lit))
        return self

    @property
    def text(self) -> str:
        return "".join(piece.text for piece in self.pieces)

    @property
    def width(self) -> int:
        return len(self.text)

    def trimmed(self) -> TextLine:
        """The line without blanks at its end."""
        pieces = [*self.pieces]
        while pieces and not pieces[-1].lit and not pieces[-1].text.strip():
            pieces.pop()
        if pieces and not pieces[-1].lit:
            pieces[-1] = replace(pieces[-1], text=pieces[-1].text.rstrip())
        return TextLine(pieces)

    def padded(self, width: int) -> TextLine:
        return TextLine([*self.pieces]).add(" " * (width - self.width))


def plain(lines: Iterable[TextLine]) -> str:
    """The lines as text without colours and without blanks at their ends."""
    return "\n".join(line.text.rstrip() for line in lines)


def rich_text(lines: Iterable[TextLine]) -> Text:
    """The lines as a text of the package rich."""
    from rich.text import Text

    text = Text(no_wrap=True, overflow="ignore")
    for number, line in enumerate(lines):
        if number:
            text.append("\n")
        for piece in line.trimmed().pieces:
            style = STYLES.get(piece.colour or "", "")
            text.append(piece.text, f"{style} reverse".strip() if piece.lit else style)
    return text


def side_by_side(blocks: Sequence[Sequence[TextLine]], gap: int = 3) -> list[TextLine]:
    """Blocks of lines next to each other, aligned at the top."""
    height = max(map(len, blocks), default=0)
    lines = [TextLine() for _ in range(height)]
    for number, block in enumerate(blocks):
        width = max((line.width for line in block), default=0)
        for row in range(height):
            piece = block[row] if row < len(block) else TextLine()
            last = number == len(blocks) - 1
            lines[row].pieces += piece.padded(width + (0 if last else gap)).pieces
    return lines

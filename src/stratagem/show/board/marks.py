"""Marks: how the contents of cells are written, in one to three characters, no two alike.

A content such as ``wp``, ``black knight``, ``redchecker`` or ``x`` is taken apart into an owner (a role, or a colour) and
a kind. Pieces of chess get their signs, plain counters of two sides a full and an empty disc, numbers and
short words stay as they are, and everything else gets letters: upper case for the first side, lower case for
the second, as chess players write it. Each mark also has a form in plain ASCII.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from stratagem.show.board.model import Mark, MarkShape, ascii_text

COLOURS: Final[Mapping[str, str]] = {
    "white": "white",
    "black": "black",
    "red": "red",
    "blue": "blue",
    "green": "green",
    "yellow": "yellow",
    "orange": "orange",
    "pink": "pink",
    "magenta": "pink",
    "purple": "pink",
    "violet": "pink",
    "teal": "sky",
    "cyan": "sky",
    "brown": "orange",
    "grey": "grey",
    "gray": "grey",
}
"""Colour words of rules, and the colours of the palette that stand for them."""
OF_ROLES: Final = ("blue", "red", "green", "pink", "orange", "sky")
LIGHT: Final = frozenset({"white", "yellow", "sky"})
CHESS: Final[Mapping[str, str]] = {
    "king": "♔♚k",
    "queen": "♕♛q",
    "rook": "♖♜r",
    "bishop": "♗♝b",
    "knight": "♘♞n",
    "pawn": "♙♟p",
}
CHESS_LETTERS: Final = {signs[2]: name for name, signs in CHESS.items()}
DRAUGHTS: Final = {"pawn": "man", "man": "man", "king": "crowned"}
SPECIAL: Final[Mapping[str, tuple[str, str, MarkShape]]] = {
    "wall": ("█", "#", "wall"),
    "block": ("█", "#", "wall"),
    "blocked": ("█", "#", "wall"),
    "obstacle": ("█", "#", "wall"),
    "hole": ("▒", "%", "wall"),
    "dirt": ("▒", "%", "wall"),
    "cellofflimits": ("▒", "%", "wall"),
    "ground": ("▒", "%", "wall"),
    "burnt": ("▒", "%", "wall"),
    "arrow": ("▒", "%", "wall"),
    "peg": ("●", "o", "disc"),
    "stone": ("●", "o", "disc"),
    "disc": ("●", "o", "disc"),
    "token": ("●", "o", "disc"),
    "coin": ("●", "o", "disc"),
    "chocolate": ("■", "#", "tile"),
    "lit": ("●", "O", "lit"),
    "on": ("●", "O", "lit"),
    "light": ("●", "O", "lit"),
    "unlit": ("○", "o", "unlit"),
    "off": ("○", "o", "unlit"),
    "nolight": ("○", "o", "unlit"),
    "box": ("■", "B", "tile"),
    "crate": ("■", "B", "tile"),
    "target": ("◌", "+", "dot"),
    "exit": ("◎", "E", "text"),
    "gold": ("$", "$", "text"),
    "at": ("@", "@", "text"),
    "keeper": ("@", "@", "text"),
    "player": ("@", "@", "text"),
    "robot": ("@", "@", "text"),
    "visited": ("•", "*", "dot"),
}
NOTHING: Final = frozenset(
    [
        "blank",
        "empty",
        "none",
        "free",
        "nothing",
        "void",
        "open",
        "clear",
        "gap",
        "unmarked",
        "nobody",
        "null",
    ]
)
MAYBE_NOTHING: Final = ("b", "e", "0", "f", "_", "-", "floor")


@dataclass(frozen=True, slots=True)
class ParsedContent:
    """A content in parts: owner, colour, and the rest of its name."""

    owner: str | None
    colour: str | None
    kind: str


def colour_in(word: str) -> str | None:
    """The colour of the palette that *word* names, alone or at its beginning."""
    if word in COLOURS:
        return COLOURS[word]
    return next((colour for name, colour in COLOURS.items() if len(name) > 2 and word.startswith(name)), None)


def role_colours(roles: Sequence[str]) -> dict[str, str]:
    """A colour for every role: its own where it is named after one, otherwise one that is left.

    >>> role_colours(["red", "blue"]), role_colours(["xplayer", "oplayer"])
    ({'red': 'red', 'blue': 'blue'}, {'xplayer': 'blue', 'oplayer': 'red'})
    """
    named = {role: colour for role in roles if (colour := colour_in(role)) is not None}
    if len(set(named.values())) < len(named):
        named = {}
    left = [colour for colour in OF_ROLES if colour not in named.values()] or ["grey"]
    found: dict[str, str] = {}
    for role in roles:
        if role in named:
            found[role] = named[role]
        else:
            found[role] = left[0]
            left = left[1:] or ["grey"]
    return found


class MarkChooser:
    """Gives marks to the contents of one board.

    *owners* maps contents to roles where the rules do; otherwise their names decide.
    """

    def __init__(self, roles: Sequence[str], owners: Mapping[str, str]) -> None:
        self.roles = roles
        self.owners = owners
        self.colours = role_colours(roles)

    def part(self, content: str) -> ParsedContent:
        """*content* in parts."""
        words = content.split()
        if len(self.roles) == 1 or (content in SPECIAL and content not in self.roles):
            return ParsedContent(
                None, COLOURS.get(content) if content not in SPECIAL else None, alone(content)
            )
        for word in words:
            if word in self.roles:
                kind = " ".join(other for other in words if other != word)
                return ParsedContent(word, self.colours[word], kind)
        for word in words:
            role = next((role for role in self.roles if word.startswith(role) and len(role) > 1), None)
            if role is not None:
                rest = [word.removeprefix(role).strip("_-") if other == word else other for other in words]
                return ParsedContent(role, self.colours[role], " ".join(filter(None, rest)))
            colour = next((name for name in COLOURS if word.startswith(name) and len(name) > 2), None)
            if colour is not None:
                rest = [word.removeprefix(colour).strip("_-") if other == word else other for other in words]
                owner = self.owners.get(content) or self.role_of_colour(COLOURS[colour])
                return ParsedContent(owner, COLOURS[colour], " ".join(filter(None, rest)))
        return self.short(content)

    def role_of_colour(self, colour: str) -> str | None:
        return next((role for role, own in self.colours.items() if own == colour), None)

    def short(self, content: str) -> ParsedContent:
        """A short word: ``wp`` is white's pawn if a role begins with w; ``x`` is xplayer's."""
        known = self.owners.get(content)
        starts = [role for role in self.roles if content and role[0] == content[0]]
        if known is None and len(starts) == 1 and content.isalpha() and len(content) <= 2:
            known = starts[0]
        if known is None and len(content) > 2:
            known = next((role for role in self.roles if role.startswith(content)), None)
        if known is None:
            if re.fullmatch(r"[wb][kqrbnp]", content):
                colour = "white" if content[0] == "w" else "black"
                return ParsedContent(self.role_of_colour(colour), colour, CHESS_LETTERS[content[1]])
            return ParsedContent(None, None, content)
        kind = content
        if re.fullmatch(r"[wb][kqrbnp]", content) or (len(content) == 2 and content[0] == known[0]):
            kind = CHESS_LETTERS.get(content[1], content)
        return ParsedContent(known, self.colours[known], kind)

    def marks(
        self, contents: Iterable[str], blank: frozenset[str], at_first: Container[str] = ()
    ) -> dict[str, Mark]:
        """A mark for each of *contents*, in that order of preference; blanks have a dot that all share.

        Pawns that may become kings, where there is no king *at_first*, are the men of draughts.
        """
        given: dict[str, Mark] = {}
        parts = {content: self.part(content) for content in contents if content not in blank}
        if is_draughts(parts, at_first):
            parts = {
                content: replace(part, kind=DRAUGHTS.get(part.kind, part.kind))
                for content, part in parts.items()
            }
        sides = list(
            dict.fromkeys(part.owner or part.colour for part in parts.values() if part.owner or part.colour)
        )
        if len(sides) == 2 and sides[0] in self.roles and sides[1] in self.roles:
            sides.sort(key=lambda side: self.roles.index(side or ""))
        texts, plains = {"·"}, {"."}
        plain = all(part.kind == "" for part in parts.values())
        for content, part in parts.items():
            side = sides.index(part.owner or part.colour) if part.owner or part.colour else -1
            choices = self.choices(content, part, side, sides, plain)
            mark = next(mark for mark in choices if mark.text not in texts and mark.plain not in plains)
            given[content] = mark
            texts.add(mark.text)
            plains.add(mark.plain)
        given.update({content: Mark("·", ".", "dot") for content in blank})
        return given

    def choices(
        self, content: str, part: ParsedContent, side: int, sides: Sequence[str | None], plain: bool
    ) -> Iterator[Mark]:
        """Ways to write a content, the best first; the last ones never run out.

        Where all contents are *plain*, just the sides themselves, they are discs.
        """
        looks = {"colour": part.colour, "owner": part.owner}
        kind = part.kind
        last = kind.split()[-1] if kind.strip() else ""
        if content in ("x", "o"):
            yield Mark(content, content, "cross" if content == "x" else "ring", **looks)
        if kind == "" and part.colour is not None and (plain or colour_in(content) is not None):
            if len(sides) == 2:
                full = light_side(self.colours, sides) != side
                letter = initial(part)
                yield Mark("●" if full else "○", letter, "disc", **looks)
            yield Mark(initial(part), initial(part), "disc", **looks)
        if last in CHESS and len(sides) <= 2:
            signs = CHESS[last]
            light = light_side(self.colours, sides, first=True)
            dark = side != light if side >= 0 and len(sides) == 2 else True
            letter = signs[2].lower() if side == 1 else signs[2].upper()
            yield Mark(signs[1] if dark else signs[0], letter, "piece", **looks)
        if last in ("man", "crowned") and len(sides) == 2:
            signs = "⛁⛃" if last == "crowned" else "⛀⛂"
            letter = initial(part).upper() if last == "crowned" else initial(part).lower()
            dark = side != light_side(self.colours, sides)
            yield Mark(signs[dark], letter, "crowned" if last == "crowned" else "disc", **looks)
        if last in SPECIAL and part.owner is None:
            text, letter, shape = SPECIAL[last]
            yield Mark(text, letter, shape, **looks)
        if len(content) <= 3 and " " not in content:
            yield Mark(content, ascii_text(content), "tile" if content.isdecimal() else "text", **looks)
        for text in letters(content, part, side, len(sides)):
            yield Mark(text, ascii_text(text), "text", **looks)


def letters(content: str, part: ParsedContent, side: int, sides: int) -> Iterator[str]:
    """One to three letters of a content, and then letters with numbers, without end."""
    name = "".join(word for word in re.split(r"[\s_-]+", part.kind or content) if word) or "?"
    several = sides > 2 and part.owner is not None
    front = initial(part) if several else ""
    for length in (1, 2, 3):
        short = name[:length]
        yield front + (short.lower() if side == 1 or several else short.capitalize())
    number = 1
    while True:
        yield f"{name[:1].upper()}{number}"
        number += 1


def alone(content: str) -> str:
    """The kind of a content in a game of one role, where contents have no owner."""
    if re.fullmatch(r"[wb][kqrbnp]", content):
        return CHESS_LETTERS[content[1]]
    return "" if content in COLOURS and content not in SPECIAL else content


def is_draughts(parts: Mapping[str, ParsedContent], at_first: Container[str]) -> bool:
    """Whether all pieces are men and kings, and none begins as a king."""
    kinds = {part.kind for part in parts.values() if part.owner is not None}
    kings = [content for content, part in parts.items() if part.kind == "king"]
    return kinds in ({"pawn", "king"}, {"man", "king"}) and not any(content in at_first for content in kings)


def initial(part: ParsedContent) -> str:
    """The first letter of the owner, or of the colour."""
    return (part.owner or part.colour or "?")[0].upper()


def light_side(colours: Mapping[str, str], sides: Sequence[str | None], first: bool = False) -> int:
    """Which of two sides is drawn light: the one with the lighter colour, else the second, or the *first*."""
    light = [number for number, side in enumerate(sides) if side and (colours.get(side) or side) in LIGHT]
    return light[0] if len(light) == 1 else 0 if first else 1

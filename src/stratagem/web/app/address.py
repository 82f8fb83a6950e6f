"""The state of a page as a URL: the same address shows the same page, also after a reload.

A bundled game is given by name, a visitor's sheet as its compressed text. Longer sheets are stored in a folder beside
the match records, under the hash of their text; the oldest ones are deleted.

>>> sheet = Sheet(text="(role me)")
>>> Sheet.from_query(sheet.query()) == sheet
True
>>> Sheet("connectfour", sizes=(("columns", 5),)).query()
{'game': 'connectfour', 'set-columns': '5'}
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
import zlib
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import quote, urlencode

from stratagem import sheets as games
from stratagem.errors import LimitExceeded, RulesError, UnknownGame, UsageError
from stratagem.gdl.header import header_of
from stratagem.gdl.text.files import guess_syntax
from stratagem.gdl.text.syntax import Source
from stratagem.play.records.store import data_directory
from stratagem.show.labels import bare
from stratagem.web.app.limits import ADDRESS_CHARACTERS, SHEET_CHARACTERS, STORED_SHEETS

SIZE: Final = "set-"
LONGEST_TITLE: Final = 60
TITLE_LINES: Final = 20
KEY: Final = re.compile(r"[0-9a-f]{24}")
_recent_sheets: OrderedDict[str, str] = OrderedDict()


@dataclass(frozen=True, slots=True)
class Sheet:
    """The game that a page is about: a bundled one by *name*, or a visitor's *text*; *sizes* as chosen."""

    name: str = ""
    text: str = ""
    sizes: tuple[tuple[str, int], ...] = ()

    @classmethod
    def from_query(cls, query: Mapping[str, str], default: str = "") -> Sheet:
        """The game that an address names; *default* where it names none."""
        if query.get("rules"):
            return cls(text=checked(unpacked(query["rules"])), sizes=_sizes(query))
        name = query.get("game", default)
        if name not in games.names():
            raise UnknownGame(f"there is no game called {name[:40]}", hint="choose one from the start page")
        known = games.header(name).sizes
        return cls(name, sizes=tuple(pair for pair in _sizes(query) if pair[0] in known))

    def query(self) -> dict[str, str]:
        """The part of an address that names this game."""
        sizes = {f"{SIZE}{name}": str(size) for name, size in self.sizes}
        return {"game": self.name, **sizes} if self.name else {"rules": packed(self.text), **sizes}

    @property
    def title(self) -> str:
        """What a page calls the game."""
        if self.name:
            return games.header(self.name).title or self.name
        return self.own_title or "your rules"

    @property
    def own_title(self) -> str:
        """The title in a visitor's sheet, or ""."""
        return "" if self.name else title_of(self.text)


def game_title(name: str) -> str:
    """The title of a bundled game; the name of any other.

    >>> game_title("tictactoe"), game_title("my rules")
    ('Tic-tac-toe', 'my rules')
    """
    return (games.header(name).title if name in games.names() else "") or name


def title_of(text: str) -> str:
    """The title in the header of a sheet, or else the first words of the comment that it begins with.

    >>> title_of(';;; [game]\\n;;; title = "My Game"\\n(role me)')
    'My Game'
    >>> title_of(";*****\\n;* chess.kif   *\\n;*****\\n(role white)"), title_of("(role white)")
    ('chess', '')
    """
    with suppress(RulesError):
        named = header_of(Source(text, syntax=guess_syntax(text))).title
        if named:
            return named[:LONGEST_TITLE]
    for line in text.lstrip("\ufeff\n\r ").splitlines()[:TITLE_LINES]:
        if not line.lstrip().startswith((";", "%")):
            break
        words = line.strip(" \t;%*#=-_/|")
        if words.startswith("["):
            break  # a header, which gives no title or cannot be read
        if "-*-" in line:
            continue
        if any(letter.isalpha() for letter in words):
            return words.removesuffix(".kif").removesuffix(".hrf") if len(words) <= LONGEST_TITLE else ""
    return ""


def checked(text: str) -> str:
    """*text*, unless it is too long for the workbench."""
    if len(text) > SHEET_CHARACTERS:
        raise LimitExceeded(
            f"this sheet has {len(text):,} characters",
            hint=f"the workbench takes {SHEET_CHARACTERS:,}; the command line takes more",
        )
    return text


def packed(text: str) -> str:
    """*text* for an address: compressed, or the key of a stored sheet."""
    short = base64.urlsafe_b64encode(zlib.compress(text.encode(), 9)).decode().rstrip("=")
    if len(short) <= ADDRESS_CHARACTERS:
        return short
    key = _fingerprint(text)
    if key not in _recent_sheets:
        _write(key, text)
    _recent_sheets[key] = text
    _recent_sheets.move_to_end(key)
    while len(_recent_sheets) > STORED_SHEETS:
        _recent_sheets.popitem(last=False)
    return f"shelf.{key}"


def unpacked(short: str) -> str:
    """The inverse of `packed`; refuses damaged data, deleted sheets and compression bombs."""
    if short.startswith("shelf."):
        key = short.removeprefix("shelf.")
        text = _recent_sheets.get(key) or _read(key)
        if text is None:
            raise UsageError(
                "this address names a sheet that the server no longer has", hint="open the sheet again"
            )
        return text
    try:
        data = base64.urlsafe_b64decode(short + "=" * (-len(short) % 4))
        reader = zlib.decompressobj()
        plain = reader.decompress(data, 4 * SHEET_CHARACTERS)
        if reader.unconsumed_tail:
            raise LimitExceeded("this address holds more than a sheet", hint="open the sheet again")
        return plain.decode()
    except (binascii.Error, zlib.error, ValueError) as failure:
        raise UsageError("this address is damaged", hint="open the sheet again") from failure


def _fingerprint(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:24]


def _folder() -> Path:
    return data_directory() / "sheets"


def _write(key: str, text: str) -> None:
    """Stores a sheet and deletes the oldest ones; errors of the disk are ignored."""
    folder = _folder()
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{key}.txt").write_text(text, encoding="utf-8", newline="")
        kept = sorted(folder.glob("*.txt"), key=lambda file: file.stat().st_mtime_ns)
        for file in kept[:-STORED_SHEETS]:
            file.unlink(missing_ok=True)


def _read(key: str) -> str | None:
    """The sheet stored under *key*, if it is undamaged."""
    if not KEY.fullmatch(key):
        return None
    try:
        text = (_folder() / f"{key}.txt").read_bytes().decode()
    except (OSError, UnicodeDecodeError):
        return None
    return text if _fingerprint(text) == key else None


def moves_text(moves: Sequence[str]) -> str:
    """Moves for an address, without their outer brackets: GDL has no semicolons in its words.

    >>> moves_text(["(mark 2 2)", "noop"]), moves_from("mark 2 2;noop")
    ('mark 2 2;noop', ('(mark 2 2)', 'noop'))
    """
    return ";".join(map(bare, moves))


def moves_from(text: str) -> tuple[str, ...]:
    """The moves in an address; outer brackets are welcome too.

    >>> moves_from("mark 2 2;(mark 1 1)")
    ('(mark 2 2)', '(mark 1 1)')
    """
    found = (move.strip() for move in text.split(";"))
    return tuple(f"({move})" if " " in move and move[0] != "(" else move for move in found if move)


def address(path: str, query: Mapping[str, str]) -> str:
    """The address of *path* with the non-empty parts of *query*."""
    said = {name: value for name, value in query.items() if value != ""}
    return f"{path}?{urlencode(said, safe=';()', quote_via=quote)}" if said else path


def _sizes(query: Mapping[str, str]) -> tuple[tuple[str, int], ...]:
    return tuple(
        sorted(
            (name.removeprefix(SIZE), int(value))
            for name, value in query.items()
            if name.startswith(SIZE) and value.isdecimal() and value.isascii() and len(value) <= 6
        )
    )

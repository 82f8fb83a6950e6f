"""The header of a sheet: what is known about a game besides its rules.

It is TOML in the comment lines at the very top of a sheet, and there only if the first of them says ``[game]``:

    ;;; [game]
    ;;; title = "Connect Four"
    ;;; about = "Four in a row, column or diagonal."
    ;;; [set.columns]
    ;;; default = 7
    ;;; least = 4
    ;;; most = 12
    ;;; [[known]]
    ;;; with = {columns = 4, rows = 4}
    ;;; states = 161029

`[set]` names the sizes of a size-generic sheet (see sizes.py); each `[[known]]` holds facts about the game at
the sizes in `with` (the default ones where it has none). In HRF the lines start with ``%%%``.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from stratagem.errors import RulesError
from stratagem.gdl.findings import Finding, Severity
from stratagem.gdl.text.syntax import Place, Source, split_lines

MARKS = {"kif": ";;;", "hrf": "%%%"}
LONGEST = 20_000
"""In letters: hostile TOML can cost far more than its length."""


@dataclass(frozen=True, slots=True)
class Size:
    """A number that a sheet leaves open, with its default and its range."""

    name: str
    default: int
    least: int
    most: int
    about: str = ""

    @property
    def is_sound(self) -> bool:
        return self.least <= self.default <= self.most


@dataclass(frozen=True, slots=True)
class Known:
    """Facts about a game that are known from elsewhere, at the sizes *at*."""

    facts: Mapping[str, Any]
    at: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Header:
    """What the top of a sheet says; empty for a sheet that says nothing."""

    title: str = ""
    about: str = ""
    kind: str = ""
    sizes: Mapping[str, Size] = field(default_factory=dict)
    known: tuple[Known, ...] = ()

    def known_at(self, settings: Mapping[str, int]) -> Mapping[str, Any]:
        """All facts known at these *settings*, where sizes that are left out have their defaults."""
        full = {name: settings.get(name, size.default) for name, size in self.sizes.items()}
        facts: dict[str, Any] = {}
        for known in self.known:
            if {**{name: size.default for name, size in self.sizes.items()}, **known.at} == full:
                facts.update(known.facts)
        return facts


def header_of(source: Source) -> Header:
    """The header of a sheet. A sheet without one has an empty header; a broken one is a `RulesError`."""
    mark = MARKS.get(source.syntax, ";;;")
    lines: list[str] = []
    for line in split_lines(source.text.removeprefix("\ufeff")):
        if not line.startswith(mark):
            break
        lines.append(line[len(mark) :].removeprefix(" "))
    if not lines or lines[0].strip() != "[game]":
        return Header()
    try:
        if sum(map(len, lines)) > LONGEST:
            raise ValueError(f"it is longer than {LONGEST:,} letters")
        data = tomllib.loads("\n".join(lines))
        header = _header(data)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError, RecursionError) as failure:
        reason = f"{failure.args[0]} is missing" if isinstance(failure, KeyError) else str(failure)
        found = Finding(
            "GDL026",
            Severity.ERROR,
            source.name,
            Place(1, 1, len(lines[0])),
            f"the header cannot be read: {reason}",
            f"TOML with [game], [set.NAME] and [[known]] in the lines that start with {mark}",
            "mend it, or begin the sheet with another line than [game]",
        )
        raise RulesError(str(found), findings=[found]) from failure
    faults = [_size_fault(source, size, lines) for size in header.sizes.values() if not size.is_sound]
    if faults:
        raise RulesError(str(faults[0]), findings=faults)
    return header


def _size_fault(source: Source, size: Size, lines: Sequence[str]) -> Finding:
    """What is wrong with a size whose numbers contradict each other, at the line where it begins."""
    opening = re.compile(rf"(\[set\.{re.escape(size.name)}\]|{re.escape(size.name)}\s*=)")
    number = next((number for number, line in enumerate(lines, start=1) if opening.match(line.strip())), 1)
    if size.least > size.most:
        message = f"the size {size.name} has no values: least is {size.least} and most is {size.most}"
    else:
        message = (
            f"the default of {size.name} is {size.default}, which is not from {size.least} to {size.most}"
        )
    shown = Place(number, 1, len(lines[number - 1]) + len(MARKS[source.syntax]) + 1)
    return Finding(
        "GDL026",
        Severity.ERROR,
        source.name,
        shown,
        message,
        "least, default and most in this order, none smaller than the one before",
        f"correct the numbers of {size.name}",
    )


def _header(data: Mapping[str, Any]) -> Header:
    game = data["game"]
    sizes = {
        name: Size(
            name,
            _whole(name, "default", size["default"]),
            _whole(name, "least", size["least"]),
            _whole(name, "most", size["most"]),
            str(size.get("about", "")),
        )
        for name, size in data.get("set", {}).items()
    }
    known = tuple(
        Known(
            {name: value for name, value in facts.items() if name != "with"},
            {name: int(value) for name, value in facts.get("with", {}).items()},
        )
        for facts in data.get("known", [])
    )
    return Header(
        str(game.get("title", "")),
        str(game.get("about", "")).strip(),
        str(game.get("kind", "")),
        sizes,
        known,
    )


def _whole(name: str, entry: str, value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise ValueError(f"{entry} of the size {name} is not a whole number")
    return value

"""The bundled games as data: names, roles, sizes and known facts, from the headers of their sheets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from stratagem import sheets
from stratagem.gdl.header import Header, Size
from stratagem.gdl.text import kif

PHRASES: Final[Mapping[str, str]] = {
    "value": "{}",
    "margin": "by {:,}",
    "shortest": "solved in {:,}",
    "solutions": "{:,} shortest solutions",
    "states": "{:,} states",
    "positions": "{:,} positions past the end",
    "tree_nodes": "{:,} tree nodes",
    "matches": "{:,} matches",
    "longest": "at most {:,} steps",
}
"""The facts that a header may state, in the order of their display; docs/games.md explains each."""


@dataclass(frozen=True, slots=True)
class GameInfo:
    """One bundled game: its header and its roles."""

    name: str
    roles: tuple[str, ...]
    header: Header

    def as_json(self) -> dict[str, Any]:
        header = self.header
        return {
            "name": self.name,
            "title": header.title,
            "kind": header.kind,
            "about": " ".join(header.about.split()),
            "roles": list(self.roles),
            "sizes": {
                size.name: {
                    "default": size.default,
                    "least": size.least,
                    "most": size.most,
                    "about": size.about,
                }
                for size in header.sizes.values()
            },
            "known": [{"with": dict(known.at), **known.facts} for known in header.known],
        }


def games() -> list[GameInfo]:
    """All bundled games in alphabetical order."""
    return [game_info(name) for name in sheets.names()]


def game_info(name: str) -> GameInfo:
    """One bundled game.

    >>> game_info("connectfour").roles
    ('red', 'yellow')
    """
    nodes, _ = kif.read(sheets.source(name))
    roles = [node.items[1].word for node in nodes if len(node.items) == 2 and node.items[0].word == "role"]
    return GameInfo(name, tuple(roles), sheets.header(name))


def sizes_in_words(sizes: Mapping[str, int]) -> str:
    """``columns 4, rows 5``."""
    return ", ".join(f"{name} {value}" for name, value in sizes.items())


def range_in_words(size: Size) -> str:
    """``columns 7 (2 to 20)``.

    >>> range_in_words(Size("columns", 7, 2, 20))
    'columns 7 (2 to 20)'
    """
    return f"{size.name} {size.default} ({size.least} to {size.most})"


def facts_in_words(facts: Mapping[str, Any]) -> str:
    """The known facts in one line, without their source.

    >>> facts_in_words({"states": 5478, "value": "draw", "source": "counted"})
    'draw; 5,478 states'
    """
    told = [phrase.format(facts[name]) for name, phrase in PHRASES.items() if name in facts]
    if facts.get("solutions") == 1:
        told[told.index("1 shortest solutions")] = "one shortest solution"
    return "; ".join(told).replace("; by ", " by ")

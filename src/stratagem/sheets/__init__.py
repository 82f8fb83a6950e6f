"""The rule sheets that come with Stratagem, one .kif file each, with their headers. Internal."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from stratagem.gdl.header import Header, header_of
from stratagem.gdl.text.syntax import Source


@cache
def names() -> tuple[str, ...]:
    """The bundled games in alphabetical order."""
    entries = files(__name__).iterdir()
    return tuple(sorted(entry.name.removesuffix(".kif") for entry in entries if entry.name.endswith(".kif")))


@cache
def source(name: str) -> Source:
    """The sheet of a bundled game."""
    return Source(files(__name__).joinpath(f"{name}.kif").read_text(encoding="utf-8"), f"{name}.kif")


@cache
def header(name: str) -> Header:
    """The header of a bundled game."""
    return header_of(source(name))

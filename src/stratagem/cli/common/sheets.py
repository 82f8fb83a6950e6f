"""Rule sheets as arguments of commands: files, bundled games, standard input."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from stratagem import sheets as games
from stratagem.cli.common.arguments import settings
from stratagem.errors import UsageError
from stratagem.gdl.header import header_of
from stratagem.gdl.sizes import chosen
from stratagem.gdl.text.files import decoded, read_file
from stratagem.gdl.text.syntax import LIMITS, Source

STANDARD_INPUT = "-"


def sheet_at(argument: str, syntax: str | None = None, sizes: Sequence[str] = ()) -> Source:
    """The sheet that *argument* names: a path, ``-`` for standard input, or a bundled game."""
    if syntax not in (None, "kif", "hrf"):
        raise UsageError(f"no syntax called {syntax}", hint="choose kif or hrf")
    source = _read(argument, syntax)
    if not sizes:
        return source
    given = settings(sizes)
    chosen(header_of(source), given, source.name)
    return Source(source.text, source.name, source.syntax, tuple(sorted(given.items())))


def _read(argument: str, syntax: str | None) -> Source:
    if argument == STANDARD_INPUT:
        return decoded(sys.stdin.buffer.read(4 * LIMITS.characters + 1), "<stdin>", syntax)
    if argument in games.names():
        return games.source(argument)
    return read_file(argument, syntax=syntax)

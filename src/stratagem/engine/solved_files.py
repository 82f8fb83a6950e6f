"""Where databases and certificates are: an index in the cache, by rules, so that players find them.

Each such file is noted here when it is written. The index says where to look, no more: a file may be gone, or of other rules by now;
that is checked when it is opened.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from stratagem.cache import Cache, entry_name, user_cache

if TYPE_CHECKING:
    from stratagem.gdl_game import GdlGame

PART = "solved"
MOST = 16
"""Files that are noted for the same rules: the last ones."""


def note_file(game: GdlGame, path: str | Path, cache: Cache | None = None) -> None:
    """Notes that *path* is a database or a certificate of *game*."""
    place = str(Path(path).expanduser().resolve())
    known = [one for one in _noted(game, cache) if one != place]
    _part(cache).write(_name(game), json.dumps([*known, place][-MOST:]).encode())


def noted_files(game: GdlGame, cache: Cache | None = None) -> list[Path]:
    """The files that were noted for the rules of *game* and are still there, the last one first."""
    return [path for path in map(Path, reversed(_noted(game, cache))) if path.is_file()]


def same_rules(one: GdlGame, other: GdlGame) -> bool:
    """Whether two games have the same rules, whatever their layout."""
    return _text(one) == _text(other)


def _noted(game: GdlGame, cache: Cache | None) -> list[str]:
    content = _part(cache).read(_name(game))
    try:
        said = [] if content is None else json.loads(content)
    except ValueError:
        return []
    return [one for one in said if isinstance(one, str)] if isinstance(said, list) else []


def _part(cache: Cache | None) -> Cache:
    return (user_cache() if cache is None else cache).part(PART)


def _name(game: GdlGame) -> str:
    return entry_name("json", _text(game))


def _text(game: GdlGame) -> str:
    from stratagem.circuit.compiler.compile import canonical_text

    return canonical_text(game.sheet)

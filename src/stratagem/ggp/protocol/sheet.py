"""The rules of a game as a manager sends them: as the author wrote them, sizes put in, comments gone."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cache

from stratagem import sheets as games
from stratagem.gdl.parse import read
from stratagem.gdl.text.printer import to_kif
from stratagem.gdl.text.syntax import Node, Source
from stratagem.gdl_game import GdlGame
from stratagem.ggp.protocol.expressions import compact


def rules_text(game: GdlGame) -> str:
    """The rules of *game* in KIF, one after the other, in the very spelling of its sheet."""
    source = game.identity.source
    return to_kif(game.sheet) if source.syntax != "kif" else _kif(source)


def game_name(rules: str) -> str:
    """What a game is called whose *rules* came without a name: as the bundled one with these rules, or by a digest.

    >>> from stratagem.loading import load
    >>> game_name(rules_text(load("nim", machine="reasoner"))), game_name("(role a)")
    ('nim', 'rules 8ea42177')
    """
    digest = _digest(rules)
    return bundled_by_digest().get(digest, f"rules {digest[:8]}")


@cache
def bundled_by_digest() -> Mapping[str, str]:
    """The bundled games at their usual sizes, by a digest of their rules. The first call takes a moment."""
    return {_digest(_kif(games.source(name))): name for name in games.names()}


def _digest(rules: str) -> str:
    return hashlib.sha256(compact(rules).lower().encode()).hexdigest()


def _kif(source: Source) -> str:
    nodes, _ = read(source)
    return "\n".join(map(_text, nodes))


def _text(node: Node) -> str:
    return node.text if node.text is not None else f"({' '.join(map(_text, node.items))})"

"""The rules of a game as a manager sends them: as the author wrote them, sizes put in, comments gone."""

from __future__ import annotations

from stratagem.gdl.parse import read
from stratagem.gdl.printer import to_kif
from stratagem.gdl.syntax import Node
from stratagem.machines.gdl_game import GdlGame


def rules_text(game: GdlGame) -> str:
    """The rules of *game* in KIF, one after the other, in the very spelling of its sheet."""
    source = game.identity.source
    if source.syntax != "kif":
        return to_kif(game.sheet)
    nodes, _ = read(source)
    return "\n".join(map(_text, nodes))


def _text(node: Node) -> str:
    return node.text if node.text is not None else f"({' '.join(map(_text, node.items))})"

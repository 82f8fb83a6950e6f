"""The fallback move: a guess for a role whose position is unknown, from the text of the rules alone.

Only brackets and words are read, which takes milliseconds: no rule is checked, no fact derived. What can be told so is
which moves the rules ever call legal for the role. A move that is the only one of them is legal whenever it is the
role's turn; ``noop`` is what most sheets have a role do that has nothing to decide; else the first move of the sheet.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from stratagem.gdl.text.files import guess_syntax
from stratagem.gdl.text.kif import read
from stratagem.gdl.text.syntax import Node, SheetLimits, Source

NOOP: Final = "noop"
LIMITS: Final = SheetLimits(characters=200_000)
"""Five times the largest sheets of the field; it is read in a tenth of a second."""


def guessed_move(rules: str, role: str) -> str | None:
    """The most plausible move for *role*, whatever the position; None where the text does not spell one out.

    >>> sheet = "(role robot) (<= (legal robot (push ?x)) (button ?x)) (<= (legal robot wait) (true (at 1)))"
    >>> guessed_move(sheet, "robot")
    'wait'
    """
    moves = list(dict.fromkeys(_moves(rules, role.lower())))
    ground = [text for text, is_ground in moves if is_ground]
    return NOOP if NOOP in ground else next(iter(ground), None)


def _moves(rules: str, role: str) -> Iterator[tuple[str, bool]]:
    """The moves in the heads of the rules for ``legal``, then for ``input``: as text, and whether without variables."""
    if guess_syntax(rules) != "kif":
        return
    statements, _ = read(Source(rules), LIMITS)
    heads = [_head(statement) for statement in statements]
    for relation in ("legal", "input"):
        for head in heads:
            if len(head) == 3 and head[0].word == relation and _may_be(head[1].word, role):
                yield _text(head[2])


def _head(statement: Node) -> tuple[Node, ...]:
    items = statement.items
    return items[1].items if len(items) > 1 and items[0].word == "<=" else items


def _may_be(word: str, role: str) -> bool:
    return word == role or word.startswith("?")


def _text(node: Node) -> tuple[str, bool]:
    if node.is_word:
        return node.word, not node.word.startswith("?")
    parts = [_text(item) for item in node.items]
    return f"({' '.join(text for text, _ in parts)})", all(ground for _, ground in parts)

"""Writing: which contents of a board mean that nothing is there, and a mark for each of the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from itertools import islice, product
from math import prod
from typing import Final

from stratagem.gdl.terms import order
from stratagem.show.board.geometry.owners import owners_of
from stratagem.show.board.geometry.survey import Survey
from stratagem.show.board.marks import MAYBE_NOTHING, NOTHING, Scribe
from stratagem.show.board.model import Board, Layer, Mark

MOST_CONTENTS: Final = 300
LIT: Final = Mark("●", "O", "lit", "yellow")


def scribe_of(survey: Survey) -> Scribe:
    """Who writes the marks of a game."""
    return Scribe(survey.game.roles, owners_of(survey))


def dressed(survey: Survey, board: Board, scribe: Scribe) -> Board:
    """*board* with its blanks and marks."""
    at_first = Counter(content for layer in board.layers for content in first_contents(survey, layer))
    known = list(dict.fromkeys(content for layer in board.layers for content in contents(survey, layer)))
    blank = frozenset(
        content for content in known if is_blank(survey, content, at_first, known, len(board.spots))
    )
    if board.kind in ("piles", "stacks"):
        return board
    if board.kind == "lamps" and (len(board.layers) == 1 or all(layer.key[1] == 0 for layer in board.layers)):
        return replace(board, marks=dict.fromkeys(known, LIT))
    marks = scribe.marks([*known, *board.backdrop.values()], blank, at_first)
    chess = any(mark.shape in ("piece", "crowned") for mark in marks.values())
    return replace(board, blank=blank, marks=marks, chequered=chess and board.kind == "grid")


def contents(survey: Survey, layer: Layer) -> Iterable[str]:
    """What facts of *layer* can say is in a cell, in order; those of the first state before the others."""
    columns = [survey.facts[layer.key][place] for place in layer.content]
    if layer.key in survey.base:
        rows = {tuple(row[place] for place in layer.content) for row in survey.base[layer.key]}
        combined = sorted(rows, key=lambda row: [order(part) for part in row])
    elif prod(map(len, columns)) <= MOST_CONTENTS:
        combined = list(product(*(sorted(column, key=order) for column in columns)))
    else:
        combined = []
    yield from first_contents(survey, layer) if not combined else ()
    for row in islice(combined, MOST_CONTENTS):
        words = [str(part) for part in row]
        yield " ".join([layer.key[0], *words] if layer.named or not words else words)


def first_contents(survey: Survey, layer: Layer) -> list[str]:
    """What the first state says is in the cells, once for each cell."""
    found = []
    for row in sorted(survey.init.get(layer.key, frozenset()), key=lambda row: [order(part) for part in row]):
        words = [str(row[place]) for place in layer.content]
        found.append(" ".join([layer.key[0], *words] if layer.named or not words else words))
    return found


def is_blank(survey: Survey, content: str, at_first: Counter[str], known: list[str], cells: int) -> bool:
    """Whether *content* means that a cell is empty: by its name, or because most cells begin with it."""
    if content in NOTHING:
        return True
    if len(known) < 2 or content not in MAYBE_NOTHING:
        return False
    if content == "b" and not any(role.startswith("b") for role in survey.roles):
        return True
    return at_first[content] > 0 and (content in "b_-" or 2 * at_first[content] >= cells)

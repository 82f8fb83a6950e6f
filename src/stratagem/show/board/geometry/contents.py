"""Contents of cells: which ones mean that a cell is empty, the role that owns each of the others, and its mark.

The owner comes from what the rules say, not from what a content is called:

(mark_of xplayer x)                                          a static relation between a role and a content
(<= (next (cell ?x ?y x)) (does xplayer (mark ?x ?y)))       a role that puts it there
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import islice, product
from math import prod
from typing import Final

from stratagem.gdl.rules import RuleSheet, atoms
from stratagem.gdl.terms import Symbol, Term, arguments, functor, order
from stratagem.show.board.geometry.survey import GameSurvey, Row
from stratagem.show.board.marks import MAYBE_NOTHING, NOTHING, MarkChooser
from stratagem.show.board.model import Board, FactLayer, Mark

MOST_CONTENTS: Final = 300
LIT: Final = Mark("●", "O", "lit", "yellow")


def mark_chooser_of(survey: GameSurvey) -> MarkChooser:
    """The chooser of marks for a game."""
    return MarkChooser(survey.game.roles, owners_of(survey))


def with_marks(survey: GameSurvey, board: Board, chooser: MarkChooser) -> Board:
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
    marks = chooser.marks([*known, *board.backdrop.values()], blank, at_first)
    chess = any(mark.shape in ("piece", "crowned") for mark in marks.values())
    return replace(board, blank=blank, marks=marks, chequered=chess and board.kind == "grid")


def contents(survey: GameSurvey, layer: FactLayer) -> Iterable[str]:
    """The possible contents in facts of *layer*, in order; those of the initial state first."""
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


def first_contents(survey: GameSurvey, layer: FactLayer) -> list[str]:
    """The contents of the initial state, once per cell."""
    found = []
    for row in sorted(survey.init.get(layer.key, frozenset()), key=lambda row: [order(part) for part in row]):
        words = [str(row[place]) for place in layer.content]
        found.append(" ".join([layer.key[0], *words] if layer.named or not words else words))
    return found


def is_blank(survey: GameSurvey, content: str, at_first: Counter[str], known: list[str], cells: int) -> bool:
    """Whether *content* means that a cell is empty: by its name, or because most cells begin with it."""
    if content in NOTHING:
        return True
    if len(known) < 2 or content not in MAYBE_NOTHING:
        return False
    if content == "b" and not any(role.startswith("b") for role in survey.roles):
        return True
    return at_first[content] > 0 and (content in "b_-" or 2 * at_first[content] >= cells)


def owners_of(survey: GameSurvey) -> Mapping[str, str]:
    """The role of every content that the rules give to exactly one role."""
    claims: defaultdict[str, set[str]] = defaultdict(set)
    for key, rows in survey.static.items():
        if key[1] in (2, 3):
            for content, role in related(rows, survey.roles):
                claims[content].add(role)
    for content, role in put(survey.sheet, survey.roles):
        claims[content].add(role)
    return {content: next(iter(roles)) for content, roles in claims.items() if len(roles) == 1}


def related(rows: frozenset[Row], roles: frozenset[str]) -> Iterator[tuple[str, str]]:
    """Words that stand in a row with exactly one role; numbers have no owner."""
    for row in rows:
        named = [part for part in row if part in roles]
        if len(named) == 1:
            yield from ((str(part), str(named[0])) for part in row if part not in roles and is_word(part))


def put(sheet: RuleSheet, roles: frozenset[str]) -> Iterator[tuple[str, str]]:
    """Words in facts of three and more arguments that come true by a move of one named role."""
    for rule in sheet.rules:
        if functor(rule.head) != ("next", 1):
            continue
        fact = arguments(rule.head)[0]
        doers = {
            str(arguments(atom.term)[0])
            for literal in rule.body
            for atom, positive in atoms(literal)
            if positive and functor(atom.term) == ("does", 2) and arguments(atom.term)[0] in roles
        }
        if len(doers) == 1 and functor(fact)[1] > 2:
            doer = doers.pop()
            yield from ((str(part), doer) for part in arguments(fact) if is_word(part))


def is_word(part: Term) -> bool:
    return isinstance(part, Symbol) and not part.isdecimal()

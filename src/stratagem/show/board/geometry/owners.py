"""Owners: which role a content belongs to, by what the rules say rather than by what it is called.

(mark_of xplayer x)                                          a static relation between a role and a content
(<= (next (cell ?x ?y x)) (does xplayer (mark ?x ?y)))       a role that puts it there
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from stratagem.gdl.rules import RuleSheet, atoms
from stratagem.gdl.terms import Symbol, Term, arguments, functor
from stratagem.show.board.geometry.survey import Row, Survey


def owners_of(survey: Survey) -> Mapping[str, str]:
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
    """Words that stand in a row with exactly one role; numbers belong to nobody."""
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

"""The domains of a rule sheet as a board needs them: the values of every argument of facts, moves and relations.

`true`, `next`, `init` and `base` speak of the same facts, `does`, `legal` and `input` of the same moves. The inference is
`gdl.domains`; all sets are cut off at `MOST_VALUES`: what is larger than that is no axis of any board.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from typing import TypeAlias

from stratagem.gdl.domains import Clause, Domain, DomainInference
from stratagem.gdl.rules import Atom, Distinct, Literal, Or, RuleSheet
from stratagem.gdl.terms import (
    Compound,
    Relation,
    Symbol,
    Term,
    Variable,
    applied,
    arguments,
    functor,
    variables,
)

Key: TypeAlias = Relation
Values: TypeAlias = frozenset[Term]
World: TypeAlias = str

FACTS = frozenset({("true", 1), ("next", 1), ("init", 1), ("base", 1)})
MOVES = frozenset({("does", 2), ("legal", 2), ("input", 2)})
MOST_VALUES = 400
MOST_DEPTH = 4
MOST_LOOKS = 60_000
"""How often a rule is looked at in all before the sets are taken as they are."""


@dataclass(frozen=True, slots=True)
class ArgumentDomains:
    """For each shape (name, number of arguments) the values of each argument."""

    facts: Mapping[Key, tuple[Values, ...]]
    moves: Mapping[Key, tuple[Values, ...]]
    relations: Mapping[Key, tuple[Values, ...]]


@dataclass(frozen=True, slots=True)
class Sentence:
    """An atom sorted by what it speaks of: *world* is ``fact``, ``move`` or ``relation``."""

    world: World
    term: Term


def sentences(atom: Term) -> Iterator[Sentence]:
    """What *atom* speaks of; ``(does ?role (mark ?x))`` of a move and of a role."""
    key, parts = functor(atom), arguments(atom)
    if key in FACTS:
        yield Sentence("fact", parts[0])
    elif key in MOVES:
        yield Sentence("move", parts[1])
        yield Sentence("relation", Compound(("role", parts[0])))
    else:
        yield Sentence("relation", atom)


def domains_of(sheet: RuleSheet) -> ArgumentDomains:
    """The domains of all arguments in *sheet*.

    >>> from stratagem.gdl.parse import read_sheet
    >>> from stratagem.gdl.text.syntax import Source
    >>> text = "(init (at 1)) (step 1 2) (step 2 3) (<= (next (at ?y)) (true (at ?x)) (step ?x ?y))"
    >>> found = domains_of(read_sheet(Source(text))[0])
    >>> sorted(found.facts["at", 1][0])
    ['1', '2', '3']
    """
    clauses = [*_clauses(sheet), *_turn()]
    domains = DomainInference(clauses, deepest=MOST_DEPTH, looks=MOST_LOOKS, strict=False).domains
    every = {key: tuple(map(_values, columns)) for key, columns in domains.items() if " " not in key[0]}
    return ArgumentDomains(
        _shapes(domains.get(("true", 1), [])),
        _shapes(domains.get(("does", 2), [])[1:]),
        {key: columns for key, columns in every.items() if key not in FACTS | MOVES},
    )


def _values(domain: Domain) -> Values:
    return frozenset(domain.terms(MOST_VALUES))


def _shapes(column: list[Domain]) -> dict[Key, tuple[Values, ...]]:
    """The terms of a domain by their shape: the values of each argument."""
    found: dict[Key, tuple[Values, ...]] = {}
    for domain in column:
        found.update(((symbol, 0), ()) for symbol in sorted(domain.symbols))
        found.update((shape, tuple(map(_values, parts))) for shape, parts in domain.functions.items())
    return found


def _clauses(sheet: RuleSheet) -> Iterator[Clause]:
    """The rules without negation; an ``or`` is a relation over the variables that all its alternatives bind."""
    made: list[Clause] = []
    fresh = count()

    def atoms(literal: Literal) -> Iterator[Term]:
        if isinstance(literal, Atom):
            yield literal.term
        elif isinstance(literal, Or):
            branches = [list(atoms(inner)) for inner in literal.inner]
            bound = [dict.fromkeys(one for atom in branch for one in variables(atom)) for branch in branches]
            common = [one for one in bound[0] if all(one in other for other in bound)] if bound else []
            head = applied(f"or {next(fresh)}", common)
            made.extend(Clause(head, tuple(branch)) for branch in branches)
            yield head

    for rule in sheet.rules:
        body = tuple(atom for literal in rule.body for atom in atoms(literal))
        yield Clause(rule.head, body, tuple(_unequal(rule.body)))
    yield from made


def _unequal(body: tuple[Literal, ...]) -> Iterator[tuple[Variable, Symbol]]:
    for literal in body:
        if isinstance(literal, Distinct):
            for one, other in ((literal.left, literal.right), (literal.right, literal.left)):
                if isinstance(one, Variable) and isinstance(other, Symbol):
                    yield one, other


def _turn() -> Iterator[Clause]:
    """Facts come from `init`, `next` and `base`, moves from `legal` and `input`."""
    fact, role, move = Variable("?fact"), Variable("?role"), Variable("?move")
    for name in ("init", "next", "base"):
        yield Clause(Compound(("true", fact)), (Compound((name, fact)),))
    for name in ("legal", "input"):
        yield Clause(Compound(("does", role, move)), (Compound((name, role, move)),))

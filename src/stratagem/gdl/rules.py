"""Rules, literals and rule sheets: the abstract syntax of GDL.

    rule    := head <= literal ... literal          a fact has no literals
    literal := Atom | Not | Or | Distinct

Every literal remembers the node it came from, so that whatever is said about it later (an error, a
derivation) can name file, line and column.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from stratagem.gdl.terms import Term, Variable, functor, variables
from stratagem.gdl.text.syntax import Node, Source


@dataclass(frozen=True, slots=True)
class Atom:
    """A sentence that must hold: a relation applied to terms."""

    term: Term
    node: Node = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Not:
    """A literal that must not hold. GDL allows a sentence here; the reasoner takes any literal."""

    inner: Literal
    node: Node = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Or:
    """At least one of the literals must hold; none at all never does."""

    inner: tuple[Literal, ...]
    node: Node = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Distinct:
    """Two terms that must not be the same."""

    left: Term
    right: Term
    node: Node = field(compare=False, repr=False)


Literal: TypeAlias = Atom | Not | Or | Distinct


@dataclass(frozen=True, slots=True)
class Rule:
    """*head* holds wherever all of *body* does."""

    head: Term
    body: tuple[Literal, ...]
    node: Node = field(compare=False, repr=False)

    @property
    def line(self) -> int:
        return self.node.place.line


@dataclass(frozen=True, slots=True)
class RuleSheet:
    """All rules of a game in the order of the text.

    *spelling* gives the first spelling of every word and variable that was not written in plain lower case; a
    word that was first written as a list of itself, ``(f)``, is spelled so.
    """

    rules: tuple[Rule, ...]
    source: Source = field(compare=False)
    spelling: Mapping[str, str] = field(compare=False, default_factory=dict)

    @property
    def roles(self) -> tuple[str, ...]:
        """The roles in the order of the text, each once."""
        named = (rule.head[1] for rule in self.rules if functor(rule.head) == ("role", 1) and not rule.body)
        return tuple(dict.fromkeys(named))


def literal_variables(literal: Literal) -> Iterator[Variable]:
    """The variables of *literal* from left to right, each as often as it occurs."""
    match literal:
        case Atom(term):
            yield from variables(term)
        case Not(inner):
            yield from literal_variables(inner)
        case Or(several):
            for inner in several:
                yield from literal_variables(inner)
        case Distinct(left, right):
            yield from variables(left)
            yield from variables(right)


def atoms(literal: Literal, positive: bool = True) -> Iterator[tuple[Atom, bool]]:
    """The atoms inside *literal*, each with whether it is under an even number of negations."""
    match literal:
        case Atom():
            yield literal, positive
        case Not(inner):
            yield from atoms(inner, not positive)
        case Or(several):
            for inner in several:
                yield from atoms(inner, positive)

"""Terms: symbols, variables and compound terms, of which rules, facts and moves consist.

    term := symbol | variable | (name term ... term)

A `Symbol` and a `Variable` are strings and a `Compound` is a tuple that starts with its name, so that terms
are immutable, hash and compare at the speed of the built-in types, and come apart with ``name, *args``.
``str(term)`` is canonical KIF: lower case, single spaces. GDL does not tell upper case from lower: terms
are always lower case, and `RuleSheet.spelling` remembers how a word was first written.

>>> mark = Compound(("mark", Symbol("1"), Symbol("2")))
>>> str(mark), mark.name, mark.args
('(mark 1 2)', 'mark', ('1', '2'))
>>> sorted([Symbol("10"), Symbol("9"), Symbol("b"), mark], key=order)
['9', '10', 'b', (mark 1 2)]
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias


class Symbol(str):
    """A constant: an object, a number, a role, a relation without arguments."""

    __slots__ = ()


class Variable(str):
    """A variable, question mark included: ``?x``. No symbol starts with a question mark."""

    __slots__ = ()


class Compound(tuple[Any, ...]):
    """A name applied to arguments: the tuple ``(name, argument, ...)``, with at least one argument."""

    __slots__ = ()

    @property
    def name(self) -> str:
        return self[0]  # type: ignore[no-any-return]

    @property
    def args(self) -> tuple[Term, ...]:
        return tuple(self[1:])

    def __str__(self) -> str:
        return f"({' '.join(map(str, self))})"

    def __repr__(self) -> str:
        return str(self)


Term: TypeAlias = Symbol | Variable | Compound
"""What rules, facts and moves consist of. A ground term is text or a tuple: printing it shows it as KIF."""
Relation: TypeAlias = tuple[str, int]
"""A name and its number of arguments: ``(p a)`` and ``(p a b)`` are of two relations."""
CONTROL = Symbol("control")
"""By convention a fact ``(control role)`` says whose turn it is."""
NOOP = Symbol("noop")
"""By convention the only move of a role whose turn it is not."""


def applied(name: str, arguments: Iterable[Term]) -> Term:
    """*name* applied to *arguments*; without arguments the symbol itself, never a list of one.

    The one way to build a sentence whose number of arguments is not known: ``(terminal)`` and ``terminal`` are the
    same proposition and must be the same term.
    """
    parts = tuple(arguments)
    return Compound((name, *parts)) if parts else Symbol(name)


def functor(term: Term) -> Relation:
    """The name of *term* and the number of its arguments."""
    if isinstance(term, Compound):
        return term[0], len(term) - 1
    return str(term), 0


def arguments(term: Term) -> tuple[Term, ...]:
    """The arguments of *term*, none for a symbol or a variable."""
    return term.args if isinstance(term, Compound) else ()


def variables(term: Term) -> Iterator[Variable]:
    """The variables of *term* from left to right, each as often as it occurs."""
    stack: list[Term] = [term]
    while stack:
        part = stack.pop()
        if isinstance(part, Variable):
            yield part
        elif isinstance(part, Compound):
            stack.extend(reversed(part[1:]))


def is_ground(term: Term) -> bool:
    """Whether *term* has no variables."""
    return next(variables(term), None) is None


def depth(term: Term) -> int:
    """How deep *term* is nested: 0 for a symbol, 1 for ``(f a)``."""
    deepest, stack = 0, [(term, 0)]
    while stack:
        part, level = stack.pop()
        if isinstance(part, Compound):
            deepest = max(deepest, level + 1)
            stack.extend((inner, level + 1) for inner in part[1:])
    return deepest


def integer(term: Term) -> int | None:
    """The number that *term* spells: up to nine digits with or without a sign; None for anything else.

    The one way in which goals are read, so that all machines, backward search and the planner agree on them.

    >>> [integer(Symbol(word)) for word in ("050", "+70", "-5", "1.5", "many")]
    [50, 70, -5, None, None]
    """
    if isinstance(term, Compound):
        return None
    digits = term[1:] if term[:1] in ("+", "-") else term
    return int(term) if digits.isdecimal() and digits.isascii() and len(digits) < 10 else None


def order(term: Term) -> tuple[Any, ...]:
    """The key of the one order used everywhere: numbers by value, then words, then compounds part by part."""
    if isinstance(term, Compound):
        return (2, str(term[0]), len(term), tuple(map(order, term[1:])))
    if term.isdecimal() and term.isascii():
        return (0, int(term), str(term))
    return (1, str(term))

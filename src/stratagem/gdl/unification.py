"""Unification (Robinson, 1965): the most general bindings of variables that make two terms the same.

Bindings are triangular: a variable may be bound to a term whose variables are bound in turn; `substitute` follows them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from stratagem.gdl.rules import Atom, Distinct, Literal, Not, Or, Rule
from stratagem.gdl.terms import Compound, Term, Variable, functor, variables

Bindings: TypeAlias = Mapping[Variable, Term]


def unify(left: Term, right: Term, known: Bindings | None = None) -> dict[Variable, Term] | None:
    """The bindings, those *known* among them, that make the two terms the same; None if there are none.

    >>> from stratagem.gdl.terms import Symbol
    >>> one = Compound(("f", Variable("?x"), Variable("?x")))
    >>> unify(one, Compound(("f", Symbol("a"), Variable("?y"))))
    {'?x': '?y', '?y': 'a'}
    >>> unify(one, Compound(("f", Symbol("a"), Symbol("b")))) is None
    True
    """
    bindings = dict(known or {})
    waiting = [(left, right)]
    while waiting:
        one, other = (_value(part, bindings) for part in waiting.pop())
        if one == other:
            continue
        if not isinstance(one, Variable) and isinstance(other, Variable):
            one, other = other, one
        if isinstance(one, Variable):
            if one in variables(substitute(other, bindings)):
                return None
            bindings[one] = other
        elif isinstance(one, Compound) and isinstance(other, Compound) and functor(one) == functor(other):
            waiting += zip(one[1:], other[1:], strict=True)
        else:
            return None
    return bindings


def _value(term: Term, bindings: Bindings) -> Term:
    while isinstance(term, Variable) and term in bindings:
        term = bindings[term]
    return term


def substitute(term: Term, bindings: Bindings) -> Term:
    """*term* with all bindings applied, again and again."""
    term = _value(term, bindings)
    if isinstance(term, Compound):
        return Compound((term[0], *(substitute(part, bindings) for part in term[1:])))
    return term


def rename(term: Term, names: Bindings) -> Term:
    """*term* with its variables replaced once: the new names are not looked up again."""
    if isinstance(term, Variable):
        return names.get(term, term)
    if isinstance(term, Compound):
        return Compound((term[0], *(rename(part, names) for part in term[1:])))
    return term


def rename_apart(rule: Rule, mark: str = "~") -> Rule:
    """*rule* with every variable marked, so that it shares none with a query."""

    def fresh(term: Term) -> Term:
        return rename(term, {variable: Variable(variable + mark) for variable in variables(term)})

    return Rule(fresh(rule.head), tuple(_mapped(literal, fresh) for literal in rule.body), rule.node)


def substitute_literal(literal: Literal, bindings: Bindings) -> Literal:
    """*literal* with all bindings applied."""
    return _mapped(literal, lambda term: substitute(term, bindings))


def _mapped(literal: Literal, change: Callable[[Term], Term]) -> Literal:
    match literal:
        case Atom(term, node):
            return Atom(change(term), node)
        case Not(inner, node):
            return Not(_mapped(inner, change), node)
        case Or(inner, node):
            return Or(tuple(_mapped(part, change) for part in inner), node)
        case Distinct(left, right, node):
            return Distinct(change(left), change(right), node)

"""Unification (Robinson, 1965): the most general way to make two sentences the same.

Used when a relation is asked with some values known, to bring question and rule together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias

from stratagem.gdl.rules import Atom, Distinct, Literal, Not, Or, Rule
from stratagem.gdl.terms import Compound, Term, Variable, variables

Bindings: TypeAlias = Mapping[Variable, Term]
Change: TypeAlias = Callable[[Term], Term]


def renamed(rule: Rule, mark: str = "~") -> Rule:
    """*rule* with every variable marked, so that it shares none with a question."""

    def fresh(term: Term) -> Term:
        return resolved(term, {variable: Variable(variable + mark) for variable in variables(term)})

    return Rule(fresh(rule.head), tuple(changed(literal, fresh) for literal in rule.body), rule.node)


def changed(literal: Literal, change: Change) -> Literal:
    """*literal* with every sentence and term changed."""
    match literal:
        case Atom(term, node):
            return Atom(change(term), node)
        case Not(inner, node):
            return Not(changed(inner, change), node)
        case Or(inner, node):
            return Or(tuple(changed(part, change) for part in inner), node)
        case Distinct(left, right, node):
            return Distinct(change(left), change(right), node)


def unified(left: Term, right: Term) -> dict[Variable, Term] | None:
    """Bindings that make the two terms the same, or None."""
    bindings: dict[Variable, Term] = {}
    waiting = [(left, right)]
    while waiting:
        one, other = waiting.pop()
        one, other = walked(one, bindings), walked(other, bindings)
        if one == other:
            continue
        if isinstance(one, Variable) or isinstance(other, Variable):
            variable, value = (one, other) if isinstance(one, Variable) else (other, one)
            assert isinstance(variable, Variable)
            if variable in variables(resolved(value, bindings)):
                return None
            bindings[variable] = value
        elif isinstance(one, Compound) and isinstance(other, Compound):
            if one[0] != other[0] or len(one) != len(other):
                return None
            waiting += zip(one[1:], other[1:], strict=True)
        else:
            return None
    return bindings


def walked(term: Term, bindings: Bindings) -> Term:
    while isinstance(term, Variable) and term in bindings:
        term = bindings[term]
    return term


def resolved(term: Term, bindings: Bindings) -> Term:
    """*term* with all bindings put in."""
    term = walked(term, bindings)
    if isinstance(term, Compound):
        return Compound((term[0], *(resolved(part, bindings) for part in term[1:])))
    return term


def resolved_literal(literal: Literal, bindings: Bindings) -> Literal:
    """*literal* with all bindings put in."""
    return changed(literal, lambda term: resolved(term, bindings))

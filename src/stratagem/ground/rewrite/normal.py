"""Rules in normal form: positive atoms, negated atoms and inequalities, nothing nested.

    head <= positive ... & not negative ... & left != right ...

``or`` becomes several rules, or a relation of its own where every alternative is an atom that binds what the
rest of the rule needs; ``not`` is pushed inwards (De Morgan), so that (not (or a b)) is both (not a) and
(not b); (not (distinct s t)) makes s and t one term. Relations that no output depends on are left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import count
from typing import TypeAlias

from stratagem.errors import GroundingError
from stratagem.gdl.rules import Atom, Distinct, Literal, Not, Or, Rule, RuleSheet, literal_variables
from stratagem.gdl.terms import Relation, Term, Variable, applied, functor, variables
from stratagem.gdl.unification import substitute, unify

OUTPUTS: tuple[Relation, ...] = (
    ("role", 1),
    ("init", 1),
    ("next", 1),
    ("legal", 2),
    ("goal", 2),
    ("terminal", 0),
)
ALTERNATIVES_LIMIT = 4096


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two terms that must differ ("!="), or stand in clingo's order of terms ("<")."""

    left: Term
    operator: str
    right: Term

    def variables(self) -> set[Variable]:
        return {*variables(self.left), *variables(self.right)}


@dataclass(frozen=True, slots=True)
class NormalRule:
    """*head* holds wherever all *positive* atoms and *comparisons* hold and no *negative* atom does.

    *guards* are atoms that hold wherever the rule matters at all: they bound what is ground and mean nothing.
    """

    head: Term
    positive: tuple[Term, ...] = ()
    negative: tuple[Term, ...] = ()
    comparisons: tuple[Comparison, ...] = ()
    guards: tuple[Term, ...] = ()
    line: int = 0


def normal_form(sheet: RuleSheet) -> tuple[NormalRule, ...]:
    """The rules of *sheet* that matter to a match, in normal form and in the order of the text."""
    fresh = count()
    rules = [normal for rule in sheet.rules for normal in _normalise(rule, fresh)]
    return relevant(rules)


def relevant(rules: Iterable[NormalRule], wanted: Iterable[Relation] = OUTPUTS) -> tuple[NormalRule, ...]:
    """The rules that *wanted* relations depend on."""
    rules = tuple(rules)
    by_head: dict[Relation, list[NormalRule]] = {}
    for rule in rules:
        by_head.setdefault(functor(rule.head), []).append(rule)
    reached: set[Relation] = set()
    waiting = list(wanted)
    while waiting:
        relation = waiting.pop()
        if relation in reached:
            continue
        reached.add(relation)
        for rule in by_head.get(relation, ()):
            waiting.extend(functor(body) for body in (*rule.positive, *rule.negative, *rule.guards))
    return tuple(rule for rule in rules if functor(rule.head) in reached)


def _normalise(rule: Rule, fresh: Iterator[int]) -> Iterator[NormalRule]:
    """All normal rules of one rule: its own, and those of the relations made for its ``or``s."""
    body: list[Literal] = []
    for place, literal in enumerate(rule.body):
        others = [*rule.body[:place], *rule.body[place + 1 :]]
        shared = _shared_variables(literal, rule.head, others) if isinstance(literal, Or) else None
        if shared is None:
            body.append(literal)
            continue
        name = applied(f"or {next(fresh)}", shared)
        for inner in _disjuncts(literal):
            assert isinstance(inner, Atom)
            yield NormalRule(name, (inner.term,), line=rule.line)
        body.append(Atom(name, literal.node))

    alternatives = _alternatives(body, rule)
    for alternative in alternatives:
        normal = _assemble(rule, alternative)
        if normal is not None:
            yield normal


def _disjuncts(literal: Literal) -> Iterator[Literal]:
    if isinstance(literal, Or):
        for inner in literal.inner:
            yield from _disjuncts(inner)
    else:
        yield literal


def _shared_variables(literal: Literal, head: Term, others: list[Literal]) -> list[Variable] | None:
    """The variables an ``or`` of atoms shares with its rule; None where one alternative leaves one open."""
    parts = list(_disjuncts(literal))
    if len(parts) < 2 or not all(isinstance(part, Atom) for part in parts):
        return None
    outside = set(variables(head))
    for other in others:
        outside.update(literal_variables(other))
    inside = [set(literal_variables(part)) for part in parts]
    shared = outside & set().union(*inside)
    if any(not shared <= found for found in inside):
        return None
    return sorted(shared)


# A signed literal: an atom or an inequality, and whether it is asserted or denied.
Signed: TypeAlias = tuple[Atom | Distinct, bool]


def _alternatives(body: Iterable[Literal], rule: Rule) -> list[tuple[Signed, ...]]:
    """The disjunctive normal form of *body*."""
    found: list[tuple[Signed, ...]] = [()]
    for literal in body:
        options = _options(literal, True, rule)
        if len(found) * len(options) > ALTERNATIVES_LIMIT:
            raise GroundingError(
                f"the rule of line {rule.line} has more than {ALTERNATIVES_LIMIT} alternatives",
                hint="name parts of it as relations of their own",
            )
        found = [(*begun, *option) for begun in found for option in options]
    return found


def _options(literal: Literal, asserted: bool, rule: Rule) -> list[tuple[Signed, ...]]:
    match literal:
        case Not(inner):
            return _options(inner, not asserted, rule)
        case Or(several) if asserted:
            return [option for inner in several for option in _options(inner, True, rule)]
        case Or(several):
            return _alternatives([Not(inner, literal.node) for inner in several], rule)
        case Atom() | Distinct():
            return [((literal, asserted),)]


def _assemble(rule: Rule, alternative: Iterable[Signed]) -> NormalRule | None:
    """The normal rule for one alternative, or None where it can never hold."""
    bindings: dict[Variable, Term] = {}
    for literal, asserted in alternative:
        if isinstance(literal, Distinct) and not asserted:
            found = unify(literal.left, literal.right, bindings)
            if found is None:
                return None
            bindings = found
    positive: dict[Term, None] = {}
    negative: dict[Term, None] = {}
    comparisons: dict[Comparison, None] = {}
    for literal, asserted in alternative:
        if isinstance(literal, Atom):
            (positive if asserted else negative)[substitute(literal.term, bindings)] = None
        elif asserted:
            left, right = substitute(literal.left, bindings), substitute(literal.right, bindings)
            if left == right:
                return None
            if unify(left, right) is not None:
                comparisons[Comparison(left, "!=", right)] = None
    head = substitute(rule.head, bindings)
    _check_safety(rule, head, positive, negative, comparisons)
    return NormalRule(head, tuple(positive), tuple(negative), tuple(comparisons), line=rule.line)


def _check_safety(
    rule: Rule,
    head: Term,
    positive: Iterable[Term],
    negative: Iterable[Term],
    comparisons: Iterable[Comparison],
) -> None:
    bound = {variable for term in positive for variable in variables(term)}
    needed = [head, *negative, *(side for pair in comparisons for side in (pair.left, pair.right))]
    for term in needed:
        for variable in variables(term):
            if variable not in bound:
                raise GroundingError(
                    f"the variable {variable} of the rule in line {rule.line} has no values to take",
                    hint="mention it in a condition other than (not ...) and (distinct ...)",
                )

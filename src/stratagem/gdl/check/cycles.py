"""Recursion: no relation may rest on its own negation, and none may build ever larger terms.

Stratification. If a relation depends on itself through ``not``, the rules have no single meaning. The specification
asks this of relations; sheets of the field write ``(<= (goal ?r 0) (not (goal ?r 100)) ...)``, which is sound, as no
rule for a goal of 100 needs one of 0. So where relations are too coarse, rules are compared: one needs another
if one of its conditions could match the other's head.

The recursion restriction of the specification. In a condition that is recursive with the head, every argument
must be ground, or be an argument of the head, or be an argument of a condition that is not recursive and not
negated. It keeps terms from growing without end, and forbids harmless recursion too. Here a rule that breaks it is an
error only where terms can grow. A rule makes them grow if a variable stands deeper in its head than in the
recursive conditions that give it values, and no other condition gives it any. If no rule of the circle does so,
no term gets deeper than those the circle starts from, so there are finitely many.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import inf
from typing import Final

from stratagem.gdl.check.survey import Survey, listed, name_place, places
from stratagem.gdl.dependencies import Use, rule_graph, uses
from stratagem.gdl.graphs import components, path
from stratagem.gdl.rules import Atom, Literal, Or, Rule
from stratagem.gdl.terms import Compound, Relation, Term, Variable, arguments, functor, is_ground, variables
from stratagem.plural import plural

NEVER_ASKED: Final = {("init", 1), ("next", 1), ("base", 1), ("input", 2)}
"""Conditions must not ask for these at all, which is reported elsewhere."""
COMPARED: Final = 300_000
"""How many pairs of conditions and heads are compared before a circle counts as one."""


@dataclass(slots=True)
class _Circle:
    """Relations that define each other, and what their rules do that they should not."""

    relations: tuple[Relation, ...]
    members: frozenset[Relation]
    negations: list[Use] = field(default_factory=list)
    breaches: list[tuple[Use, Term]] = field(default_factory=list)
    growing: Variable | None = None


def check_cycles(survey: Survey) -> None:
    circles = [_Circle(component, frozenset(component)) for component in components(survey.edges)]
    circle_of = {relation: circle for circle in circles for relation in circle.relations}
    for rule in survey.sheet.rules:
        circle = circle_of[functor(rule.head)]
        recursive = [
            use for use in uses(rule) if use.relation in circle.members and use.relation not in NEVER_ASKED
        ]
        if recursive:
            circle.negations += [use for use in recursive if use.negated]
            circle.breaches += _breaches(rule, recursive, circle.members)
            circle.growing = circle.growing or _growing(rule, circle.members)
    for circle in circles:
        if circle.negations:
            _check_negations(survey, circle)
        for use, argument in circle.breaches:
            _report_breach(survey, use, argument, circle.growing)


def _check_negations(survey: Survey, circle: _Circle) -> None:
    rules = [rule for relation in circle.relations for rule in survey.definitions.get(relation, ())]
    sound = _sound_rule_by_rule(rules)
    first = circle.negations[0]
    head = functor(first.rule.head)
    inside = {
        relation: [used for used in survey.edges[relation] if used in circle.members]
        for relation in circle.relations
    }
    way = [survey.name(relation) for relation in path(inside, first.relation, head) or (first.relation,)]
    steps = [f"{way[-1]} needs not {way[0]}"]
    steps += [f"{above} needs {below}" for above, below in pairwise(way)]
    others = len(circle.negations) - 1
    more = "" if others == 0 else f" (and {plural(others, 'more negation')} in the same circle)"
    survey.report(
        "GDL122" if sound else "GDL012",
        name_place(first.atom.node),
        f"{survey.name(head)} is defined by its own negation: {listed(steps)}{more}",
        "no circle of definitions through (not ...)",
        "no harm is done, as no rule needs itself; for other programs use two relations"
        if sound
        else "rest one of them on the state, with true, or on a relation outside the circle",
    )


def _sound_rule_by_rule(rules: Sequence[Rule]) -> bool:
    """Whether no rule depends on itself through a negation, going by which conditions can match which heads."""
    needs = rule_graph(rules, most=COMPARED)
    if needs is None:
        return False
    component_of = {rule: component for component in components(needs.edges) for rule in component}
    return all(component_of[user] is not component_of[used] for user, used in needs.negative)


def _report_breach(survey: Survey, use: Use, argument: Term, growing: Variable | None) -> None:
    place = places(use.atom.node)[next(variables(argument))]
    name, shown = survey.name(use.relation), survey.show(argument)
    if growing is None:
        survey.report(
            "GDL119",
            place,
            f"{name} is recursive here, and only recursive conditions give {shown}",
            "an argument of the head, or of a condition that is not recursive",
            "no harm is done, as no term grows; other programs want a condition that lists the values",
        )
    else:
        survey.report(
            "GDL013",
            place,
            f"{name} is recursive here, and {survey.show(growing)} may grow at every step without end",
            f"{shown} also in the head, or in a condition that is not recursive",
            f"add a condition that lists the values of {shown}",
        )


def _breaches(rule: Rule, recursive: Sequence[Use], circle: frozenset[Relation]) -> list[tuple[Use, Term]]:
    """The recursive conditions of *rule* that break the restriction, each with the first argument that does."""
    allowed = {*arguments(rule.head)}.union(*(_listed(literal, circle) for literal in rule.body))
    found: dict[Term, Use] = {}
    for use in recursive:
        wrong = (part for part in arguments(use.atom.term) if not is_ground(part) and part not in allowed)
        argument = None if use.negated else next(wrong, None)
        if argument is not None:
            found.setdefault(argument, use)
    return [(use, argument) for argument, use in found.items()]


def _listed(literal: Literal, circle: frozenset[Relation]) -> frozenset[Term]:
    """The terms that *literal* gives from outside the circle, whichever way it holds."""
    match literal:
        case Atom(term) if functor(term) not in circle:
            return frozenset(arguments(term))
        case Or(several) if several:
            return frozenset.intersection(*(_listed(inner, circle) for inner in several))
        case _:
            return frozenset()


def _growing(rule: Rule, circle: frozenset[Relation]) -> Variable | None:
    """A variable of the head that stands deeper there than where it gets its values, if there is one."""
    reach: dict[Variable, float] = {}
    for literal in rule.body:
        for variable, depth in _reach(literal, circle).items():
            reach[variable] = max(depth, reach.get(variable, 0))
    deeper = (variable for variable, depth in depths(rule.head) if depth > reach.get(variable, inf))
    return next(deeper, None)


def _reach(literal: Literal, circle: frozenset[Relation]) -> dict[Variable, float]:
    """How deep *literal* finds each variable inside a term of the circle; inf where it comes from outside."""
    found: dict[Variable, float] = {}
    match literal:
        case Atom(term):
            outside = functor(term) not in circle
            for variable, depth in depths(term):
                found[variable] = inf if outside else max(depth, found.get(variable, 0))
        case Or(several) if several:
            first, *others = (_reach(inner, circle) for inner in several)
            for variable in first:
                if all(variable in other for other in others):
                    found[variable] = min(first[variable], *(other[variable] for other in others), inf)
    return found


def depths(term: Term) -> Iterator[tuple[Variable, int]]:
    """Every occurrence of a variable in *term* with the number of brackets around it."""
    stack = [(term, 0)]
    while stack:
        part, depth = stack.pop()
        if isinstance(part, Variable):
            yield part, depth
        elif isinstance(part, Compound):
            stack.extend((inner, depth + 1) for inner in part[1:])

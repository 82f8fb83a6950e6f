"""Independent arguments: a relation is replaced by its parts, each over the arguments that its rules look at.

A rule such as (threatened ?x ?y ?ignored) <= (attacked ?x ?y) & (coordinate ?ignored) says the same for every value of
?ignored, and a rule of (different ?x1 ?y1 ?x2 ?y2) looks at the columns alone. Such a rule has as many instances as all its
arguments together have values, and so has every rule that calls it. Here the rules of a relation are put into groups by the
arguments they leave free. Each group becomes a relation without these, and a call becomes a choice between the groups: one
rule for each where it is asserted, all of them denied where it is negated. Shorter atoms also let bodies be split further.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from stratagem.gdl.domains import Domain
from stratagem.gdl.graphs import components
from stratagem.gdl.terms import Relation, Term, Variable, applied, arguments, functor, variables
from stratagem.ground.rewrite.narrow import FIXED, AskedValues, Filters, asked_for, listed
from stratagem.ground.rewrite.normal import NormalRule
from stratagem.ground.rewrite.size_estimates import SizeEstimates

ALTERNATIVES = 8
"""No rule becomes more rules than this for the calls of one relation."""
Group: TypeAlias = tuple[int, ...]
"""The places of the arguments that are left free."""


@dataclass(frozen=True, slots=True)
class _Bound:
    """A rule and the values that its variables can take."""

    rule: NormalRule
    values: Mapping[Variable, Domain]


def without_free_arguments(rules: Iterable[NormalRule], estimates: SizeEstimates) -> tuple[NormalRule, ...]:
    """*rules* with every relation split by the arguments that its rules leave free."""
    rules = tuple(rules)
    asked = asked_for(rules, estimates)
    filters = Filters(listed(rules))
    program: dict[Relation, list[_Bound]] = {}
    for rule in rules:
        values = asked.bind(rule)
        if values is not None or not (rule.positive or rule.negative):
            program.setdefault(functor(rule.head), []).append(_Bound(rule, values or {}))
    for relation in _candidates(program):
        _split_relation(program, relation, asked, filters)
    return (*(bound.rule for several in program.values() for bound in several), *filters.rules)


def _candidates(program: Mapping[Relation, Sequence[_Bound]]) -> list[Relation]:
    """The relations that are not recursive, each after those it calls."""
    edges = {
        relation: {
            functor(term) for bound in several for term in (*bound.rule.positive, *bound.rule.negative)
        }
        for relation, several in program.items()
    }
    found = [component[0] for component in components(edges) if len(component) == 1]
    return [
        relation
        for relation in found
        if relation not in FIXED and relation in program and relation not in edges[relation]
    ]


def _split_relation(
    program: dict[Relation, list[_Bound]], relation: Relation, asked: AskedValues, filters: Filters
) -> None:
    """Replaces *relation* and its calls where some rule leaves an argument free."""
    columns = asked.columns.get(relation)
    if columns is None:
        return
    groups: dict[Group, list[_Bound]] = {}
    for bound in program[relation]:
        groups.setdefault(_free_places(bound.rule, columns, filters), []).append(bound)
    if not any(groups):
        return
    several = sorted(groups)
    most = max(
        sum(functor(term) == relation for term in bound.rule.positive)
        for others in program.values()
        for bound in others
    )
    if len(several) ** most > ALTERNATIVES:
        return
    del program[relation]
    for group in several:
        made = [_Bound(_shortened(bound.rule, group), bound.values) for bound in groups[group]]
        program[functor(made[0].rule.head)] = made
    for caller, bounds in program.items():
        program[caller] = [
            new for bound in bounds for new in _without_calls(bound, relation, several, filters)
        ]


def _free_places(rule: NormalRule, columns: Sequence[Domain], filters: Filters) -> Group:
    """The places of the arguments that *rule* leaves free, as far as anybody asks."""
    parts = arguments(rule.head)
    looked_at = [*rule.negative, *rule.guards]
    looked_at += [side for pair in rule.comparisons for side in (pair.left, pair.right)]
    found: list[int] = []
    for place, part in enumerate(parts):
        if not isinstance(part, Variable):
            continue
        atoms = [term for term in rule.positive if not filters.implied(term, columns[place])]
        mentions = [*looked_at, *atoms, *(other for at, other in enumerate(parts) if at != place)]
        if all(part not in set(variables(term)) for term in mentions):
            found.append(place)
    return tuple(found)


def _shortened(rule: NormalRule, group: Group) -> NormalRule:
    """*rule* without the arguments in the places of *group*."""
    gone = {arguments(rule.head)[place] for place in group}
    positive = tuple(term for term in rule.positive if gone.isdisjoint(variables(term)))
    return replace(rule, head=_over(rule.head, group), positive=positive)


def _over(term: Term, group: Group) -> Term:
    """The atom *term* without the arguments in the places of *group*."""
    if not group:
        return term
    name, _ = functor(term)
    kept = [part for place, part in enumerate(arguments(term)) if place not in group]
    return applied(f"{name} less {' '.join(map(str, group))}", kept)


def _without_calls(
    bound: _Bound, relation: Relation, groups: Sequence[Group], filters: Filters
) -> list[_Bound]:
    """The rules in the place of one that may call *relation*."""
    rule = bound.rule
    called = [term for term in rule.positive if functor(term) == relation]
    if not called and all(functor(term) != relation for term in rule.negative):
        return [bound]
    negative: dict[Term, None] = {}
    for term in rule.negative:
        parts = [_over(term, group) for group in groups] if functor(term) == relation else [term]
        negative.update(dict.fromkeys(parts))
    bodies: list[dict[Term, None]] = [{}]
    for term in rule.positive:
        options = [_over(term, group) for group in groups] if functor(term) == relation else [term]
        bodies = [{**body, option: None} for body in bodies for option in options]
    found: list[_Bound] = []
    for body in bodies:
        positive = list(body)
        still = {variable for term in positive for variable in variables(term)}
        for term in called:
            for variable in variables(term):
                if variable not in still:
                    still.add(variable)
                    positive.append(filters.atom(variable, frozenset(bound.values[variable].symbols)))
        found.append(_Bound(replace(rule, positive=tuple(positive), negative=tuple(negative)), bound.values))
    return found

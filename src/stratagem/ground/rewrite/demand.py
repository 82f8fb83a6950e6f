"""Demand: derived relations are ground only where a rule asks for them (magic sets, Bancilhon et al. 1986).

A relation such as (count ?w ?x ?y ?z) over all cells of a board may have millions of instances while the rules
ask for four. Where a relation would explode, its rules get a guard: the arguments that every call binds must
have been asked for. The guards are relations of their own, derived from the callers; like all guards they hold
wherever they matter, so the gates leave them out.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from stratagem.gdl.terms import Relation, Term, Variable, applied, arguments, functor, variables
from stratagem.ground.rewrite.normal import OUTPUTS, NormalRule
from stratagem.ground.rewrite.size_estimates import SizeEstimates
from stratagem.ground.rewrite.split import GUARD, static_relations

WORTH_IT = 30_000
"""Relations whose rules have more instances than this, by estimate, are ground on demand."""
WORTH_IT_STATIC = 300_000
"""What does not depend on the state is evaluated for good; under a guard it would stay a condition of every rule."""
GIVEN: frozenset[Relation] = frozenset({*OUTPUTS, ("true", 1), ("does", 2)})


@dataclass(frozen=True, slots=True)
class _Call:
    """An atom in the body of *rule*, and the atoms whose values are known when it is asked for."""

    rule: NormalRule
    term: Term
    prefix: tuple[Term, ...]
    negated: bool

    def known(self, bound: Mapping[Relation, Collection[int]]) -> tuple[Term, ...]:
        """The atoms that bind arguments of the call: connected ones only, as others would multiply.

        A negated call has all its arguments bound by its rule in any case.
        """
        prefix = self.prefix
        places = bound.get(functor(self.rule.head))
        if places:
            prefix = (_guard(self.rule.head, sorted(places)), *prefix)
        if self.negated:
            return prefix
        wanted = set(variables(self.term))
        groups = _connected(prefix)
        best = max(groups, key=lambda group: len(wanted & _all_variables(group)), default=[])
        return tuple(best)


def demanded(rules: Iterable[NormalRule], domains: SizeEstimates) -> tuple[NormalRule, ...]:
    """*rules* with guards on the relations that would explode, and with the rules of the guards."""
    rules = tuple(rules)
    large = _large(rules, domains)
    if not large:
        return rules
    calls = list(_calls(rules, domains, large))
    bound = _bound_positions(calls, large)
    found: list[NormalRule] = []
    for rule in rules:
        places = bound.get(functor(rule.head))
        guards = (_guard(rule.head, places),) if places else ()
        found.append(replace(rule, guards=rule.guards + guards))
    guard_rules: dict[NormalRule, None] = {}
    for call in calls:
        places = bound.get(functor(call.term))
        if places:
            head = _guard(call.term, places)
            prefix = call.known(bound)
            if head not in prefix:
                guard_rules[_guard_rule(head, prefix, call.rule.line)] = None
    return (*found, *guard_rules)


def _guard_rule(head: Term, prefix: Iterable[Term], line: int) -> NormalRule:
    """The rule of a guard, from those atoms of *prefix* that share a variable with it."""
    needed = set(variables(head))
    useful = [term for term in prefix if needed & set(variables(term))]
    guards = tuple(term for term in useful if functor(term)[0].startswith(GUARD))
    return NormalRule(head, tuple(term for term in useful if term not in guards), guards=guards, line=line)


def _large(rules: Sequence[NormalRule], domains: SizeEstimates) -> frozenset[Relation]:
    sizes: dict[Relation, float] = {}
    for rule in rules:
        if rule.positive or rule.negative:
            relation = functor(rule.head)
            sizes[relation] = sizes.get(relation, 0.0) + domains.rows(rule)
    static = static_relations(rules)
    return frozenset(
        relation
        for relation, size in sizes.items()
        if size > (WORTH_IT_STATIC if relation in static else WORTH_IT) and relation not in GIVEN
    )


def _calls(
    rules: Iterable[NormalRule], domains: SizeEstimates, large: frozenset[Relation]
) -> Iterator[_Call]:
    """Every place where a large relation is asked for.

    Large atoms of one body are asked for in the order of their size, so that none waits for one that waits for it;
    negated ones come last, when all else is known.
    """
    rules = tuple(rules)
    exact = _exact(rules)
    static = static_relations(rules)
    for rule in rules:
        prefix = [term for term in rule.positive if functor(term) not in large]
        asked = [term for term in rule.positive if functor(term) in large]
        asked.sort(key=lambda term: domains.sizes.get(functor(term), 0.0))
        negated = [term for term in rule.negative if functor(term) in large]
        for term in (*asked, *negated):
            # What is negated somewhere must stay exact, so what asks for it may not depend on the state.
            known = (part for part in prefix if functor(term) not in exact or functor(part) in static)
            yield _Call(rule, term, tuple(known), term not in asked)
            if term in asked:
                prefix.append(term)


def _exact(rules: Iterable[NormalRule]) -> frozenset[Relation]:
    """The static relations that a negated static relation is, or depends on."""
    rules = tuple(rules)
    static = static_relations(rules)
    below: dict[Relation, set[Relation]] = {}
    waiting: list[Relation] = []
    for rule in rules:
        body = {functor(term) for term in (*rule.positive, *rule.negative)}
        below.setdefault(functor(rule.head), set()).update(body)
        waiting.extend(functor(term) for term in rule.negative if functor(term) in static)
    found: set[Relation] = set()
    while waiting:
        relation = waiting.pop()
        if relation not in found:
            found.add(relation)
            waiting.extend(below.get(relation, ()))
    return frozenset(found)


def _bound_positions(calls: list[_Call], large: frozenset[Relation]) -> dict[Relation, tuple[int, ...]]:
    """For each relation the arguments that all its calls bind: the greatest fixed point."""
    bound = {relation: set(range(relation[1])) for relation in large}
    changed = True
    while changed:
        changed = False
        for call in calls:
            known = _all_variables(call.known(bound))
            places = bound[functor(call.term)]
            parts = arguments(call.term)
            still = {place for place in places if set(variables(parts[place])) <= known}
            if still != places:
                bound[functor(call.term)] = still
                changed = True
    return {relation: tuple(sorted(places)) for relation, places in bound.items() if places}


def _all_variables(terms: Iterable[Term]) -> set[Variable]:
    return {variable for term in terms for variable in variables(term)}


def _guard(term: Term, places: Iterable[int]) -> Term:
    name, arity = functor(term)
    return applied(f"{GUARD}{name}/{arity}", (arguments(term)[place] for place in places))


def _connected(terms: Iterable[Term]) -> list[list[Term]]:
    """*terms* in groups that share variables; those without variables make no group."""
    groups: list[tuple[set[Variable], list[Term]]] = []
    for term in terms:
        inner = set(variables(term))
        if not inner:
            continue
        touching = [group for group in groups if group[0] & inner]
        merged = (inner.union(*(group[0] for group in touching)), [t for group in touching for t in group[1]])
        merged[1].append(term)
        groups = [group for group in groups if group not in touching] + [merged]
    return [group[1] for group in groups]

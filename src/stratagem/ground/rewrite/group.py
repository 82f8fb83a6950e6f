"""Groups of literals over a few variables of a rule become a relation: what they say is worked out once for these.

Splitting along an elimination order leaves all literals over the variables of a bag in one rule. A rule over a square, a king
and a source has a quarter of a million instances, and each repeats what is said of the king and the source alone. Literals over
fewer variables than the rule has are put into a rule of their own where that makes fewer literals in the ground program.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

from stratagem.gdl.terms import Relation, Term, Variable, applied, functor, variables
from stratagem.ground.rewrite.normal import Comparison, NormalRule
from stratagem.ground.rewrite.size_estimates import SizeEstimates
from stratagem.ground.rewrite.split import GUARD, static_relations

GROUP = "group "
SAVING = 50_000
"""So many literals a group must save, by estimate."""


@dataclass(slots=True)
class Grouping:
    """Groups the literals of rules one after the other."""

    estimates: SizeEstimates
    static: frozenset[Relation]
    saving: float
    rules: list[NormalRule] = field(default_factory=list)
    count: int = 0

    def add(self, rule: NormalRule) -> None:
        """Adds *rule* to `rules`, with rules for the groups that it calls instead of literals."""
        rows = self.estimates.rows(rule)
        while rows > self.saving:
            best = max(self._groups(rule, rows), key=lambda found: found[0], default=None)
            if best is None or best[0] < self.saving:
                break
            _, inner, guards = best
            self.rules += guards
            self.add(inner)
            rule = _with_group(rule, inner)
        self.rules.append(rule)

    def _groups(self, rule: NormalRule, rows: float) -> Iterator[tuple[float, NormalRule, list[NormalRule]]]:
        """What could be saved, by which rule for a group and which rules for its guards."""
        everything = _variables_of(rule)
        scopes = {frozenset(variables(term)) for term in (*rule.positive, *rule.negative)}
        scopes |= {one | other for one, other in combinations(sorted(scopes, key=sorted), 2)}
        for scope in sorted(scopes, key=sorted):
            if len(scope) == len(everything) or not scope:
                continue
            inner = _inside(rule, scope)
            changing = self._changing(inner)
            if changing < 2 or (changing == self._changing(rule) and len(rule.guards) == len(inner.guards)):
                continue
            if (changing - 1) * rows < self.saving:
                continue
            name = f"{GROUP}{self.count}"
            self.count += 1
            inner, guards = self._bound(replace(inner, head=applied(name, sorted(scope))), rule)
            self.estimates.note(inner)
            cost = self.estimates.rows(inner) * (changing + 2)
            yield (changing - 1) * rows - cost, inner, guards

    def _bound(self, inner: NormalRule, rule: NormalRule) -> tuple[NormalRule, list[NormalRule]]:
        """*inner* with guards for the variables that it leaves open, from atoms of *rule*, and the rules of these."""
        wanted = set(variables(inner.head))
        still = wanted - {v for term in (*inner.positive, *inner.guards) for v in variables(term)}
        guards: list[NormalRule] = []
        while still:
            around = (*rule.positive, *rule.guards)
            best = max(around, key=lambda term: len(still & set(variables(term))))
            shared = sorted(wanted & set(variables(best)))
            guard = NormalRule(applied(f"{GUARD}{functor(inner.head)[0]} {len(guards)}", shared), (best,))
            self.estimates.note(guard)
            guards.append(guard)
            still -= set(shared)
        return replace(inner, guards=(*inner.guards, *(guard.head for guard in guards))), guards

    def _changing(self, rule: NormalRule) -> int:
        return sum(functor(term) not in self.static for term in (*rule.positive, *rule.negative))


def _variables_of(rule: NormalRule) -> set[Variable]:
    return {variable for term in (*rule.positive, *rule.guards) for variable in variables(term)}


def _inside(rule: NormalRule, scope: frozenset[Variable]) -> NormalRule:
    """The part of the body of *rule* that is about the variables of *scope* alone."""

    def within(several: Iterable[Term]) -> tuple[Term, ...]:
        return tuple(term for term in several if scope.issuperset(variables(term)))

    comparisons = tuple(pair for pair in rule.comparisons if scope.issuperset(pair.variables()))
    return replace(
        rule,
        positive=within(rule.positive),
        negative=within(rule.negative),
        comparisons=comparisons,
        guards=within(rule.guards),
    )


def _with_group(rule: NormalRule, inner: NormalRule) -> NormalRule:
    """*rule* with the head of *inner* in the place of its literals."""

    def rest(several: Sequence[Term], gone: Sequence[Term]) -> tuple[Term, ...]:
        return tuple(term for term in several if term not in gone)

    comparisons: tuple[Comparison, ...] = tuple(p for p in rule.comparisons if p not in inner.comparisons)
    return replace(
        rule,
        positive=(*rest(rule.positive, inner.positive), inner.head),
        negative=rest(rule.negative, inner.negative),
        comparisons=comparisons,
    )


def grouped(
    rules: Iterable[NormalRule], estimates: SizeEstimates, *, saving: float = SAVING
) -> tuple[NormalRule, ...]:
    """*rules* with groups of literals where these save so many, by estimate."""
    rules = tuple(rules)
    grouping = Grouping(estimates, static_relations(rules), saving)
    for rule in rules:
        grouping.add(rule)
    return tuple(grouping.rules)

"""Narrowed arguments: a relation is derived only for values that some rule can ask for.

A board sheet that has one relation (coordinate ?z) for files and ranks bounds an argument that nobody reads by both, so
three such arguments are eight times as many instances as anybody asks for. Domains are followed downwards
here, from the outputs to what they call: a rule is *asked* for the values that its callers' variables can take, each
argument on its own. Where these are fewer than its body allows, a unary relation of the values is put in front. It does not
depend on the state, so clingo evaluates it for good, and it replaces the atoms that said less.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from stratagem.gdl.domains import Domain
from stratagem.gdl.terms import Relation, Symbol, Term, Variable, applied, arguments, functor, variables
from stratagem.ground.rewrite.normal import OUTPUTS, NormalRule
from stratagem.ground.rewrite.size_estimates import DEEPEST, SizeEstimates

ONLY = "only "
STATE: frozenset[Relation] = frozenset({("true", 1), ("does", 2)})
FIXED: frozenset[Relation] = frozenset({*OUTPUTS, *STATE})
"""Relations that others read as well: they keep all their tuples and all their arguments."""


@dataclass(slots=True)
class AskedValues:
    """What each argument of each relation is asked for, and what the variables of a rule can be because of that."""

    estimates: SizeEstimates
    columns: dict[Relation, list[Domain]]

    def bind(self, rule: NormalRule) -> dict[Variable, Domain] | None:
        """The values of the variables of *rule* where it matters; None where it never does."""
        bindings = self.estimates.bind(rule)
        relation = functor(rule.head)
        if bindings is None or relation in FIXED:
            return bindings
        columns = self.columns.get(relation)
        if columns is None:
            return None
        for part, domain in zip(arguments(rule.head), columns, strict=True):
            if not domain.match(part, bindings):
                return None
        return bindings


def asked_for(rules: Sequence[NormalRule], estimates: SizeEstimates) -> AskedValues:
    """The least fixed point: outputs are asked for everything, a body for what its rule is asked for."""
    asked = AskedValues(estimates, {})
    by_head: dict[Relation, list[NormalRule]] = {}
    for rule in rules:
        by_head.setdefault(functor(rule.head), []).append(rule)
    waiting = dict.fromkeys(rule for relation in OUTPUTS for rule in by_head.get(relation, ()))
    while waiting:
        rule = next(iter(waiting))
        del waiting[rule]
        bindings = asked.bind(rule)
        if bindings is None:
            continue
        for term in (*rule.positive, *rule.negative, *rule.guards):
            relation = functor(term)
            if relation in STATE:
                continue
            news = relation not in asked.columns
            columns = asked.columns.setdefault(relation, [Domain(DEEPEST) for _ in range(relation[1])])
            for part, domain in zip(arguments(term), columns, strict=True):
                news |= domain.add_term(part, bindings)
            if news:
                waiting.update(dict.fromkeys(by_head.get(relation, ())))
    return asked


def listed(rules: Iterable[NormalRule]) -> dict[Relation, frozenset[str]]:
    """The unary relations that are lists of symbols, with these."""
    found: dict[Relation, set[str]] = {}
    other: set[Relation] = set(FIXED)
    for rule in rules:
        relation = functor(rule.head)
        parts = arguments(rule.head)
        if len(parts) == 1 and isinstance(parts[0], Symbol) and not (rule.positive or rule.negative):
            found.setdefault(relation, set()).add(str(parts[0]))
        else:
            other.add(relation)
    return {relation: frozenset(symbols) for relation, symbols in found.items() if relation not in other}


class Filters:
    """Unary relations of the values that a variable may take, made when first needed."""

    def __init__(self, lists: Mapping[Relation, frozenset[str]]) -> None:
        self.lists = dict(lists)
        self.names = {symbols: relation[0] for relation, symbols in sorted(lists.items(), reverse=True)}
        self.rules: list[NormalRule] = []

    def atom(self, variable: Variable, symbols: frozenset[str]) -> Term:
        """The atom that holds where *variable* is one of *symbols*."""
        name = self.names.get(symbols)
        if name is None:
            name = f"{ONLY}{len(self.lists)}"
            self.names[symbols] = name
            self.lists[(name, 1)] = symbols
            self.rules += [NormalRule(applied(name, (Symbol(symbol),))) for symbol in sorted(symbols)]
        return applied(name, (variable,))

    def implied(self, term: Term, domain: Domain | None) -> bool:
        """Whether *term* lists values of a variable, all values of *domain* among them."""
        symbols = self.lists.get(functor(term))
        return (
            symbols is not None
            and isinstance(arguments(term)[0], Variable)
            and domain is not None
            and not domain.functions
            and domain.symbols <= symbols
        )


def narrowed(rules: Iterable[NormalRule], estimates: SizeEstimates) -> tuple[NormalRule, ...]:
    """*rules* without those that never matter, and with filters on the arguments that are asked for less."""
    rules = tuple(rules)
    asked = asked_for(rules, estimates)
    filters = Filters(listed(rules))
    found: list[NormalRule] = []
    for rule in rules:
        if not (rule.positive or rule.negative) or functor(rule.head) in FIXED:
            found.append(rule)
            continue
        after = asked.bind(rule)
        if after is not None:
            found.append(_filtered(rule, after, filters))
    return (*found, *filters.rules)


def _filtered(rule: NormalRule, after: Mapping[Variable, Domain], filters: Filters) -> NormalRule:
    """*rule* with a filter for every variable of its head that needs one."""
    positive = list(rule.positive)
    for variable in dict.fromkeys(variables(rule.head)):
        domain = after[variable]
        if domain.functions:
            continue
        dropped = [
            term for term in positive if functor(term) in filters.lists and arguments(term)[0] == variable
        ]
        said = [filters.lists[functor(term)] for term in dropped]
        if any(symbols == domain.symbols for symbols in said) and len(said) == 1:
            continue
        others = [term for term in positive if term not in dropped and variable in set(variables(term))]
        if said or not others:
            positive = [term for term in positive if term not in dropped]
            positive.append(filters.atom(variable, frozenset(domain.symbols)))
    return replace(rule, positive=tuple(positive))

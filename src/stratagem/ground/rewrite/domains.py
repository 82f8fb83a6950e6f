"""What values can stand where: a cheap bound on the size of relations and rules, before anything is ground.

Every argument of every relation gets a *domain*: symbols, and functions over domains. A variable can take what all
places that mention it allow; a head passes that on. The least fixed point takes milliseconds, and is
far coarser than grounding, as it looks at one argument at a time. Sizes of relations and rules are estimated
from it as a query planner does, with values spread evenly.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from math import prod

from stratagem.gdl.terms import Compound, Relation, Symbol, Term, Variable, functor
from stratagem.ground.rewrite.normal import NormalRule

DEEPEST = 6
"""Function terms nested deeper than this count as unbounded."""
RUNS_PER_RULE = 60
HUGE = 1e30


class Unbounded(Exception):
    """Terms seem to grow without end, or the fixed point is far away."""


@dataclass(slots=True)
class Domain:
    """Symbols and function terms that may stand in one place."""

    symbols: set[str] = field(default_factory=set)
    functions: dict[Relation, list[Domain]] = field(default_factory=dict)

    def size(self) -> float:
        inner = sum(prod(part.size() for part in parts) for parts in self.functions.values())
        return min(len(self.symbols) + inner, HUGE)

    def add(self, other: Domain, depth: int = 0) -> bool:
        """Takes in all of *other*; whether that was news."""
        news = not other.symbols <= self.symbols
        if news:
            self.symbols |= other.symbols
        for function, parts in other.functions.items():
            mine = self._function(function, depth)
            for one, part in zip(mine, list(parts), strict=True):
                news |= one.add(part, depth + 1)
        return news

    def add_term(self, term: Term, bindings: dict[Variable, Domain], depth: int = 0) -> bool:
        """Takes in *term* with its variables as bound; whether that was news."""
        if isinstance(term, Variable):
            return self.add(bindings[term], depth)
        if isinstance(term, Compound):
            news = functor(term) not in self.functions
            for one, part in zip(self._function(functor(term), depth), term[1:], strict=True):
                news |= one.add_term(part, bindings, depth + 1)
            return news
        if term in self.symbols:
            return False
        self.symbols.add(str(term))
        return True

    def meet(self, other: Domain) -> Domain:
        """What both allow."""
        if self is other:
            return self
        shared = Domain(self.symbols & other.symbols)
        for function, parts in self.functions.items():
            if function in other.functions:
                pairs = zip(parts, other.functions[function], strict=True)
                shared.functions[function] = [one.meet(part) for one, part in pairs]
        return shared

    def _function(self, function: Relation, depth: int) -> list[Domain]:
        if function not in self.functions:
            if depth >= DEEPEST:
                raise Unbounded
            self.functions[function] = [Domain() for _ in range(function[1])]
        return self.functions[function]


class Domains:
    """The domains of all arguments of all relations of a program, and estimates of sizes."""

    def __init__(self, rules: Iterable[NormalRule]) -> None:
        self.rules = (*rules, *_turn())
        self.arguments: dict[Relation, list[Domain]] = {}
        self.sizes: dict[Relation, float] = {}
        self._fixed_point()
        self._estimate()

    def bind(self, rule: NormalRule) -> dict[Variable, Domain] | None:
        """What the variables of *rule* can be; None where its body can never hold."""
        bindings: dict[Variable, Domain] = {}
        for atom in (*rule.positive, *rule.guards):
            arguments = self.arguments.get(functor(atom))
            if arguments is None:
                return None
            for part, domain in zip(_parts(atom), arguments, strict=True):
                if not _match(part, domain, bindings):
                    return None
        return bindings

    def note(self, rule: NormalRule) -> None:
        """Takes in the relation that *rule* alone defines, over variables only."""
        bindings = self.bind(rule)
        heads = [part for part in _parts(rule.head) if isinstance(part, Variable)]
        domains = [Domain() if bindings is None else bindings[part] for part in heads]
        relation = functor(rule.head)
        self.arguments[relation] = domains
        self.sizes[relation] = min(prod(domain.size() for domain in domains), self.rows(rule))

    def instances(self, rule: NormalRule) -> float:
        """An upper bound on the instances of *rule*: every combination of values."""
        bindings = self.bind(rule)
        return 0.0 if bindings is None else min(prod(domain.size() for domain in bindings.values()), HUGE)

    def rows(self, rule: NormalRule) -> float:
        """An estimate of the instances of *rule*: its atoms joined, each time the one that adds least."""
        bindings = self.bind(rule)
        if bindings is None:
            return 0.0
        width = {variable: max(domain.size(), 1.0) for variable, domain in bindings.items()}
        waiting = [(functor(term), set(_variables(term))) for term in (*rule.positive, *rule.guards)]
        bound: set[Variable] = set()
        total = 1.0
        while waiting:
            factors = []
            for place, (relation, inner) in enumerate(waiting):
                known = prod(width[variable] for variable in inner & bound)
                every = prod(width[variable] for variable in inner - bound)
                factors.append((min(self.sizes.get(relation, 0.0) / known, every), place))
            factor, place = min(factors)
            total = min(total * factor, HUGE)
            bound |= waiting.pop(place)[1]
        return total

    def _fixed_point(self) -> None:
        users: dict[Relation, list[int]] = {}
        for place, rule in enumerate(self.rules):
            for term in (*rule.positive, *rule.guards):
                users.setdefault(functor(term), []).append(place)
        waiting = dict.fromkeys(range(len(self.rules)))
        runs = 0
        while waiting:
            place = next(iter(waiting))
            del waiting[place]
            runs += 1
            if runs > RUNS_PER_RULE * len(self.rules):
                raise Unbounded
            rule = self.rules[place]
            bindings = self.bind(rule)
            if bindings is None:
                continue
            relation = functor(rule.head)
            news = relation not in self.arguments
            arguments = self.arguments.setdefault(relation, [Domain() for _ in range(relation[1])])
            for part, domain in zip(_parts(rule.head), arguments, strict=True):
                news |= domain.add_term(part, bindings)
            if news:
                waiting.update(dict.fromkeys(users.get(relation, ())))

    def _estimate(self) -> None:
        by_head: dict[Relation, list[NormalRule]] = {}
        for rule in self.rules:
            by_head.setdefault(functor(rule.head), []).append(rule)
        for relation, domains in self.arguments.items():
            self.sizes[relation] = min(prod(domain.size() for domain in domains), HUGE)
        for _ in range(3):
            for relation, rules in by_head.items():
                if relation in self.sizes:
                    total = sum(self.rows(rule) if rule.positive else 1.0 for rule in rules)
                    self.sizes[relation] = min(self.sizes[relation], total)


def _turn() -> Iterator[NormalRule]:
    """How a turn makes states and moves of what the rules say."""
    fact, role, move = Variable("?fact"), Variable("?role"), Variable("?move")
    yield NormalRule(Compound(("true", fact)), (Compound(("init", fact)),))
    yield NormalRule(Compound(("true", fact)), (Compound(("next", fact)),))
    yield NormalRule(
        Compound(("does", role, move)), (Compound(("legal", role, move)), Compound(("role", role)))
    )


def _parts(term: Term) -> tuple[Term, ...]:
    return term.args if isinstance(term, Compound) else ()


def _variables(term: Term) -> Iterator[Variable]:
    from stratagem.gdl.terms import variables

    return variables(term)


def _match(term: Term, domain: Domain, bindings: dict[Variable, Domain]) -> bool:
    """Narrows the *bindings* of the variables of *term* to what *domain* allows; whether anything is left."""
    if isinstance(term, Variable):
        known = bindings.get(term)
        met = domain if known is None else known.meet(domain)
        bindings[term] = met
        return bool(met.symbols or met.functions)
    if isinstance(term, Symbol):
        return term in domain.symbols
    parts = domain.functions.get(functor(term))
    return parts is not None and all(
        _match(part, one, bindings) for part, one in zip(term[1:], parts, strict=True)
    )

"""Estimates of the sizes of relations and rules before anything is ground, from the domains of their arguments.

As a query planner does it: atoms are joined one after the other, with values spread evenly.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import prod

from stratagem.gdl.domains import HUGE, Clause, Domain, DomainInference
from stratagem.gdl.terms import Compound, Relation, Term, Variable, arguments, functor, variables
from stratagem.ground.rewrite.normal import NormalRule

DEEPEST = 6
"""Function terms nested deeper than this count as unbounded."""
LOOKS_PER_RULE = 60


class SizeEstimates:
    """The domains of all arguments of all relations of a program, and estimates of sizes; may raise `Unbounded`."""

    def __init__(self, rules: Iterable[NormalRule]) -> None:
        self.rules = (*rules, *turn())
        clauses = [Clause(rule.head, (*rule.positive, *rule.guards)) for rule in self.rules]
        self._inference = self._infer(clauses)
        self.arguments = self._inference.domains
        self.sizes: dict[Relation, float] = {}
        self._estimate()

    def _infer(self, clauses: Sequence[Clause]) -> DomainInference:
        return DomainInference(clauses, deepest=DEEPEST, looks=LOOKS_PER_RULE * len(clauses))

    def _size(self, term: Term) -> float:
        """The most instances of the atom *term*."""
        return self.sizes.get(functor(term), 0.0)

    def _rows_of(self, _relation: Relation, size: float) -> float:
        """What is known to be the most rows of a relation whose arguments allow *size* of them."""
        return size

    def bind(self, rule: NormalRule) -> dict[Variable, Domain] | None:
        """What the variables of *rule* can be; None where its body can never hold."""
        return self._inference.bind((*rule.positive, *rule.guards))

    def note(self, rule: NormalRule) -> None:
        """Takes in the relation that *rule* alone defines, over variables only."""
        bindings = self.bind(rule)
        heads = [part for part in arguments(rule.head) if isinstance(part, Variable)]
        domains = [Domain(DEEPEST) if bindings is None else bindings[part] for part in heads]
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
        waiting = [(self._size(term), set(variables(term))) for term in (*rule.positive, *rule.guards)]
        bound: set[Variable] = set()
        total = 1.0
        while waiting:
            factors = []
            for place, (size, inner) in enumerate(waiting):
                known = prod(width[variable] for variable in inner & bound)
                every = prod(width[variable] for variable in inner - bound)
                factors.append((min(size / known, every), place))
            factor, place = min(factors)
            total = min(total * factor, HUGE)
            bound |= waiting.pop(place)[1]
        return total

    def _estimate(self) -> None:
        by_head: dict[Relation, list[NormalRule]] = {}
        for rule in self.rules:
            by_head.setdefault(functor(rule.head), []).append(rule)
        for relation, domains in self.arguments.items():
            self.sizes[relation] = self._rows_of(
                relation, min(prod(domain.size() for domain in domains), HUGE)
            )
        for _ in range(3):
            for relation, rules in by_head.items():
                if relation in self.sizes:
                    total = sum(self.rows(rule) if rule.positive else 1.0 for rule in rules)
                    self.sizes[relation] = min(self.sizes[relation], total)


def turn() -> Iterator[NormalRule]:
    """How a turn makes states and moves of what the rules say."""
    fact, role, move = Variable("?fact"), Variable("?role"), Variable("?move")
    yield NormalRule(Compound(("true", fact)), (Compound(("init", fact)),))
    yield NormalRule(Compound(("true", fact)), (Compound(("next", fact)),))
    yield NormalRule(
        Compound(("does", role, move)), (Compound(("legal", role, move)), Compound(("role", role)))
    )

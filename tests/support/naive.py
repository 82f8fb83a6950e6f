"""The plainest possible meaning of stratified rules: put every constant for every variable, until nothing is new.

Hopelessly slow and obviously right: what the reasoner is compared with on random programs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from stratagem.gdl.rules import Atom, Distinct, Literal, Not, Or, Rule, literal_variables
from stratagem.gdl.terms import Compound, Symbol, Term, Variable, functor, variables
from stratagem.machines.unify import resolved, resolved_literal


def constants(term: Term) -> Iterator[Symbol]:
    if isinstance(term, Compound):
        for part in term[1:]:
            yield from constants(part)
    elif isinstance(term, Symbol):
        yield term


def holds(literal: Literal, facts: set[Term]) -> bool:
    match literal:
        case Atom(term):
            return term in facts
        case Not(inner):
            return not holds(inner, facts)
        case Or(inner):
            return any(holds(part, facts) for part in inner)
        case Distinct(left, right):
            return left != right


def instances(rule: Rule, universe: Sequence[Symbol]) -> Iterator[Rule]:
    own = sorted({*variables(rule.head), *(v for part in rule.body for v in literal_variables(part))})
    for values in product(universe, repeat=len(own)):
        binding: dict[Variable, Term] = dict(zip(own, values, strict=True))
        body = tuple(resolved_literal(part, binding) for part in rule.body)
        yield Rule(resolved(rule.head, binding), body, rule.node)


def consequences(strata: Sequence[Sequence[Rule]], universe: Sequence[Symbol]) -> set[Term]:
    """All facts that follow, stratum by stratum."""
    facts: set[Term] = set()
    for stratum in strata:
        ground = [instance for rule in stratum for instance in instances(rule, universe)]
        while True:
            new = {rule.head for rule in ground if all(holds(part, facts) for part in rule.body)} - facts
            if not new:
                break
            facts |= new
    return facts


def relations(facts: set[Term]) -> set[tuple[str, int]]:
    return {functor(fact) for fact in facts}

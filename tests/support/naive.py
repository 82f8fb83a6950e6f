"""The plainest possible meaning of stratified rules: put every term for every variable, until nothing is new.

Hopelessly slow and obviously right: the yardstick for the reasoner itself. No indexes, no order of evaluation, no code
of the reasoner's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product

from stratagem.gdl.rules import Atom, Distinct, Literal, Not, Or, Rule, literal_variables
from stratagem.gdl.terms import Compound, Term, Variable, variables

Binding = Mapping[Variable, Term]


def put(term: Term, binding: Binding) -> Term:
    if isinstance(term, Compound):
        return Compound((term[0], *(put(part, binding) for part in term[1:])))
    return binding[term] if isinstance(term, Variable) else term


def holds(literal: Literal, binding: Binding, facts: set[Term]) -> bool:
    match literal:
        case Atom(term):
            return put(term, binding) in facts
        case Not(inner):
            return not holds(inner, binding, facts)
        case Or(inner):
            return any(holds(part, binding, facts) for part in inner)
        case Distinct(left, right):
            return put(left, binding) != put(right, binding)


def bindings(names: Iterable[Variable], universe: Sequence[Term]) -> Iterator[Binding]:
    own = sorted(set(names))
    return (dict(zip(own, terms, strict=True)) for terms in product(universe, repeat=len(own)))


def instances(query: Term, facts: set[Term], universe: Sequence[Term]) -> set[Term]:
    """The instances of *query* among *facts*."""
    return {put(query, binding) for binding in bindings(variables(query), universe)} & facts


def consequences(
    strata: Sequence[Sequence[Rule]], universe: Sequence[Term], given: Iterable[Term] = ()
) -> set[Term]:
    """All facts that follow from the rules and *given*, stratum by stratum; *universe* has every term there is."""
    facts = set(given)
    for stratum in strata:
        ground = [
            (rule, binding)
            for rule in stratum
            for binding in bindings(
                [*variables(rule.head), *(v for part in rule.body for v in literal_variables(part))], universe
            )
        ]
        while True:
            new = {
                put(rule.head, binding)
                for rule, binding in ground
                if all(holds(part, binding, facts) for part in rule.body)
            }
            if new <= facts:
                break
            facts |= new
    return facts

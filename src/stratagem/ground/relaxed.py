"""Relaxed grounding: what the small relations of a program can hold, found by grounding less than the program says.

Domains of single arguments are coarse: where (adjacent ?x ?y) holds between files and between ranks, a move to an adjacent
square seems to lead off the board. Here relations that are large are left out of all bodies, and so is what is negated and not
known for good; a variable that nothing else binds takes its whole domain. What is left is ground by clingo in a second or two,
states and moves as choices as ever. Every fact that can be reached is among the rows found, and few others are.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, product

import clingo

from stratagem.gdl.domains import Domain
from stratagem.gdl.terms import Relation, Symbol, Term, Variable, applied, functor, variables
from stratagem.ground.encode import Decoder, Encoder
from stratagem.ground.rewrite.normal import OUTPUTS, NormalRule
from stratagem.ground.rewrite.rows import Rows, RowTables
from stratagem.ground.rewrite.size_estimates import SizeEstimates
from stratagem.ground.rewrite.split import split_all, static_relations

LARGEST = 2_000_000
"""Relations that could have more instances than this, by estimate, are left out at once."""
MOST = 300_000
"""So many ground rules are made before the relations that became large are left out as well."""
LISTED = 20_000
"""A relation with more rows than this is large."""
ATTEMPTS = 10
ANY = "any "
KEPT: frozenset[Relation] = frozenset({*OUTPUTS, ("true", 1), ("does", 2)})
"""Relations that are never left out: states and moves come from them."""


class _TooManyRules(Exception):
    """The relaxed program is larger than it may be."""


def reachable_rows(rules: Iterable[NormalRule], estimates: SizeEstimates) -> RowTables:
    """The rows that small relations of *rules* can hold; none where even the relaxed program is too large."""
    rules = tuple(rules)
    large = {
        relation for relation, size in estimates.sizes.items() if size > LARGEST and relation not in KEPT
    }
    for _ in range(ATTEMPTS):
        try:
            attempt = _attempt(rules, large, estimates)
        except _TooManyRules:
            break
        if attempt.complete:
            return RowTables(attempt.rows)
        large |= attempt.large
        _carry(rules, large)
    return RowTables({})


def _carry(rules: Iterable[NormalRule], large: set[Relation]) -> None:
    """Adds to *large* the relations that have a row for every row of a large one."""
    growing = True
    while growing:
        growing = False
        for rule in rules:
            head = functor(rule.head)
            if head in large or head in KEPT:
                continue
            kept = set(variables(rule.head))
            if any(functor(term) in large and kept.issuperset(variables(term)) for term in rule.positive):
                large.add(head)
                growing = True


@dataclass(slots=True)
class _Attempt:
    """What one relaxed program gave."""

    complete: bool
    rows: dict[Relation, Rows] = field(default_factory=dict)
    large: set[Relation] = field(default_factory=set)


def _attempt(rules: Sequence[NormalRule], large: Collection[Relation], estimates: SizeEstimates) -> _Attempt:
    """Grounds *rules* without the relations that are *large*."""
    exact = _exact(rules, large)
    values = _Values()
    relaxed = [
        found
        for rule in rules
        if functor(rule.head) not in large
        and (found := _relax(rule, large, exact, estimates, values)) is not None
    ]
    wanted = {functor(rule.head) for rule in relaxed} | KEPT
    relaxed += values.rules
    attempt = _ground(split_all(relaxed, SizeEstimates(relaxed)), wanted)
    if not attempt.complete and not attempt.large:
        raise _TooManyRules
    return attempt


def _exact(rules: Sequence[NormalRule], large: Collection[Relation]) -> frozenset[Relation]:
    """The static relations that depend on small static ones only: nothing is left out of their rules."""
    found = static_relations(rules) - frozenset(large)
    while True:
        less = {
            functor(rule.head)
            for rule in rules
            if any(functor(term) not in found for term in (*rule.positive, *rule.negative))
        }
        if found.isdisjoint(less):
            return found
        found -= less


def _relax(
    rule: NormalRule,
    large: Collection[Relation],
    exact: Collection[Relation],
    estimates: SizeEstimates,
    values: _Values,
) -> NormalRule | None:
    """*rule* without what is large, or negated and not exact; None where it can never hold."""
    domains = estimates.bind(rule)
    if domains is None:
        return None
    positive = [term for term in rule.positive if functor(term) not in large]
    negative = tuple(term for term in rule.negative if functor(term) in exact)
    bound = {variable for term in positive for variable in variables(term)}
    needed = [rule.head, *negative, *(side for pair in rule.comparisons for side in (pair.left, pair.right))]
    for variable in dict.fromkeys(variable for term in needed for variable in variables(term)):
        if variable not in bound:
            positive.append(values.atom(variable, domains[variable]))
    return replace(rule, positive=tuple(positive), negative=negative)


class _Values:
    """Unary relations of the values that a variable can take."""

    def __init__(self) -> None:
        self.rules: list[NormalRule] = []
        self.names: dict[tuple[Term, ...], str] = {}

    def atom(self, variable: Variable, domain: Domain) -> Term:
        """The atom that holds where *variable* has a value of *domain*."""
        if domain.size() > LISTED:
            raise _TooManyRules
        terms = tuple(_all_terms(domain))
        name = self.names.get(terms)
        if name is None:
            name = self.names[terms] = f"{ANY}{len(self.names)}"
            self.rules += [NormalRule(applied(name, (term,))) for term in terms]
        return applied(name, (variable,))


def _all_terms(domain: Domain) -> Iterator[Term]:
    """Every term of *domain*."""
    yield from map(Symbol, sorted(domain.symbols))
    for (name, _), parts in sorted(domain.functions.items(), key=lambda item: item[0]):
        for several in product(*(list(_all_terms(part)) for part in parts)):
            yield applied(name, several)


class _Counter:
    """Ends grounding after `MOST` ground rules."""

    def __init__(self) -> None:
        self.left = MOST

    def rule(self, choice: bool, head: list[int], body: list[int]) -> None:
        self.left -= 1
        if not self.left:
            raise _TooManyRules


def _ground(rules: Iterable[NormalRule], wanted: Collection[Relation]) -> _Attempt:
    """The rows of the relations *wanted*, or those relations that were large when there were too many ground rules."""
    encoder = Encoder()
    text = encoder.program(rules)
    control = clingo.Control(["--warn=none"], logger=lambda _code, _line: None)
    control.register_observer(_Counter(), replace=True)
    control.add("base", [], text)
    attempt = _Attempt(complete=True)
    try:
        control.ground([("base", [])])
    except _TooManyRules:
        attempt.complete = False
    decoder = Decoder(encoder)
    relations = {code: relation for relation, code in encoder.relations.items() if relation in wanted}
    for code, arity, _ in control.symbolic_atoms.signatures:
        relation = relations.get(code)
        if relation is None:
            continue
        atoms = control.symbolic_atoms.by_signature(code, arity)
        symbols = [atom.symbol for atom in islice(atoms, LISTED + 1)]
        if len(symbols) > LISTED:
            if relation not in KEPT:
                attempt.large.add(relation)
        elif attempt.complete:
            attempt.rows[relation] = [tuple(map(decoder.term, symbol.arguments)) for symbol in symbols]
    return attempt

"""The dependency graph of a sheet: which relation is defined by which, and which rule needs which."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from stratagem.gdl.rules import Atom, Literal, Not, Or, Rule
from stratagem.gdl.terms import Relation, Term, Variable, arguments, functor


@dataclass(frozen=True, slots=True)
class Use:
    """One sentence in a rule's body; *negated* if any ``not`` stands around it, even an even number."""

    rule: Rule
    atom: Atom
    negated: bool

    @property
    def relation(self) -> Relation:
        return functor(self.atom.term)


def uses(rule: Rule) -> Iterator[Use]:
    """The sentences in the body of *rule* from left to right."""
    for literal in rule.body:
        for atom, negated in sentences(literal):
            yield Use(rule, atom, negated)


def sentences(literal: Literal, negated: bool = False) -> Iterator[tuple[Atom, bool]]:
    """The atoms inside *literal*, each with whether any ``not`` stands around it."""
    match literal:
        case Atom():
            yield literal, negated
        case Not(inner):
            yield from sentences(inner, True)
        case Or(several):
            for inner in several:
                yield from sentences(inner, negated)


def graph(rules: Iterable[Rule]) -> dict[Relation, list[Relation]]:
    """For every relation that is defined or used: the relations its rules use, each once, in text order."""
    edges: dict[Relation, dict[Relation, None]] = {}
    for rule in rules:
        of_head = edges.setdefault(functor(rule.head), {})
        for use in uses(rule):
            of_head[use.relation] = None
            edges.setdefault(use.relation, {})
    return {relation: list(used) for relation, used in edges.items()}


@dataclass(frozen=True, slots=True)
class RuleGraph:
    """Which rules need which, by their numbers; *negative* lists the edges that pass through a ``not``."""

    edges: Mapping[int, Sequence[int]]
    negative: Sequence[tuple[int, int]]


def rule_graph(rules: Sequence[Rule], *, most: int | None = None) -> RuleGraph | None:
    """One rule needs another if a condition of it could match the other's head: finer than `graph`.

    Costs a comparison for every condition and every rule for its relation; past *most* of them the answer is None.
    """
    by_relation: dict[Relation, list[int]] = {}
    for number, rule in enumerate(rules):
        by_relation.setdefault(functor(rule.head), []).append(number)
    edges: dict[int, list[int]] = {}
    negative: list[tuple[int, int]] = []
    compared = 0
    for number, rule in enumerate(rules):
        needed: dict[int, None] = {}
        for use in uses(rule):
            candidates = by_relation.get(use.relation, ())
            compared += len(candidates)
            if most is not None and compared > most:
                return None
            matching = [other for other in candidates if may_match(use.atom.term, rules[other].head)]
            needed.update(dict.fromkeys(matching))
            negative += [(number, other) for other in matching if use.negated]
        edges[number] = list(needed)
    return RuleGraph(edges, negative)


def may_match(first: Term, second: Term) -> bool:
    """Whether two terms could be made equal; may say yes wrongly where a variable occurs twice."""
    stack = [(first, second)]
    while stack:
        one, other = stack.pop()
        if isinstance(one, Variable) or isinstance(other, Variable):
            continue
        if functor(one) != functor(other):
            return False
        stack.extend(zip(arguments(one), arguments(other), strict=True))
    return True

"""Stratification: the rules in components, sorted by what depends on what.

Relations that depend on each other form a *component*; components are put in an order in which each stands after
all it needs (Tarjan, 1972). Negation never points into its own component, so working through the order gives the
stratified meaning: every relation is complete before anything asks what is *not* in it.

Each component also has a *level*: STATIC if it depends on neither `true` nor `does` (worked out once for the
game), STATE if on `true` alone (once for a state), MOVE if on `does` (once for a joint move).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum

from stratagem.errors import RulesError
from stratagem.gdl.dependencies import may_match
from stratagem.gdl.graphs import components as strongly_connected
from stratagem.gdl.rules import Atom, Literal, Not, Or, Rule, RuleSheet, atoms
from stratagem.gdl.terms import Relation, Term, Variable, applied, arguments, functor


class Level(IntEnum):
    STATIC = 0
    STATE = 1
    MOVE = 2


SPLIT = " by rule "
"""In the name of a relation that stands for one rule of another; no word of a sheet has blanks in it."""
TRUE: Relation = ("true", 1)
DOES: Relation = ("does", 2)


@dataclass(frozen=True, slots=True, eq=False)
class Component:
    """Relations that are worked out together, with their rules."""

    keys: frozenset[Relation]
    rules: tuple[Rule, ...]
    level: Level
    recursive: bool
    rank: int

    def recursive_places(self, rule: Rule) -> tuple[int, ...]:
        """Where in the body of *rule* relations of this component stand as plain atoms."""
        return tuple(
            number for number, literal in enumerate(rule.body) if self.reads(literal) and is_atom(literal)
        )

    def nested(self, rule: Rule) -> bool:
        """Whether *rule* reads this component inside an `or`."""
        return any(self.reads(literal) and not is_atom(literal) for literal in rule.body)

    def reads(self, literal: Literal) -> bool:
        return any(functor(atom.term) in self.keys for atom, _ in atoms(literal))


def is_atom(literal: Literal) -> bool:
    return isinstance(literal, Atom)


@dataclass(frozen=True, slots=True, eq=False)
class Theory:
    """All components of a rule sheet, in order; `needed` says which ones a question takes."""

    components: tuple[Component, ...]
    by_key: Mapping[Relation, Component]
    _needed: dict[Relation, tuple[Component, ...]] = field(default_factory=dict)

    def needed(self, key: Relation) -> tuple[Component, ...]:
        """The components that must be worked out to know relation *key*, in order."""
        known = self._needed.get(key)
        if known is None:
            ranks: set[int] = set()
            waiting = [key]
            while waiting:
                component = self.by_key.get(waiting.pop())
                if component is not None and component.rank not in ranks:
                    ranks.add(component.rank)
                    waiting += [target for rule in component.rules for target, _ in dependencies(rule)]
            known = self._needed[key] = tuple(self.components[rank] for rank in sorted(ranks))
        return known


def dependencies(rule: Rule) -> Iterable[tuple[Relation, bool]]:
    """The relations that *rule* reads, and whether positively."""
    for literal in rule.body:
        for atom, positive in atoms(literal):
            yield functor(atom.term), positive


def theory_of(sheet: RuleSheet) -> Theory:
    """The components of *sheet* in order; a negation inside a component is an error.

    ``(<= (goal robot 100) (not (goal robot 0)))`` is no such cycle, though `goal` stands on both sides: where
    components of relations are too coarse, their rules are told apart by what their heads could match.
    """
    rules = sheet.rules
    split: set[Relation] = set()
    while True:
        theory = sorted_by_need(rules)
        fault = negative_cycle(theory)
        if fault is None:
            return theory
        keys = theory.by_key[functor(fault.head)].keys - split
        if not keys or any(SPLIT in name for name, _ in keys):
            break
        split |= keys
        rules = told_apart(rules, keys)
    name = functor(fault.head)[0].partition(SPLIT)[0]
    raise RulesError(
        f"{sheet.source.name}:{fault.line}: the relation {name} depends on its own negation",
        hint="negation must not be part of a cycle: split the relation in two",
    )


def negative_cycle(theory: Theory) -> Rule | None:
    """A rule that reads the negation of its own component, or None."""
    for component in theory.components:
        for rule in component.rules:
            if any(target in component.keys and not positive for target, positive in dependencies(rule)):
                return rule
    return None


def told_apart(rules: Sequence[Rule], keys: frozenset[Relation]) -> tuple[Rule, ...]:
    """*rules* with a relation of its own for each rule of *keys*.

    A condition on such a relation becomes a condition on those rules alone whose heads it could match, and the
    relation itself is what any of its rules yields.
    """
    own = [number for number, rule in enumerate(rules) if functor(rule.head) in keys]

    def special(term: Term, number: int | str) -> Term:
        return applied(f"{functor(term)[0]}{SPLIT}{number}", arguments(term))

    def narrowed(literal: Literal) -> Literal:
        match literal:
            case Atom(term, node) if functor(term) in keys:
                matching = (number for number in own if may_match(term, rules[number].head))
                several = tuple(Atom(special(term, number), node) for number in matching)
                if not several:
                    # A relation without rules; it binds what *term* does.
                    return Atom(special(term, "none"), node)
                return several[0] if len(several) == 1 else Or(several, node)
            case Not(inner, node):
                return Not(narrowed(inner), node)
            case Or(inner, node):
                return Or(tuple(narrowed(part) for part in inner), node)
            case _:
                return literal

    split: list[Rule] = []
    for number, rule in enumerate(rules):
        body = tuple(narrowed(literal) for literal in rule.body)
        if number not in own:
            split.append(Rule(rule.head, body, rule.node))
            continue
        name, size = functor(rule.head)
        general = applied(name, (Variable(f"?{at}") for at in range(size)))
        split.append(Rule(special(rule.head, number), body, rule.node))
        split.append(Rule(general, (Atom(special(general, number), rule.node),), rule.node))
    return tuple(split)


def sorted_by_need(rules: Sequence[Rule]) -> Theory:
    """The components of *rules*, each after all that it reads."""
    defining: dict[Relation, list[Rule]] = defaultdict(list)
    for rule in rules:
        defining[functor(rule.head)].append(rule)
    edges: dict[Relation, list[Relation]] = {
        key: list(dict.fromkeys(target for rule in own for target, _ in dependencies(rule)))
        for key, own in defining.items()
    }
    components: list[Component] = []
    by_key: dict[Relation, Component] = {}
    levels: dict[Relation, Level] = {TRUE: Level.STATE, DOES: Level.MOVE}
    for keys in strongly_connected(edges):
        own = tuple(rule for key in keys for rule in defining.get(key, ()))
        read = {target for rule in own for target, _ in dependencies(rule)}
        level = max(levels.get(key, Level.STATIC) for key in (*read, *keys))
        levels.update(dict.fromkeys(keys, level))
        component = Component(frozenset(keys), own, level, not read.isdisjoint(keys), len(components))
        components.append(component)
        by_key.update(dict.fromkeys(keys, component))
    return Theory(tuple(components), by_key)

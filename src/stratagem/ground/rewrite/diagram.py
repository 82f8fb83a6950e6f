"""Decision diagrams for joins of static relations that are too large to list (multi-valued, read variable by variable).

A row of sudoku is nine marks of which each number is exactly one: nine static relations over the same nine variables, each with
a hundred million tuples. But each is a union of few *boxes*: with its constants put in, every condition of its rules is about
one variable. What is left to be asked after some variables have values is a set of boxes over the others, and few such sets differ:
for a row one for each set of numbers used. Each becomes a node, a relation over the other variables of the rule,
and each value of the next variable an edge, a rule.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import TypeAlias

from stratagem.gdl.terms import Relation, Term, Variable, applied, arguments, functor, variables
from stratagem.gdl.unification import rename, substitute, unify
from stratagem.ground.rewrite.normal import NormalRule, relevant
from stratagem.ground.rewrite.size_estimates import SizeEstimates

TOO_LARGE = 1_000_000
"""Relations with more tuples than this are not listed."""
EDGES = 20_000
"""A diagram with more edges than this is not made."""
UNFOLDED = 2_000
"""Rules that may be looked at to find the boxes of one atom."""
NODE = "node "
Values: TypeAlias = frozenset[Term] | None
"""What a variable may be; None where a box says nothing of it."""
Box: TypeAlias = tuple[Values, ...]
Node: TypeAlias = tuple[frozenset[Box], ...]
"""For each relation the boxes that are left, over the variables that have no value yet."""


@dataclass(slots=True)
class BoxFinder:
    """Finds the boxes of atoms, from rules that end in lists of facts."""

    rules: Mapping[Relation, Sequence[NormalRule]]
    facts: Mapping[Relation, frozenset[tuple[Term, ...]]]
    left: int = UNFOLDED

    def boxes(self, atom: Term) -> list[dict[Variable, frozenset[Term]]] | None:
        """What the variables of *atom* may be, box by box; None where some condition ties two of them."""
        self.left = UNFOLDED
        found: list[dict[Variable, frozenset[Term]]] = []
        for body, bindings in self._unfolded(NormalRule(atom, (atom,)), {}):
            if self.left < 0:
                return None
            box = self._box(body, [substitute(v, bindings) for v in variables(atom)])
            if box is None:
                return None
            if all(box.values()):
                found.append({v: box[substitute(v, bindings)] for v in dict.fromkeys(variables(atom))})
        return None if self.left < 0 else found

    def _unfolded(
        self, body: NormalRule, bindings: Mapping[Variable, Term]
    ) -> Iterator[tuple[NormalRule, Mapping[Variable, Term]]]:
        """Bodies over facts alone that *body* stands for; those that cannot be unfolded are left as they are."""
        self.left -= 1
        called = next((term for term in body.positive if functor(term) not in self.facts), None)
        if called is None or functor(called) not in self.rules or self.left < 0:
            yield body, bindings
            return
        rest = tuple(term for term in body.positive if term != called)
        for rule in self.rules[functor(called)]:
            names = {v: Variable(f"{v} {self.left}") for v in _all_variables(rule)}
            found = unify(rename(rule.head, names), called)
            if found is None:
                continue

            def put(
                term: Term, names: Mapping[Variable, Term] = names, found: Mapping[Variable, Term] = found
            ) -> Term:
                return substitute(rename(term, names), found)

            inner = replace(
                body,
                positive=(*(substitute(t, found) for t in rest), *map(put, rule.positive)),
                negative=(*(substitute(t, found) for t in body.negative), *map(put, rule.negative)),
                comparisons=(
                    *(
                        replace(p, left=substitute(p.left, found), right=substitute(p.right, found))
                        for p in body.comparisons
                    ),
                    *(replace(p, left=put(p.left), right=put(p.right)) for p in rule.comparisons),
                ),
            )
            yield from self._unfolded(inner, {**bindings, **found})

    def _box(self, body: NormalRule, wanted: Sequence[Term]) -> dict[Term, frozenset[Term]] | None:
        """The values of each variable of *body*, over facts, and of the terms *wanted*; None where it is no box."""
        box: dict[Term, frozenset[Term]] = {}
        for term in wanted:
            if not isinstance(term, Variable):
                if any(variables(term)):
                    return None
                box[term] = frozenset({term})
        if len(set(wanted)) < len(wanted):
            return None
        for term in body.positive:
            inner = set(variables(term))
            if functor(term) not in self.facts or len(inner) > 1:
                return None
            rows = self.facts[functor(term)]
            if not inner:
                box[term] = frozenset({term}) if arguments(term) in rows else frozenset()
                continue
            (variable,) = inner
            matches = (unify(term, applied(functor(term)[0], row)) for row in rows)
            values = frozenset(found[variable] for found in matches if found is not None)
            box[variable] = box.get(variable, values) & values
        return self._without(body, box) if all(term in box for term in wanted) else None

    def _without(
        self, body: NormalRule, box: dict[Term, frozenset[Term]]
    ) -> dict[Term, frozenset[Term]] | None:
        """*box* without the values that the denied conditions of *body* exclude."""
        for term in body.negative:
            if functor(term) not in self.facts:
                return None
        for term in (*body.negative, *(applied("!=", (p.left, p.right)) for p in body.comparisons)):
            inner = set(variables(term))
            if len(inner) > 1 or not inner <= box.keys():
                return None
            if not inner:
                if self._denied(term):
                    box[term] = frozenset()
                continue
            (variable,) = inner
            box[variable] = frozenset(
                value for value in box[variable] if not self._denied(substitute(term, {variable: value}))
            )
        return box if all(pair.operator == "!=" for pair in body.comparisons) else None

    def _denied(self, term: Term) -> bool:
        """Whether the ground condition "not *term*" fails, or the terms that should differ are the same."""
        parts = tuple(arguments(term))
        return parts[0] == parts[1] if functor(term) == ("!=", 2) else parts in self.facts[functor(term)]


def _all_variables(rule: NormalRule) -> list[Variable]:
    terms = (rule.head, *rule.positive, *rule.negative)
    found = [v for term in terms for v in variables(term)]
    return list(dict.fromkeys([*found, *(v for pair in rule.comparisons for v in pair.variables())]))


def with_diagrams(rules: Iterable[NormalRule], estimates: SizeEstimates) -> tuple[NormalRule, ...]:
    """*rules* with diagrams for the joins of static relations that are too large to list."""
    rules = tuple(rules)
    by_head: dict[Relation, list[NormalRule]] = {}
    for rule in rules:
        by_head.setdefault(functor(rule.head), []).append(rule)
    facts = {
        relation: frozenset(tuple(arguments(rule.head)) for rule in several)
        for relation, several in by_head.items()
        if all(not rule.positive and not rule.negative for rule in several)
    }
    finder = BoxFinder(by_head, facts)
    numbers = count()
    found: list[NormalRule] = []
    for rule in rules:
        large = [term for term in rule.positive if estimates.sizes.get(functor(term), 0.0) > TOO_LARGE]
        made = _diagram(rule, large, finder, numbers) if large else None
        found += [rule] if made is None else made
    return relevant(found)


def _diagram(
    rule: NormalRule, large: Sequence[Term], finder: BoxFinder, numbers: Iterator[int]
) -> list[NormalRule] | None:
    """Rules in the place of *rule* that do without its *large* atoms; None where these are no boxes, or there are too many."""
    order = list(dict.fromkeys(variable for term in large for variable in variables(term)))
    carriers = _carriers(rule, large, order)
    if carriers is None:
        return None
    start: list[frozenset[Box]] = []
    for term in large:
        boxes = finder.boxes(term)
        if boxes is None:
            return None
        start.append(frozenset(tuple(box.get(variable) for variable in order) for box in boxes))
    rest = [term for term in rule.positive if term not in large and term not in carriers]
    # What is known for good comes first: it binds what the carriers would multiply.
    first = [term for term in rest if functor(term) in finder.facts]
    rest = [term for term in rest if term not in first]
    end = replace(rule, positive=tuple(rest))
    found: list[NormalRule] = []
    layer: dict[Node, Term | None] = {tuple(start): None}
    for place, (variable, carrier) in enumerate(zip(order, carriers, strict=True)):
        needed = {v for term in carriers[place + 1 :] for v in variables(term)} | set(_all_variables(end))
        before = {v for term in (*first, *carriers[: place + 1]) for v in variables(term)}
        kept = sorted((before & needed) - {variable})
        following: dict[Node, Term | None] = {}
        for node, atom in layer.items():
            for value, after in _edges(node):
                head = following.get(after) or applied(f"{NODE}{next(numbers)}", kept)
                following[after] = head
                step = substitute(carrier, {variable: value})
                found.append(
                    NormalRule(head, (*first, step) if atom is None else (atom, step), line=rule.line)
                )
        if len(found) > EDGES:
            return None
        layer = following
    return found + [replace(end, positive=(atom, *rest)) for atom in layer.values() if atom is not None]


def _carriers(rule: NormalRule, large: Sequence[Term], order: Sequence[Variable]) -> list[Term] | None:
    """For each variable of *order* the one other condition that mentions it; None where that is not so."""
    others = [term for term in rule.positive if term not in large]
    told = {v for term in (rule.head, *rule.negative) for v in variables(term)}
    told |= {v for pair in rule.comparisons for v in pair.variables()}
    found: list[Term] = []
    for variable in order:
        several = [term for term in others if variable in set(variables(term))]
        if len(several) != 1 or variable in told or len(set(variables(several[0])) & set(order)) > 1:
            return None
        found += several
    return found


def _edges(node: Node) -> Iterator[tuple[Term, Node]]:
    """The values of the next variable that leave a box of every relation, with what is left."""
    limits = [
        frozenset().union(*(box[0] for box in boxes if box[0] is not None))
        for boxes in node
        if all(box[0] is not None for box in boxes)
    ]
    for value in sorted(frozenset.intersection(*limits), key=str) if limits else ():
        after = tuple(
            frozenset(box[1:] for box in boxes if box[0] is None or value in box[0]) for boxes in node
        )
        if all(after):
            yield value, after

"""Which relation is defined by which: the dependency graph of a sheet and its strongly connected components.

A relation is a name with a number of arguments: ``(p a)`` and ``(p a b)`` are two. Relations in one component
define each other, recursively; components come out in an order in which each depends on earlier ones only
(Tarjan 1972, without recursion; linear in the number of conditions).

>>> components({"a": ["b"], "b": ["a", "c"], "c": []})
[('c',), ('a', 'b')]
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

from stratagem.gdl.rules import Atom, Literal, Not, Or, Rule
from stratagem.gdl.terms import Term, Variable, arguments, functor

Relation: TypeAlias = tuple[str, int]
Vertex = TypeVar("Vertex", bound=Hashable)


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


def components(edges: Mapping[Vertex, Collection[Vertex]]) -> list[tuple[Vertex, ...]]:
    """The strongly connected components of a graph: what a component depends on comes before it."""
    number: dict[Vertex, int] = {}
    low: dict[Vertex, int] = {}
    waiting: dict[Vertex, None] = {}
    trail: list[tuple[Vertex, Iterator[Vertex]]] = []
    found: list[tuple[Vertex, ...]] = []

    def enter(vertex: Vertex) -> None:
        number[vertex] = low[vertex] = len(number)
        waiting[vertex] = None
        trail.append((vertex, iter(edges.get(vertex, ()))))

    def leave(vertex: Vertex) -> None:
        trail.pop()
        if trail:
            above = trail[-1][0]
            low[above] = min(low[above], low[vertex])
        if low[vertex] == number[vertex]:
            component = [waiting.popitem()[0]]
            while component[-1] != vertex:
                component.append(waiting.popitem()[0])
            found.append(tuple(reversed(component)))

    for root in edges:
        if root not in number:
            enter(root)
        while trail:
            vertex, rest = trail[-1]
            following = next(rest, None)
            if following is None:
                leave(vertex)
            elif following not in number:
                enter(following)
            elif following in waiting:
                low[vertex] = min(low[vertex], number[following])
    return found


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


def path(edges: Mapping[Vertex, Collection[Vertex]], start: Vertex, end: Vertex) -> tuple[Vertex, ...] | None:
    """A shortest way from *start* to *end*, both included, or None. From a vertex to itself: just that vertex."""
    came_from: dict[Vertex, Vertex] = {start: start}
    queue = deque([start])
    while queue:
        vertex = queue.popleft()
        if vertex == end:
            way = [vertex]
            while way[-1] != start:
                way.append(came_from[way[-1]])
            return tuple(reversed(way))
        for following in edges.get(vertex, ()):
            if following not in came_from:
                came_from[following] = vertex
                queue.append(following)
    return None

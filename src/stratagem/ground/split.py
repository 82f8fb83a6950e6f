"""Long rule bodies, split along an elimination order of their variables (min-fill).

A rule over n variables with d values each has up to d^n instances. Eliminating a variable v, as in bucket
elimination (Dechter, 1999) or the rule decomposition of Morak and Woltran (2012), replaces the
literals that mention v by one atom over the variables they share with the rest of the rule: a relation
of its own, whose rule is as small as the tree width of the body allows. It also pays in gates: the choice of
v is made once, not once for every instance of the rest.

A negated atom or an inequality may come into a bucket without the positive atom that binds its variables. Then a
*guard* binds them: a projection of that atom. The rest of the rule still holds the atom itself, so a guard
never decides anything and the gates leave it out.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from stratagem.gdl.terms import Term, Variable, functor, variables
from stratagem.ground.normal import Comparison, NormalRule, Relation, atom, rename
from stratagem.ground.symmetry import order_interchangeable

GUARD = "guard "
PART = "part "


@dataclass(slots=True)
class Splitter:
    """Splits rules one after the other; equal parts of different rules become one relation."""

    static: frozenset[Relation]
    rules: list[NormalRule] = field(default_factory=list)
    known: dict[object, str] = field(default_factory=dict)

    def split(self, rule: NormalRule) -> None:
        """Adds *rule*, as several smaller rules where that makes sense, to `rules`."""
        body = _Body(list(rule.positive), list(rule.negative), list(rule.comparisons), list(rule.guards))
        kept = set(variables(rule.head))
        while True:
            bag = _next_bag(body, kept)
            if bag is None:
                break
            bucket, rest = body.divide(bag, kept, self.static)
            if not rest.literals():
                break
            shared = _ordered(bucket.variables(), rest.variables() | kept)
            part = NormalRule(
                rule.head,
                tuple(bucket.positive),
                tuple(bucket.negative),
                tuple(bucket.comparisons),
                tuple(bucket.guards) + tuple(self._guards(bucket, body)),
                rule.line,
            )
            name = self._relation(part, shared)
            rest.positive.append(atom(name, shared))
            body = rest
        self.rules.append(
            replace(
                rule,
                positive=tuple(body.positive),
                negative=tuple(body.negative),
                comparisons=tuple(body.comparisons),
                guards=tuple(body.guards),
            )
        )

    def _relation(self, part: NormalRule, shared: list[Variable]) -> str:
        """The name of the relation that *part* defines over the variables *shared*."""
        names: dict[Variable, Term] = {}

        def canonical(term: Term) -> Term:
            for variable in variables(term):
                names.setdefault(variable, Variable(f"?{len(names)}"))
            return rename(term, names)

        key = (
            tuple(map(canonical, part.positive)),
            tuple(map(canonical, part.negative)),
            tuple((canonical(pair.left), pair.operator, canonical(pair.right)) for pair in part.comparisons),
            tuple(map(canonical, part.guards)),
            tuple(map(canonical, shared)),
        )
        name = self.known.get(key)
        if name is None:
            name = f"{PART}{len(self.known)}"
            self.known[key] = name
            if all(functor(term) in self.static for term in (*part.positive, *part.negative)):
                self.static |= {(name, len(shared))}
            self.rules.append(replace(part, head=atom(name, shared)))
        return name

    def _guards(self, bucket: _Body, body: _Body) -> Iterable[Term]:
        """Atoms that bind what *bucket* leaves open, each a projection of an atom of the whole *body*."""
        open_variables = bucket.variables() - bucket.bound()
        here = bucket.variables()
        while open_variables:
            best = max(
                (*body.positive, *body.guards),
                key=lambda term: len(open_variables & set(variables(term))),
            )
            shared = _ordered(set(variables(best)), here)
            names: dict[Variable, Term] = {}
            for variable in variables(best):
                names.setdefault(variable, Variable(f"?{len(names)}"))
            key = ("guard", rename(best, names), tuple(rename(v, names) for v in shared))
            name = self.known.get(key)
            if name is None:
                name = f"{GUARD}{len(self.known)}"
                self.known[key] = name
                self.rules.append(NormalRule(atom(name, shared), (best,)))
            yield atom(name, shared)
            open_variables -= set(shared)


@dataclass(slots=True)
class _Body:
    positive: list[Term]
    negative: list[Term]
    comparisons: list[Comparison]
    guards: list[Term]

    def literals(self) -> int:
        return len(self.positive) + len(self.negative) + len(self.comparisons)

    def scopes(self) -> list[set[Variable]]:
        """The variables of each literal."""
        single = [set(variables(term)) for term in (*self.positive, *self.negative, *self.guards)]
        return single + [pair.variables() for pair in self.comparisons]

    def variables(self) -> set[Variable]:
        return set().union(*self.scopes())

    def bound(self) -> set[Variable]:
        return {variable for term in (*self.positive, *self.guards) for variable in variables(term)}

    def divide(
        self, bag: set[Variable], kept: set[Variable], static: frozenset[Relation]
    ) -> tuple[_Body, _Body]:
        """The literals that go with *bag*, and the rest.

        In go all that mention a variable to be eliminated, and static ones over the bag: they only narrow.
        """
        outside = set(kept)
        for scope in self.scopes():
            if not scope <= bag:
                outside |= scope
        gone = bag - outside

        def inside(scope: set[Variable], is_static: bool) -> bool:
            return bool(scope & gone) or (is_static and bool(scope) and scope <= bag)

        bucket, rest = _Body([], [], [], []), _Body([], [], [], [])
        for term in self.positive:
            chosen = bucket if inside(set(variables(term)), functor(term) in static) else rest
            chosen.positive.append(term)
        for term in self.negative:
            chosen = bucket if inside(set(variables(term)), functor(term) in static) else rest
            chosen.negative.append(term)
        for pair in self.comparisons:
            (bucket if inside(pair.variables(), True) else rest).comparisons.append(pair)
        for term in self.guards:
            (bucket if inside(set(variables(term)), True) else rest).guards.append(term)
        return bucket, rest


def _ordered(several: set[Variable], allowed: set[Variable]) -> list[Variable]:
    return sorted(several & allowed)


def _next_bag(body: _Body, kept: set[Variable]) -> set[Variable] | None:
    """The variable whose elimination adds fewest edges (then: has fewest neighbours), with its neighbours."""
    neighbours: dict[Variable, set[Variable]] = {}
    for scope in [*body.scopes(), kept]:
        for variable in scope:
            neighbours.setdefault(variable, set()).update(scope)
    best: tuple[int, int, Variable] | None = None
    for variable in neighbours:
        if variable in kept:
            continue
        around = neighbours[variable]
        missing = sum(len(around - neighbours[other]) for other in around)
        score = (missing, len(around), variable)
        if best is None or score < best:
            best = score
    return None if best is None else set(neighbours[best[2]])


def static_relations(rules: Iterable[NormalRule]) -> frozenset[Relation]:
    """The relations that depend neither on the state nor on the moves."""
    rules = tuple(rules)
    users: dict[Relation, set[Relation]] = {}
    relations: set[Relation] = set()
    for rule in rules:
        head = functor(rule.head)
        relations.add(head)
        for term in (*rule.positive, *rule.negative):
            relations.add(functor(term))
            users.setdefault(functor(term), set()).add(head)
    changing: set[Relation] = set()
    waiting: list[Relation] = [("true", 1), ("does", 2)]
    while waiting:
        relation = waiting.pop()
        if relation not in changing:
            changing.add(relation)
            waiting.extend(users.get(relation, ()))
    return frozenset(relations - changing)


def split_all(rules: Iterable[NormalRule]) -> tuple[NormalRule, ...]:
    """All *rules*, the long ones split."""
    rules = tuple(rules)
    splitter = Splitter(static_relations(rules))
    for rule in rules:
        splitter.split(order_interchangeable(rule))
    return tuple(splitter.rules)

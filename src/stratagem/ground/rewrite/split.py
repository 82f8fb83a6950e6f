"""Splitting of long rule bodies along an elimination order of their variables (tree decomposition, min-fill).

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

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from stratagem.gdl.terms import Relation, Term, Variable, applied, arguments, functor, variables
from stratagem.gdl.unification import rename
from stratagem.ground.rewrite.interchangeable import order_interchangeable
from stratagem.ground.rewrite.normal import Comparison, NormalRule
from stratagem.ground.rewrite.size_estimates import SizeEstimates

GUARD = "guard "
PART = "part "
NEW = "new "
WORTH_IT = 0.7
"""Pieces are put together again where that costs less than this share of what they cost apart."""


@dataclass(slots=True)
class Splitter:
    """Splits rules one after the other; equal parts of different rules become one relation."""

    static: frozenset[Relation]
    domains: SizeEstimates | None = None
    """Estimates of sizes, to keep together what splitting would not make smaller; without them all is split."""
    worth_it: float = WORTH_IT
    rules: list[NormalRule] = field(default_factory=list)
    known: dict[object, str] = field(default_factory=dict)

    def split(self, rule: NormalRule) -> None:
        """Adds *rule*, as several smaller rules where that makes sense, to `rules`."""
        pieces, rest = self._pieces(rule)
        if self.domains is not None and pieces:
            rest = self._merge(pieces, rest, rule)
        names: dict[str, str] = {}
        for piece in pieces:
            guards = [
                *piece.body.guards,
                *(self._guard(best, shared) for best, shared in piece.binders(names)),
            ]
            part = piece.body.rule(rule, names, guards)
            names[piece.name] = self._relation(part, piece.shared)
        self.rules.append(rest.rule(rule, names, rest.guards))

    def _pieces(self, rule: NormalRule) -> tuple[list[_Piece], _Body]:
        """The buckets of *rule* in the order of elimination, and what is left of its body."""
        body = _Body(list(rule.positive), list(rule.negative), list(rule.comparisons), list(rule.guards))
        kept = set(variables(rule.head))
        pieces: list[_Piece] = []
        while True:
            bag = _next_bag(body, kept)
            if bag is None:
                break
            bucket, rest = body.divide(bag, kept, self.static)
            if not rest.literals():
                break
            shared = _ordered(bucket.variables(), rest.variables() | kept)
            piece = _Piece(f"{PART}{NEW}{len(pieces)}", shared, bucket, (*body.positive, *body.guards))
            pieces.append(piece)
            rest.positive.append(piece.atom)
            body = rest
        return pieces, body

    def _merge(self, pieces: list[_Piece], rest: _Body, rule: NormalRule) -> _Body:
        """Puts pieces back that have about as many instances as what they were taken from, by estimate."""
        assert self.domains is not None
        domains = self.domains
        for piece in pieces:
            piece.is_static = not self._changing(piece.body, pieces)
            for best, shared in piece.binders({}):
                bound = applied(f"{GUARD}{piece.name} {len(piece.bounds)}", shared)
                domains.note(NormalRule(bound, (best,)))
                piece.bounds.append(bound)
            domains.note(piece.body.rule(NormalRule(piece.atom), {}, (*piece.body.guards, *piece.bounds)))
        pinned = {name for piece in pieces for name in piece.leans_on()}
        for place in range(len(pieces) - 1, -1, -1):
            piece = pieces[place]
            if piece.name in pinned:
                continue
            later = pieces[place + 1 :]
            user = next((other for other in later if piece.atom in other.body.positive), None)
            outer = rest if user is None else user.body
            head = rule.head if user is None else user.atom
            together = outer.with_inner(piece.atom, piece.body)
            outer_bounds = [] if user is None else user.bounds
            apart = self._cost(outer, head, outer_bounds, pieces)
            apart += self._cost(piece.body, piece.atom, piece.bounds, pieces)
            if self._cost(together, head, outer_bounds, pieces) < self.worth_it * apart:
                del pieces[place]
                if user is None:
                    rest = together
                else:
                    user.body = together
        return rest

    def _cost(self, body: _Body, head: Term, bounds: list[Term], pieces: list[_Piece]) -> float:
        assert self.domains is not None
        rows = self.domains.rows(body.rule(NormalRule(head), {}, (*body.guards, *bounds)))
        return rows * (1 + self._changing(body, pieces))

    def _changing(self, body: _Body, pieces: list[_Piece]) -> int:
        """The literals of *body* that depend on the state."""
        static_pieces = {piece.name for piece in pieces if piece.is_static}
        several = (functor(term) for term in (*body.positive, *body.negative))
        return sum(relation not in self.static and relation[0] not in static_pieces for relation in several)

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
            self.rules.append(replace(part, head=applied(name, shared)))
        return name

    def _guard(self, best: Term, shared: list[Variable]) -> Term:
        """The projection of the atom *best* to the variables *shared*."""
        names: dict[Variable, Term] = {}
        for variable in variables(best):
            names.setdefault(variable, Variable(f"?{len(names)}"))
        key = ("guard", rename(best, names), tuple(rename(v, names) for v in shared))
        name = self.known.get(key)
        if name is None:
            name = f"{GUARD}{len(self.known)}"
            self.known[key] = name
            self.rules.append(NormalRule(applied(name, shared), (best,)))
        return applied(name, shared)


@dataclass(slots=True)
class _Piece:
    """A bucket: a relation *name* over the variables *shared*; *around* are the atoms of the body it came from."""

    name: str
    shared: list[Variable]
    body: _Body
    around: tuple[Term, ...]
    is_static: bool = False
    bounds: list[Term] = field(default_factory=list)
    """Stand for the guards that will bind what is open, where sizes are estimated."""

    @property
    def atom(self) -> Term:
        return applied(self.name, self.shared)

    def _binders(self) -> Iterator[tuple[Term, list[Variable]]]:
        open_variables = self.body.variables() - self.body.bound()
        here = self.body.variables()
        while open_variables:
            best = max(self.around, key=lambda term: len(open_variables & set(variables(term))))
            shared = _ordered(set(variables(best)), here)
            yield best, shared
            open_variables -= set(shared)

    def binders(self, names: Mapping[str, str]) -> Iterator[tuple[Term, list[Variable]]]:
        """Atoms that bind what the bucket leaves open, each with the variables that it is projected to."""
        for best, shared in self._binders():
            yield _named(best, names), shared

    def leans_on(self) -> Iterator[str]:
        """The names of the atoms that bind what the bucket leaves open."""
        for best, _ in self._binders():
            yield functor(best)[0]


def _named(term: Term, names: Mapping[str, str]) -> Term:
    """*term* with the name that its relation has by now."""
    name = names.get(functor(term)[0])
    return term if name is None else applied(name, arguments(term))


@dataclass(slots=True)
class _Body:
    positive: list[Term]
    negative: list[Term]
    comparisons: list[Comparison]
    guards: list[Term]

    def rule(self, origin: NormalRule, names: Mapping[str, str], guards: Iterable[Term]) -> NormalRule:
        """The rule with this body and otherwise as *origin*; *names* are those of the relations made by now."""
        return replace(
            origin,
            positive=tuple(_named(term, names) for term in self.positive),
            negative=tuple(self.negative),
            comparisons=tuple(self.comparisons),
            guards=tuple(_named(term, names) for term in guards),
        )

    def with_inner(self, term: Term, inner: _Body) -> _Body:
        """This body with *inner* in the place of the atom *term*."""
        return _Body(
            [*(other for other in self.positive if other != term), *inner.positive],
            [*self.negative, *inner.negative],
            [*self.comparisons, *inner.comparisons],
            [*self.guards, *inner.guards],
        )

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


def split_all(
    rules: Iterable[NormalRule], domains: SizeEstimates | None = None, *, worth_it: float = WORTH_IT
) -> tuple[NormalRule, ...]:
    """All *rules*, the long ones split; *domains* are theirs."""
    rules = tuple(rules)
    splitter = Splitter(static_relations(rules), domains, worth_it)
    for rule in rules:
        splitter.split(order_interchangeable(rule))
    return tuple(splitter.rules)

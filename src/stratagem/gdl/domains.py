"""Domain inference: which terms can stand in which argument of which relation, a cheap bound before anything is ground.

A *domain* is a set of symbols and functions over domains. A variable can take what all places that mention it allow, and a
head passes that on, each argument on its own: the least fixed point takes milliseconds, and is far coarser than
grounding. A clause is looked at again only when something in its body has grown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from math import prod

from stratagem.gdl.terms import Compound, Relation, Symbol, Term, Variable, arguments, functor, order

HUGE = 1e30


class Unbounded(Exception):
    """Terms seem to grow without end, or the fixed point is far away."""


@dataclass(slots=True)
class Domain:
    """Symbols and function terms that may stand in one place; functions are nested at most *room* deep."""

    room: int
    strict: bool = True
    """Whether deeper terms are `Unbounded`, or left out."""
    symbols: set[str] = field(default_factory=set)
    functions: dict[Relation, list[Domain]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.symbols or self.functions)

    def size(self) -> float:
        """How many terms these are, `HUGE` at most."""
        inner = sum(prod(part.size() for part in parts) for parts in self.functions.values())
        return min(len(self.symbols) + inner, HUGE)

    def terms(self, most: int) -> Iterator[Term]:
        """At most so many of the terms; of a function enough to show every value of each argument once."""
        yield from islice(sorted(map(Symbol, self.symbols), key=order), most)
        for (name, _), parts in self.functions.items():
            columns = [list(part.terms(most)) for part in parts]
            if all(columns):
                for number in range(min(max(map(len, columns)), most)):
                    yield Compound((name, *(column[number % len(column)] for column in columns)))

    def add(self, other: Domain) -> bool:
        """Takes in all of *other*; whether that was news."""
        news = not other.symbols <= self.symbols
        self.symbols |= other.symbols
        for function, parts in list(other.functions.items()):  # *other* may be a part of this one
            for one, part in zip(self._function(function), list(parts), strict=False):
                news |= one.add(part)
        return news

    def add_term(self, term: Term, bindings: dict[Variable, Domain]) -> bool:
        """Takes in *term* with its variables as bound; whether that was news."""
        if isinstance(term, Variable):
            return term in bindings and self.add(bindings[term])
        if isinstance(term, Symbol):
            news = term not in self.symbols
            self.symbols.add(str(term))
            return news
        news = functor(term) not in self.functions and self.room > 0
        for one, part in zip(self._function(functor(term)), term[1:], strict=False):
            news |= one.add_term(part, bindings)
        return news

    def meet(self, other: Domain) -> Domain:
        """What both allow."""
        if self is other:
            return self
        shared = Domain(self.room, self.strict, self.symbols & other.symbols)
        for function, parts in self.functions.items():
            if function in other.functions:
                pairs = zip(parts, other.functions[function], strict=True)
                shared.functions[function] = [one.meet(part) for one, part in pairs]
        return shared

    def match(self, term: Term, bindings: dict[Variable, Domain]) -> bool:
        """Narrows the *bindings* of the variables of *term* to what is allowed here; whether anything is left."""
        if isinstance(term, Variable):
            known = bindings.get(term)
            bindings[term] = self if known is None else known.meet(self)
            return bool(bindings[term])
        if isinstance(term, Symbol):
            return term in self.symbols
        parts = self.functions.get(functor(term))
        return parts is not None and all(
            one.match(part, bindings) for part, one in zip(term[1:], parts, strict=True)
        )

    def _function(self, function: Relation) -> list[Domain]:
        """The domains of the arguments of *function*; none where it is nested too deep."""
        if function not in self.functions:
            if not self.room:
                if self.strict:
                    raise Unbounded
                return []
            self.functions[function] = [Domain(self.room - 1, self.strict) for _ in range(function[1])]
        return self.functions[function]


@dataclass(frozen=True, slots=True)
class Clause:
    """*head* may hold where all of *body* does; a variable in *unequal* does not take the symbol beside it."""

    head: Term
    body: tuple[Term, ...] = ()
    unequal: tuple[tuple[Variable, Symbol], ...] = ()


class DomainInference:
    """The domains of all arguments of all relations in *clauses*: `domains`, by relation.

    Functions may be nested *deepest* deep, and clauses be looked at *looks* times in all. Past either `Unbounded` is raised,
    or what was found is left as it is where this is not *strict*.
    """

    def __init__(self, clauses: Sequence[Clause], *, deepest: int, looks: int, strict: bool = True) -> None:
        self.domains: dict[Relation, list[Domain]] = {}
        self._deepest, self._strict = deepest, strict
        readers: dict[Relation, list[int]] = {}
        for place, clause in enumerate(clauses):
            for atom in clause.body:
                readers.setdefault(functor(atom), []).append(place)
        waiting = dict.fromkeys(range(len(clauses)))
        while waiting and looks:
            looks -= 1
            place = next(iter(waiting))
            del waiting[place]
            if self._learn(clauses[place]):
                waiting.update(dict.fromkeys(readers.get(functor(clauses[place].head), ())))
        if waiting and strict:
            raise Unbounded

    def bind(
        self, atoms: Iterable[Term], unequal: Iterable[tuple[Variable, Symbol]] = ()
    ) -> dict[Variable, Domain] | None:
        """What the variables of *atoms* can be; None where they can never hold together."""
        bindings: dict[Variable, Domain] = {}
        for atom in atoms:
            columns = self.domains.get(functor(atom))
            if columns is None:
                return None
            for part, domain in zip(arguments(atom), columns, strict=True):
                if not domain.match(part, bindings):
                    return None
        for variable, symbol in unequal:
            known = bindings.get(variable)
            if known is not None and symbol in known.symbols:
                left = Domain(known.room, known.strict, known.symbols - {symbol}, known.functions)
                bindings[variable] = left
                if not left:
                    return None
        return bindings

    def _learn(self, clause: Clause) -> bool:
        """Adds what *clause* yields to the domains of its head; whether that was news."""
        bindings = self.bind(clause.body, clause.unequal)
        if bindings is None:
            return False
        relation = functor(clause.head)
        news = relation not in self.domains
        columns = self.domains.setdefault(
            relation, [Domain(self._deepest, self._strict) for _ in range(relation[1])]
        )
        for part, domain in zip(arguments(clause.head), columns, strict=True):
            news |= domain.add_term(part, bindings)
        return news

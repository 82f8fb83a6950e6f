"""Which terms can stand in which argument: the domains of a rule sheet.

Every argument of every relation, state fact and move gets the set of ground terms that the rules can put there,
each argument on its own (so the product of the sets is larger than the truth). `true`, `next`, `init` and
`base` speak of the same facts, `does`, `legal` and `input` of the same moves.

The sets grow rule by rule until nothing changes. A rule is looked at again only when something in its body
has grown, so that the work is about (rules) x (longest chain of new values): milliseconds for most sheets. All sets
are cut off at `MOST_VALUES`: what is larger than that is no axis of any board.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TypeAlias

from stratagem.gdl.rules import Atom, Distinct, Literal, Or, Rule, RuleSheet, atoms
from stratagem.gdl.terms import Compound, Symbol, Term, Variable, arguments, functor

Key: TypeAlias = tuple[str, int]
Values: TypeAlias = frozenset[Term]
World: TypeAlias = str
Bindings: TypeAlias = dict[Variable, frozenset[Term]]

FACTS = frozenset({("true", 1), ("next", 1), ("init", 1), ("base", 1)})
MOVES = frozenset({("does", 2), ("legal", 2), ("input", 2)})
MOST_VALUES = 400
MOST_DEPTH = 3
MOST_LOOKS = 60_000
"""How often a rule is looked at in all before the sets are taken as they are."""


@dataclass(frozen=True, slots=True)
class ArgumentDomains:
    """For each shape (name, number of arguments) the values of each argument."""

    facts: Mapping[Key, tuple[Values, ...]]
    moves: Mapping[Key, tuple[Values, ...]]
    relations: Mapping[Key, tuple[Values, ...]]


@dataclass(frozen=True, slots=True)
class Sentence:
    """An atom sorted by what it speaks of: *world* is ``fact``, ``move`` or ``relation``."""

    world: World
    term: Term


def sentences(atom: Term) -> Iterator[Sentence]:
    """What *atom* speaks of; ``(does ?role (mark ?x))`` of a move and of a role."""
    key, parts = functor(atom), arguments(atom)
    if key in FACTS:
        yield Sentence("fact", parts[0])
    elif key in MOVES:
        yield Sentence("move", parts[1])
        yield Sentence("relation", Compound(("role", parts[0])))
    else:
        yield Sentence("relation", atom)


def domains_of(sheet: RuleSheet) -> ArgumentDomains:
    """The domains of all arguments in *sheet*.

    >>> from stratagem.gdl.parse import read_sheet
    >>> from stratagem.gdl.text.syntax import Source
    >>> text = "(init (at 1)) (step 1 2) (step 2 3) (<= (next (at ?y)) (true (at ?x)) (step ?x ?y))"
    >>> found = domains_of(read_sheet(Source(text))[0])
    >>> sorted(found.facts["at", 1][0])
    ['1', '2', '3']
    """
    return Growth(sheet).settle()


class Growth:
    """The sets while they grow."""

    def __init__(self, sheet: RuleSheet) -> None:
        self.sets: dict[tuple[World, Key], list[set[Term]]] = {}
        self.readers: defaultdict[tuple[World, Key], list[int]] = defaultdict(list)
        self.rules = [rule for rule in sheet.rules if rule.body]
        self.waiting: deque[int] = deque(range(len(self.rules)))
        self.queued = [True] * len(self.rules)
        for number, rule in enumerate(self.rules):
            for place in {place for literal in rule.body for place in places_read(literal)}:
                self.readers[place].append(number)
        for rule in sheet.rules:
            if not rule.body:
                self.learn(rule.head, {})

    def settle(self) -> ArgumentDomains:
        looks = 0
        while self.waiting and looks < MOST_LOOKS:
            looks += 1
            number = self.waiting.popleft()
            self.queued[number] = False
            self.look(self.rules[number])
        worlds: dict[World, dict[Key, tuple[Values, ...]]] = {"fact": {}, "move": {}, "relation": {}}
        for (world, key), columns in self.sets.items():
            worlds[world][key] = tuple(frozenset(column) for column in columns)
        return ArgumentDomains(worlds["fact"], worlds["move"], worlds["relation"])

    def look(self, rule: Rule) -> None:
        known: Bindings = {}
        for literal in rule.body:
            found = self.bindings(literal)
            if found is None:
                return
            meet(known, found)
        for literal in rule.body:
            if isinstance(literal, Distinct):
                exclude(known, literal.left, literal.right)
                exclude(known, literal.right, literal.left)
        if all(known.values()):
            self.learn(rule.head, known)

    def bindings(self, literal: Literal) -> Bindings | None:
        """What *literal* says about its variables, or None if it cannot hold yet."""
        if isinstance(literal, Atom):
            return self.atom_bindings(literal.term)
        if isinstance(literal, Or):
            branches = [found for inner in literal.inner if (found := self.bindings(inner)) is not None]
            if not branches:
                return None
            common = set.intersection(*(set(branch) for branch in branches))
            return {name: frozenset().union(*(branch[name] for branch in branches)) for name in common}
        return {}

    def atom_bindings(self, atom: Term) -> Bindings | None:
        known: Bindings = {}
        for sentence in sentences(atom):
            if isinstance(sentence.term, Variable):
                continue
            columns = self.sets.get((sentence.world, functor(sentence.term)))
            if columns is None:
                return None
            for part, column in zip(arguments(sentence.term), columns, strict=True):
                found = matches(part, column)
                if found is None:
                    return None
                meet(known, found)
        return known if all(known.values()) else None

    def learn(self, head: Term, known: Bindings) -> None:
        for sentence in sentences(head):
            if not isinstance(sentence.term, Variable):
                self.put(sentence.world, sentence.term, known)
                continue
            for term in known.get(sentence.term, ()):
                self.put(sentence.world, term, {})

    def put(self, world: World, term: Term, known: Bindings) -> None:
        place = (world, functor(term))
        parts = arguments(term)
        grown = place not in self.sets
        columns = self.sets.setdefault(place, [set() for _ in parts])
        for part, column in zip(parts, columns, strict=True):
            if len(column) < MOST_VALUES:
                before = len(column)
                column.update(islice(instances(part, known), MOST_VALUES))
                grown = grown or len(column) > before
        if grown:
            for number in self.readers[place]:
                if not self.queued[number]:
                    self.queued[number] = True
                    self.waiting.append(number)


def places_read(literal: Literal) -> Iterator[tuple[World, Key]]:
    for atom, positive in atoms(literal):
        if positive:
            for sentence in sentences(atom.term):
                yield sentence.world, functor(sentence.term)


def meet(known: Bindings, found: Bindings) -> None:
    """Keep for each variable only the values that both allow."""
    for name, values in found.items():
        known[name] = known[name] & values if name in known else values


def exclude(known: Bindings, left: Term, right: Term) -> None:
    if isinstance(left, Variable) and left in known and isinstance(right, Symbol):
        known[left] = known[left] - {right}


def matches(part: Term, column: set[Term]) -> Bindings | None:
    """The values that the variables in *part* take where it equals something in *column*; None: it never does."""
    if isinstance(part, Variable):
        return {part: frozenset(column)}
    if isinstance(part, Symbol):
        return {} if part in column else None
    inner: list[Sequence[Term]] = [
        arguments(term) for term in column if isinstance(term, Compound) and functor(term) == functor(part)
    ]
    if not inner:
        return None
    known: Bindings = {}
    for place, argument in enumerate(arguments(part)):
        found = matches(argument, {row[place] for row in inner})
        if found is None:
            return None
        meet(known, found)
    return known


def instances(part: Term, known: Bindings, level: int = 0) -> Iterator[Term]:
    """The ground terms that *part* stands for; none where terms are nested too deep to be a board's."""
    if isinstance(part, Variable):
        yield from known.get(part, ())
    elif isinstance(part, Symbol):
        yield part
    elif level < MOST_DEPTH:
        # Only what stands in each argument matters, so enough terms to show every value once will do.
        choices = [list(islice(instances(inner, known, level + 1), MOST_VALUES)) for inner in part.args]
        if all(choices):
            for number in range(max(map(len, choices))):
                yield Compound((part.name, *(several[number % len(several)] for several in choices)))

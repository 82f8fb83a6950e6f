"""The reasoner: a Datalog engine with stratified negation, the reference for every other machine.

It answers the three questions of the seeds over rules and facts:

    findall(x, query, facts)    every x for which the query holds
    prove(query, facts)         whether it holds at all
    findone(x, query, facts)    some x for which it holds, or None

by working out, bottom-up and component by component, every relation that the query depends on (see theory.py and
joins.py). Recursion is semi-naive: each round joins only with what the round before found new. What a state's
facts imply is kept with the state, so that asking again costs nothing.

What has been asked before never changes an answer: a table is kept only when it is complete, and whatever is broken
off (a limit, an interruption) leaves nothing behind. A reasoner may be asked by several threads: it answers one
question at a time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import count
from threading import RLock
from typing import Any

from stratagem.errors import LimitExceeded
from stratagem.gdl.rules import Atom, Rule, RuleSheet
from stratagem.gdl.terms import Compound, Relation, Symbol, Term, Variable, applied, depth, functor, order
from stratagem.gdl.text.syntax import Node, Place
from stratagem.gdl.unification import rename_apart, substitute, substitute_literal, unify
from stratagem.machines.reasoner.joins import ROWS_AT_MOST, Chain, TooManyRows, filler, pattern_of
from stratagem.machines.reasoner.tables import Row, Table
from stratagem.machines.reasoner.theory import DOES, TRUE, Component, Level, theory_of

FACTS_AT_MOST = 2_000_000
DEPTH_AT_MOST = 60


@dataclass(frozen=True, slots=True)
class RowLimits:
    """How many intermediate rows one rule may need.

    Past the limit of its level a relation is no longer written out but asked on demand; past *most* the question is
    refused.
    """

    static: int = 200_000
    state: int = 20_000
    move: int = 20_000
    most: int = ROWS_AT_MOST

    def written(self, level: Level) -> int:
        return (self.static, self.state, self.move)[level]


ROW_LIMITS = RowLimits()
QUESTION = Symbol("?asked")
ON_DEMAND = Table()
"""Stands in place of a table that is not written out."""
GIVEN = Node(Place(0, 0), "given with the question")


class DemandQuery:
    """A relation asked with the values of some columns known (the idea of magic sets, one call at a time).

    Every rule of the relation is worked through with those values put in first, so that only the part of
    the relation is made that was asked for.
    """

    def __init__(self, rules: Sequence[Rule], pattern: Term, shared: tuple[int, ...]) -> None:
        self.rules = rules
        self.pattern = pattern
        self.shared = shared
        self.plans: list[tuple[Chain, list[Any], list[Any]]] | None = None

    def plan(self, tables: Knowledge) -> list[tuple[Chain, list[Any], list[Any]]]:
        columns = pattern_of(self.pattern)[1]
        plans = []
        for rule in self.rules:
            apart = rename_apart(rule)
            bindings = unify(apart.head, self.pattern)
            if bindings is None:
                continue
            values = [substitute(column, bindings) for column in columns]
            known = [values[column] for column in self.shared]
            asked = applied(QUESTION, known)
            body = (Atom(asked, apart.node), *(substitute_literal(part, bindings) for part in apart.body))
            keep = pattern_of(Compound(("values", *values)))[1]
            chain = Chain(body, (), keep=keep, sizes=tables, first=0)
            rest = [value for column, value in enumerate(values) if column not in self.shared]
            plans.append(
                (chain, [filler(value, keep) for value in known], [filler(value, keep) for value in rest])
            )
        return plans

    def answer(self, tables: Knowledge, asked: Table, limit: int) -> Iterable[tuple[Row, Row]]:
        """Pairs of the known values and the others, each pair once."""
        if self.plans is None:
            self.plans = self.plan(tables)
        found: dict[tuple[Row, Row], None] = {}
        for chain, known, rest in self.plans:
            for row in chain.run([()], tables, asked, limit):
                found[tuple(fill(row) for fill in known), tuple(fill(row) for fill in rest)] = None
        return found


class Knowledge:
    """Facts and what follows from them, worked out when asked for.

    The facts are `true` facts for a state and `does` facts for a joint move. *below* knows what does not depend on
    them: the state below a joint move, the game below a state.
    """

    def __init__(
        self, reasoner: Reasoner, level: Level, facts: Iterable[Term], below: Knowledge | None
    ) -> None:
        self.reasoner = reasoner
        self.level = level
        self.below = below
        self.answers: dict[tuple[Term, tuple[int, ...]], dict[Row, list[Row]]] = {}
        given: dict[Relation, list[Term]] = {}
        for fact in facts:
            given.setdefault(functor(fact), []).append(fact)
        self.tables: dict[Relation, Table] = {key: Table(known) for key, known in given.items()}

    def table(self, key: Relation) -> Table | None:
        """The complete table of a relation, or None where it is only worked out on demand."""
        known = self.tables.get(key)
        if known is None:
            for component in self.reasoner.theory.needed(key):
                self.at(component.level).work_out(component)
            known = self.tables[key] = self.look_up(key)
        return None if known is ON_DEMAND else known

    def whole(self, key: Relation) -> Table:
        """The complete table of a relation, written out however large it is."""
        with self.reasoner.asking(key):
            known = self.table(key)
            if known is None:
                name, size = key
                pattern = applied(name, (Variable(f"?{at}") for at in range(size)))
                rows = self.ask(key, pattern, (), {()}, self.reasoner.limits.most).get((), [])
                known = self.tables[key] = Table(applied(name, row) for row in rows)
        return known

    def matching(self, query: Term) -> Iterable[Row]:
        """The values of the variables of *query*, in order of first occurrence, for which it holds."""
        with self.reasoner.asking(functor(query)):
            return self.whole(functor(query)).view(pattern_of(query)[0]).rows

    def look_up(self, key: Relation) -> Table:
        place: Knowledge | None = self
        while place is not None:
            known = place.tables.get(key)
            if known is not None:
                return known
            place = place.below
        return self.reasoner.nothing

    def ask(
        self, key: Relation, pattern: Term, shared: tuple[int, ...], asked: AbstractSet[Row], limit: int
    ) -> Mapping[Row, list[Row]]:
        """Answers for the rows *asked*, worked out from the rules with these values put in first."""
        place = self.at(self.reasoner.theory.by_key[key].level)
        answers = place.answers.setdefault((pattern, shared), {})
        missing = [row for row in asked if row not in answers]
        if missing:
            question = Table(applied(QUESTION, row) for row in missing)
            found: dict[Row, list[Row]] = {row: [] for row in missing}
            for row, rest in self.reasoner.question(key, pattern, shared).answer(place, question, limit):
                found[row].append(rest)
            answers.update(found)
        return {row: answers[row] for row in asked if answers[row]}

    def at(self, level: Level) -> Knowledge:
        place = self
        while place.level > level and place.below is not None:
            place = place.below
        return place

    def work_out(self, component: Component) -> None:
        """Fills the tables of a component; if that is broken off, none of them is kept."""
        if all(key in self.tables for key in component.keys):
            return
        try:
            for key in component.keys:
                self.tables[key] = Table()
            if component.recursive:
                self.write_rounds(component)
            else:
                self.write_once(component)
        except BaseException:
            for key in component.keys:
                self.tables.pop(key, None)
            raise

    def write_once(self, component: Component) -> None:
        (key,) = component.keys
        if key not in self.reasoner.on_demand:
            limit = self.reasoner.limits.written(self.level)
            try:
                for rule in component.rules:
                    self.tables[key].add(self.reasoner.consequences(rule, self, limit=limit), 1)
                return
            except TooManyRows:
                self.reasoner.on_demand.add(key)
        self.tables[key] = ON_DEMAND

    def write_rounds(self, component: Component) -> None:
        rounds = count(1)
        new: dict[Relation, list[Term]] = {key: [] for key in component.keys}
        for rule in component.rules:
            self.learn(rule, self.reasoner.consequences(rule, self), next(rounds), new)
        while any(new.values()):
            deltas = {key: Table(facts) for key, facts in new.items()}
            new = {key: [] for key in component.keys}
            for rule in component.rules:
                if component.nested(rule):
                    self.learn(rule, self.reasoner.consequences(rule, self), next(rounds), new)
                    continue
                for place in component.recursive_places(rule):
                    literal = rule.body[place]
                    assert isinstance(literal, Atom)
                    delta = deltas[functor(literal.term)]
                    if len(delta):
                        found = self.reasoner.consequences(rule, self, place, delta)
                        self.learn(rule, found, next(rounds), new)

    def learn(self, rule: Rule, facts: list[Term], number: int, new: dict[Relation, list[Term]]) -> None:
        key = functor(rule.head)
        fresh = self.tables[key].add(facts, number)
        new[key] += fresh
        self.reasoner.limit(self.tables[key])
        if fresh and depth(rule.head) > 1 and max(map(depth, fresh)) > DEPTH_AT_MOST:
            raise LimitExceeded(
                f"the rules for {key[0]} at line {rule.line} build terms nested more than {DEPTH_AT_MOST} deep",
                hint="a recursive rule must not build ever larger terms",
            )


class Reasoner:
    """The rules of one sheet, ready to be asked."""

    def __init__(self, sheet: RuleSheet, *, limits: RowLimits = ROW_LIMITS) -> None:
        self.sheet = sheet
        self.limits = limits
        self.theory = theory_of(sheet)
        self.static = Knowledge(self, Level.STATIC, (), None)
        self.on_demand: set[Relation] = set()
        self.nothing = Table()
        """The table of every relation that has neither rules nor facts."""
        self._turn = RLock()
        self._chains: dict[tuple[int, int], tuple[Chain, Any]] = {}
        self._questions: dict[tuple[Term, tuple[int, ...]], DemandQuery] = {}

    @contextmanager
    def asking(self, key: Relation) -> Iterator[None]:
        """One question after relation *key*, alone; what goes past a limit is reported as that."""
        with self._turn:
            try:
                yield
            except TooManyRows:
                raise LimitExceeded(
                    f"a rule that {key[0]} depends on needs more than {self.limits.most:,} intermediate rows",
                    hint="bind its variables with smaller relations, or split it",
                ) from None
            except RecursionError:
                raise LimitExceeded(
                    f"too many large relations that {key[0]} depends on are defined by each other",
                    hint="bind their variables with smaller relations",
                ) from None

    def question(self, key: Relation, pattern: Term, shared: tuple[int, ...]) -> DemandQuery:
        known = self._questions.get((pattern, shared))
        if known is None:
            rules = self.theory.by_key[key].rules
            known = self._questions[pattern, shared] = DemandQuery(rules, pattern, shared)
        return known

    def level(self, key: Relation) -> Level:
        """What a relation depends on: the rules alone, the state, or the moves."""
        component = self.theory.by_key.get(key)
        return Level.MOVE if key == DOES else Level.STATIC if component is None else component.level

    def state(self, facts: Iterable[Term]) -> Knowledge:
        """What is known where these `true` facts hold."""
        return Knowledge(self, Level.STATE, facts, self.static)

    def move(self, state: Knowledge, does: Iterable[Term]) -> Knowledge:
        """What is known when, in *state*, the players make these moves (`does` facts)."""
        return Knowledge(self, Level.MOVE, does, state)

    def rows(self, known: Knowledge) -> int:
        """How many rows are held of *known*, without those that it shares with what is below it."""
        with self._turn:
            shared = {} if known.below is None else known.below.tables
            tables = sum(
                len(table) + sum(len(view.rows) for view in table.views.values())
                for key, table in known.tables.items()
                if table is not ON_DEMAND and shared.get(key) is not table
            )
            answers = sum(1 + len(rest) for asked in known.answers.values() for rest in asked.values())
            return tables + answers

    def consequences(
        self,
        rule: Rule,
        tables: Knowledge,
        place: int = -1,
        delta: Table | None = None,
        limit: int | None = None,
    ) -> list[Term]:
        """The heads of all instances of *rule*; with *delta* only those whose literal *place* is in it."""
        if not rule.body:
            return [rule.head]
        known = self._chains.get((id(rule), place))
        if known is None:
            columns = pattern_of(rule.head)[1]
            chain = Chain(rule.body, (), keep=columns, sizes=tables, first=None if delta is None else place)
            known = self._chains[id(rule), place] = (chain, filler(rule.head, columns))
        chain, fill = known
        return [
            fill(row) for row in chain.run([()], tables, delta, self.limits.most if limit is None else limit)
        ]

    @staticmethod
    def limit(table: Table) -> None:
        if len(table) > FACTS_AT_MOST:
            some = functor(next(iter(table.rounds)))[0]
            raise LimitExceeded(
                f"the relation {some} has more than {FACTS_AT_MOST:,} facts",
                hint="bind its variables with smaller relations",
            )

    def findall(self, template: Term, query: Term, facts: Iterable[Term] | Knowledge) -> tuple[Term, ...]:
        """Every instance of *template* for which *query* holds, in canonical order.

        >>> from stratagem.gdl.parse import read_sheet
        >>> from stratagem.gdl.text.syntax import Source
        >>> from stratagem.gdl.terms import Variable
        >>> rules = "(parent ann bob) (parent bob cid) (<= (elder ?x ?z) (parent ?x ?y) (parent ?y ?z))"
        >>> reasoner = Reasoner(read_sheet(Source(rules))[0])
        >>> reasoner.findall(Variable("?x"), Compound(("elder", Variable("?x"), Variable("?y"))), ())
        ('ann',)
        """
        known = facts if isinstance(facts, Knowledge) else self.about(facts)
        fill = filler(template, pattern_of(query)[1])
        return tuple(sorted({fill(row) for row in known.matching(query)}, key=order))

    def prove(self, query: Term, facts: Iterable[Term] | Knowledge) -> bool:
        """Whether some instance of *query* holds."""
        known = facts if isinstance(facts, Knowledge) else self.about(facts)
        return bool(known.matching(query))

    def findone(self, template: Term, query: Term, facts: Iterable[Term] | Knowledge) -> Term | None:
        """The first of `findall`, or None."""
        return next(iter(self.findall(template, query, facts)), None)

    def about(self, facts: Iterable[Term]) -> Knowledge:
        """What is known where *facts* hold, of whatever relations."""
        by_key: dict[Relation, list[Term]] = {TRUE: [], DOES: []}
        for fact in facts:
            by_key.setdefault(functor(fact), []).append(fact)
        state, moves = by_key.pop(TRUE), by_key.pop(DOES)
        if by_key:
            # Any other relation may be one that is worked out once for the game: these facts make another game.
            rules = [Rule(fact, (), GIVEN) for several in by_key.values() for fact in several]
            larger = replace(self.sheet, rules=(*self.sheet.rules, *rules))
            return Reasoner(larger, limits=self.limits).about([*state, *moves])
        known = self.state(state)
        return self.move(known, moves) if moves else known


def true_fact(fact: Term) -> Term:
    """``(true fact)``."""
    return Compound((Symbol(TRUE[0]), fact))


def does_fact(role: str, move: Term) -> Term:
    """``(does role move)``."""
    return Compound((Symbol(DOES[0]), Symbol(role), move))

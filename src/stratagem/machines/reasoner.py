"""The reasoner: the definition of right.

It answers the three questions of the seeds over rules and facts:

    findall(x, query, facts)    every x for which the query holds
    prove(query, facts)         whether it holds at all
    findone(x, query, facts)    some x for which it holds, or None

by working out, bottom-up and component by component, every relation that the query depends on (see theory.py and
joins.py). Recursion is semi-naive: each round joins only with what the round before found new. What a state's
facts imply is kept with the state, so that asking again costs nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import count
from typing import Any

from stratagem.errors import LimitExceeded
from stratagem.gdl.rules import Atom, Rule, RuleSheet
from stratagem.gdl.terms import Compound, Symbol, Term, Variable, depth, functor, order
from stratagem.machines.joins import ROWS_AT_MOST, Chain, TooManyRows, filler, pattern_of
from stratagem.machines.tables import EMPTY, Key, Row, Table
from stratagem.machines.theory import DOES, TRUE, Component, Level, theory_of
from stratagem.machines.unify import renamed, resolved, resolved_literal, unified

FACTS_AT_MOST = 2_000_000
WRITTEN_AT_MOST = {Level.STATIC: 200_000, Level.STATE: 20_000, Level.MOVE: 20_000}
"""Intermediate rows of one rule past which a relation is no longer written out but asked on demand."""
DEPTH_AT_MOST = 60


QUESTION = Symbol("?asked")
ON_DEMAND = Table()


class Question:
    """A relation asked with the values of some columns known (the idea of magic sets, one call at a time).

    Every rule of the relation is worked through with those values put in first, so that only the part of
    the relation is made that somebody wants.
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
            apart = renamed(rule)
            bindings = unified(apart.head, self.pattern)
            if bindings is None:
                continue
            values = [resolved(column, bindings) for column in columns]
            known = [values[column] for column in self.shared]
            asked = Compound((QUESTION, *known)) if known else QUESTION
            body = (Atom(asked, apart.node), *(resolved_literal(part, bindings) for part in apart.body))
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

    *below* knows what does not depend on these facts: the state below a joint move, the game below a state.
    """

    def __init__(
        self, reasoner: Reasoner, level: Level, facts: Iterable[Term], below: Knowledge | None
    ) -> None:
        self.reasoner = reasoner
        self.level = level
        self.below = below
        self.given: dict[Key, list[Term]] = {}
        self.tables: dict[Key, Table] = {}
        self.answers: dict[tuple[Term, tuple[int, ...]], dict[Row, list[Row]]] = {}
        for fact in facts:
            self.given.setdefault(functor(fact), []).append(fact)
        for key, known in self.given.items():
            if key not in reasoner.theory.by_key:
                self.tables[key] = Table(known)

    def table(self, key: Key) -> Table | None:
        """The complete table of a relation, or None where it is only worked out on demand."""
        known = self.tables.get(key)
        if known is None:
            for component in self.reasoner.theory.needed(key):
                self.at(component.level).work_out(component)
            known = self.tables[key] = self.look_up(key)
        return None if known is ON_DEMAND else known

    def whole(self, key: Key) -> Table:
        """The complete table of a relation, written out however large it is."""
        try:
            known = self.table(key)
            if known is None:
                places = range(key[1])
                pattern = Compound((Symbol(key[0]), *(Variable(f"?{at}") for at in places)))
                rows = self.ask(key, pattern, (), {()}, ROWS_AT_MOST).get((), [])
                known = self.tables[key] = Table(Compound((pattern[0], *row)) for row in rows)
        except TooManyRows:
            raise LimitExceeded(
                f"a rule that {key[0]} depends on needs more than {ROWS_AT_MOST:,} intermediate rows",
                hint="bind its variables with smaller relations, or split it",
            ) from None
        return known

    def look_up(self, key: Key) -> Table:
        place: Knowledge | None = self
        while place is not None:
            known = place.tables.get(key)
            if known is not None:
                return known
            place = place.below
        return EMPTY

    def ask(
        self, key: Key, pattern: Term, shared: tuple[int, ...], asked: AbstractSet[Row], limit: int
    ) -> Mapping[Row, list[Row]]:
        """Answers for the rows *asked*, worked out from the rules with these values put in first."""
        place = self.at(self.reasoner.theory.by_key[key].level)
        answers = place.answers.setdefault((pattern, shared), {})
        missing = [row for row in asked if row not in answers]
        if missing:
            question = Table([Compound((QUESTION, *row)) for row in missing] if shared else [QUESTION])
            found = self.reasoner.question(key, pattern, shared).answer(place, question, limit)
            answers.update((row, []) for row in missing)
            for row, rest in found:
                answers[row].append(rest)
        return {row: answers[row] for row in asked if answers[row]}

    def at(self, level: Level) -> Knowledge:
        place = self
        while place.level > level and place.below is not None:
            place = place.below
        return place

    def work_out(self, component: Component) -> None:
        if all(key in self.tables for key in component.keys):
            return
        for key in component.keys:
            self.tables[key] = Table(self.given.get(key, ()))
        if not component.recursive:
            (key,) = component.keys
            if key in self.reasoner.on_demand:
                self.tables[key] = ON_DEMAND
                return
            for rule in component.rules:
                try:
                    found = self.reasoner.consequences(rule, self, limit=WRITTEN_AT_MOST[self.level])
                except TooManyRows:
                    self.reasoner.on_demand.add(key)
                    self.tables[key] = ON_DEMAND
                    return
                self.tables[key].add(found, 1)
            return
        rounds = count(1)
        new = {key: list(self.tables[key].rounds) for key in component.keys}
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

    def learn(self, rule: Rule, facts: list[Term], number: int, new: dict[Key, list[Term]]) -> None:
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

    def __init__(self, sheet: RuleSheet) -> None:
        self.sheet = sheet
        self.theory = theory_of(sheet)
        self.static = Knowledge(self, Level.STATIC, (), None)
        self.on_demand: set[Key] = set()
        self._chains: dict[tuple[int, int], tuple[Chain, Any]] = {}
        self._questions: dict[tuple[Term, tuple[int, ...]], Question] = {}

    def question(self, key: Key, pattern: Term, shared: tuple[int, ...]) -> Question:
        known = self._questions.get((pattern, shared))
        if known is None:
            rules = self.theory.by_key[key].rules
            known = self._questions[pattern, shared] = Question(rules, pattern, shared)
        return known

    def state(self, facts: Iterable[Term]) -> Knowledge:
        """What is known where these `true` facts hold; any other facts are taken too."""
        return Knowledge(self, Level.STATE, facts, self.static)

    def move(self, state: Knowledge, does: Iterable[Term]) -> Knowledge:
        """What is known when, in *state*, the players make these moves (`does` facts)."""
        return Knowledge(self, Level.MOVE, does, state)

    def consequences(
        self,
        rule: Rule,
        tables: Knowledge,
        place: int = -1,
        delta: Table | None = None,
        limit: int = ROWS_AT_MOST,
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
        rows: list[Row] = [()]
        return [fill(row) for row in chain.run(rows, tables, delta, limit)]

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
        >>> from stratagem.gdl.syntax import Source
        >>> from stratagem.gdl.terms import Variable
        >>> rules = "(parent ann bob) (parent bob cid) (<= (elder ?x ?z) (parent ?x ?y) (parent ?y ?z))"
        >>> reasoner = Reasoner(read_sheet(Source(rules))[0])
        >>> reasoner.findall(Variable("?x"), Compound(("elder", Variable("?x"), Variable("?y"))), ())
        ('ann',)
        """
        known = facts if isinstance(facts, Knowledge) else self.about(facts)
        pattern, columns = pattern_of(query)
        fill = filler(template, columns)
        rows = known.whole(functor(query)).view(pattern).rows
        return tuple(sorted({fill(row) for row in rows}, key=order))

    def prove(self, query: Term, facts: Iterable[Term] | Knowledge) -> bool:
        """Whether some instance of *query* holds."""
        known = facts if isinstance(facts, Knowledge) else self.about(facts)
        pattern, _ = pattern_of(query)
        return bool(known.whole(functor(query)).view(pattern).rows)

    def findone(self, template: Term, query: Term, facts: Iterable[Term] | Knowledge) -> Term | None:
        """The first of `findall`, or None."""
        return next(iter(self.findall(template, query, facts)), None)

    def about(self, facts: Iterable[Term]) -> Knowledge:
        facts = list(facts)
        moves = [fact for fact in facts if functor(fact) == DOES]
        state = self.state(fact for fact in facts if functor(fact) != DOES)
        return self.move(state, moves) if moves else state


def true_fact(fact: Term) -> Term:
    """``(true fact)``."""
    return Compound((Symbol(TRUE[0]), fact))


def does_fact(role: str, move: Term) -> Term:
    """``(does role move)``."""
    return Compound((Symbol(DOES[0]), Symbol(role), move))

"""The machine on top of the reasoner: slow, and the reference for the others."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from stratagem.gdl.rules import RuleSheet
from stratagem.gdl.terms import Compound, Symbol, Term, Variable, integer
from stratagem.machines.reasoner.reasoner import (
    ROW_LIMITS,
    Knowledge,
    Reasoner,
    RowLimits,
    does_fact,
    true_fact,
)

STATES_KEPT = 256
ROWS_KEPT = 1_000_000
"""Rows of all kept states together: some 300 MB. A state of the published chess alone has 80 MB."""


class ReasonerMachine:
    """States are frozen sets of facts; what follows from the last few is kept. May be used from several threads."""

    name = "reasoner"

    def __init__(self, sheet: RuleSheet, *, limits: RowLimits = ROW_LIMITS) -> None:
        self.reasoner = Reasoner(sheet, limits=limits)
        self.roles = sheet.roles
        self._kept: dict[frozenset[Term], Knowledge] = {}
        self._newest: Knowledge | None = None
        self._rows = 0
        """Of all kept states but the newest, which may still grow."""

    def knowledge(self, data: frozenset[Term]) -> Knowledge:
        """What is known in a state."""
        known = self._kept.get(data)
        if known is None:
            if self._newest is not None:
                self._rows += self.reasoner.rows(self._newest)
            if len(self._kept) >= STATES_KEPT or self._rows >= ROWS_KEPT:
                self._kept.clear()
                self._rows = 0
            known = self._kept[data] = self._newest = self.reasoner.state(map(true_fact, data))
        return known

    def after(self, data: frozenset[Term], joint: Iterable[Term]) -> Knowledge:
        """What is known in a state while these moves are made."""
        does = [does_fact(role, move) for role, move in zip(self.roles, joint, strict=True)]
        return self.reasoner.move(self.knowledge(data), does)

    def initial(self) -> frozenset[Term]:
        return insides(self.reasoner.static.whole(("init", 1)).rounds)

    def legals(self, data: frozenset[Term], role: int) -> tuple[Term, ...]:
        query = Compound(("legal", Symbol(self.roles[role]), Variable("?move")))
        return self.reasoner.findall(Variable("?move"), query, self.knowledge(data))

    def next(self, data: frozenset[Term], joint: tuple[Term, ...]) -> frozenset[Term]:
        return insides(self.after(data, joint).whole(("next", 1)).rounds)

    def terminal(self, data: frozenset[Term]) -> bool:
        return self.reasoner.prove(Symbol("terminal"), self.knowledge(data))

    def goal(self, data: frozenset[Term], role: int) -> int | None:
        query = Compound(("goal", Symbol(self.roles[role]), Variable("?value")))
        values = self.reasoner.findall(Variable("?value"), query, self.knowledge(data))
        return goal_value(values)

    def facts(self, data: frozenset[Term]) -> frozenset[Term]:
        return data

    def from_facts(self, facts: frozenset[Term]) -> frozenset[Term]:
        return facts


def insides(facts: Iterable[Any]) -> frozenset[Term]:
    """What the keywords `init` and `next` are said of."""
    return frozenset(fact[1] for fact in facts)


def goal_value(values: Iterable[Term]) -> int | None:
    """The number that *values* spell, if there is one and nothing else: GDL asks for exactly one goal.

    >>> goal_value([Symbol("100"), Symbol("+100")]), goal_value([Symbol("100"), Symbol("much")])
    (100, None)
    """
    numbers = {integer(value) for value in values}
    return numbers.pop() if len(numbers) == 1 else None

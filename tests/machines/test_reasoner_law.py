"""The reasoner says what plain substitution says, whatever was asked before and whatever was broken off."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from tests.support.naive import consequences, instances
from tests.support.random_rules import UNIVERSE, VARIABLES, RandomRules, queries, random_rules

from stratagem.errors import LimitExceeded
from stratagem.gdl.parse import parse_term, read_sheet
from stratagem.gdl.terms import Compound, Symbol, Term, applied
from stratagem.gdl.text.syntax import Source
from stratagem.machines.reasoner.joins import Chain
from stratagem.machines.reasoner.reasoner import Knowledge, Reasoner, RowLimits, does_fact, true_fact
from stratagem.machines.reasoner.why import Explainer

EVERYTHING_ON_DEMAND = RowLimits(0, 0, 0)
LIMITS = some.sampled_from([RowLimits(), EVERYTHING_ON_DEMAND, RowLimits(2, 2, 2), RowLimits(8, 4, 2)])


def reasoner_of(rules: str, limits: RowLimits = EVERYTHING_ON_DEMAND) -> Reasoner:
    sheet, faults = read_sheet(Source(rules))
    assert not faults
    return Reasoner(sheet, limits=limits)


@contextmanager
def interrupted(joins: int) -> Iterator[None]:
    """Somebody presses Ctrl-C after so many joins."""
    left, run = joins, Chain.run

    def counted(self: Chain, *arguments: Any, **named: Any) -> Any:
        nonlocal left
        left -= 1
        if left < 0:
            raise KeyboardInterrupt
        return run(self, *arguments, **named)

    with patch.object(Chain, "run", counted):
        yield


@settings(max_examples=100)
@given(random_rules(), LIMITS, some.data())
def test_no_answer_depends_on_what_was_asked_before(
    made: RandomRules, limits: RowLimits, data: some.DataObject
) -> None:
    reasoner = Reasoner(made.sheet, limits=limits)
    known: list[tuple[Knowledge, set[Term]]] = []
    for situation in made.situations:
        state = [true_fact(fact) for fact in situation.state]
        moves = [does_fact("r", move) for move in situation.moves]
        here = reasoner.state(state)
        known.append((here, consequences(made.strata, UNIVERSE, state)))
        known.append((reasoner.move(here, moves), consequences(made.strata, UNIVERSE, [*state, *moves])))

    def ask(where: Knowledge, facts: set[Term], query: Term) -> None:
        plain = query if len(query) > 1 or isinstance(query, str) else Symbol(query[0])
        expected = instances(plain, facts, UNIVERSE)
        assert set(reasoner.findall(plain, query, where)) == expected
        assert reasoner.prove(query, where) == bool(expected)

    for _ in range(data.draw(some.integers(0, 8))):
        where, facts = data.draw(some.sampled_from(known))
        query = data.draw(queries(made.keys))
        match data.draw(some.sampled_from(["ask", "why", "limit", "interrupt"])):
            case "ask":
                ask(where, facts, query)
            case "why":
                plain = applied(query[0], query[1:]) if isinstance(query, Compound) else query
                reason = Explainer(reasoner, where).reason(plain)
                assert reason.holds == bool(instances(plain, facts, UNIVERSE))
            case "limit":
                reasoner.limits = RowLimits(0, 0, 0, most=data.draw(some.integers(0, 4)))
                with suppress(LimitExceeded):
                    ask(where, facts, query)
                reasoner.limits = limits
            case "interrupt":
                try:
                    with interrupted(data.draw(some.integers(0, 12))):
                        ask(where, facts, query)
                except KeyboardInterrupt:
                    pass
    for where, facts in data.draw(some.permutations(known)):
        for name, size in data.draw(some.permutations(made.keys)):
            ask(where, facts, applied(name, VARIABLES[:size]))


def test_a_relation_without_arguments_asked_on_demand_is_true_where_it_is_proved() -> None:
    reasoner = reasoner_of("(d a) (d b) (<= p (d ?x) (d ?y)) (<= (q) (p)) (<= r (not q))")
    for query in (Symbol("p"), Compound((Symbol("p"),)), parse_term("(q)")):
        assert reasoner.prove(query, ())
    assert not reasoner.prove(Symbol("r"), ())
    assert ("p", 0) in reasoner.on_demand


def test_facts_given_with_a_question_count_for_relations_worked_out_once_or_on_demand() -> None:
    rules = (
        "(parent ann bob) (<= (elder ?x ?z) (parent ?x ?y) (parent ?y ?z)) (<= (kin ?x ?y) (parent ?x ?y))"
    )
    for limits in (RowLimits(), EVERYTHING_ON_DEMAND):
        family = reasoner_of(rules, limits)
        given = [parse_term("(parent bob cid)"), parse_term("(kin eve eve)"), parse_term("(true alive)")]
        assert not family.prove(parse_term("(elder ann cid)"), ())
        assert family.prove(parse_term("(elder ann cid)"), given)
        assert family.prove(parse_term("(kin eve eve)"), given)
        assert family.prove(parse_term("(true alive)"), given)
        assert not family.prove(parse_term("(elder ann cid)"), ())


@pytest.mark.parametrize("limits", [RowLimits(), EVERYTHING_ON_DEMAND])
@pytest.mark.parametrize("query", ["(all a b)", "(reach a d)"])
def test_a_question_that_was_broken_off_is_answered_when_asked_again(query: str, limits: RowLimits) -> None:
    rules = """(e a b) (e b c) (e c d) (<= (all ?x ?y) (e ?x ?v) (e ?w ?y))
               (<= (reach ?x ?y) (e ?x ?y)) (<= (reach ?x ?z) (reach ?x ?y) (e ?y ?z))"""
    reasoner, broken_off = reasoner_of(rules, limits), 0
    for joins in range(8):
        try:
            with interrupted(joins):
                assert reasoner.prove(parse_term(query), ())
        except KeyboardInterrupt:
            broken_off += 1
    assert broken_off > 0
    assert reasoner.prove(parse_term(query), ())


def test_a_question_past_the_limit_is_answered_once_there_is_room() -> None:
    rules = (
        "(e a b) (e b c) (e c d) (<= (reach ?x ?y) (e ?x ?y)) (<= (reach ?x ?z) (reach ?x ?y) (reach ?y ?z))"
    )
    reasoner = reasoner_of(rules, RowLimits(most=2))
    with pytest.raises(LimitExceeded, match="reach depends on needs more than 2 intermediate rows"):
        reasoner.prove(parse_term("(reach a d)"), ())
    with pytest.raises(LimitExceeded, match="intermediate rows"):
        Explainer(reasoner, reasoner.static).reason(parse_term("(reach a d)"))
    reasoner.limits = RowLimits()
    assert reasoner.prove(parse_term("(reach a d)"), ())


def test_a_condition_that_no_rule_told_apart_can_meet_is_false() -> None:
    """Rules that negate each other by value are told apart; then (p (f ?x)) is met by no head at all."""
    reasoner = reasoner_of(
        "(<= (p 1) (not (p 2))) (<= (q ?x) (p (f ?x))) (<= r (not (p (f 1))))", RowLimits()
    )
    assert not reasoner.prove(parse_term("(q ?x)"), ())
    assert reasoner.prove(parse_term("(p 1)"), ())
    assert reasoner.prove(Symbol("r"), ())


def test_very_many_relations_on_demand_in_a_chain_are_answered_or_refused_with_a_reason() -> None:
    rules = "(d 1) (p0 1)" + "".join(f"(<= (p{n + 1} ?x) (p{n} ?x) (d ?y))" for n in range(600))
    with pytest.raises(LimitExceeded, match="p600 depends on"):
        reasoner_of(rules).prove(parse_term("(p600 1)"), ())
    assert reasoner_of(rules, RowLimits()).prove(parse_term("(p600 1)"), ())

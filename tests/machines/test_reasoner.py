"""The reasoner: findall, prove and findone over rules and facts."""

from __future__ import annotations

import pytest
from tests.support.small_sheets import sheet_of

from stratagem.errors import LimitExceeded, RulesError
from stratagem.gdl.parse import parse_term, read_sheet
from stratagem.gdl.terms import Variable
from stratagem.gdl.text.syntax import Source
from stratagem.machines.reasoner import machine
from stratagem.machines.reasoner.machine import ReasonerMachine
from stratagem.machines.reasoner.reasoner import ROW_LIMITS, Reasoner, RowLimits
from stratagem.machines.reasoner.theory import Level, theory_of


def ask(rules: str, limits: RowLimits = ROW_LIMITS) -> Reasoner:
    sheet, faults = read_sheet(Source(rules))
    assert not faults
    return Reasoner(sheet, limits=limits)


FAMILY = """
(parent ann bob) (parent ann cid) (parent bob dan)
(<= (elder ?x ?y) (parent ?x ?y))
(<= (elder ?x ?z) (parent ?x ?y) (elder ?y ?z))
(<= (childless ?x) (person ?x) (not (has_child ?x)))
(<= (has_child ?x) (parent ?x ?y))
(<= (person ?x) (or (parent ?x ?y) (parent ?z ?x)))
"""


def test_findall_finds_every_answer_in_order() -> None:
    family = ask(FAMILY)
    assert family.findall(Variable("?x"), parse_term("(elder ann ?x)"), ()) == ("bob", "cid", "dan")
    assert family.findall(parse_term("(pair ?y ?x)"), parse_term("(parent ?x ?y)"), ())[0] == parse_term(
        "(pair bob ann)"
    )
    assert family.findall(Variable("?x"), parse_term("(childless ?x)"), ()) == ("cid", "dan")


def test_prove_and_findone_answer_with_the_first_or_nothing() -> None:
    family = ask(FAMILY)
    assert family.prove(parse_term("(elder ann dan)"), ())
    assert not family.prove(parse_term("(elder dan ?x)"), ())
    assert family.findone(Variable("?x"), parse_term("(elder bob ?x)"), ()) == "dan"
    assert family.findone(Variable("?x"), parse_term("(elder dan ?x)"), ()) is None


def test_facts_given_with_the_question_count_like_rules() -> None:
    family = ask(FAMILY)
    facts = [parse_term("(true (alive ann))")]
    assert family.prove(parse_term("(true (alive ?who))"), facts)
    assert not family.prove(parse_term("(true (alive ?who))"), ())


def test_relations_are_worked_out_once_for_game_state_or_move() -> None:
    sheet, _ = read_sheet(Source("(a 1) (<= (b ?x) (a ?x) (true (t ?x))) (<= (c ?x) (b ?x) (does r ?x))"))
    levels = {next(iter(component.keys))[0]: component.level for component in theory_of(sheet).components}
    assert (levels["a"], levels["b"], levels["c"]) == (Level.STATIC, Level.STATE, Level.MOVE)


def test_goals_may_negate_each_other_by_value() -> None:
    rules = ask("(<= (goal r 0) (true blank)) (<= (goal r 100) (not (goal r 0)))")
    assert rules.findall(Variable("?v"), parse_term("(goal r ?v)"), ()) == ("100",)
    assert rules.findall(Variable("?v"), parse_term("(goal r ?v)"), [parse_term("(true blank)")]) == ("0",)


def test_rules_of_one_relation_may_negate_each_other_where_they_cannot_meet() -> None:
    rules = ask(
        "(<= (p 1) (not (p 2))) (<= (p ?x) (q ?x)) (q 3) (<= r (not (p 2))) (<= (s 1) (not (s 2))) (s 4)"
    )
    assert rules.findall(Variable("?x"), parse_term("(s ?x)"), ()) == ("1", "4")
    assert rules.findall(Variable("?x"), parse_term("(p ?x)"), ()) == ("1", "3")
    assert rules.prove(parse_term("r"), ())


def test_negation_in_a_cycle_is_refused_with_its_line() -> None:
    with pytest.raises(RulesError, match=r"<rules>:2: the relation p depends on its own negation"):
        ask("(a)\n(<= (p ?x) (d ?x) (not (q ?x)))\n(<= (q ?x) (p ?x)) (d 1)")


def test_terms_that_grow_for_ever_hit_a_limit() -> None:
    with pytest.raises(LimitExceeded, match="nested more than"):
        ask("(n z) (<= (n (s ?x)) (n ?x))").prove(parse_term("(n q)"), ())


def test_a_relation_too_large_to_write_out_is_asked_on_demand() -> None:
    digits = " ".join(f"(d {number})" for number in range(10))
    rules = (
        digits
        + "(<= (all ?a ?b ?c) (d ?a) (d ?b) (d ?c)) (<= (hit ?c) (d ?c) (all 1 2 ?c) (not (all ?c ?c x)))"
    )
    small = ask(rules, RowLimits(50, 50, 50))
    assert len(small.findall(Variable("?c"), parse_term("(hit ?c)"), ())) == 10
    assert ("all", 3) in small.on_demand
    assert len(small.findall(parse_term("(t ?a ?b ?c)"), parse_term("(all ?a ?b ?c)"), ())) == 1000


def test_hundreds_of_rules_in_a_chain_need_no_deep_recursion() -> None:
    rules = "(p0 1)" + "".join(f"(<= (p{n + 1} ?x) (p{n} ?x))" for n in range(3000))
    assert ask(rules).prove(parse_term("(p3000 1)"), ())


def test_what_is_kept_of_states_is_limited_by_its_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """A state of the published chess has 80 MB: 256 of them were kept."""
    numbers = " ".join(f"(number {one})" for one in range(10)) + ""
    sheet = sheet_of(
        f"(role a) {numbers} (init (at 0)) (init (since 0)) (<= (step ?x ?y ?z) (number ?x) (number ?y) (true (at ?z)))"
        "(<= (legal a (go ?z)) (step ?x ?y ?x) (number ?z)) (<= (next (at ?z)) (does a (go ?z)))"
        "(<= (next (since (at ?x))) (true (at ?x))) (<= terminal (true (at none))) (goal a 0)"
    )
    monkeypatch.setattr(machine, "ROWS_KEPT", 1000)
    asked = ReasonerMachine(sheet)
    state, most = asked.initial(), 0
    for number in range(60):
        moves = asked.legals(state, 0)
        state = asked.next(state, (moves[(7 * number + number // 10) % len(moves)],))
        most = max(most, sum(asked.reasoner.rows(known) for known in asked._kept.values()))
    assert 500 < most < 2000
    assert len(asked.legals(state, 0)) == 10

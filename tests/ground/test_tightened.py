"""Rules too large to ground: narrowed by rows and by demand, over the arguments they look at; and they mean the same."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from tests.ground.test_normal import unchecked
from tests.support.small_sheets import assert_same_play, sheet_of, small_sheets

from stratagem.circuit.compiler.budget import quietly
from stratagem.circuit.compiler.pipeline import compile_here
from stratagem.gdl.domains import Unbounded
from stratagem.gdl.terms import Variable, functor, variables
from stratagem.ground.clingo_grounder import ground_here
from stratagem.ground.relaxed import reachable_rows
from stratagem.ground.rewrite import prepare
from stratagem.ground.rewrite.group import grouped
from stratagem.ground.rewrite.independent import without_free_arguments
from stratagem.ground.rewrite.narrow import narrowed
from stratagem.ground.rewrite.normal import NormalRule, normal_form
from stratagem.ground.rewrite.prepare import Prepared, tightened
from stratagem.ground.rewrite.rows import RowEstimates, RowTables
from stratagem.ground.rewrite.size_estimates import SizeEstimates
from stratagem.machines.compiled.interpreted import CircuitMachine
from stratagem.machines.reasoner.machine import ReasonerMachine

FILES, RANKS = "abcdefgh", "12345678"
BOARD = "\n".join(
    [
        "(role r)",
        *(f"(coordinate {value})" for value in FILES + RANKS),
        *(f"(next_file {one} {two})" for one, two in pairwise(FILES)),
        *(f"(next_rank {one} {two})" for one, two in pairwise(RANKS)),
        "(<= (adjacent ?x ?y) (or (next_file ?x ?y) (next_file ?y ?x)))",
        "(<= (adjacent ?x ?y) (or (next_rank ?x ?y) (next_rank ?y ?x)))",
        "(<= (different ?x1 ?y1 ?x2 ?y2) (distinct ?x1 ?x2) (coordinate ?y1) (coordinate ?y2)",
        "   (coordinate ?x1) (coordinate ?x2))",
        "(<= (different ?x1 ?y1 ?x2 ?y2) (distinct ?y1 ?y2) (coordinate ?y1) (coordinate ?y2)",
        "   (coordinate ?x1) (coordinate ?x2))",
        "(<= (blocked ?x ?y ?cx ?cy ?ignored) (true (stone ?u ?v)) (adjacent ?x ?u) (adjacent ?y ?v)",
        "   (different ?u ?v ?cx ?cy) (coordinate ?ignored))",
        "(init (at d 4)) (init (stone e 6)) (init (stone b 2))",
        "(<= (legal r (go ?u ?v)) (true (at ?x ?y)) (adjacent ?x ?u) (adjacent ?y ?v)",
        "   (not (blocked ?u ?v ?x ?y ?x)))",
        "(<= (next (at ?u ?v)) (does r (go ?u ?v)))",
        "(<= (next (stone ?x ?y)) (does r (go ?u ?v)) (true (stone ?x ?y)) (different ?x ?y ?u ?v))",
        "(<= (goal r 100) terminal)",
        "(<= (goal r 0) (not terminal))",
        "(<= terminal (not moves))",
        "(<= moves (legal r ?m))",
    ]
)
"""Files and ranks share their relations, as in the published chess."""


def tables_of(rules: tuple[NormalRule, ...]) -> RowTables:
    return reachable_rows(rules, SizeEstimates(rules))


def machine_of(text: str, **settings: bool) -> CircuitMachine:
    """The circuit of the tightened rules in *text*."""
    sheet = sheet_of(text)
    rules = normal_form(sheet)
    program = tightened(rules, tables_of(rules), saving=0, **settings)
    return CircuitMachine(compile_here(Prepared(sheet.roles, program, 0), 0, quietly).circuit)


def heads(rules: tuple[NormalRule, ...]) -> set[str]:
    return {functor(rule.head)[0] for rule in rules}


def test_squares_off_the_board_are_not_among_the_rows_though_each_coordinate_is():
    rules = normal_form(unchecked(BOARD))
    facts = {row for (row,) in tables_of(rules).rows[("true", 1)] if str(row).startswith("(at")}
    assert len(facts) == 32  # It moves diagonally.
    assert SizeEstimates(rules).sizes[("true", 1)] > 4 * 64


def test_every_fact_and_move_of_the_ground_program_is_among_the_rows():
    sheet = unchecked(BOARD)
    rules = normal_form(sheet)
    rows = tables_of(rules).rows
    program = ground_here(rules, sheet.roles)
    assert {(fact,) for fact in program.true} <= set(rows[("true", 1)])
    assert set(program.does) <= set(rows[("does", 2)])


def test_rules_with_a_relation_too_large_to_list_still_have_rows_for_the_others(monkeypatch):
    monkeypatch.setattr("stratagem.ground.relaxed.MOST", 3_000)
    monkeypatch.setattr("stratagem.ground.relaxed.LISTED", 300)
    rules = normal_form(unchecked(BOARD))
    rows = tables_of(rules).rows
    assert ("blocked", 5) not in rows
    assert ("adjacent", 2) in rows


def test_there_are_no_rows_where_even_states_are_too_many(monkeypatch):
    monkeypatch.setattr("stratagem.ground.relaxed.MOST", 10)
    assert not tables_of(normal_form(unchecked(BOARD))).rows


def test_an_argument_is_derived_for_what_is_asked_alone():
    rules = normal_form(unchecked(BOARD))
    tables = tables_of(rules)
    found = narrowed(rules, RowEstimates(rules, tables))
    estimates = RowEstimates(found, RowTables({}))
    ignored = estimates.arguments[("blocked", 5)][4]
    assert ignored.symbols == set(FILES)
    assert SizeEstimates(rules).arguments[("blocked", 5)][4].symbols == set(FILES + RANKS)


def test_rules_that_nothing_asks_for_are_left_out():
    text = "(role r) (legal r a) (goal r 0) (init (p 1)) (<= terminal (far 1)) (<= (far 1) (true (q 1)))"
    text += " (<= (far 2) (true (p 1)))"
    rules = normal_form(unchecked(text))
    assert "far" not in heads(narrowed(rules, SizeEstimates(rules)))


def test_no_relation_has_arguments_that_its_rules_do_not_look_at():
    rules = normal_form(unchecked(BOARD))
    tables = tables_of(rules)
    rules = narrowed(rules, RowEstimates(rules, tables))
    found = without_free_arguments(rules, RowEstimates(rules, tables))
    widths = {functor(rule.head) for rule in found if functor(rule.head)[0].startswith("blocked")}
    assert {arity for _, arity in widths} == {3}  # Over the file of what is captured, or over its rank.
    assert all("blocked" not in functor(term) for rule in found for term in rule.negative)


def test_a_variable_that_only_a_free_argument_bound_keeps_its_values():
    text = "(role r) (legal r a) (goal r 0) (thing a) (thing b) (init (p a)) (<= terminal (true (p c)))"
    text += " (<= (next (p ?y)) (pair ?x ?y)) (<= (pair ?x ?y) (true (p ?x)) (thing ?y))"
    rules = normal_form(unchecked(text))
    found = without_free_arguments(rules, SizeEstimates(rules))
    assert ("pair", 2) not in {functor(rule.head) for rule in found}
    for rule in found:
        bound = {v for term in rule.positive for v in variables(term)}
        assert set(variables(rule.head)) <= bound
    assert len(ground_here(found, ("r",)).true) == 2


def test_recursive_relations_keep_their_arguments():
    text = "(role r) (legal r a) (goal r 0) (thing a) (thing b) (init (p a)) (<= terminal (way a b))"
    text += " (<= (way ?x ?y) (true (p ?x)) (thing ?y)) (<= (way ?x ?y) (way ?y ?x))"
    rules = normal_form(unchecked(text))
    assert "way" in heads(without_free_arguments(rules, SizeEstimates(rules)))


def test_literals_over_a_few_variables_are_ground_once_for_these():
    things = " ".join(f"(thing {number})" for number in range(12))
    text = f"(role r) (goal r 0) {things} (legal r a) (<= (init (p ?x)) (thing ?x)) (<= (init (q ?x)) (thing ?x))"
    text += " (<= (next (p ?x)) (true (p ?x))) (<= (next (q ?x)) (true (q ?x)))"
    text += " (<= (next (s ?x ?y)) (true (p ?x)) (not (true (q ?x))) (true (q ?y)) (not (true (p ?y))))"
    rules = normal_form(unchecked(text))
    found = grouped(rules, SizeEstimates(rules), saving=0)
    assert any(functor(rule.head)[0].startswith("group") for rule in found)

    def literals(several: tuple[NormalRule, ...]) -> int:
        return sum(len(body) for _, body in ground_here(several, ("r",)).rules)

    assert literals(found) < 0.7 * literals(rules)
    assert grouped(rules, SizeEstimates(rules)) == rules


def test_rules_are_tightened_only_where_they_are_too_many(monkeypatch):
    sheet = unchecked(BOARD)
    plain = prepare.prepare(sheet)
    assert prepare.prepare(sheet, thorough=True) == plain
    monkeypatch.setattr(prepare, "LOOK_CLOSER", 0)
    assert prepare.prepare(sheet, thorough=True) == plain
    monkeypatch.setattr(prepare, "TOO_MANY", 0)
    assert prepare.prepare(sheet) == plain
    found = prepare.prepare(sheet, thorough=True)
    assert len(ground_here(found.rules, sheet.roles).rules) < len(ground_here(plain.rules, sheet.roles).rules)


def test_no_variable_of_a_tightened_rule_is_left_unbound():
    rules = normal_form(unchecked(BOARD))
    for rule in tightened(rules, tables_of(rules), saving=0):
        bound = {v for term in (*rule.positive, *rule.guards) for v in variables(term)}
        needed: set[Variable] = {v for term in (rule.head, *rule.negative) for v in variables(term)}
        assert needed | {v for pair in rule.comparisons for v in pair.variables()} <= bound


@pytest.mark.parametrize("on_demand", [False, True])
def test_the_tightened_board_plays_as_the_reasoner_does(on_demand):
    sheet = sheet_of(BOARD)
    machine = machine_of(BOARD, on_demand=on_demand)
    assert assert_same_play(ReasonerMachine(sheet), machine, 1, steps=12, walks=5) > 12


WIDE = """(<= (wide ?x ?y ?z ?w) {one} (thing ?x) (thing ?y) (thing ?z) (thing ?w))
(<= (wide ?x ?y ?z ?w) {two} (thing ?x) (thing ?y) (thing ?z) (thing ?w))
(<= (wider ?x ?y ?z) (thing ?y) (wide ?x ?y ?z {first}) (not (wide ?z {second} ?y ?y)))
(<= (next (p ?x)) (thing ?y) (wider ?x ?y {first}) (true (q ?y)))
(<= (next (q ?x)) (thing ?x) (thing ?y) (not (wider ?x {second} ?x)))"""
SAID = some.sampled_from(
    [
        "(true (p ?x))",
        "(true (q ?w))",
        "(true (p ?y)) (distinct ?x ?z)",
        "(near ?x ?z)",
        "(not (near ?y ?w))",
        "(not (true (p ?z))) (near ?w ?z)",
        "(distinct ?x ?y)",
        "",
    ]
)
NAMED = some.sampled_from(["a", "b", "?x", "?y"])


@settings(max_examples=60, deadline=None)
@given(small_sheets(), SAID, SAID, NAMED, NAMED, some.booleans())
def test_tightened_rules_of_any_sheet_play_as_the_reasoner_does(text, one, two, first, second, on_demand):
    text += "\n" + WIDE.format(one=one, two=two, first=first, second=second)
    try:
        machine = machine_of(text, on_demand=on_demand)
    except Unbounded:
        return
    sheet = sheet_of(text)
    assert assert_same_play(ReasonerMachine(sheet), machine, len(sheet.roles)) > 0

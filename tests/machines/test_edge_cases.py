"""The reference's own edge cases: what its tests assert, and where we are right and it is not."""

from __future__ import annotations

import pytest
from tests.support.traces import sheet_path

from stratagem.errors import RulesError
from stratagem.gdl.parse import parse_term, read_sheet
from stratagem.gdl.terms import Variable
from stratagem.gdl.text.syntax import Source
from stratagem.gdl_game import GdlGame, State
from stratagem.loading import MACHINES, MachineName, load
from stratagem.machines.reasoner.reasoner import Reasoner


def edge(name: str) -> GdlGame:
    return load(sheet_path(name, "edge"), machine="reasoner")


def only_move(state: State) -> State:
    (role,) = state.game.roles
    (move,) = state.legals(role)
    return state.next((move,))


def answers(rules: str, query: str) -> list[str]:
    """What a query comes to over plain rules, without any state; the variable asked for is ?x."""
    sheet, faults = read_sheet(Source(rules))
    assert not faults
    return list(map(str, Reasoner(sheet).findall(Variable("?x"), parse_term(query), ())))


def test_tic_tac_toe_is_played_to_its_end() -> None:
    game = edge("ticTacToe")
    state = game.initial()
    assert game.roles == ("xplayer", "oplayer")
    assert len(state.legals("xplayer")) == 9
    assert state.legals("oplayer") == ("noop",)
    for move in ["(mark 1 1)", "(mark 1 3)", "(mark 3 1)", "(mark 2 2)", "(mark 2 1)"]:
        assert not state.terminal
        state = state.play(move)
    assert state.terminal
    assert [state.goal(role) for role in game.roles] == [100, 0]


def test_a_goal_rule_with_an_empty_body_holds_everywhere() -> None:
    state = edge("test_case_1a").initial()
    assert not state.terminal
    assert state.goal("you") == 100
    assert only_move(state).terminal


def test_an_undefined_relation_is_false() -> None:
    state = edge("test_case_3c").initial()
    assert state.facts() == frozenset()
    assert not state.terminal
    assert state.legals("xplayer") == ("win",)


def test_p_in_brackets_and_p_are_one_proposition() -> None:
    """The reference holds (open2) and open2 for different and allows (move correct_failure) alone."""
    state = edge("test_case_3a").initial()
    legal = state.legals(state.game.roles[0])
    assert "(move correct_failure)" not in map(str, legal)
    assert legal


@pytest.mark.parametrize("name", ["test_case_3b", "test_case_3e", "test_case_3f"])
def test_unsafe_rules_are_refused_where_the_reference_drops_conditions(name: str) -> None:
    with pytest.raises(RulesError) as refused:
        edge(name)
    assert {found.code for found in refused.value.findings} == {"GDL010"}


def test_recursion_may_build_terms_as_long_as_it_ends() -> None:
    state = edge("test_case_5a").initial()
    assert state.legals("you") == ("proceed",)
    assert only_move(state).goal("you") == 100


def test_left_recursion_is_no_trouble() -> None:
    (role,) = edge("test_case_5e").roles
    moves = edge("test_case_5e").initial().legals(role)
    assert list(map(str, moves)) == [
        *("(reduce a 0)", "(reduce a 1)"),
        *(f"(reduce c {number})" for number in range(5)),
    ]


def test_distinct_may_come_before_what_binds_its_variables() -> None:
    state = edge("test_distinct_beginning_rule").initial()
    (role,) = state.game.roles
    assert len(state.legals(role)) == 2
    assert state.play("(do a b)").goal(role) == 100


def test_a_negated_or_means_that_none_holds() -> None:
    """The reference expands (not (or a b)) into (not a) OR (not b), and finds p."""
    rules = "(a) (x) (<= (p 1) (not (or (a) (b)))) (<= (q 1) (not (or (b) (c))))"
    assert answers(rules, "(p ?x)") == []
    assert answers(rules, "(q ?x)") == ["1"]


@pytest.mark.parametrize(
    ("rules", "query", "expected"),
    [
        ("(d 1) (d 2) (<= (p ?x) (d ?x) (not (distinct ?x 2)))", "(p ?x)", ["2"]),
        ("(a) (<= (p 1) (not (not (a)))) (<= (p 2) (not (not (b))))", "(p ?x)", ["1"]),
        ("(d 1) (e 2) (f 3) (<= (p ?x) (or (d ?x) (or (e ?x) (f ?x))))", "(p ?x)", ["1", "2", "3"]),
        ("(<= (p 1) (or))", "(p ?x)", []),
        ("(d 1) (<= (p ?x) (or (d ?x)))", "(p ?x)", ["1"]),
        ("(n 1) (n 01) (n +1) (<= (p ?x) (n ?x) (distinct ?x 1))", "(p ?x)", ["+1", "01"]),
        ("(v (f 1)) (v (f 2)) (<= (p ?x) (v ?x) (distinct ?x (f 1)))", "(p ?x)", ["(f 2)"]),
        ("(c 1 1) (c 1 2) (<= (p ?x ?x) (c ?x ?x))", "(p ?x ?y)", ["1"]),
        ("(f 1) (f 1 2) (<= (p ?x) (f ?x))", "(p ?x)", ["1"]),
        ("(p A) (p a) (<= (same ?x) (p ?x) (p a))", "(same ?x)", ["a"]),
        ("(e 1 2) (e 2 3) (e 3 1) (<= (t ?x ?y) (e ?x ?y)) (<= (t ?x ?z) (t ?x ?y) (t ?y ?z))", "(t 1 ?x)", ["1", "2", "3"]),
        ("(<= (p 1) (squee)) (<= (p 2) (not squee))", "(p ?x)", ["2"]),
        ("(d 1) (d 2) (e 3) (<= (p ?x ?y) (or (d ?x) (e ?x)) (d ?y) (distinct ?x ?y))", "(p ?x 1)", ["2", "3"]),
    ],
)  # fmt: skip
def test_the_meaning_of_small_programs(rules: str, query: str, expected: list[str]) -> None:
    assert sorted(answers(rules, query)) == sorted(expected)


@pytest.mark.parametrize(
    ("value", "expected"), [("100", 100), ("050", 50), ("+70", 70), ("abc", None), ("1.5", None)]
)
def test_goal_values_are_integers_however_written(value: str, expected: int | None) -> None:
    rules = f"(role r) (legal r a) (<= terminal (role r)) (goal r {value})"
    assert load(rules, machine="reasoner").initial().goal("r") == expected


@pytest.mark.parametrize("machine", MACHINES)
def test_spellings_of_one_number_are_one_goal_on_every_machine(machine: MachineName) -> None:
    rules = (
        "(role r) (legal r a) (<= terminal (role r)) (init p) (<= (goal r 100) (true p)) (<= (goal r +100) (true p)) "
        "(<= (goal r 0100) (not (true q))) (<= (next p) (true p)) (<= (next q) (true p))"
    )
    assert load(rules, machine=machine).initial().goal("r") == 100
    worse = rules + " (<= (goal r much) (true p))"
    assert load(worse, machine=machine).initial().goal("r") is None


def test_two_goal_values_are_none() -> None:
    rules = "(role r) (legal r a) (<= terminal (role r)) (goal r 1) (goal r 2)"
    assert load(rules, machine="reasoner").initial().goal("r") is None


def test_the_initial_state_comes_from_init_alone() -> None:
    assert set(map(str, edge("test_case_3d").initial().facts())) == {"(cell alpha)"}

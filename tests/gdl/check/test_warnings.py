"""What is allowed and seldom meant: hints that help, and silence where there is nothing to say."""

from __future__ import annotations

import pytest

from stratagem.gdl.check.survey import COMPARISONS
from stratagem.gdl.parse import examine
from stratagem.gdl.text.syntax import Source

GAME = "(role r) (legal r a) (goal r 100) (<= terminal (true q)) (init q)\n"


def findings(text: str, syntax: str = "kif"):
    return examine(Source(text, syntax=syntax))[1]


def hint(text: str, code: str) -> str:
    return next(found.hint for found in findings(GAME + text) if found.code == code)


@pytest.mark.parametrize(
    ("text", "code", "expected"),
    [
        ("(<= (next (at ?m ?n)) (true (at ?m ?n1)))", "GDL010", "did you mean ?n1?"),
        ("(<= p (lines x)) (line x)", "GDL103", "did you mean line?"),
        ("(<= p (Lines x)) (Line x)", "GDL103", "did you mean Line?"),
        ("(<= p (line x y)) (line x)", "GDL103", "elsewhere line has 1 argument"),
        ("(<= p (squee)) (line x)", "GDL103", "define it, or remove the condition"),
        ("(<= (next q) (does r b))", "GDL120", "add a rule for it, or remove the condition"),
        ("(role white) (<= (next q) (does whit a))", "GDL109", "did you mean white?"),
        (
            "(<= (p ?side) (s ?side ?sid))",
            "GDL102",
            "write ?_sid if any value will do, or did you mean ?side?",
        ),
    ],
)
def test_hints_name_what_was_probably_meant(text, code, expected):
    assert hint(text, code) == expected


def test_hints_speak_the_syntax_of_the_sheet():
    text = (
        "role(r) legal(r,a) goal(r,100) terminal :- ~lines(X)  init(q)  next(Y) :- true(Y) & line(y)  line(z)"
    )
    heard = {found.code: found for found in findings(text, "hrf")}
    assert heard["GDL010"].message == "variable X has no values to take"
    assert heard["GDL010"].expected == "a condition, other than ~ ... and distinct(...), that mentions X"
    assert heard["GDL103"].hint == "did you mean line?"


def test_a_variable_that_says_any_value_will_do_is_not_reported():
    kept = "(init p) (init (at 1 2)) (<= (next (at ?x ?y)) (true (at ?x ?y)))"
    assert findings(GAME + kept + "(<= (next p) (does r a) (true (at ?_x ?_)) (true p))") == ()


def test_a_kept_fact_and_an_open_next_are_no_unknown_facts():
    assert findings(GAME + "(<= (next ?f) (true ?f) (true (other thing)))")[0].code == "GDL120"
    assert findings(GAME + "(<= (next ?f) (new ?f) (true (other thing))) (new (other thing))") == ()


@pytest.mark.parametrize("value", ["0", "100", "050", "+70", "?v"])
def test_goals_within_range_are_fine(value):
    text = GAME + f"(<= (goal r {value}) (points ?v)) (points 50) (<= terminal (points ?v) (goal r ?v))"
    assert "GDL106" not in {found.code for found in findings(text)}


@pytest.mark.parametrize("value", ["101", "-5", "win", "1.5", "(half 100)", "0000000050"])
def test_other_goals_are_reported(value):
    """The last has ten digits, which no machine reads as a number."""
    assert "GDL106" in {found.code for found in findings(GAME + f"(goal r {value})")}


def test_the_same_spelling_of_a_variable_in_two_rules_does_not_matter():
    kept = "(init (at 1)) (<= (next (at ?x)) (true (at ?x)))"
    assert findings(GAME + kept + "(<= terminal (line ?X ?X)) (<= (line ?x ?x) (true (at ?x)))") == ()


def test_what_is_needed_only_by_what_is_not_needed_matters_to_nothing():
    messages = {found.message for found in findings(GAME + "(<= a b) (<= b c) (c 1) (<= c (c 1))")}
    assert "a is defined but never used" in messages
    assert "b matters to nothing: only a asks for it" in messages


def test_a_negated_condition_never_makes_a_rule_impossible():
    text = GAME + "(<= terminal (p 1)) (<= (p ?x) (s ?x) (not (gone ?x)) (or (gone ?x) (s ?x))) (s 1)"
    assert [found.code for found in findings(text)] == ["GDL103"]


def test_a_rule_on_something_impossible_is_reported_through_an_or():
    text = GAME + "(<= terminal p) (<= p (or q1 q2)) (<= q1 p) (<= q2 p)"
    assert [found.code for found in findings(text)] == ["GDL105"] * 3


def test_a_sheet_of_nonsense_does_not_cost_minutes():
    names = [f"name{number}" for number in range(2_000)]
    text = "".join(f"(<= ({name}x ?a) ({name}y ?a))" for name in names)
    heard = findings(text)
    assert sum(found.code == "GDL103" for found in heard) == len(names)
    assert len(names) ** 2 > COMPARISONS

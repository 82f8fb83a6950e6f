"""Safety, stratification, recursion and the flow from state to move: the laws of GDL, one claim each."""

from __future__ import annotations

import pytest

from stratagem.gdl.parse import examine
from stratagem.gdl.text.syntax import Source

GAME = "(role r) (legal r a) (goal r 100) (<= terminal (true q)) (init q)\n"


def codes(text: str) -> set[str]:
    findings = examine(Source(GAME + text))[1]
    return {found.code for found in findings if found.code not in ("GDL102", "GDL103", "GDL104", "GDL105")}


def only(text: str, code: str):
    (found,) = [each for each in examine(Source(GAME + text))[1] if each.code == code]
    return found


@pytest.mark.parametrize(
    "rule",
    [
        "(<= (p ?x) (q ?y))",
        "(<= (p ?x) (distinct ?x a))",
        "(<= (p ?x) (not (q ?x)))",
        "(<= p (not (q ?x)))",
        "(<= p q (distinct ?x a))",
        "(<= (p ?x) (or (q ?x) r))",
        "(<= (p ?x) (or (q ?x) (not (r ?x))))",
        "(<= (p ?x) (or (q ?x) (or (r ?x) s)))",
        "(<= (p ?x) (or))",
        "(<= p (not (distinct ?x a)))",
        "(<= p (not (or (q ?x) r)))",
        "(<= p (not (not (q ?x))))",
        "(<= p (or (q ?x) (distinct ?x a)))",
        "(<= (p (f (g ?x))) q)",
    ],
)
def test_a_variable_without_values_is_an_error(rule):
    assert "GDL010" in codes(rule)


@pytest.mark.parametrize(
    "rule",
    [
        "(<= (p ?x) (q (f ?x)))",
        "(<= (p ?x) (not (r ?x)) (distinct ?x a) (q ?x))",
        "(<= (p ?x) (or (q ?x) (r ?x ?y)))",
        "(<= (p ?x) (or (q ?x) (or (r ?x) (s ?x))))",
        "(<= (p ?x) (q ?x) (or (distinct ?x a) (not (r ?x)) (s ?y)))",
        "(<= (p ?x) (q ?x) (not (or (r ?x) (not (distinct ?x a)))))",
    ],
)
def test_a_variable_with_values_is_none(rule):
    assert "GDL010" not in codes(rule)


@pytest.mark.parametrize(
    "rules",
    [
        "(<= p (not p))",
        "(<= p (not q)) (<= q p)",
        "(<= (p ?x) (q ?x) (not (r ?x))) (<= (r ?x) (s ?x)) (<= (s ?x) (q ?x) (or (p ?x) (q ?x)))",
        "(<= p (not (not p)))",
        "(<= p (not (or q p)))",
        "(<= (p 1) (not (p 2))) (<= (p 2) (not (p 1)))",
        "(<= (p ?x) (q ?x) (not (p a)))",
        "(<= (p (f ?x)) (q ?x) (not (p ?x)))",
    ],
)
def test_a_relation_that_rests_on_its_own_negation_is_an_error(rules):
    assert "GDL012" in codes(rules)


def test_the_whole_circle_is_named():
    found = only("(<= p (not q)) (<= q r) (<= r p)", "GDL012")
    assert found.message == "p is defined by its own negation: p needs not q, q needs r, r needs p"


@pytest.mark.parametrize(
    "rules",
    [
        "(<= (goal r 0) (not (goal r 100)))",
        "(<= (p 1) (not (p 2))) (<= (p 2) (not (p 3)))",
        "(<= (p (f ?x)) (q ?x) (not (p (g ?x))))",
    ],
)
def test_a_circle_of_relations_but_not_of_rules_is_only_a_warning(rules):
    assert codes(rules) == {"GDL122"}


def test_relations_of_different_arity_form_no_circle():
    assert codes("(<= (p ?x) (q ?x) (not (p ?x ?x))) (<= (p ?x ?x) (q ?x))") == {"GDL116"}


@pytest.mark.parametrize(
    "rules",
    [
        "(p 0) (<= (p (f ?x)) (p ?x))",
        "(p 0) (<= (p (f ?x)) (q ?x)) (<= (q ?x) (p ?x))",
        "(p 0) (<= (p (f ?x)) (or (p ?x) (e ?x)))",
        "(p 0 0) (q 0) (<= (p ?x (f ?x)) (p ?y ?x) (q ?y)) (<= (p 0 ?x) (p ?y ?x))",
    ],
    ids=["alone", "in turn", "inside or", "one rule grows, another lets it"],
)
def test_recursion_that_can_grow_for_ever_is_an_error(rules):
    assert "GDL013" in codes(rules)


@pytest.mark.parametrize(
    "rules",
    [
        "(e a b) (<= (t ?x ?y) (e ?x ?y)) (<= (t ?x ?z) (t ?x ?y) (t ?y ?z))",
        "(<= (p ?x) (p (f ?x)))",
        "(<= (p (f ?x)) (p (f ?x)) (p ?y))",
    ],
    ids=["transitive closure", "terms shrink", "terms stay"],
)
def test_recursion_that_is_forbidden_but_cannot_grow_is_a_warning(rules):
    assert codes(rules) == {"GDL119"}


@pytest.mark.parametrize(
    "rules",
    [
        "(<= (t ?x ?z) (e ?x ?y) (t ?y ?z))",
        "(<= (r ?v (f ?v)) (r ?w ?v) (q ?w))",
        "(<= (p ?x) (p ?x))",
        "(<= (p (f ?x)) (p ?x) (q ?x))",
        "(<= (p (f ?x)) (p ?x) (or (q ?x) (e ?x)))",
        "(init (step z)) (<= (next (step (s ?n))) (true (step ?n)))",
    ],
)
def test_recursion_within_the_restriction_is_fine(rules):
    assert codes(rules) <= {"GDL115"}


@pytest.mark.parametrize(
    ("rules", "code", "message"),
    [
        ("(<= (init p) (true q))", "GDL017", "init depends on true"),
        ("(<= (input r a) (does r a))", "GDL017", "input depends on does"),
        ("(<= (base p) (a)) (<= a (not b)) (<= b (true q))", "GDL017", "base depends on true, through a, b"),
        ("(<= (legal r b) (p)) (<= p (does r a))", "GDL018", "legal depends on does, through p"),
        ("(<= (goal r 0) (not (does r a)))", "GDL018", "goal depends on does"),
        ("(<= terminal (or (does r a) p))", "GDL018", "terminal depends on does"),
    ],
)
def test_what_comes_before_the_move_cannot_depend_on_it(rules, code, message):
    assert only(rules, code).message == message


def test_next_may_depend_on_everything():
    assert codes("(<= (next q) (does r a) (true q) (legal r a) (not terminal) (goal r 100))") == set()


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("(role)", "GDL014"),
        ("(<= p (true a b))", "GDL014"),
        ("(<= p (terminal now))", "GDL014"),
        ("(<= (role b) q)", "GDL015"),
        ("(does r a)", "GDL015"),
        ("(<= (TRUE p) q)", "GDL015"),
        ("(<= p (input r a))", "GDL016"),
        ("(<= p (not (next q)))", "GDL016"),
        ("(role (f x))", "GDL020"),
        ("(init (goal r 50))", "GDL021"),
        ("(p (f (not a)))", "GDL022"),
        ("(p or)", "GDL022"),
        ("(not a)", "GDL022"),
        ("(p <=)", "GDL022"),
    ],
)
def test_reserved_words_have_their_places(text, code):
    assert code in codes(text)


def test_keywords_may_be_written_in_capitals():
    sheet, findings = examine(Source("(ROLE a) (LEGAL a b) (Goal a 100) (<= TERMINAL (True q)) (Init q)"))
    assert sheet is not None
    assert findings == ()

"""From nodes to rules: folding, spelling, nullary lists, and every fault of a rule at once."""

from __future__ import annotations

import pytest

from stratagem.gdl.parse import read_sheet
from stratagem.gdl.rules import Atom, Distinct, Not, Or
from stratagem.gdl.terms import Compound, Symbol, Variable
from stratagem.gdl.text.syntax import SheetLimits, Source


def rules(text: str):
    sheet, faults = read_sheet(Source(text))
    assert faults == []
    return sheet.rules


def faults(text: str, limits: SheetLimits | None = None) -> list[str]:
    return [found.code for found in read_sheet(Source(text), limits or SheetLimits())[1]]


def test_a_rule_is_a_head_and_its_conditions():
    (rule,) = rules("(<= (p ?X) (q ?x a) (not (r)) (or (s ?x) t) (distinct ?x (f b)))")
    x = Variable("?x")
    assert rule.head == Compound(("p", x))
    atom, negation, either, different = rule.body
    assert isinstance(atom, Atom)
    assert atom.term == Compound(("q", x, Symbol("a")))
    assert isinstance(negation, Not)
    assert negation.inner == Atom(Symbol("r"), negation.node)
    assert isinstance(either, Or)
    assert [inner.term for inner in either.inner] == [Compound(("s", x)), Symbol("t")]
    assert isinstance(different, Distinct)
    assert (different.left, different.right) == (x, Compound(("f", Symbol("b"))))


def test_a_word_in_brackets_is_the_word():
    assert rules("(p) (<= (terminal) (p))") == rules("p (<= terminal p)")


def test_capitals_do_not_count_and_the_first_spelling_is_kept():
    sheet, _ = read_sheet(Source("(Cell 1 ROBOT) (cell 1 robot) (INIT (goLeft)) (<= (p ?Who) (q ?who))"))
    assert sheet.rules[0] == sheet.rules[1]
    assert sheet.spelling == {"cell": "Cell", "robot": "ROBOT", "goleft": "(goLeft)", "?who": "?Who"}


def test_a_name_with_arguments_does_not_decide_how_it_is_spelled_alone():
    assert read_sheet(Source("(p (f a)) (p (f))"))[0].spelling == {"f": "(f)"}
    assert read_sheet(Source("(p f) (p (f))"))[0].spelling == {}


def test_roles_come_in_the_order_of_the_text_each_once():
    sheet, _ = read_sheet(Source("(role b) (role A) (role b) (<= (role c) d)"))
    assert sheet.roles == ("b", "a")


def test_all_faults_of_one_rule_are_reported():
    assert faults("(<= (p ()) (not) (distinct a) (or (?x a) ((b))) ?y)") == [
        "GDL003",
        "GDL007",
        "GDL007",
        "GDL006",
        "GDL004",
        "GDL006",
    ]


@pytest.mark.parametrize("text", ["<= p q", "(<=)", "(p (<= a b))", "(<= p (<= a b))"])
def test_an_arrow_out_of_place_is_a_fault(text):
    assert faults(text) == ["GDL005"]


def test_too_many_rules_are_refused():
    assert faults("(p 1) (p 2) (p 3)", SheetLimits(rules=2)) == ["GDL008"]

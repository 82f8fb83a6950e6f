"""The door: a sheet or an error with everything in it, and never anything else."""

from __future__ import annotations

import pickle

import pytest

from stratagem.errors import RulesError
from stratagem.gdl.parse import examine, parse, parse_term
from stratagem.gdl.terms import Compound, Symbol
from stratagem.gdl.text.syntax import Source

GAME = "(role robot)\n(legal robot a)\n(goal robot 100)\n(<= terminal (true q)) (init q)\n"


def test_a_sound_sheet_is_parsed_and_warnings_do_not_matter():
    sheet, findings = examine(Source(GAME + "(spare 1)"))
    assert [found.code for found in findings] == ["GDL104"]
    assert parse(Source(GAME + "(spare 1)")) == sheet


def test_the_error_has_the_first_fault_in_words_and_all_of_them_as_data():
    with pytest.raises(RulesError) as caught:
        parse(Source(GAME + "(p ?x)\n(<= (q ?y) (distinct a ?z))", "toy.kif"))
    assert str(caught.value) == (
        "toy.kif:5:4: error[GDL011]: the variable ?x in a fact; expected facts about particular things; "
        "write a name, or give the variable its values in the conditions of a rule (and 2 more errors)"
    )
    assert [found.code for found in caught.value.findings] == ["GDL011", "GDL010", "GDL010"]
    assert pickle.loads(pickle.dumps(caught.value)).findings == caught.value.findings


def test_a_sheet_that_cannot_be_read_in_full_is_not_said_to_miss_anything():
    sheet, findings = examine(Source("(role robot"))
    assert sheet is None
    assert [found.code for found in findings] == ["GDL001"]


def test_an_empty_text_is_told_what_a_game_needs():
    assert [found.code for found in examine(Source(""))[1]] == ["GDL019"] * 4


def test_a_finding_as_data_has_all_its_parts():
    (found,) = examine(Source(GAME + "(<= terminal squee)", "toy.kif"))[1]
    assert found.as_json() == {
        "code": "GDL103",
        "severity": "warning",
        "file": "toy.kif",
        "line": 5,
        "column": 14,
        "length": 5,
        "message": "nothing defines squee, so it never holds",
        "expected": "a fact or a rule for squee",
        "hint": "define it, or remove the condition",
    }


@pytest.mark.parametrize("text", ["mark", " MARK ; a comment", "(mark)"])
def test_a_term_may_be_a_word(text):
    assert parse_term(text) == Symbol("mark")


def test_a_term_may_be_a_move():
    assert parse_term("( Mark 1\n(f b) )") == Compound(("mark", Symbol("1"), Compound(("f", Symbol("b")))))


@pytest.mark.parametrize("text", ["", "a b", "(a", "a)", "()", "((a))", "(?x a)", "(a \x00)", "(" * 500])
def test_what_is_not_one_term_is_a_rules_error(text):
    with pytest.raises(RulesError):
        parse_term(text)

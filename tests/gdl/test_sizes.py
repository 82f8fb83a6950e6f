"""Sizes that cannot be worked out: the cause is named, and nothing that follows from it."""

from __future__ import annotations

import pytest

from stratagem.errors import RulesError
from stratagem.gdl.parse import examine, parse
from stratagem.gdl.text.syntax import Source

RULES = """\
(role r) (init (at 1)) (<= (next (at $n)) (true (at 1))) (<= (next (at ?x)) (true (at ?x)) (does r stay))
(each $i 1 $n (step $i)) (<= (legal r stay) (step 1))
(<= (legal r (go ?x)) (step ?x))
(<= terminal (true (at $n))) (goal r 100)
"""


def sheet(
    header: str = "", *, default: object = 3, least: object = 1, most: object = 9, rules: str = RULES
) -> Source:
    size = f";;; [set.n]\n;;; default = {default}\n;;; least = {least}\n;;; most = {most}\n"
    return Source(f";;; [game]\n{size}{header}{rules}", "toy.kif")


def found(source: Source) -> list[tuple[str, int, str]]:
    return [(one.code, one.place.line, one.message) for one in examine(source)[1]]


def test_the_sheet_itself_is_sound():
    assert found(sheet()) == []


@pytest.mark.parametrize(
    ("right", "wrong", "line", "message"),
    [
        ("(each $i 1 $n", "(each $i 1 $m", 7, "nothing is called m here"),
        ("(each $i 1 $n", "(each i 1 $n", 7, "each without a name and two numbers"),
        ("(goal r 100)", "(goal r $n/0)", 9, "a division by zero"),
        ("(next (at $n))", "(next (at $n+))", 6, "$n+ is not a number"),
    ],
)
def test_one_bad_size_is_one_finding(right, wrong, line, message):
    assert found(sheet(rules=RULES.replace(right, wrong))) == [("GDL025", line, message)]


def test_two_bad_sizes_are_two_findings_and_the_other_rules_are_still_checked():
    rules = (
        RULES.replace("$n (step", "$m (step").replace("(at $n))) (goal", "(at $k))) (goal")
        + "(<= (next (at ?y)) (role r))"
    )
    assert found(sheet(rules=rules)) == [
        ("GDL025", 7, "nothing is called m here"),
        ("GDL025", 9, "nothing is called k here"),
        ("GDL010", 10, "variable ?y has no values to take"),
    ]


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ({"default": 20}, "the default of n is 20, which is not from 1 to 9"),
        ({"default": 0}, "the default of n is 0, which is not from 1 to 9"),
        ({"least": 5, "most": 4}, "the size n has no values: least is 5 and most is 4"),
    ],
)
def test_a_size_whose_numbers_contradict_each_other_is_refused_at_its_line(numbers, message):
    assert found(sheet(**numbers)) == [("GDL026", 2, message)]
    with pytest.raises(RulesError, match="GDL026"):
        parse(sheet(**numbers))


@pytest.mark.parametrize("value", ["2.5", '"3"', "true", "inf"])
def test_a_size_that_is_no_whole_number_is_refused(value):
    message = "the header cannot be read: default of the size n is not a whole number"
    assert found(sheet(default=value)) == [("GDL026", 1, message)]


def test_a_size_written_in_one_line_is_found_there():
    header = ';;; [game]\n;;; title = "n"\n;;; [set]\n;;; n = {default = 20, least = 1, most = 9}\n'
    assert found(Source(header + RULES)) == [
        ("GDL026", 4, "the default of n is 20, which is not from 1 to 9")
    ]


def test_a_header_that_cannot_be_read_is_the_only_finding():
    assert [code for code, _, _ in found(sheet(";;; = nonsense\n"))] == ["GDL026"]

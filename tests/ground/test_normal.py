"""Normal form: what ``or``, ``not`` and ``distinct`` mean in all combinations."""

from __future__ import annotations

import pytest

from stratagem.errors import GroundingError
from stratagem.gdl.build import build
from stratagem.gdl.rules import RuleSheet
from stratagem.gdl.text.kif import read
from stratagem.gdl.text.syntax import Source
from stratagem.ground.rewrite.normal import NormalRule, normal_form

REST = "(role r) (legal r a) (goal r 100) (init p) (<= (next p) q)"


def unchecked(text: str) -> RuleSheet:
    source = Source(text)
    nodes, _ = read(source)
    return build(source, nodes)[0]


def rules_for(text: str, name: str = "q") -> list[NormalRule]:
    """The normal rules of relation *name* in a sheet that needs it."""
    return [
        rule
        for rule in normal_form(unchecked(f"{REST} {text}"))
        if str(rule.head).strip("()").split()[0] == name
    ]


def bodies(text: str) -> list[tuple[list[str], list[str]]]:
    return [(list(map(str, rule.positive)), list(map(str, rule.negative))) for rule in rules_for(text)]


def test_neither_of_two_means_not_the_one_and_not_the_other():
    assert bodies("(<= q (not (or (true a) (true b))))") == [([], ["(true a)", "(true b)"])]


def test_not_not_is_the_thing_itself():
    assert bodies("(<= q (not (not (true a))))") == [(["(true a)"], [])]


def test_not_distinct_makes_two_terms_one():
    (rule,) = rules_for("(<= q (true (f ?x)) (true (g ?y)) (not (distinct ?x (h ?y))))")
    assert list(map(str, rule.positive)) == ["(true (f (h ?y)))", "(true (g ?y))"]


def test_not_distinct_of_different_symbols_never_holds():
    assert rules_for("(<= q (true a) (not (distinct x y)))") == []


def test_distinct_of_equal_terms_never_holds_and_of_different_ones_always():
    assert rules_for("(<= q (true a) (distinct x x))") == []
    (rule,) = rules_for("(<= q (true a) (distinct (f ?x) (g ?x)) (true (b ?x)))")
    assert rule.comparisons == ()


def test_an_or_of_atoms_becomes_a_relation_of_its_own():
    rules = normal_form(unchecked(f"{REST} (<= q (or (true a) (true b)) (or (true c) (true d)))"))
    made = [rule for rule in rules if str(rule.head).startswith("or ")]
    assert len(made) == 4
    assert len([rule for rule in rules if rule.head == "q"]) == 1


def test_an_or_with_open_variables_becomes_alternatives():
    found = bodies("(<= q (true (n ?x)) (or (distinct ?x a) (true (m ?x))))")
    assert [positive for positive, _ in found] == [["(true (n ?x))"], ["(true (n ?x))", "(true (m ?x))"]]


def test_an_empty_or_never_holds():
    assert rules_for("(<= q (true a) (or))") == []


def test_relations_that_nothing_depends_on_are_left_out():
    assert rules_for("(<= (idle ?x) (true (p ?x)))", "idle") == []


def test_a_variable_without_values_is_refused_with_its_line():
    with pytest.raises(GroundingError, match=r"\?y of the rule in line 1 has no values"):
        rules_for("(<= q (not (true (f ?y))))")


def test_too_many_alternatives_are_refused_not_written_out():
    choice = "(or (distinct ?x a) (distinct ?x b))"
    with pytest.raises(GroundingError, match="alternatives"):
        rules_for(f"(<= q (true (n ?x)) {choice * 13})")

"""The field's reference validator, sheet by sheet: what it rejects is rejected or explained here."""

from __future__ import annotations

import json

import pytest
from tests.support.data import ROOT, corpus, of_corpus

from stratagem.gdl.parse import examine
from stratagem.gdl.text.files import read_file

REJECTED = {
    "01_no_terminal": {"GDL019"},
    "02_no_role": {"GDL019"},
    "03_no_goal": {"GDL019"},
    "04_no_legal": {"GDL019"},
    "10_unsafe_head_var": {"GDL010"},
    "11_unsafe_not_var": {"GDL010"},
    "12_unsafe_distinct_var": {"GDL010"},
    "13_var_only_in_or_branch": {"GDL010", "GDL115"},
    "14_variable_in_fact": {"GDL011"},
    "23_negative_cycle": {"GDL012"},
    "24_recursion_restriction": {"GDL013"},
    "30_role_in_head": {"GDL015"},
    "31_true_in_head": {"GDL015"},
    "32_does_in_head": {"GDL015"},
    "33_true_fact": {"GDL015"},
    "34_does_fact": {"GDL015"},
    "35_init_depends_on_true": {"GDL017"},
    "36_next_in_body": {"GDL016"},
    "37_init_in_body": {"GDL016"},
    "38_base_in_body": {"GDL016"},
    "39_legal_depends_on_does": {"GDL018"},
    "40_terminal_depends_on_does": {"GDL018", "GDL101"},
    "41_goal_depends_on_does": {"GDL018"},
    "42_base_depends_on_true": {"GDL017"},
    "50_legal_arity1": {"GDL014"},
    "51_goal_arity3": {"GDL014"},
    "52_terminal_with_arg": {"GDL014"},
    "54_keyword_as_function": {"GDL021"},
    "70_double_open_paren": {"GDL004"},
    "71_extra_close_paren": {"GDL002"},
    "72_missing_close_paren": {"GDL001"},
    "73_or_as_constant": {"GDL022", "GDL104"},
    "74_le_bare": {"GDL005"},
}
ACCEPTED = {
    "00_valid_baseline": set(),
    "05_no_init": set(),
    "06_no_next": {"GDL123"},
    "20_not_distinct": {"GDL118"},
    "21_not_or": {"GDL118"},
    "22_not_not": {"GDL118"},
    "25_legal_recursion_ok": {"GDL104"},
    "26_transitive_closure_double_recursion": {"GDL119"},
    "53_terminal_in_parens": {"GDL101"},
    "55_keyword_as_constant": {"GDL114"},
    "56_role_variable_name": {"GDL101"},
    "60_caps_constant": {"GDL112"},
    "61_caps_variable_in_rule": {"GDL112"},
    "62_caps_keyword": set(),
    "80_empty_rule_body": {"GDL110", "GDL121"},
    "81_empty_or": {"GDL111"},
    "82_nested_or": {"GDL111"},
    "83_zero_arity_function": {"GDL101"},
    "84_zero_arity_sentence": {"GDL101"},
    "85_sentence_two_arities": {"GDL104", "GDL116"},
    "86_function_two_arities": {"GDL117"},
    "87_sentence_and_function_same_name": {"GDL115"},
    "88_undefined_sentence": {"GDL103"},
    "89_unused_sentence": {"GDL104"},
    "90_unusual_characters": {"GDL113"},
    "91_duplicate_role": {"GDL108"},
    "92_goal_not_number": {"GDL106"},
    "93_goal_over_100": {"GDL106"},
    "94_unknown_role_in_legal": {"GDL109"},
}


@pytest.mark.parametrize(
    ("name", "accepted", "expected"),
    of_corpus(
        [(name, False, codes) for name, codes in REJECTED.items()]
        + [(name, True, codes) for name, codes in ACCEPTED.items()]
    ),
    ids=of_corpus([*REJECTED, *ACCEPTED]),
)
def test_each_sheet_of_the_reference_is_judged_as_listed(name, accepted, expected):
    sheet, findings = examine(read_file(corpus() / "edge" / "validator" / f"{name}.kif"))
    assert (sheet is not None) == accepted
    assert {found.code for found in findings} == expected


def test_every_sheet_that_the_reference_complains_about_has_a_finding():
    lines = (corpus() / "edge" / "validator" / "results.jsonl").read_text(encoding="utf-8").splitlines()
    results = [json.loads(line) for line in lines]
    assert {result["file"] for result in results} == set(REJECTED) | set(ACCEPTED)
    for result in results:
        complaints = [*result.get("errors", ["unreadable"]), *result.get("warnings", [])]
        listed = REJECTED.get(result["file"]) or ACCEPTED.get(result["file"]) or set()
        assert bool(listed) or not complaints, result["file"]


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("test_case_3b", "GDL010"),
        ("test_case_3e", "GDL010"),
        ("test_case_3f", "GDL010"),
    ],
)
def test_the_unsafe_test_games_of_the_reference_are_rejected(name, code):
    sheet, findings = examine(read_file(corpus() / "edge" / f"{name}.kif"))
    assert sheet is None
    assert code in {found.code for found in findings}


def test_all_other_test_games_of_the_reference_are_accepted():
    unsafe = {"test_case_3b", "test_case_3e", "test_case_3f"}
    games = [path for path in sorted((corpus() / "edge").glob("*.kif")) if path.stem not in unsafe]
    assert len(games) > 15
    assert [path.stem for path in games if examine(read_file(path))[0] is None] == []


def test_no_sheet_of_the_corpus_is_rejected():
    games = sorted((corpus() / "games").glob("*.kif"))
    assert len(games) >= 139
    assert [path.name for path in games if examine(read_file(path))[0] is None] == []


def test_the_table_in_the_docs_is_the_one_that_the_corpus_gives():
    from benchmarks.checker_table import page

    kept = (ROOT / "docs" / "checker-on-the-corpus.md").read_text(encoding="utf-8")
    assert page(corpus()) == kept

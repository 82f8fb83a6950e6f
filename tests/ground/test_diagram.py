"""Joins of static relations that are too large to list, as decision diagrams."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from tests.ground.test_normal import unchecked
from tests.support.small_sheets import assert_same_play, sheet_of

from stratagem.circuit.compiler.budget import quietly
from stratagem.circuit.compiler.pipeline import compile_here
from stratagem.gdl.terms import functor
from stratagem.ground.rewrite import diagram
from stratagem.ground.rewrite.diagram import with_diagrams
from stratagem.ground.rewrite.normal import NormalRule, normal_form
from stratagem.ground.rewrite.prepare import Prepared
from stratagem.ground.rewrite.size_estimates import SizeEstimates
from stratagem.machines.compiled.interpreted import CircuitMachine
from stratagem.machines.reasoner.machine import ReasonerMachine

NUMBERS = "1234"
LINE = " ".join(f"(true (mark ?i {place} ?m{place}))" for place in NUMBERS)
ROW = "?m1 ?m2 ?m3 ?m4"
BEGIN = f"""(role r) {" ".join(f"(index {n}) (same {n} {n})" for n in NUMBERS)}
(<= (legal r (play ?i ?j ?m)) (index ?i) (index ?j) (index ?m))
(<= (next (mark ?i ?j ?m)) (does r (play ?i ?j ?m)))
(<= (next (mark ?i ?j ?m)) (true (mark ?i ?j ?m)))
(<= (goal r 100) (good ?i)) (<= (goal r 0) (not won)) (<= won (good ?i)) (<= terminal (good 1) (good 2))
(init (mark 1 1 2)) (init (mark 1 2 1)) (init (mark 1 3 4)) (init (mark 2 1 1)) (init (mark 2 1 3)) (init (mark 3 1 1))
"""
SHEET = f"""{BEGIN}
(<= (first ?z ?a ?b ?c ?d) (same ?z ?a) (index ?b) (index ?c) (index ?d)
    (not (same ?z ?b)) (not (same ?z ?c)) (distinct ?z ?d))
(<= (one ?z ?a ?b ?c ?d) (first ?z ?a ?b ?c ?d)) (<= (one ?z ?a ?b ?c ?d) (first ?z ?b ?a ?c ?d))
(<= (one ?z ?a ?b ?c ?d) (first ?z ?c ?a ?b ?d)) (<= (one ?z ?a ?b ?c ?d) (first ?z ?d ?a ?b ?c))
(<= (good ?i) {LINE} {" ".join(f"(one {n} {ROW})" for n in NUMBERS)})"""


@pytest.fixture(autouse=True)
def _everything_is_too_large(monkeypatch):
    monkeypatch.setattr(diagram, "TOO_LARGE", 100)


def made(text: str) -> tuple[NormalRule, ...]:
    rules = normal_form(unchecked(text))
    return with_diagrams(rules, SizeEstimates(rules))


def play(text: str) -> int:
    """How many states of the game were compared with the reasoner's."""
    sheet = sheet_of(text)
    circuit = compile_here(Prepared(sheet.roles, made(text), 0), 0, quietly).circuit
    return assert_same_play(ReasonerMachine(sheet), CircuitMachine(circuit), 1, steps=30, walks=3)


def test_a_row_of_different_numbers_has_a_node_for_each_set_of_numbers():
    nodes = {functor(rule.head) for rule in made(SHEET) if functor(rule.head)[0].startswith("node")}
    assert len(nodes) == 2**4 - 1
    assert {arity for _, arity in nodes} == {1}
    assert all(functor(rule.head)[0] not in ("one", "first") for rule in made(SHEET))


def test_rows_are_good_in_the_same_states_also_where_a_cell_has_several_marks():
    assert play(SHEET) > 30


@pytest.mark.parametrize(
    ("what", "instead"),
    [
        ("(same ?z ?a) (index ?b)", "(same ?b ?a) (index ?z)"),  # ties two variables
        ("(distinct ?z ?d)", "(distinct ?c ?d)"),
        ("(distinct ?z ?d)", "(not (true (mark 1 1 ?d)))"),  # depends on the state
        ("(<= (good ?i) ", "(<= (good ?i) (distinct ?m1 ?m2) "),  # tells two marks apart in the caller
    ],
)
def test_what_is_no_union_of_boxes_is_left_alone_and_means_the_same(what, instead):
    text = SHEET.replace(what, instead)
    assert text != SHEET
    assert not any(functor(rule.head)[0].startswith("node") for rule in made(text))


def test_a_diagram_with_too_many_edges_is_not_made(monkeypatch):
    monkeypatch.setattr(diagram, "EDGES", 10)
    assert not any(functor(rule.head)[0].startswith("node") for rule in made(SHEET))


CONDITION = some.sampled_from(
    [
        "(index {})",
        "(index {}) (distinct {} 2)",
        "(same {} 3)",
        "(same 4 {})",
        "(index {}) (not (same {} ?z))",
        "(index {}) (not (same {} 1))",
        "(same ?z {})",
    ]
)
RULE = some.tuples(CONDITION, CONDITION, CONDITION, CONDITION)


@settings(max_examples=40, deadline=None)
@given(
    some.lists(RULE, min_size=1, max_size=4), some.lists(some.sampled_from(NUMBERS), min_size=1, max_size=3)
)
def test_diagrams_of_any_boxes_play_as_the_reasoner_does(several, asked):
    lines = [BEGIN]
    for conditions in several:
        body = " ".join(c.replace("{}", v) for c, v in zip(conditions, ("?a", "?b", "?c", "?d"), strict=True))
        lines.append(f"(<= (one ?z ?a ?b ?c ?d) (index ?z) {body})")
    lines.append(f"(<= (good ?i) {LINE} {' '.join(f'(one {n} {ROW})' for n in dict.fromkeys(asked))})")
    assert play("\n".join(lines)) > 0

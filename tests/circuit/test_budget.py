"""Hostile sheets: they cost their budget and no more, and the reason is said."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.ground.test_normal import unchecked
from tests.support.small_sheets import sheet_of

from stratagem.circuit.compiler.budget import BUDGET
from stratagem.circuit.compiler.compile import circuit_of, compile_sheet
from stratagem.errors import GroundingError, LimitExceeded

SMALL = replace(BUDGET, seconds=1, memory=400 * 1024**2)
GROWING = """(role r) (legal r a) (goal r 100) (init (n z)) (<= (next (n (s ?x))) (true (n ?x)))
(<= terminal (true (n never)))"""
THINGS = " ".join(f"(d {number})" for number in range(80))
WIDE = f"""(role r) (goal r 100) (init (p 0)) {THINGS} (<= terminal (true (p 3)))
(<= (legal r (m ?a ?b ?c ?d ?e ?f)) (d ?a) (d ?b) (d ?c) (d ?d) (d ?e) (d ?f))
(<= (next (p ?a)) (does r (m ?a ?b ?c ?d ?e ?f)))"""
TICK = "(role r) (legal r a) (goal r 100) (init p) (<= (next p) (not (true p))) (<= terminal (true q))"


@pytest.mark.parametrize("text", [GROWING, WIDE])
def test_a_sheet_that_explodes_is_given_up_within_its_budget(text):
    with pytest.raises(GroundingError, match=r"could not be ground within .*; the game still plays"):
        circuit_of(sheet_of(text), budget=SMALL)


def test_memory_is_a_limit_too():
    with pytest.raises(LimitExceeded, match="GiB of memory"):
        circuit_of(sheet_of(WIDE), budget=replace(SMALL, seconds=60, memory=200 * 1024**2))


def test_child_and_parent_compile_the_same_circuit():
    here = compile_sheet(sheet_of(TICK), budget=replace(BUDGET, instances_here=1e9)).circuit
    there = compile_sheet(sheet_of(TICK), budget=replace(BUDGET, instances_here=0)).circuit
    assert here.bases == there.bases
    assert here.left.tolist() == there.left.tolist()
    assert here.next.tolist() == there.next.tolist()


def test_a_refusal_in_the_child_arrives_with_its_reason():
    loop = f"{TICK} (<= q (not (true p)) (not s)) (<= s (not q)) (<= (next q) q (true p))"
    with pytest.raises(GroundingError, match="negation"):
        circuit_of(unchecked(loop), budget=replace(BUDGET, instances_here=0))


def test_moves_that_decide_what_is_legal_are_refused():
    with pytest.raises(GroundingError, match="depends on the moves"):
        circuit_of(unchecked(f"{TICK} (<= (legal r b) (does r a)) (<= (next p) (does r b))"))


def test_words_of_any_kind_go_through_the_grounder_unread():
    odd = ["+", "<", "not.", "#include", "X", "-1", "007", "é", 'it"s', "%", "a:-b", "@f"]
    facts = " ".join(f"(init (p {word} {place}))" for place, word in enumerate(odd))
    text = f"(role r) (legal r (do #script)) (goal r 1) {facts} (<= (next (p ?x ?y)) (true (p ?x ?y)) (not (true q)))"
    circuit = circuit_of(sheet_of(f"{text} (<= (next q) (not (true q))) (<= terminal (true s))"))
    assert {str(base[1]) for base in circuit.bases if base != "q"} == {word.lower() for word in odd}


def test_one_name_with_two_arities_is_two_relations():
    text = (
        "(role r) (legal r a) (goal r 0) (f x) (f x y) (init p) (<= (next p) (f ?x) (true p) (not (f ?x ?x)))"
    )
    circuit = circuit_of(sheet_of(f"{text} (<= terminal (f ?x ?x))"))
    assert set(map(str, circuit.constants)) == {"p"}


def test_stages_are_named_and_timed():
    compiled = compile_sheet(sheet_of(TICK))
    stages = ["prepare", "libraries", "ground", "build", "simplify", "share", "lay out"]
    assert [name for name, _ in compiled.seconds] == stages
    assert dict(compiled.figures)["rules"] > 0

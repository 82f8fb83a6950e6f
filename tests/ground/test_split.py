"""Long bodies come out as short ones that mean the same."""

from __future__ import annotations

from tests.ground.test_normal import unchecked

from stratagem.gdl.terms import Variable, variables
from stratagem.ground.clingo_grounder import ground_here
from stratagem.ground.rewrite.normal import NormalRule, normal_form
from stratagem.ground.rewrite.prepare import prepare
from stratagem.ground.rewrite.size_estimates import SizeEstimates
from stratagem.ground.rewrite.split import split_all

SHEET = "(role r) (legal r a) (goal r 100) (init (at 1 1))"


def widths(rules: tuple[NormalRule, ...]) -> list[int]:
    return [len({v for term in (*rule.positive, *rule.guards) for v in variables(term)}) for rule in rules]


def chain(length: int) -> str:
    links = " ".join(f"(true (at ?x{place} ?x{place + 1}))" for place in range(length))
    return f"{SHEET} (<= terminal {links}) (<= (next (at ?x ?y)) (true (at ?y ?x)))"


def test_a_chain_of_ten_joins_never_needs_more_than_two_variables_at_once():
    rules = normal_form(unchecked(chain(10)))
    assert max(widths(rules)) == 11
    assert max(widths(split_all(rules))) == 2


COUNTING = " ".join(f"(after {number} {number + 1})" for number in range(40))


def test_a_body_that_splitting_would_not_make_smaller_stays_whole():
    text = f"{SHEET} {COUNTING} (<= (next (at ?y ?w)) (true (at ?x ?v)) (after ?x ?y) (after ?v ?w))"
    rules = normal_form(unchecked(text))
    assert len(split_all(rules)) > len(rules)
    assert len(split_all(rules, SizeEstimates(rules))) == len(rules)


def test_a_body_that_would_explode_is_split_whatever_the_estimates():
    things = " ".join(f"(thing {number})" for number in range(20))
    text = f"{SHEET} {things} (<= (init (at ?x ?y)) (thing ?x) (thing ?y)) {chain(5).removeprefix(SHEET)}"
    rules = normal_form(unchecked(text))
    assert max(widths(split_all(rules, SizeEstimates(rules)))) <= 3


def test_parts_that_rules_have_in_common_are_made_once():
    text = f"{SHEET} (<= (next (p ?x)) (true (p ?x)) (does ?w ?m) (true (turn ?w)))"
    text += " (<= (next (q ?x)) (true (q ?x)) (does ?w ?m) (true (turn ?w)))"
    parts = [rule for rule in split_all(normal_form(unchecked(text))) if str(rule.head).startswith("part")]
    assert len(parts) == len({rule.positive for rule in parts})


def test_an_inequality_split_from_its_atom_gets_a_guard_that_binds_it():
    text = f"{SHEET} (<= (next (p ?x ?y)) (true (p ?x ?y)) (does r (m ?u)) (distinct ?u ?x))"
    rules = split_all(normal_form(unchecked(text)))
    (part,) = (rule for rule in rules if str(rule.head).startswith("(part") and rule.comparisons)
    bound = {v for term in (*part.positive, *part.guards) for v in variables(term)}
    assert {v for pair in part.comparisons for v in pair.variables()} <= bound
    assert part.guards


def test_guards_leave_no_trace_in_the_ground_program():
    cells = " ".join(f"(init (p {x}))" for x in range(4))
    text = f"(role r) (goal r 0) {cells} (<= (legal r (m ?x)) (true (p ?x)))"
    text += " (<= (next (p ?x)) (true (p ?x)) (does r (m ?u)) (distinct ?u ?x))"
    program = ground_here(prepare(unchecked(text)).rules, ("r",))
    named = {*program.true.values(), *program.does.values()}
    heads = {head for head, _ in program.rules}
    assert all(abs(part) in named | heads for _, body in program.rules for part in body)


def test_different_things_in_any_order_are_tried_in_one_order_only():
    places = " ".join(f"(place {number})" for number in range(12))
    three = "(true (at ?a)) (true (at ?b)) (true (at ?c)) (distinct ?a ?b) (distinct ?b ?c) (distinct ?a ?c)"
    text = f"(role r) (legal r a) (goal r 0) {places} (<= (init (at ?x)) (place ?x))"
    text += f" (<= (next (at ?x)) (true (at ?x))) (<= terminal {three})"
    prepared = prepare(unchecked(text))
    signs = {pair.operator for rule in prepared.rules for pair in rule.comparisons}
    assert signs == {"<"}
    # Twelve values for three variables are 1,320 instances in any order, and a chain of two comparisons in one.
    assert len(ground_here(prepared.rules, ("r",)).rules) < 300


def test_variables_that_the_head_tells_apart_keep_their_inequality():
    text = f"{SHEET} (<= (next (at ?a ?b)) (true (on ?a)) (true (on ?b)) (distinct ?a ?b))"
    (rule,) = (rule for rule in split_all(normal_form(unchecked(text))) if rule.comparisons)
    assert [pair.operator for pair in rule.comparisons] == ["!="]


def test_no_variable_of_a_split_rule_is_left_unbound():
    text = (
        f"{SHEET} (<= terminal (true (at ?a ?b)) (true (at ?b ?c)) (not (true (at ?a ?c))) (distinct ?a ?c))"
    )
    for rule in split_all(normal_form(unchecked(text))):
        bound = {v for term in (*rule.positive, *rule.guards) for v in variables(term)}
        needed: set[Variable] = {v for term in (rule.head, *rule.negative) for v in variables(term)}
        assert needed <= bound

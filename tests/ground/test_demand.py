"""Relations that would explode are ground where they are asked for; all others are left alone."""

from __future__ import annotations

from tests.ground.test_normal import unchecked

from stratagem.gdl.domains import HUGE, Unbounded
from stratagem.ground.clingo_grounder import ground_here
from stratagem.ground.rewrite.demand import demanded
from stratagem.ground.rewrite.normal import normal_form
from stratagem.ground.rewrite.prepare import prepare
from stratagem.ground.rewrite.size_estimates import SizeEstimates

CELLS = " ".join(f"(cell c{number})" for number in range(30))
FOUR = "(true (at ?w)) (true (at ?x)) (true (at ?y)) (true (at ?z))"
COUNT = f"""(role r) (goal r 0) (legal r a) {CELLS} (<= (init (at ?x)) (cell ?x)) (<= (next (at ?x)) (true (at ?x)))
(<= (count ?w ?x ?y ?z) {FOUR}) (<= terminal (count c1 c2 c3 c4))"""
GROWING = "(role r) (goal r 0) (legal r a) (init (n z)) (<= (next (n (s ?x))) (true (n ?x))) (<= terminal (true (n q)))"


def test_four_cells_that_are_counted_do_not_cost_all_quadruples_of_thirty():
    program = ground_here(prepare(unchecked(COUNT)).rules, ("r",))
    assert len(program.rules) < 200  # not 810,000


def test_small_relations_get_no_guards():
    rules = normal_form(unchecked("(role r) (goal r 0) (legal r a) (init p) (<= (next q) (d ?x)) (d 1)"))
    assert demanded(rules, SizeEstimates(rules)) == rules


def test_a_relation_called_with_nothing_bound_gets_no_guard():
    text = COUNT.replace("(count c1 c2 c3 c4)", "(count ?a ?b ?c ?d)")
    rules = normal_form(unchecked(text))
    assert all(not rule.guards for rule in demanded(rules, SizeEstimates(rules)))


def test_domains_follow_values_from_argument_to_argument():
    rules = normal_form(
        unchecked("(role r) (goal r 0) (legal r a) (init (p (f 1))) (<= (next (p ?x)) (true (p ?x)))")
    )
    domains = SizeEstimates(rules)
    assert domains.sizes[("true", 1)] == 1
    (argument,) = domains.arguments[("true", 1)]
    (inner,) = argument.functions[("p", 1)]
    assert list(inner.functions) == [("f", 1)]


def test_terms_that_grow_without_end_are_noticed_before_grounding():
    try:
        SizeEstimates(normal_form(unchecked(GROWING)))
    except Unbounded:
        assert prepare(unchecked(GROWING)).instances == HUGE
    else:
        raise AssertionError("the successor of a successor has no bound")


def test_the_bound_on_instances_is_kept():
    for text in (COUNT, "(role r) (goal r 0) (legal r a) (init (p 1)) (<= (next (p ?x)) (true (p ?x)))"):
        prepared = prepare(unchecked(text))
        assert len(ground_here(prepared.rules, ("r",)).rules) <= prepared.instances + 10

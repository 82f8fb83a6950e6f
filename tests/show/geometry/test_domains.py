"""ArgumentDomains hold every value that play can put into an argument."""

from __future__ import annotations

import random

import pytest

from stratagem.gdl.parse import read_sheet
from stratagem.gdl.terms import arguments, functor
from stratagem.gdl.text.syntax import Source
from stratagem.loading import load
from stratagem.show.board.geometry.domains import MOST_VALUES, ArgumentDomains, domains_of


def of(text: str) -> ArgumentDomains:
    return domains_of(read_sheet(Source(text))[0])


def test_values_flow_from_facts_through_rules_into_the_state() -> None:
    found = of("(init (at 1)) (next_to 1 2) (next_to 2 3) (<= (next (at ?y)) (true (at ?x)) (next_to ?x ?y))")
    assert found.facts["at", 1][0] == {"1", "2", "3"}


def test_moves_and_facts_exchange_their_values() -> None:
    found = of("(p 1) (p 2) (<= (legal r (go ?x)) (p ?x)) (<= (next (was ?x)) (does r (go ?x)))")
    assert found.moves["go", 1][0] == found.facts["was", 1][0] == {"1", "2"}


def test_a_variable_takes_only_values_that_all_its_places_allow() -> None:
    found = of("(p 1) (p 2) (q 2) (q 3) (<= (next (at ?x)) (p ?x) (q ?x))")
    assert found.facts["at", 1][0] == {"2"}


def test_either_branch_of_an_or_may_give_the_value_and_distinct_takes_one_away() -> None:
    found = of("(p 1) (q 2) (q 3) (<= (next (at ?x)) (or (p ?x) (q ?x)) (distinct ?x 3))")
    assert found.facts["at", 1][0] == {"1", "2"}


def test_moves_that_are_passed_through_as_a_whole_keep_their_arguments() -> None:
    text = "(p 1) (p 2) (<= (can r (go ?x ?y)) (p ?x) (p ?y)) (<= (legal ?r ?m) (can ?r ?m))"
    assert of(text).moves["go", 2] == (frozenset({"1", "2"}), frozenset({"1", "2"}))


def test_terms_that_grow_without_end_are_cut_off() -> None:
    found = of("(init (n z)) (<= (next (n (s ?x))) (true (n ?x)))")
    assert 1 < len(found.facts["n", 1][0]) <= MOST_VALUES + 1


@pytest.mark.parametrize(
    "name", ["tictactoe", "checkers", "kalah", "pentago", "tron", "amazons", "ninemensmorris"]
)
def test_no_random_match_leaves_the_domains(name: str) -> None:
    game = load(name, machine="reasoner")
    found, chance = domains_of(game.sheet), random.Random(7)
    state = game.initial()
    for _ in range(25):
        for fact in state.facts():
            for part, values in zip(arguments(fact), found.facts[functor(fact)], strict=True):
                assert part in values
        if state.terminal:
            break
        joint = [chance.choice(state.legals(role)) for role in game.roles]
        for move in joint:
            for part, values in zip(arguments(move), found.moves[functor(move)], strict=True):
                assert part in values
        state = state.next(joint)

"""Amounts: numbers in propositions as one feature, and what MCTS makes of an evaluation that has them."""

from __future__ import annotations

import numpy as np
import pytest

from stratagem.engine.evaluation.amounts import amounts_of
from stratagem.engine.evaluation.features import Feature, bits_of, columns, features_of, is_amount
from stratagem.engine.evaluation.fit import MOST_BESIDE_AMOUNTS, bit_sums, fit
from stratagem.engine.evaluation.learning import learn_evaluation, sample
from stratagem.engine.mcts.search import Mcts
from stratagem.limit import Limit
from stratagem.loading import load

PITS = 4
RACE = """
(role a) (role b)
(<= (base (points ?r ?n)) (role ?r) (number ?n))
(<= (base (step ?n)) (later ?n ?_m)) (base (step 16))
(<= (base (lone ?n)) (letter ?n))
(<= (input ?r go) (role ?r)) (<= (input ?r stay) (role ?r))
(number 0) (number 1) (number 2) (number 3) (number 4) (number 5)
(letter x) (letter y) (letter z)
(later 10 11) (later 11 12) (later 12 13) (later 13 14) (later 14 15) (later 15 16)
(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5)
(init (points a 0)) (init (points b 0)) (init (step 10)) (init (lone x))
(<= (legal ?r go) (role ?r)) (<= (legal ?r stay) (role ?r))
(<= (next (points ?r ?m)) (true (points ?r ?n)) (does ?r go) (succ ?n ?m))
(<= (next (points ?r ?n)) (true (points ?r ?n)) (does ?r stay))
(<= (next (step ?m)) (true (step ?n)) (later ?n ?m))
(<= (next (lone ?l)) (true (lone ?l)))
(<= terminal (true (step 16)))
(<= (goal ?r 100) (true (points ?r 5)))
(<= (goal ?r 0) (role ?r) (not (true (points ?r 5))))
"""


@pytest.fixture(scope="module")
def kalah():
    """Small kalah, and states of random play."""
    game = load("kalah", pits=PITS, seeds=3)
    return game, sample(game, Limit(nodes=1500), seed=2)[0]


def named(features, name: str) -> Feature:
    return next(feature for feature in features if feature.name == name)


def test_stores_and_pits_are_amounts_and_the_seeds_of_a_side_are_a_total(kalah):
    game, states = kalah
    features = amounts_of(game.circuit.bases, bits_of(game, states) > 0)
    names = [feature.name for feature in features]
    assert len(names) == len(set(names))
    assert {"amount of (store north #)", "amount of (pit south 2 #)"} < set(names)
    assert {"total of (pit north _ #)", "total of (pit _ 1 #)", "total of (pit _ _ #)"} < set(names)
    store = named(features, "amount of (store north #)")
    numbers = {
        str(game.circuit.bases[base]): own for base, own in zip(store.bases, store.amounts, strict=True)
    }
    assert numbers["(store north 7)"] == 7.0 and numbers["(store north 0)"] == 0.0


def test_an_amount_counts_what_the_state_says(kalah):
    """A law of kalah: the seeds in all pits and stores are as many as at the start."""
    game, states = kalah
    features = amounts_of(game.circuit.bases, bits_of(game, states) > 0)
    pits, stores = (named(features, f"total of ({name} #)") for name in ("pit _ _", "store _"))
    counted = columns(game, [pits, stores], states)
    assert (counted.sum(axis=1) == 2 * PITS * 3).all()
    assert len(set(counted[:, 0])) > 5


@pytest.mark.parametrize(
    "name", ["checkers", "reversi", "gomoku", "breakthrough", "connectfour", "hex", "amazons", "pentago"]
)
def test_games_without_amounts_have_the_features_they_had(name):
    """Numbers of rows and columns are not amounts, and the count of quiet moves in checkers has no counterpart."""
    game = load(name)
    states, _ = sample(game, Limit(nodes=200), seed=1)
    assert bit_sums(game, states) == features_of(game.circuit.bases)


def test_a_count_of_steps_and_what_is_no_number_are_no_amounts():
    game = load(RACE)
    states, state = [], game.initial()
    for moves in (("go", "stay"), ("go", "go"), ("go", "stay"), ("stay", "go")):
        states.append(game.pack(state))
        state = state.next(moves)
    found = amounts_of(game.circuit.bases, bits_of(game, np.array(states)) > 0)
    assert found == []  # b has had no more than two different numbers of points yet
    states.append(game.pack(state))
    found = amounts_of(game.circuit.bases, bits_of(game, np.array(states)) > 0)
    assert [feature.name for feature in found] == [
        "amount of (points a #)",
        "amount of (points b #)",
        "total of (points _ #)",
    ]


def test_what_is_known_of_some_numbers_holds_for_others(kalah):
    """Learned from even numbers in the store of south alone, the evaluation knows that an odd one lies in between."""
    game, states = kalah
    store = named(bit_sums(game, states), "amount of (store south #)")
    seeds = columns(game, [store], states)[:, 0]
    even = states[seeds % 2 == 0]
    chances = 100 / (1 + np.exp(-0.4 * (seeds[seeds % 2 == 0] - 6)))
    learned = fit(game, even, np.stack([chances, 100 - chances], axis=1))
    odd = seeds % 2 == 1
    found = learned.packed(states)[:, 0]
    assert odd.sum() > 100
    assert np.abs(found - 100 / (1 + np.exp(-0.4 * (seeds - 6))))[odd].mean() < 5


def test_the_weights_of_bits_say_what_the_features_say(kalah):
    game, states = kalah
    learned = learn_evaluation(game, Limit(nodes=1500), seed=3)
    assert any(map(is_amount, learned.features)) and len(learned.features) <= MOST_BESIDE_AMOUNTS
    bits = np.unpackbits(states.view(np.uint8), axis=1, bitorder="little")
    weights = learned.weights[0, 0]
    assert np.allclose(bits @ weights[:-1] + weights[-1], learned.sums(states)[:, 0], atol=1e-3)
    assert "amount of (" in learned.formula(most=400)


def test_where_there_are_amounts_a_match_has_one_set_of_weights(kalah):
    game, _ = kalah
    learned = learn_evaluation(game, Limit(nodes=1500), seed=3)
    assert not learned.progress.any() and np.array_equal(learned.early, learned.late)


def test_a_sharper_evaluation_orders_states_alike(kalah):
    game, states = kalah
    learned = learn_evaluation(game, Limit(nodes=1500), seed=3)
    assert np.allclose(learned.sharper(2.0).sums(states), 2 * learned.sums(states), atol=1e-3)


def test_an_evaluation_that_mcts_gets_later_counts_as_much_as_one_from_the_start(kalah):
    game, _ = kalah
    learned = learn_evaluation(game, Limit(nodes=1500), seed=3)
    plain, late = (Mcts(game, memory=16 << 20, seed=4) for _ in range(2))
    late.evaluate_by(learned)
    early = Mcts(game, memory=16 << 20, seed=4, evaluation=learned)
    found = [search.search(game.initial(), Limit(nodes=300)).estimates for search in (plain, late, early)]
    assert found[1] == found[2] != found[0]

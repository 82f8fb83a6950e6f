"""Evaluations learned from the rules, and alpha-beta that plays by them."""

from __future__ import annotations

import dataclasses
import random

import numpy as np
import pytest

from stratagem.engine.alpha_beta.evaluator import by_bytes, worth_of
from stratagem.engine.alpha_beta.search import AlphaBeta
from stratagem.engine.evaluation.features import features_of, lines_of, moves_of
from stratagem.engine.evaluation.fit import fit
from stratagem.engine.evaluation.goal_lines import goal_lines
from stratagem.engine.evaluation.learning import learn_evaluation, sample
from stratagem.engine.space.explore import explore
from stratagem.engine.space.retrograde import solve_zero_sum
from stratagem.errors import UnsuitableGame, UsageError
from stratagem.limit import Limit
from stratagem.loading import load
from stratagem.search.adversarial.fail_soft import fail_soft

SMALL = 16 << 20


def test_the_evaluation_of_small_breakthrough_is_much_better_than_guessing():
    game = load("breakthrough", columns=5, rows=5)
    states, values = sample(game, Limit(nodes=3000), seed=2)
    accuracy = fit(game, states, values).accuracy[0]
    assert accuracy.states == 300
    assert accuracy.right > accuracy.guessing + 0.15
    assert accuracy.explained > 0.4


def test_the_formula_is_readable_and_has_the_weightiest_terms_first():
    game = load("breakthrough", columns=5, rows=5)
    evaluation = learn_evaluation(game, Limit(nodes=1500), seed=1)
    assert evaluation is not None
    lines = evaluation.formula("black", most=5).splitlines()
    assert lines[0].startswith("value for black = ")
    assert "at the beginning and at the end of a match" in lines[0]
    assert len(lines) == 1 + 1 + 5 + 1 + 1
    assert any("number of (cell" in line for line in lines)
    assert "predicts the better side" in lines[-1]


def test_a_sum_over_bits_is_found_again():
    """A law: chances whose log odds are a weighted sum of propositions are learned exactly."""
    game = load("tictactoe")
    states, _ = sample(game, Limit(nodes=1500), seed=4)
    bits = np.unpackbits(states.view(np.uint8), axis=1, bitorder="little")[:, : len(game.circuit.bases)]
    weights = np.random.default_rng(3).normal(size=(bits.shape[1], 2))
    values = 100 / (1 + np.exp(-0.5 * bits @ weights))
    evaluation = fit(game, states, values, ridge=1e-6)
    assert np.allclose(evaluation.packed(states), values, atol=0.1)
    assert evaluation.accuracy[0].explained > 0.999


def test_packed_states_and_states_are_worth_the_same():
    game = load("connectfour", columns=4, rows=4)
    evaluation = learn_evaluation(game, Limit(nodes=500), seed=2)
    assert evaluation is not None
    state = game.initial().play("(drop 2)").play("(drop 3)")
    packed = game.compiled.pack(state.facts())[None]
    assert evaluation(state, "yellow") == pytest.approx(evaluation.packed(packed)[0, 1])
    weights = evaluation.weights[1, 0]
    table = by_bytes(weights)
    sums = table[0, 0] + table[1 + np.arange(8 * packed.shape[1]), packed.view(np.uint8)[0]].sum()
    bits = np.unpackbits(packed.view(np.uint8), bitorder="little")
    assert sums == pytest.approx(weights[:-1] @ bits + weights[-1], abs=1e-3)


def test_the_taught_searches_take_it_as_their_evaluation():
    game = load("breakthrough", columns=4, rows=5)
    evaluation = learn_evaluation(game, Limit(nodes=600), seed=2)
    assert evaluation is not None
    found = fail_soft(game, limit=Limit(depth=2), evaluate=evaluation.of("white"))
    assert found.value is not None and 0 <= found.value <= 100
    assert found.best_move in game.initial().legals("white")


def test_features_are_propositions_and_counts_that_share_arguments():
    names = [feature.name for feature in features_of(load("tictactoe").circuit.bases)]
    assert "(cell 1 1 x)" in names
    assert "number of (cell _ _ x)" in names
    assert "number of (cell 1 _ x)" in names


@pytest.mark.parametrize(
    ("name", "sizes", "count", "lengths"),
    [
        ("tictactoe", {}, 16, {3}),
        ("connectfour", {}, 138, {4}),
        ("connectfour", {"columns": 5, "rows": 4}, 2 * (8 + 5 + 4), {4}),
        ("breakthrough", {}, 0, set()),
        ("reversi", {}, 0, set()),
    ],
)
def test_the_ways_to_a_goal_are_read_off_the_circuit(name, sizes, count, lengths):
    game = load(name, **sizes)
    states, _ = sample(game, Limit(nodes=300), seed=4)
    lines = goal_lines(game.circuit, states)
    assert len(lines) == count
    assert {len(line.needed) for line in lines} == lengths
    for line in lines[:5]:
        # a line of x is barred by o on any of its cells
        others = [str(game.circuit.bases[base]) for base in line.barred]
        assert len(others) == len(line.needed)


def test_open_lines_make_the_evaluation_of_tic_tac_toe_and_connect_four_better():
    for name, least in (("tictactoe", 0.6), ("connectfour", 0.25)):
        game = load(name)
        states, values = sample(game, Limit(nodes=4000), seed=3)
        evaluation = fit(game, states, values)
        assert evaluation.accuracy[0].explained > least
        assert "lines of" in evaluation.formula(most=400)


def test_numbers_of_moves_count_where_they_explain_something():
    game = load("hexapawn", columns=4, rows=5)
    states, _ = sample(game, Limit(nodes=1500), seed=3)
    legal = game.compiled.evaluate(states).legal
    moves = np.bitwise_count(legal).sum(axis=2)
    moves = np.where(moves > 1, moves, 0)
    values = 100 / (1 + np.exp(-0.2 * moves @ np.array([[1.0, -1.0], [-1.0, 1.0]])))
    evaluation = fit(game, states, values, ridge=1e-3)
    assert evaluation.curves.moves[0, 0, 0] > 0.15
    assert evaluation.accuracy[0].explained > 0.99
    assert "moves of white" in evaluation.formula(most=100)


@pytest.mark.parametrize(
    ("name", "sizes"),
    [("tictactoe", {}), ("connectfour", {"columns": 5, "rows": 4}), ("hexapawn", {"rows": 5})],
)
def test_kernels_and_formula_say_the_same_of_lines_and_moves(name, sizes):
    """Weights by lot for every kind of feature: one ply of alpha-beta finds the best child by the formula."""
    game = load(name, **sizes)
    states, values = sample(game, Limit(nodes=600), seed=5)
    features = [*features_of(game.circuit.bases), *lines_of(game, states), *moves_of(game)]
    source = np.random.default_rng(1)
    early, late = source.normal(size=(2, 2, len(features) + 1)) / 4
    progress = source.normal(size=64 * game.compiled.words + 1) / 4
    evaluation = dataclasses.replace(
        fit(game, states, values), features=tuple(features), early=early, late=late, progress=progress
    )
    engine = AlphaBeta(game, evaluation, memory=SMALL)
    compared = 0
    for number in source.choice(len(states), 60):
        state = game.state_of(game.compiled.unpack(states[number]))
        children = game.compiled.expand(states[number][None])
        if children.terminal.any() or len(children) < 2:
            continue
        worth = worth_of(evaluation.at(states[number]).sums(children.states)[:, 0])
        mover = 0 if len(state.legals(game.roles[0])) > 1 else 1
        expected = worth.max() if mover == 0 else worth.min()
        assert engine.search(state, Limit(depth=1)).value == pytest.approx(expected, abs=0.02)
        compared += 1
    assert compared > 10


def test_a_match_goes_from_the_weights_of_its_beginning_to_those_of_its_end():
    game = load("connectfour", columns=5, rows=4)
    evaluation = learn_evaluation(game, Limit(nodes=1200), seed=2)
    assert evaluation is not None
    states, _ = sample(game, Limit(nodes=300), seed=6)
    pieces = np.bitwise_count(states).sum(axis=1)
    shares = evaluation.how_far(states)
    assert np.corrcoef(pieces, shares)[0, 1] > 0.8
    assert 0 <= shares.min() < 0.3 and 0.6 < shares.max() <= 1
    for row in (0, 7, 20):
        fixed = evaluation.at(states[row])
        assert np.allclose(fixed.sums(states[row : row + 1]), evaluation.sums(states[row : row + 1]))
        assert np.array_equal(fixed.early, fixed.late)


def test_what_is_good_for_one_role_is_bad_for_the_other():
    game = load("breakthrough", columns=5, rows=5)
    evaluation = learn_evaluation(game, Limit(nodes=600), seed=3)
    assert evaluation is not None
    states, _ = sample(game, Limit(nodes=100), seed=6)
    assert np.allclose(evaluation.packed(states).sum(axis=1), 100)


def test_too_few_states_teach_nothing():
    game = load("tictactoe")
    states, values = sample(game, Limit(nodes=5))
    with pytest.raises(UsageError, match="too few"):
        fit(game, states, values)


def test_alpha_beta_sees_that_tic_tac_toe_is_a_draw():
    game = load("tictactoe")
    found = AlphaBeta(game, memory=SMALL).search(game.initial(), Limit(depth=9))
    assert (found.value, found.proved) == (50.0, True)


@pytest.mark.parametrize(
    ("name", "sizes"),
    [
        ("hexapawn", {"columns": 3, "rows": 4}),
        ("connectfour", {"columns": 4, "rows": 4}),
        ("nim", {"fourth": 0}),
    ],
)
def test_alpha_beta_finds_values_and_distances_of_the_whole_space(name, sizes):
    game = load(name, **sizes)
    space = explore(game.compiled)
    values = solve_zero_sum(space)
    search = AlphaBeta(game, learn_evaluation(game, Limit(nodes=300)), memory=SMALL)
    source = random.Random(3)
    for _ in range(15):
        state = game.initial()
        for _ in range(source.randrange(8)):
            further = state.next([source.choice(state.legals(role)) for role in game.roles])
            if further.terminal:
                break
            state = further
        number = int(space.known.find(game.compiled.pack(state.facts())[None])[0])
        found = search.search(state, Limit(depth=40))
        assert found.proved
        assert found.value == values.low[number]
        if found.value in (0, 100):
            assert found.distance == values.distance[number]


def test_mtd_from_above_and_below_finds_what_alpha_beta_finds():
    game = load("breakthrough", columns=4, rows=5)
    evaluation = learn_evaluation(game, Limit(nodes=600), seed=2)
    expected = AlphaBeta(game, evaluation, memory=SMALL).search(game.initial(), Limit(depth=4)).value
    for first in (100.0, 0.0, None):
        assert (
            AlphaBeta(game, evaluation, memory=SMALL).mtd(game.initial(), depth=4, first=first).value
            == expected
        )


def test_alpha_beta_with_the_learned_evaluation_agrees_with_the_taught_one():
    game = load("breakthrough", columns=4, rows=5)
    evaluation = learn_evaluation(game, Limit(nodes=600), seed=2)
    assert evaluation is not None

    there = evaluation.at(game.compiled.initial)

    def worth(state: object) -> float:
        """The engine's own view: the weights of the root, in whole hundredths."""
        sums = there.sums(game.compiled.pack(state.facts())[None])  # type: ignore[attr-defined]
        return float(worth_of(sums)[0, 0])

    for depth in (1, 2, 3):
        taught = fail_soft(game, limit=Limit(depth=depth), evaluate=worth)
        assert AlphaBeta(game, evaluation, memory=SMALL).search(
            game.initial(), Limit(depth=depth)
        ).value == pytest.approx(taught.value, abs=0.02)


def test_alpha_beta_stops_when_told_and_still_has_a_move():
    game = load("connectfour")
    asked = []

    def stop() -> bool:
        asked.append(1)
        return len(asked) >= 3

    found = AlphaBeta(game, memory=SMALL).search(game.initial(), Limit(stop=stop))
    assert found.best_move in game.initial().legals("red")
    assert found.counters.depth >= 1


def test_alpha_beta_refuses_three_roles_and_moves_at_once():
    with pytest.raises(UnsuitableGame, match="two roles needed"):
        AlphaBeta(load("tictactoethree"))
    game = load("rockpaperscissors")
    with pytest.raises(UnsuitableGame, match="both roles have a choice"):
        AlphaBeta(game, memory=SMALL).search(game.initial(), Limit(depth=1))

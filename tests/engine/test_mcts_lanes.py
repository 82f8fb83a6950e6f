"""What lanes of matches say about leaves, against the same matches counted another way."""

from __future__ import annotations

import numpy as np
import pytest

from stratagem.engine.mcts.rollouts import LaneMaker, play_leaves
from stratagem.loading import load

CALLS = 40


@pytest.mark.parametrize(
    ("name", "sizes"),
    [
        ("connectfour", {}),
        ("breakthrough", {"columns": 5, "rows": 5}),
        ("tictactoethree", {"size": 3}),
        ("reversi", {"size": 6}),
    ],
)
def test_leaves_are_worth_what_the_report_on_random_matches_says(name, sizes):
    """Small circuits are played by fused kernels, reversi by a walked one: both must be read rightly."""
    game = load(name, **sizes)
    compiled = game.compiled
    lanes = LaneMaker(game.compiled.playouts, compiled.initial).make(seed=3)
    children = compiled.expand(compiled.initial[None]).states
    count = min(len(children), lanes.block.shape[1])
    values, peaks = np.zeros((count, len(game.roles))), np.zeros(count)
    sums = np.zeros_like(values)
    for _ in range(CALLS):
        play_leaves(lanes, children, 0, count, values, peaks)
        sums += values
    for place in range(count):
        report = game.compiled.playouts.play(children[place], matches=4000, threads=1, seed=place)
        # Matches past the usual length are left out here, so that the means may differ by a little.
        assert sums[place] / CALLS == pytest.approx(report.goals, abs=6)
    assert np.ptp(sums[:, 0]) > 0 or count == 1, "leaves are told apart"


def test_leaves_of_one_call_have_their_own_values():
    """x to move with two in a row is better off than the other way round, in the same call."""
    game = load("tictactoe")
    good, bad = game.initial(), game.initial()
    for move in ("1 1", "2 3", "1 2", "3 2"):
        good = good.play(f"(mark {move})")
    for move in ("2 3", "1 1", "3 2", "1 2"):
        bad = bad.play(f"(mark {move})")
    states = np.stack([game.compiled.pack(state.facts()) for state in (good, bad)])
    lanes = LaneMaker(game.compiled.playouts, game.compiled.initial).make(seed=1)
    values, peaks = np.zeros((2, 2)), np.zeros(2)
    play_leaves(lanes, states, 0, 2, values, peaks)
    assert values[0, 0] > 60 > values[1, 0]
    assert values.sum(axis=1) == pytest.approx([100, 100])

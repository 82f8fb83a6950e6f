"""What lanes of matches say about leaves, against the same matches counted another way."""

from __future__ import annotations

import numpy as np
import pytest

from stratagem.engine.mcts.rollouts import LaneMaker, play_leaves
from stratagem.kernels import Array, uint64
from stratagem.kernels.translate.family import KernelFamily
from stratagem.loading import load
from stratagem.native.jit.kernel_families import compiled_family

CALLS = 40
PLAY = compiled_family(KernelFamily("rollouts", (play_leaves,)))[play_leaves]


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
    lanes = LaneMaker(game.compiled.playouts.kernels, compiled.initial).make(seed=3)
    children = compiled.expand(compiled.initial[None]).states
    count = min(len(children), lanes.words)
    sums = np.zeros((count, len(game.roles)))
    for _ in range(CALLS):
        PLAY(lanes, Array(uint64, children), count)
        sums += lanes.values.numpy[:count]
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
    lanes = LaneMaker(game.compiled.playouts.kernels, game.compiled.initial).make(seed=1)
    PLAY(lanes, Array(uint64, states), 2)
    values = lanes.values.numpy[:2].copy()
    assert values[0, 0] > 60 > values[1, 0]
    assert values.sum(axis=1) == pytest.approx([100, 100])
    again = LaneMaker(game.compiled.playouts.kernels, game.compiled.initial).make(seed=1)
    play_leaves(again, Array(uint64, states).at(0), 2)
    assert (again.values.numpy[:2] == values).all(), "as Python, on checked memory"


def test_every_lane_belongs_to_one_state():
    """More states than words: each has its own lanes, and what is decided shows in each."""
    game = load("tictactoe")
    good, bad = game.initial(), game.initial()
    for move in ("1 1", "2 3", "1 2", "3 2"):
        good = good.play(f"(mark {move})")
    for move in ("2 3", "1 1", "3 2", "1 2"):
        bad = bad.play(f"(mark {move})")
    states = np.stack([game.compiled.pack(state.facts()) for state in [good, bad] * 50])
    lanes = LaneMaker(game.compiled.playouts.kernels, game.compiled.initial).make(seed=2)
    PLAY(lanes, Array(uint64, states), 100)
    assert lanes.per_state == lanes.lanes // 128
    values = lanes.values.numpy[:100, 0]
    assert values[0::2].mean() > 60 > values[1::2].mean()
    assert np.ptp(values[0::2]) > 0, "lanes draw on their own"


def test_moves_are_recorded_for_the_lanes_that_made_them():
    game = load("tictactoe")
    lanes = LaneMaker(game.compiled.playouts.kernels, game.compiled.initial, recorded=True).make(seed=2)
    PLAY(lanes, Array(uint64, game.compiled.initial[None].copy()), 1)
    rows = lanes.block.numpy[lanes.played : lanes.played + lanes.moves]
    made = np.unpackbits(rows.view(np.uint8), axis=1).sum(axis=1)
    marks = [place for place, move in enumerate(game.circuit.moves[0]) if str(move) != "noop"]
    assert lanes.moves == sum(map(len, game.circuit.moves))
    # A random match of noughts and crosses has five to nine marks, x makes three to five of them.
    assert 3 * lanes.lanes <= made[marks].sum() <= 5 * lanes.lanes


def test_nine_of_ten_matches_are_over_before_the_limit():
    game = load("connectfour")
    maker = LaneMaker(game.compiled.playouts.kernels, game.compiled.initial)
    report = game.compiled.playouts.play(matches=4000, threads=1)
    assert report.mean_length < maker.limit <= 60

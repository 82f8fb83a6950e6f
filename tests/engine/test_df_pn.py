"""Proof-number search is held to backward induction; what it proves never rests on a repetition."""

from __future__ import annotations

import numpy as np
import pytest
from tests.engine.test_values import CIRCLE

from stratagem.engine.proof.df_pn import ProofNumbers, bounds_of
from stratagem.engine.solve import solve
from stratagem.engine.space.explore import explore
from stratagem.engine.space.retrograde import solve_zero_sum
from stratagem.errors import UnsuitableGame
from stratagem.loading import load
from stratagem.machines.symmetry import symmetries_of
from stratagem.result import Interval


@pytest.mark.parametrize(
    ("name", "sizes"),
    [
        ("tictactoe", {}),
        ("miseretictactoe", {}),
        ("hexapawn", {"columns": 3, "rows": 4}),
        ("connectfour", {"columns": 4, "rows": 3, "line": 3}),
        ("reversi", {"size": 4}),
        ("breakthrough", {"columns": 3, "rows": 4}),
        ("dotsandboxes", {"columns": 2, "rows": 1}),
    ],
)
@pytest.mark.parametrize("symmetric", [False, True])
def test_the_bounds_are_those_of_backward_induction(
    name: str, sizes: dict[str, int], symmetric: bool
) -> None:
    game = load(name, settings=sizes)
    space = explore(game.compiled)
    values = solve_zero_sum(space)
    symmetries = symmetries_of(game) if symmetric else None
    numbers = ProofNumbers(
        game.compiled, memory=1 << 20, exchanges=symmetries.exchanges if symmetries else ()
    )
    rng = np.random.default_rng(3)
    inner = np.flatnonzero(~space.terminal)
    for number in [0, *rng.choice(inner, min(60, len(inner)), replace=False)]:
        found = bounds_of(numbers, space.states[number])
        assert (found.low, found.high) == (values.low[number], values.high[number])


def test_endless_play_proves_nothing() -> None:
    found = solve(load(CIRCLE), method="df-pn")
    assert not found.proved
    assert found.values == {"a": Interval(0, 100), "b": Interval(0, 100)}


def test_the_best_move_keeps_what_is_proved() -> None:
    game = load("hexapawn", columns=4, rows=4)
    found = solve(game, method="df-pn")
    assert found.estimates == {"white": 100, "black": 0}
    assert found.best_move is not None
    assert found.distance is None
    after = game.initial().play(found.best_move)
    assert solve(game, after, method="space").estimates["white"] == 100


def test_it_is_for_two_players() -> None:
    with pytest.raises(UnsuitableGame, match="two players"):
        solve(load("tictactoethree", size=3, line=3), method="df-pn")

"""What players say of their searches: in the right number, and without figures that mean nothing."""

from __future__ import annotations

import pytest

from stratagem.play.players import alpha_beta, mcts
from stratagem.plural import plural
from stratagem.result import Counters, Result


@pytest.mark.parametrize(
    ("count", "notifications"), [(0, "0 moves"), (1, "1 move"), (2, "2 moves"), (1_000, "1,000 moves")]
)
def test_a_noun_stands_in_the_number_that_was_counted(count: int, notifications: str) -> None:
    assert plural(count, "move") == notifications


def found(*, distance: int | None = None, proved: bool = True, depth: int = 4, reached: int = 9) -> Result:
    counters = Counters(nodes=1, visits=1, playouts=64, depth=depth, peak_open=reached)
    return Result("any", proved=proved, distance=distance, counters=counters)


def test_a_win_in_one_is_one_move_away() -> None:
    assert alpha_beta.why(found(distance=1), 100.0) == "alpha-beta sees a win in 1 move"
    assert alpha_beta.why(found(distance=2), 0.0) == "alpha-beta sees a loss in 2 moves"
    assert alpha_beta.why(found(proved=False, depth=1, reached=1), 50.0) == "alpha-beta 1 ply deep"
    assert mcts.why(found(distance=1)) == "proved in 1 simulation: 1 move to the end"
    assert mcts.why(found(proved=False)) == "the most visited move, after 64 random matches in 1 simulation"

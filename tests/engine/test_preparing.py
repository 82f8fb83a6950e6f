"""Compiling is not searching: kernels are there before the time of the first search begins."""

from __future__ import annotations

from itertools import count
from typing import Any

import pytest

from stratagem.engine.alpha_beta import search as alpha_beta
from stratagem.engine.alpha_beta.search import EVEN, AlphaBeta
from stratagem.engine.mcts import search as mcts
from stratagem.engine.mcts.search import Mcts
from stratagem.errors import UsageError
from stratagem.kernels.translate.family import KernelFamily
from stratagem.limit import Limit
from stratagem.loading import load
from stratagem.native.jit.kernel_families import CompiledKernels, compiled_family


@pytest.mark.parametrize(("module", "make"), [(alpha_beta, AlphaBeta), (mcts, Mcts)])
def test_the_time_of_a_search_begins_after_compiling(
    module: Any, make: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    seconds, compiled = count(0.0, 0.001), []

    def slow(family: KernelFamily) -> CompiledKernels:
        if not compiled:
            compiled.append([next(seconds) for _ in range(60_000)])
        return compiled_family(family)

    monkeypatch.setattr(module, "compiled_family", slow)
    game = load("connectfour")
    limit = Limit(seconds=0.05, clock=lambda: next(seconds))
    found = make(game, memory=1 << 20).search(game.initial(), limit)
    assert compiled and found.counters.seconds < 60


def test_none_is_no_evaluation() -> None:
    game = load("tictactoe")
    with pytest.raises(UsageError, match=r"None is not an evaluation; .* leave the evaluation out"):
        AlphaBeta(game, None)  # type: ignore[arg-type]
    assert AlphaBeta(game, EVEN, memory=0).search(game.initial(), Limit(depth=1)).value == 50

"""Compiling is not searching: kernels are there before the time of the first search begins, and that is said once."""

from __future__ import annotations

import logging
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
from stratagem.native.jit import compile_notice
from stratagem.native.jit.kernel_families import CompiledKernels, compiled_family
from stratagem.native.jit.numba_cache import njit


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


def test_preparing_changes_nothing_about_the_search() -> None:
    game = load("connectfour", columns=5, rows=4)
    tree = Mcts(game, memory=1 << 20)
    tree.prepare()
    once = tree.search(game.initial(), Limit(nodes=500))
    again = Mcts(game, memory=1 << 20).search(game.initial(), Limit(nodes=500))
    assert (once.moves, once.estimates, once.counters.nodes) == (
        again.moves,
        again.estimates,
        again.counters.nodes,
    )


def test_none_is_no_evaluation() -> None:
    game = load("tictactoe")
    with pytest.raises(UsageError, match=r"None is no evaluation; .* leave the evaluation out"):
        AlphaBeta(game, None)  # type: ignore[arg-type]
    assert AlphaBeta(game, EVEN, memory=0).search(game.initial(), Limit(depth=1)).value == 50


def test_compiling_is_announced_once(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compile_notice.ANNOUNCER, "said", False)
    monkeypatch.setattr(compile_notice.LOGGER, "disabled", False)
    monkeypatch.setenv("STRATAGEM_CACHE", "off")  # what an earlier run has kept is not compiled
    with caplog.at_level(logging.WARNING, "stratagem.kernels"):
        for number in range(3):
            njit()(lambda x, number=number: x + number)(1)
    assert [record.message for record in caplog.records] == [compile_notice.NOTICE]

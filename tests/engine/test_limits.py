"""One `Limit` for every search of the engine: what ended it is named, and a limit that would be ignored is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import stratagem as st
from stratagem.engine import AlphaBeta, Mcts, learn_evaluation, pattern_database
from stratagem.errors import StratagemError, UsageError
from stratagem.limit import Limit

SMALL = 8 << 20
GAME = st.load("connectfour")


def mcts(limit: Limit) -> st.Result:
    return Mcts(GAME, memory=SMALL).search(GAME.initial(), limit)


def alpha_beta(limit: Limit) -> st.Result:
    return AlphaBeta(GAME, memory=SMALL).search(GAME.initial(), limit)


def solve(limit: Limit) -> st.Result:
    return st.solve(GAME, limit=limit)


def whole_space(limit: Limit) -> st.Result:
    return st.solve(GAME, method="space", limit=limit)


@pytest.mark.parametrize(
    ("search", "limit", "stopped"),
    [
        (mcts, Limit(nodes=50), "nodes"),
        (mcts, Limit(seconds=0), "seconds"),
        (mcts, Limit(stop=lambda: True), "interrupted"),
        (alpha_beta, Limit(depth=2), "depth"),
        (alpha_beta, Limit(seconds=0), "seconds"),
        (alpha_beta, Limit(nodes=100), "nodes"),
        (alpha_beta, Limit(stop=lambda: True), "interrupted"),
        (solve, Limit(seconds=0), "seconds"),
        (solve, Limit(stop=lambda: True), "interrupted"),
        (whole_space, Limit(memory=1 << 20), "memory"),
    ],
)
def test_the_limit_that_ended_a_search_is_named(
    search: Callable[[Limit], st.Result], limit: Limit, stopped: str
) -> None:
    found = search(limit)
    assert (found.proved, found.stopped, found.complete) == (False, stopped, False)
    assert all(value.low < value.high for value in found.values.values())


def test_whatever_the_limit_a_search_names_a_legal_move() -> None:
    for search in (mcts, alpha_beta):
        assert search(Limit(seconds=0)).best["red"] in GAME.initial().legals("red")


def test_a_search_that_is_decided_was_not_stopped() -> None:
    game = st.load("nim", first=1, second=2, third=3, fourth=0)
    limit = Limit(nodes=1_000_000, seconds=60)
    for found in (Mcts(game).search(game.initial(), limit), AlphaBeta(game).search(game.initial(), limit)):
        assert (found.proved, found.stopped) == (True, None)
        assert found.values == st.solve(game).values


@pytest.mark.parametrize(
    ("search", "limit", "sentence"),
    [
        (mcts, Limit(seconds=1, depth=3), "mcts does not support a limit on depth"),
        (alpha_beta, Limit(seconds=1, memory=1), "alpha-beta does not support a limit on memory"),
        (solve, Limit(seconds=1, nodes=3), "solve does not support a limit on nodes"),
        (lambda limit: st.judge(GAME, limit), Limit(depth=3), "judge does not support a limit on depth"),
        (
            lambda limit: learn_evaluation(GAME, limit),
            Limit(depth=3),
            "learning does not support a limit on depth",
        ),
        (lambda limit: learn_evaluation(GAME, limit), Limit(), "learning needs an end"),
        (mcts, Limit(), "a search needs an end"),
        (alpha_beta, Limit(), "a search needs an end"),
    ],
)
def test_a_limit_that_would_be_ignored_is_refused(search: Any, limit: Limit, sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        search(limit)


def test_a_pattern_database_that_a_limit_ends_is_an_error_of_ours() -> None:
    with pytest.raises(StratagemError):
        pattern_database(st.load("hanoi"), limit=Limit(stop=lambda: True))

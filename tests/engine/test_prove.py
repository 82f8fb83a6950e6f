"""Proofs by search on hundreds of positions, against databases of perfect play and against the taught algorithms."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from stratagem.engine.alpha_beta.search import AlphaBeta
from stratagem.engine.proof import prover as prove
from stratagem.engine.proof.bounds import value_of
from stratagem.engine.proof.df_pn import ProofNumbers, bounds_of
from stratagem.engine.proof.prover import Prover
from stratagem.engine.proof.table import FOR_EVER, probe, proved_within, refuted_within, store
from stratagem.engine.solve import solve
from stratagem.engine.space.explore import Space, explore
from stratagem.engine.space.retrograde import Values, solve_zero_sum
from stratagem.gdl_game import GdlGame
from stratagem.kernels import Array, uint64
from stratagem.kernels.library.lossy_table import LossyTable
from stratagem.limit import Limit
from stratagem.loading import load
from stratagem.machines.symmetry import symmetries_of
from stratagem.search.adversarial.alpha_beta import alpha_beta

MIDDLE: list[tuple[str, dict[str, int]]] = [
    ("connectfour", {"columns": 4, "rows": 4}),
    ("breakthrough", {"columns": 3, "rows": 5}),
    ("hexapawn", {"columns": 4, "rows": 4}),
    ("reversi", {"size": 4}),
    ("dotsandboxes", {"columns": 2, "rows": 2}),
    ("miseretictactoe", {}),
]


def solved(name: str, sizes: dict[str, int]) -> tuple[GdlGame, Space, Values, Any]:
    game = load(name, settings=sizes)
    space = explore(game.compiled)
    chosen = np.random.default_rng(11).permutation(np.flatnonzero(~space.terminal))[:500]
    return game, space, solve_zero_sum(space), chosen


@pytest.mark.parametrize(("name", "sizes"), MIDDLE)
def test_five_hundred_random_positions_have_the_database_s_values_and_distances(
    name: str, sizes: dict[str, int]
) -> None:
    game, space, values, chosen = solved(name, sizes)
    symmetries = symmetries_of(game)
    exchanges = symmetries.exchanges if symmetries else ()
    prover = Prover(game.compiled, memory=8 << 20, exchanges=exchanges)
    numbers = ProofNumbers(game.compiled, memory=8 << 20, exchanges=exchanges)
    for position, number in enumerate(chosen):
        bounds = value_of(prover, space.states[number], longest=40 if position % 2 else None)
        assert (bounds.low, bounds.high) == (values.low[number], values.high[number])
        assert bounds.distance == values.distance[number]
        found = bounds_of(numbers, space.states[number])
        assert (found.low, found.high) == (values.low[number], values.high[number])


@pytest.mark.parametrize(("name", "sizes"), MIDDLE)
def test_positions_near_the_end_have_the_values_of_the_algorithms_as_taught(
    name: str, sizes: dict[str, int]
) -> None:
    game, space, values, chosen = solved(name, sizes)
    engine = AlphaBeta(game, memory=8 << 20)
    looked_at = 0
    for number in chosen:
        if values.distance[number] > 5 or looked_at == 40:
            continue
        looked_at += 1
        state = game.state_of(game.compiled.unpack(space.states[number]))
        assert alpha_beta(game, start=state, limit=Limit(depth=5)).value == values.low[number]
        assert engine.search(state, Limit(depth=12)).value == values.low[number]
    assert looked_at > 10


def test_two_threads_that_share_a_table_prove_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prove, "ALONE", 10)
    game, space, values, chosen = solved("connectfour", {"columns": 4, "rows": 4})
    prover = Prover(game.compiled, memory=1 << 20, threads=2)
    for number in chosen[:60]:
        bounds = value_of(prover, space.states[number], longest=16)
        assert bounds.low == bounds.high == values.low[number]
        assert bounds.distance == values.distance[number]


def test_a_table_that_is_far_too_small_costs_time_and_nothing_else() -> None:
    game, space, values, chosen = solved("connectfour", {"columns": 4, "rows": 4})
    prover = Prover(game.compiled, memory=1)
    assert prover.table.nbytes <= 1 << 16
    for number in chosen[:40]:
        assert value_of(prover, space.states[number], exact=False).low == values.low[number]


def test_a_row_of_which_two_threads_wrote_a_half_each_is_no_state() -> None:
    table = LossyTable(rows=np.zeros((1 << 11, 3), np.uint64), words=2, bucket=4)
    key, hashed, tag = Array(uint64, np.array([5, 7], np.uint64)), uint64(64), 3
    store(table, key, hashed, tag, 4, -1, 10, uint64(0))
    known = probe(table, key, hashed, tag)
    assert proved_within(known) == 4
    assert refuted_within(known) == -1
    (slot,) = np.flatnonzero(table.rows.numpy[:, -1])
    store(table, key, hashed, tag, FOR_EVER, 9, 10, uint64(0))
    assert refuted_within(probe(table, key, hashed, tag)) == 9
    table.rows.numpy[slot, 2] ^= np.uint64(1 << 20)  # what another thread would have written there
    assert probe(table, key, hashed, tag) == 0


def test_an_interrupted_proof_reports_bounds_that_hold() -> None:
    game = load("connectfour", columns=6, rows=5)
    asked = 0

    def stop() -> bool:
        nonlocal asked
        asked += 1
        return asked > 40

    found = solve(game, method="prove", limit=Limit(seconds=30, stop=stop))
    low, high = found.values["red"].low, found.values["red"].high
    assert low <= 50 <= high
    assert not found.proved or low == high


def test_connect_four_on_five_by_five_is_a_draw() -> None:
    game = load("connectfour", columns=5, rows=5)
    symmetries = symmetries_of(game)
    assert symmetries is not None
    prover = Prover(game.compiled, memory=128 << 20, exchanges=symmetries.exchanges)
    bounds = value_of(prover, game.compiled.initial, longest=25, exact=False)
    assert (bounds.low, bounds.high) == (50, 50)


BOARDS = {(6, 5): 50, (5, 6): 50, (6, 4): 0, (4, 6): 50, (7, 4): 50}


@pytest.mark.slow
@pytest.mark.parametrize(("columns", "rows"), BOARDS)
def test_larger_boards_of_connect_four_have_their_known_values(columns: int, rows: int) -> None:
    game = load("connectfour", columns=columns, rows=rows)
    found = solve(game, method="prove", limit=Limit(seconds=1200, memory=4 << 30))
    assert found.estimates == {"red": BOARDS[columns, rows], "yellow": 100 - BOARDS[columns, rows]}

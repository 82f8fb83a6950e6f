"""Tables begin small whatever the memory, grow with the search, and lose nothing on the way."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from stratagem.engine.proof import prover as prove
from stratagem.engine.proof import table as tables
from stratagem.engine.proof.bounds import value_of
from stratagem.engine.proof.df_pn import ProofNumbers, bounds_of
from stratagem.engine.proof.prover import Prover
from stratagem.engine.proof.table import GrowingTable, move_rows, probe, store
from stratagem.kernels import Array, uint64
from stratagem.kernels.library.hashing import hash_state
from stratagem.loading import load

GAME = ("connectfour", {"columns": 4, "rows": 4})


def made(kind: Any, memory: int) -> Any:
    return kind(load(GAME[0], settings=GAME[1]).compiled, memory=memory)


@pytest.mark.parametrize("kind", [Prover, ProofNumbers])
def test_memory_that_no_search_has_used_is_not_taken(kind: Any) -> None:
    assert made(kind, 8 << 30).table.nbytes <= 4 << 20


@pytest.mark.parametrize("kind", [Prover, ProofNumbers])
@pytest.mark.parametrize("memory", [1 << 16, 1 << 28])
def test_a_table_is_never_larger_than_its_memory(kind: Any, memory: int) -> None:
    searcher = made(kind, memory)
    ask = value_of if kind is Prover else bounds_of
    ask(searcher, searcher.compiled.initial)
    assert searcher.table.nbytes <= memory


def test_a_proof_is_the_same_with_a_table_that_had_to_grow(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = made(Prover, 1 << 24)
    expected = value_of(whole, whole.compiled.initial)
    monkeypatch.setattr(tables, "FIRST_ROWS", 64)
    growing = made(Prover, 1 << 24)
    found = value_of(growing, growing.compiled.initial)
    assert len(growing.table) > 64
    assert (found.low, found.high, found.distance) == (expected.low, expected.high, expected.distance)


def test_several_threads_go_on_with_a_table_that_grew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "FIRST_ROWS", 64)
    monkeypatch.setattr(prove, "ALONE", 100)
    game = load(GAME[0], settings=GAME[1])
    prover = Prover(game.compiled, memory=1 << 24, threads=3)
    found = value_of(prover, game.compiled.initial)
    assert (found.low, found.high) == (50, 50)
    assert len(prover.table) > 64


def test_proof_numbers_are_the_same_with_a_table_that_had_to_grow(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = made(ProofNumbers, 1 << 24)
    expected = bounds_of(whole, whole.compiled.initial)
    monkeypatch.setattr(tables, "FIRST_ROWS", 64)
    growing = made(ProofNumbers, 1 << 24)
    found = bounds_of(growing, growing.compiled.initial)
    assert len(growing.table) > 64
    assert (found.low, found.high) == (expected.low, expected.high)


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("extra", [0, 1])
def test_every_row_is_found_again_in_the_larger_table(
    compiled: bool, extra: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not compiled:
        monkeypatch.setattr(tables, "compiled_family", lambda _: {move_rows: move_rows})
    monkeypatch.setattr(tables, "FIRST_ROWS", 1 << 8)
    table = GrowingTable(2, memory=1 << 24, extra=extra)
    words = np.random.default_rng(4).integers(1, 1 << 60, (200, 2)).astype(np.uint64)
    keys = [Array(uint64, row) for row in words]
    for row, key in enumerate(keys):
        store(table.record, key, hash_state(key, 2), 3, 5, -1, 1 + row, uint64(0))
    used = table.record.rows.numpy[:, 2] != 0
    table.record.rows.numpy[used, 3:] = 7

    def known() -> list[int]:
        return [probe(table.record, key, hash_state(key, 2), 3) for key in keys]

    before = known()
    assert sum(map(bool, before)) == table.states > 100
    assert table.node_limit(200) == 1 << 9
    assert len(table) == 1 << 10
    assert known() == before
    assert np.all(table.record.rows.numpy[table.record.rows.numpy[:, 2] != 0, 3:] == 7)

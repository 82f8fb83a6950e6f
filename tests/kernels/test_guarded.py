"""Machine code of kernels between forbidden pages: a read or write outside an array would end the process."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from tests.kernels.sources import machine_code
from tests.support.guarded_memory import Guarded, same_for_all_poisons

from stratagem.kernels import Array, int32, uint64
from stratagem.kernels.library.exact_set import ExactSet, add_states, refill
from stratagem.kernels.library.hashing import hash_state
from stratagem.kernels.library.lossy_table import LossyTable, keep, look_up
from stratagem.kernels.library.sorting import insert_by_key

pytestmark = pytest.mark.skipif(
    sys.platform == "win32", reason="pages cannot be protected like this on Windows"
)
CODE = machine_code(add_states, refill, hash_state, keep, look_up, insert_by_key, level=2)
STATES = np.random.default_rng(5).integers(0, 4, (60, 3)).astype(np.uint64)


def guarded(values: np.ndarray, poison: int) -> np.ndarray:
    rows = Guarded(*values.shape, poison).rows
    rows[:] = values
    return rows


def test_the_exact_set_stays_within_its_pool_and_its_table() -> None:
    different = len(np.unique(STATES, axis=0))

    def run(poison: int) -> tuple[int, list[int]]:
        table = guarded(np.zeros((128, 1), np.uint64), poison).reshape(-1).view(np.int64)
        states = ExactSet(table=table, pool=Guarded(different, 3, poison).rows)
        numbers = Guarded(len(STATES), 1, poison).rows.reshape(-1).view(np.int64)
        fresh = Guarded(different, 1, poison).rows.reshape(-1).view(np.int64)
        added = Array(uint64, guarded(STATES, poison).reshape(-1))
        CODE[add_states](states, added, len(STATES), Array(int, numbers), Array(int, fresh))
        table[:] = 0
        CODE[refill](states)
        return states.used, [*numbers.tolist(), *fresh.tolist(), *table.tolist()]

    assert same_for_all_poisons(run, "the exact set")[0] == different


def test_the_lossy_table_and_sorting_stay_within_their_arrays() -> None:
    def run(poison: int) -> tuple[list[int], list[int]]:
        table = LossyTable(rows=guarded(np.zeros((16, 4), np.uint64), poison), words=3, bucket=2)
        states = guarded(STATES, poison)
        found = []
        for row in range(len(states)):
            state = Array(uint64, states[row])
            hashed = CODE[hash_state](state, 3)
            CODE[keep](table, state, hashed, uint64(row + 1))
            found.append(int(CODE[look_up](table, state, hashed)))
        order = Guarded(len(states) // 2, 1, poison).rows.reshape(-1).view(np.int32)
        keys = Guarded(len(states), 1, poison).rows.reshape(-1).view(np.int64)
        for row in range(len(states)):
            CODE[insert_by_key](Array(int32, order), Array(int, keys), row, row, row % 7)
        return found, order.tolist()

    found, order = same_for_all_poisons(run, "the lossy table")
    assert found == list(range(1, 61))
    assert order == sorted(range(60), key=lambda row: -(row % 7))

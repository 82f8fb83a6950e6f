"""The kernels of the provers run as Python on checked memory, and as machine code between forbidden pages."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest
from tests.support.guarded_memory import Guarded, same_for_all_poisons

from stratagem.engine.proof import arena as arenas
from stratagem.engine.proof.bounds import value_of
from stratagem.engine.proof.df_pn import ProofNumbers, bounds_of
from stratagem.engine.proof.df_pn_kernel import df_pn
from stratagem.engine.proof.kernel import prove
from stratagem.engine.proof.prover import Prover
from stratagem.engine.space.explore import explore
from stratagem.engine.space.retrograde import solve_zero_sum
from stratagem.kernels.language.arrays import Array
from stratagem.kernels.language.records import Record
from stratagem.loading import load
from stratagem.machines.symmetry import symmetries_of

GAMES: list[tuple[str, dict[str, int]]] = [
    ("tictactoe", {}),
    ("connectfour", {"columns": 3, "rows": 3, "line": 3}),
    ("hexapawn", {"columns": 3, "rows": 3}),
]


@pytest.mark.parametrize(("name", "sizes"), GAMES)
def test_as_python_the_kernels_find_the_values_of_backward_induction_like_machine_code(
    name: str, sizes: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(arenas, "FIRST_ARENA_ROWS", 32)  # so that it must grow
    game = load(name, settings=sizes)
    symmetries = symmetries_of(game)
    exchanges = symmetries.exchanges if symmetries else ()
    space = explore(game.compiled)
    values = solve_zero_sum(space)
    near = np.flatnonzero(~space.terminal & (values.distance <= 4))
    prover, numbers = (kind(game.compiled, memory=1, exchanges=exchanges) for kind in (Prover, ProofNumbers))
    checked, counted = (kind(game.compiled, memory=1, exchanges=exchanges) for kind in (Prover, ProofNumbers))
    checked.prove, counted.df_pn = prove, df_pn
    for number in np.random.default_rng(2).choice(near, 12, replace=False):
        state = space.states[number]
        found = value_of(checked, state)
        assert (found.low, found.high) == (values.low[number], values.high[number])
        assert found.distance == values.distance[number]
        bounds = bounds_of(counted, state)
        assert (bounds.low, bounds.high) == (values.low[number], values.high[number])
        value_of(prover, state)
        bounds_of(numbers, state)
    assert (checked.nodes, checked.children) == (prover.nodes, prover.children)
    assert (counted.nodes, counted.children) == (numbers.nodes, numbers.children)
    for one, other in [(checked, prover), (counted, numbers)]:
        assert np.array_equal(one.table.record.rows.numpy, other.table.record.rows.numpy)
    assert np.array_equal(checked.history, prover.history)


def guard(record: Record, poison: int, *, keep: tuple[str, ...] = ()) -> None:
    """Moves the arrays of a record between forbidden pages; all but those to *keep* are poisoned."""
    arrays = {name: held.numpy for name, held in record.record_held.items() if isinstance(held, Array)}
    moved: dict[str, Any] = {}
    for name, array in arrays.items():
        assert array.nbytes % 8 == 0
        rows = Guarded(1, array.nbytes // 8, poison).rows
        moved[name] = rows.reshape(-1).view(array.dtype).reshape(array.shape)
        if name in keep:
            moved[name][:] = array
    record.put(**moved)


@pytest.mark.skipif(sys.platform == "win32", reason="pages cannot be protected like this on Windows")
def test_machine_code_stays_within_its_arrays_and_reads_nothing_that_was_not_written(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(arenas, "FIRST_ARENA_ROWS", 256)
    game = load("tictactoe")
    symmetries = symmetries_of(game)
    exchanges = symmetries.exchanges if symmetries else ()

    def run(poison: int) -> tuple[object, ...]:
        prover, numbers = (
            kind(game.compiled, memory=1, exchanges=exchanges) for kind in (Prover, ProofNumbers)
        )
        for search in (prover.searches[0], numbers.search):
            guard(search.arena, poison, keep=("images",))
            guard(search.table, poison, keep=("rows",))
            guard(search, poison, keep=("history", "stop"))
        bounds = value_of(prover, game.compiled.initial)
        found = bounds_of(numbers, game.compiled.initial)
        return bounds.low, bounds.distance, prover.nodes, found.low, found.high, numbers.nodes

    assert same_for_all_poisons(run, "the provers")[:2] == (50, 9)

"""Check mode: what leaves its bounds dies, what reads scratch is found out, and the kernels do neither."""

from __future__ import annotations

import mmap
import subprocess
import sys
from collections.abc import Iterator

import pytest
from benchmarks.sanitise import check, check_joins, check_lanes, check_mcts
from tests.support.circuits import breakthrough, counter, random_circuit, tic_tac_toe
from tests.support.guarded_memory import (
    POISONS,
    Guarded,
    UncheckedAccess,
    guarded_allocations,
    same_for_all_poisons,
)

from stratagem.engine.mcts.search import Mcts
from stratagem.kernels import Array, Record
from stratagem.loading import load
from stratagem.machines.joins.machine import JoinsMachine

STRAY = """
import ctypes, faulthandler
from tests.support.guarded_memory import Guarded
guarded = Guarded(5, 4, 0)
ctypes.memset(guarded.rows.ctypes.data + {offset}, 1, 1)
print("survived")
"""


@pytest.mark.parametrize(("offset", "survives"), [(0, True), (159, True), (160, False), (-4096, False)])
def test_a_stray_access_ends_the_process(offset, survives):
    ran = subprocess.run(
        [sys.executable, "-c", STRAY.format(offset=offset)], capture_output=True, text=True, check=False
    )
    assert (ran.returncode == 0) == survives
    assert ("survived" in ran.stdout) == survives


def test_a_write_just_before_the_buffer_is_seen():
    guarded = Guarded(5, 4, 7)
    assert guarded.rows.shape == (5, 4)
    assert (guarded.rows == 7).all()
    guarded.verify("the frame")
    guarded.margin[-1] = 0
    with pytest.raises(UncheckedAccess, match="the frame was written to before its first row"):
        guarded.verify("the frame")


def test_a_result_that_depends_on_scratch_is_found_out():
    assert same_for_all_poisons(lambda poison: 5, "five") == 5
    with pytest.raises(
        UncheckedAccess, match="the leak: the result depends on what was in the scratch memory"
    ):
        same_for_all_poisons(lambda poison: poison & 1, "the leak")
    assert len(set(POISONS)) == len(POISONS)


@pytest.mark.parametrize(
    "circuit",
    [
        tic_tac_toe(),
        breakthrough(5, 5),
        counter(20),
        random_circuit(5, roles=3, bases=70, moves=40, gates=200),
        random_circuit(8, roles=2, bases=9, moves=5, gates=90, loops=2),
    ],
    ids=["tic-tac-toe", "breakthrough", "counter", "wide", "loops"],
)
def test_kernels_keep_to_their_memory(circuit):
    assert "compiled" in check(circuit)
    assert "walked lanes" in check_lanes(circuit)


@pytest.mark.parametrize("name", ["tictactoe", "rockpaperscissors", "hexapawn", "buttonsandlights"])
def test_mcts_and_joins_stay_within_their_arrays(name: str) -> None:
    assert [*check_mcts(load(name)), *check_joins(name)] == ["mcts", "joins"]


def arrays_of(record: Record) -> Iterator[tuple[str, Array]]:
    """The arrays of a record and of those within it, by name; those without elements are left out."""
    for name, held in record.record_held.items():
        if isinstance(held, Record):
            yield from arrays_of(held)
        elif isinstance(held, Array) and held.numpy.nbytes:
            yield name, held


def is_guarded(array: Array) -> bool:
    values = array.numpy
    return (values.ctypes.data + values.nbytes) % mmap.PAGESIZE == 0


def test_nearly_all_arrays_of_mcts_and_of_joins_end_at_a_forbidden_page() -> None:
    game = load("tictactoe")
    with guarded_allocations(0, "stratagem.engine.mcts"):
        (thread,) = Mcts(game, memory=1 << 22)._threads
    free = {name for name, array in arrays_of(thread) if not is_guarded(array)}
    playouts = {"block", "room", "root"}  # `check_lanes` guards those
    assert free <= playouts | {"token_mask", "token_values", "tables", "first_move"}
    with guarded_allocations(0, "stratagem.machines.joins"):
        joins = load("tictactoe", machine="joins")
        joins.playouts(n=2)
    assert isinstance(joins.machine, JoinsMachine)
    work = joins.machine.evaluator.work
    free = {name for name, array in arrays_of(work) if not is_guarded(array)}
    assert free <= {"stamps", "first_needed"}

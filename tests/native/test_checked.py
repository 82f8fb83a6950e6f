"""Check mode: what leaves its bounds dies, what reads scratch is found out, and the kernels do neither."""

from __future__ import annotations

import subprocess
import sys

import pytest
from benchmarks.sanitise import check
from tests.support.circuits import breakthrough, counter, random_circuit, tic_tac_toe
from tests.support.guarded_memory import POISONS, Guarded, UncheckedAccess, same_for_all_poisons

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

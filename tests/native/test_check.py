"""The sanitising check: finds nothing wrong in native code, and finds what is made wrong on purpose."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from tests.support.circuits import random_circuit
from tests.support.phase_checker import Checker
from tests.support.traces import sheet_names, sheet_path

from stratagem.errors import GroundingError
from stratagem.loading import load
from stratagem.native.batch import COMPILED_GATES
from stratagem.native.phases.phase_tables import WIDE, PhaseTables


@pytest.mark.parametrize("name", ["tictactoe", "connectfour", "tron", "hex", "breakthrough"])
def test_interpreted_and_compiled_phases_keep_to_their_frames(name: str) -> None:
    circuit = load(name, **({"size": 4} if name == "hex" else {})).circuit
    checker = Checker(circuit, seed=1)
    assert checker.walk(plies=4) == []
    checker.compile()
    assert {table.tier for table in checker.tables.values()} == {"optimised"}
    assert checker.walk(plies=4) == []


@settings(max_examples=25)
@given(some.integers(0, 10**6), some.integers(1, 3), some.integers(0, 3))
def test_random_circuits_keep_to_their_frames(seed: int, roles: int, loops: int) -> None:
    circuit = random_circuit(seed, roles=roles, bases=9, moves=3, gates=70, loops=loops)
    checker = Checker(circuit, seed=seed)
    if seed % 5 == 0:
        checker.compile()
    assert checker.walk(plies=3) == []


def sabotaged(place: int, row: int | None) -> list[str]:
    """What is found after an operand of one interpreted gate was given another row, by default one past the frame."""
    circuit = load("tictactoe").circuit
    phases = PhaseTables(circuit)
    wide = phases.wide
    _, keep = next(entry for entry in wide._kept if entry[0].ctypes.data == wide.addresses[1])
    instructions = keep[0][1:].view(np.uint32).reshape(-1, 4)
    instructions[5, place] = 8 * WIDE * (wide.rows if row is None else row)
    return [fault.what for fault in Checker(circuit, phases=phases).walk(plies=3)]


def test_a_gate_that_reads_a_wrong_row_is_found() -> None:
    assert any("not what the circuit says" in what for what in sabotaged(2, 1))


def test_a_gate_that_reads_outside_of_the_frame_is_found() -> None:
    assert any("not what the circuit says" in what for what in sabotaged(2, None))


def test_a_gate_that_writes_outside_of_the_frame_is_found() -> None:
    assert "wrote outside of its frame" in sabotaged(1, None)


def test_a_gate_that_writes_over_an_input_is_found() -> None:
    assert any("are inputs and were changed" in what for what in sabotaged(1, 0))


@pytest.mark.slow
@pytest.mark.parametrize("name", sheet_names("games"))
def test_four_seconds_of_every_sheet_of_the_corpus_find_nothing_wrong(name: str) -> None:
    try:
        circuit = load(sheet_path(name), machine="native").circuit
    except GroundingError as refused:
        pytest.skip(f"the rules could not be ground: {refused}")
    checker = Checker(circuit, seed=1)
    faults = checker.walk(plies=10**9, seconds=2)
    if checker.phases.expansion_gates <= COMPILED_GATES // 4:
        checker.compile()
        faults += checker.walk(plies=10**9, seconds=2)
    assert faults == []
    assert checker.plies > 0

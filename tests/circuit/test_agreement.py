"""The circuit against the reasoner on random sheets, and against the reference on real ones."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from tests.support.small_sheets import assert_same_play, sheet_of, small_sheets
from tests.support.traces import DIFFERENT_ON_PURPOSE, agree, sheet_names, sheet_path, trace

from stratagem.circuit.compiler.budget import CompileBudget
from stratagem.circuit.compiler.compile import circuit_of
from stratagem.errors import GroundingError, RulesError
from stratagem.loading import load
from stratagem.machines.compiled.interpreted import CircuitMachine
from stratagem.machines.reasoner.machine import ReasonerMachine

HERE = CompileBudget(instances_here=1e12)
UNSAFE = {"test_case_3b", "test_case_3e", "test_case_3f"}
QUICK = [
    "ticTacToe",
    "connectFour",
    "breakthrough",
    "buttons",
    "hanoi",
    "eightPuzzle",
    "crisscross",
    "chineseCheckers3",
    "maze",
    "blocks2player",
    "2pffa",
    "4pttc",
    "checkersTiny",
    "coins",
    "escortLatch",
    "futoshiki6__futoshiki",
    "gt_prisoner",
    "knightsTour",
    "lightsOut",
    "nim1",
    "pegEuro",
    "quad_5x5",
    "roshambo2",
    "snake_2008",
    "ttcc4",
    "mummyMaze2p_2007",
    "majorities",
    "biddingTicTacToe",
]


@settings(max_examples=60)
@given(small_sheets())
def test_the_circuit_of_any_sheet_plays_as_the_reasoner_does(text):
    sheet = sheet_of(text)
    circuit = CircuitMachine(circuit_of(sheet, budget=HERE))
    assert assert_same_play(ReasonerMachine(sheet), circuit, len(sheet.roles)) > 0


@pytest.mark.parametrize("name", QUICK)
def test_the_circuit_agrees_with_the_reference_on_the_first_states(name: str) -> None:
    _, states = trace(name)
    assert agree(load(sheet_path(name), machine="circuit"), states, most=12) > 0


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in sheet_names("games") if name not in QUICK])
def test_the_circuit_agrees_with_the_reference_on_every_state(name: str) -> None:
    _, states = trace(name)
    try:
        game = load(sheet_path(name), machine="circuit")
    except GroundingError as refused:
        pytest.skip(f"cannot be ground: {refused}")
    assert agree(game, states) > 0


@pytest.mark.parametrize("name", sheet_names("edge"))
def test_the_circuit_agrees_with_the_reference_on_its_edge_cases(name: str) -> None:
    if name in DIFFERENT_ON_PURPOSE:
        pytest.skip("different from the reference on purpose")
    _, states = trace(name, "edge")
    if name in UNSAFE:
        with pytest.raises(RulesError, match="has no values to take"):
            load(sheet_path(name, "edge"), machine="circuit")
    else:
        assert agree(load(sheet_path(name, "edge"), machine="circuit"), states) > 0

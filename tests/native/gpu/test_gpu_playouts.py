"""Matches on GPUs without a GPU: the kernels run on the processor, behind a driver of paper, and equal the CPU's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.support.circuits import (
    ballot,
    breakthrough,
    connect_four,
    counter,
    dead_end,
    random_circuit,
    tic_tac_toe,
)
from tests.support.fake_cuda import FakeCuda, processors_for_gpus

from stratagem.circuit.circuit import Circuit
from stratagem.errors import DeviceUnavailable, LimitExceeded, UnsuitableGame, UsageError
from stratagem.loading import load
from stratagem.native.compiled import CompiledGame
from stratagem.native.emit.playout import PlayoutPlan
from stratagem.native.gpu import cuda, held, lane_text, playouts, ptx
from stratagem.native.gpu.batch.batch import GpuBatch
from stratagem.native.gpu.devices import chosen_devices
from stratagem.native.gpu.playouts import memory_of
from stratagem.native.logic.turn_cycle import Tokens
from stratagem.native.playouts.playouts import Playouts
from stratagem.native.playouts.report import PlayoutReport

PLAN = PlayoutPlan(Tokens(1, {}), 0, True, ((0, 1),))


def both(circuit: Circuit, **asked: object) -> tuple[PlayoutReport, PlayoutReport]:
    """The same matches on the CPU and on the GPU of paper; lengths are complete only where they are asked for."""
    game: Playouts = CompiledGame(circuit).playouts
    reports = [game.play(device=device, **asked) for device in ("cpu", "cuda")]  # type: ignore[arg-type]
    known = {} if asked.get("lengths") else {"lengths": {}}
    return tuple(replace(report, seconds=0.0, threads=1, **known) for report in reports)  # type: ignore[arg-type, return-value]


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> FakeCuda:
    fake = FakeCuda()
    processors_for_gpus(monkeypatch, fake)
    return fake


@pytest.mark.parametrize("matches", [1, 100, 6000])
@pytest.mark.parametrize("make", [tic_tac_toe, connect_four, lambda: breakthrough(5, 5)])
def test_matches_are_the_cpus(fake: FakeCuda, make: object, matches: int) -> None:
    cpu, gpu = both(make(), matches=matches, seed=matches)  # type: ignore[operator]
    assert gpu == cpu
    assert gpu.matches == matches
    assert fake.used[1] > 0


def test_matches_by_first_move_are_the_cpus(fake: FakeCuda) -> None:
    cpu, gpu = both(tic_tac_toe(), matches=3000, seed=3, by_move=True)
    assert gpu == cpu
    assert len(gpu.moves) == 9


def test_lengths_are_written_down(fake: FakeCuda) -> None:
    cpu, gpu = both(tic_tac_toe(), matches=5000, seed=4, lengths=True)
    assert gpu == cpu
    assert sum(gpu.lengths.values()) == 5000


@pytest.mark.parametrize("limit", [1, 5, 9, 30, 100_000])
def test_matches_are_given_up_at_the_same_ply(fake: FakeCuda, limit: int) -> None:
    cpu, gpu = both(connect_four(), matches=500, seed=5, limit=limit)
    assert gpu == cpu


def test_long_matches_need_digits_from_memory(fake: FakeCuda, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(playouts, "DIGITS", (4, 4))
    cpu, gpu = both(counter(300), matches=200, seed=6, limit=16383)
    assert gpu == cpu
    assert gpu.longest > 255


def test_choices_of_several_roles_meet(fake: FakeCuda) -> None:
    cpu, gpu = both(
        ballot([[True, True, False], [True, False, True], [True, True, True]]), matches=2000, seed=7
    )
    assert gpu == cpu


@pytest.mark.parametrize("stuck", [0, 1])
@pytest.mark.parametrize("interpreted", [False, True])
def test_a_role_without_a_legal_move_draws_as_on_the_cpu(
    fake: FakeCuda, monkeypatch: pytest.MonkeyPatch, stuck: int, interpreted: bool
) -> None:
    monkeypatch.setattr(playouts.GpuPlayouts, "compiled", not interpreted)
    cpu, gpu = both(dead_end(stuck), matches=6000, seed=2, limit=40)
    assert gpu == cpu
    assert gpu.stuck > 0


@given(st.integers(0, 10_000), st.booleans())
@settings(max_examples=8, deadline=None)
def test_random_circuits_play_as_on_the_cpu(number: int, interpreted: bool) -> None:
    circuit = random_circuit(number)
    with pytest.MonkeyPatch.context() as patch:
        processors_for_gpus(patch, FakeCuda())
        if interpreted:
            patch.setattr(playouts.GpuPlayouts, "compiled", False)
        assume(circuit.gate_count < 2000)
        cpu, gpu = both(circuit, matches=300, seed=number, limit=40)
    assert gpu == cpu


@pytest.mark.parametrize("near", [True, False])
def test_long_code_is_cut_into_functions(fake: FakeCuda, monkeypatch: pytest.MonkeyPatch, near: bool) -> None:
    monkeypatch.setattr(lane_text, "PIECE_LINES", 150)
    monkeypatch.setattr(playouts, "REGISTER_GATES", 0)
    if not near:
        monkeypatch.setattr(playouts, "memory_of", lambda *_: (lane_text.FrameMemory(0, 0), 64))
    cpu, gpu = both(connect_four(), matches=1000, seed=8)
    assert gpu == cpu


@pytest.mark.parametrize("limit", [9, 100_000])
@pytest.mark.parametrize("make", [tic_tac_toe, connect_four, lambda: counter(20)])
def test_goals_that_are_put_off_are_counted(
    fake: FakeCuda, monkeypatch: pytest.MonkeyPatch, make: Callable[[], Circuit], limit: int
) -> None:
    monkeypatch.setattr(held, "GOAL_GATES", 0)
    monkeypatch.setattr(playouts, "REGISTER_GATES", 0)
    monkeypatch.setattr(lane_text, "PIECE_LINES", 150)
    monkeypatch.setattr("stratagem.native.gpu.launch.FIRST_CYCLES", 7)
    monkeypatch.setattr("stratagem.native.gpu.launch.MOST_CYCLES", 7)
    circuit = make()
    assert held.worth_holding(circuit, PLAN)
    cpu, gpu = both(circuit, matches=2000, seed=13, limit=limit)
    assert gpu == cpu
    written = both(circuit, matches=300, seed=13, limit=limit, lengths=True)
    assert written[0] == written[1]


def test_goals_are_put_off_where_they_are_most_of_the_gates() -> None:
    reversi, four = load("reversi").circuit, load("connectfour").circuit
    assert held.worth_holding(reversi, PLAN) and not held.worth_holding(four, PLAN)
    assert not held.worth_holding(reversi, replace(PLAN, outcomes=()))
    assert len(held.all_outcomes(reversi)) == 16
    cells = {number for number, base in enumerate(reversi.bases) if "cell" in str(base)}
    assert set(held.read_bases(reversi)) <= cells


@pytest.mark.parametrize("name", ["tictactoe", "hex"])
def test_gates_are_interpreted_where_there_are_loops_or_too_many(
    fake: FakeCuda, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(playouts.GpuPlayouts, "compiled", False)
    game = load(name)
    cpu, gpu = (game.playouts(n=300, seed=9, device=device) for device in ("cpu", "cuda"))
    assert (gpu.outcomes, gpu.plies, gpu.longest) == (cpu.outcomes, cpu.plies, cpu.longest)


def test_gates_are_interpreted_where_a_driver_would_assemble_them_for_too_long(
    fake: FakeCuda, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ptx, "MOST_LINES", 100)
    for asked in ({}, {"by_move": True}):
        cpu, gpu = both(tic_tac_toe(), matches=500, seed=9, **asked)
        assert gpu == cpu
    game = CompiledGame(tic_tac_toe()).batch(100, device="cuda")
    assert isinstance(game, GpuBatch)
    assert game.kernels.interpreted


def test_several_gpus_share_the_words(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = FakeCuda(3)
    processors_for_gpus(monkeypatch, fake)
    cpu, gpu = both(tic_tac_toe(), matches=9000, seed=10)
    assert gpu == cpu
    assert set(fake.used) == {1, 2, 3}


def test_a_launch_is_repeated_until_all_is_played(fake: FakeCuda, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stratagem.native.gpu.launch.FIRST_CYCLES", 1)
    monkeypatch.setattr("stratagem.native.gpu.launch.MOST_CYCLES", 2)
    cpu, gpu = both(connect_four(), matches=500, seed=11)
    assert gpu == cpu
    assert fake.used[1] > 10


def test_memory_is_given_back(fake: FakeCuda) -> None:
    game = CompiledGame(tic_tac_toe())
    game.playouts.play(matches=100, device="cuda")
    kept = len(fake.memory)
    game.playouts.play(matches=5000, device="cuda")
    assert len(fake.memory) == kept


def test_a_device_has_a_name(fake: FakeCuda) -> None:
    assert chosen_devices("cpu") is None
    assert [device.number for device in chosen_devices("cuda:0") or ()] == [0]
    for name in ("gpu", "cuda:x", "cuda:-1", ""):
        with pytest.raises(UsageError, match="is not a device"):
            chosen_devices(name)
    with pytest.raises(UsageError, match="no GPU number 4; this machine shows 1"):
        chosen_devices("cuda:4")


def test_uncompiled_rules_are_refused() -> None:
    game = load("tictactoe", machine="reasoner")
    with pytest.raises(UnsuitableGame, match="only compiled rules run on a GPU"):
        game.playouts(n=10, device="cuda")


def test_a_missing_driver_is_said_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    cuda.system_driver.cache_clear()
    monkeypatch.setattr(cuda, "cuda_library", lambda: "libno-such-driver.so")
    with pytest.raises(
        DeviceUnavailable, match=r"driver \(libno-such-driver.so\) is not installed.*device=\"cpu\""
    ):
        cuda.system_driver()


def test_no_gpu_a_dead_driver_and_an_old_gpu_are_said_in_a_sentence() -> None:
    with pytest.raises(DeviceUnavailable, match="no NVIDIA GPU is visible"):
        cuda.Driver(FakeCuda(failing={"cuInit": 100}))
    with pytest.raises(DeviceUnavailable, match=r"does not start .CUDA_ERROR_999."):
        cuda.Driver(FakeCuda(failing={"cuInit": 999}))
    with pytest.raises(DeviceUnavailable, match="no NVIDIA GPU is visible"):
        cuda.devices(cuda.Driver(FakeCuda(0)))
    with pytest.raises(DeviceUnavailable, match=r"compute capability 6.1; kernels need 7.0 or newer"):
        cuda.devices(cuda.Driver(FakeCuda(attributes={75: 6, 76: 1})))


def test_too_little_memory_and_other_failures_are_said_in_a_sentence() -> None:
    fake = FakeCuda()
    (device,) = cuda.devices(cuda.Driver(fake))
    fake.failing["cuMemAlloc_v2"] = 2
    with pytest.raises(LimitExceeded, match="too little free memory"):
        device.allocate(100)
    fake.failing["cuMemGetInfo_v2"] = 700
    with pytest.raises(DeviceUnavailable, match="CUDA_ERROR_700 in cuMemGetInfo_v2"):
        device.free_memory()


def test_code_that_the_driver_rejects_is_said_in_a_sentence() -> None:
    fake = FakeCuda(failing={"cuModuleLoadDataEx": 222})
    (device,) = cuda.devices(cuda.Driver(fake))
    with pytest.raises(UnsuitableGame, match="rejects the generated code: CUDA_ERROR_222"):
        cuda.Module(device, b"", "playout")
    fake.driver_version = 11040
    with pytest.raises(DeviceUnavailable, match=r"knows CUDA 11.4; kernels need 11.8 or newer; update"):
        cuda.Module(device, b"", "playout")


def test_states_live_where_they_fit() -> None:
    shared = 232448
    assert memory_of(745, 86, 0, shared)[0] == lane_text.FrameMemory(86, 0)
    assert memory_of(1600, 130, 160, shared)[0] == lane_text.FrameMemory(130, 160)
    assert memory_of(4249, 235, 352, shared) == (lane_text.FrameMemory(0, 587), 64)
    assert memory_of(9000, 500, 900, shared)[0] == lane_text.FrameMemory(0, 500)
    assert memory_of(9000, 2000, 900, shared)[0] == lane_text.FrameMemory(0, 0)


def test_a_seed_gives_the_same_report_twice(fake: FakeCuda) -> None:
    game = CompiledGame(tic_tac_toe()).playouts
    one, other = (game.play(matches=700, seed=12, device="cuda") for _ in range(2))
    assert one.outcomes == other.outcomes
    assert np.isclose(sum(one.outcomes.values()), 700)

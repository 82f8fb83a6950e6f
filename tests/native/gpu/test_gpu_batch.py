"""Batches on a GPU without a GPU: the kernels run on the processor, behind a driver of paper, and equal the CPU's batch."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as some
from tests.support.circuits import ballot, breakthrough, connect_four, random_circuit, tic_tac_toe
from tests.support.fake_cuda import FakeCuda, processors_for_gpus

from stratagem.circuit.circuit import Circuit
from stratagem.loading import load
from stratagem.native.compiled import CompiledGame
from stratagem.native.device_batch import DeviceBatch
from stratagem.native.gpu import lane_text
from stratagem.native.gpu.batch import kernels
from stratagem.native.gpu.batch.batch import GpuBatch


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> FakeCuda:
    fake = FakeCuda()
    processors_for_gpus(monkeypatch, fake)
    return fake


def worth(circuit: Circuit) -> np.ndarray:
    return np.arange(1, 2 + sum(map(len, circuit.goals)), dtype=np.float32)


def assert_same(circuit: Circuit, gpu: DeviceBatch, cpu: DeviceBatch) -> None:
    """Everything that a batch can be asked is the same."""
    asked: list[Callable[[DeviceBatch], object]] = [
        lambda batch: batch.terminated(),
        lambda batch: batch.refused(),
        lambda batch: batch.goals(),
        lambda batch: batch.rewards(worth(circuit)),
        lambda batch: batch.states(),
        lambda batch: batch.observations(),
        lambda batch: batch.random_actions(77),
    ]
    for role in range(len(circuit.roles)):
        asked += [lambda batch, role=role: batch.legal(role), lambda batch, role=role: batch.choices(role)]
    for number, question in enumerate(asked):
        one, other = np.asarray(question(gpu)), np.asarray(question(cpu))
        assert one.dtype == other.dtype and one.shape == other.shape
        assert np.array_equal(one, other), number


def played(circuit: Circuit, n: int, plies: int) -> None:
    """The same calls to a batch on the CPU and on the GPU of paper."""
    game = CompiledGame(circuit)
    cpu, gpu = game.batch(n), game.batch(n, device="cuda")
    assert isinstance(gpu, GpuBatch)
    random = np.random.default_rng(1)
    assert_same(circuit, gpu, cpu)
    for ply in range(plies):
        match ply % 4:
            case 0:
                cpu.step_random(ply)
                gpu.step_random(ply)
            case 1:
                actions = cpu.random_actions(ply)
                changed = random.random(actions.shape) < 0.2
                actions[changed] = random.integers(-3, 6, changed.sum())
                which = random.random(n) < 0.8
                found = cpu.step(actions, which, strict=False)
                assert gpu.step(actions, which, strict=False) == found
            case 2:
                actions = gpu.random_actions(ply)
                assert gpu.step(actions, None, strict=True) == cpu.step(
                    np.asarray(actions), None, strict=True
                )
            case _:
                over = cpu.terminated() | (random.random(n) < 0.05)
                cpu.reset(over)
                gpu.reset(over)
                role = ply % len(circuit.roles)
                assert cpu.advance_to_choice(role, ply, 50) == gpu.advance_to_choice(role, ply, 50)
        assert_same(circuit, gpu, cpu)
    other = gpu.copy()
    gpu.load(np.asarray(cpu.states())[::-1].copy())
    cpu.load(cpu.states()[::-1].copy())
    assert_same(circuit, gpu, cpu)
    other.reset(None)
    assert_same(circuit, other, game.batch(n))


@pytest.mark.parametrize("n", [1, 70, 515])
@pytest.mark.parametrize("make", [tic_tac_toe, connect_four, lambda: breakthrough(5, 5)])
def test_a_batch_is_the_cpus(fake: FakeCuda, make: Callable[[], Circuit], n: int) -> None:
    played(make(), n, 8 if n > 500 else 12)
    assert fake.launched["step"] > 0


def test_an_empty_batch_is_a_batch(fake: FakeCuda) -> None:
    played(tic_tac_toe(), 0, 4)


def test_choices_of_several_roles_meet(fake: FakeCuda) -> None:
    played(ballot([[True, True, False], [True, False, True], [True, True, True]]), 67, 8)


@pytest.mark.parametrize("make", [connect_four, lambda: breakthrough(5, 5)])
def test_large_circuits_are_cut_into_functions(
    fake: FakeCuda, monkeypatch: pytest.MonkeyPatch, make: Callable[[], Circuit]
) -> None:
    monkeypatch.setattr(kernels, "SMALL_GATES", 0)
    monkeypatch.setattr(lane_text, "PIECE_LINES", 150)
    played(make(), 70, 8)


@pytest.mark.parametrize("make", [connect_four, lambda: breakthrough(5, 5)])
def test_larger_ones_are_interpreted_in_launches_that_fit(
    fake: FakeCuda, monkeypatch: pytest.MonkeyPatch, make: Callable[[], Circuit]
) -> None:
    monkeypatch.setattr(kernels, "COMPILED_GATES", 0)
    played(make(), 70, 8)
    monkeypatch.setattr(kernels, "FRAME_SHARE", 0.0)
    monkeypatch.setattr(kernels, "THREADS", 4)
    before = fake.launched["step"]
    played(make(), 515, 1)
    assert fake.launched["step"] - before >= 8


def test_loops_are_interpreted(fake: FakeCuda) -> None:
    game = load("hex")
    assert game.circuit.loops
    played(game.circuit, 66, 4)


@given(some.integers(0, 10_000), some.booleans())
@settings(max_examples=10, deadline=None)
def test_batches_of_random_circuits_are_the_cpus(number: int, interpreted: bool) -> None:
    circuit = random_circuit(number)
    assume(circuit.gate_count < 2000)
    with pytest.MonkeyPatch.context() as patch:
        processors_for_gpus(patch, FakeCuda())
        if interpreted:
            patch.setattr(kernels, "COMPILED_GATES", 0)
        played(circuit, 65, 8)

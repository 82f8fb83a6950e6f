"""Arrays of a batch on a GPU: handed to other libraries and taken from them without a copy, and what goes wrong in a sentence."""

from __future__ import annotations

import gc
import pickle
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from tests.support.fake_cuda import FakeCuda, processors_for_gpus

from stratagem.errors import DeviceUnavailable, IllegalMove, LimitExceeded, UsageError
from stratagem.loading import load
from stratagem.native.gpu import cuda, devices
from stratagem.native.gpu.batch import dlpack
from stratagem.native.gpu.batch.arrays import DeviceArray
from stratagem.native.gpu.batch.intake import uploaded
from stratagem.simulation.batch import Batch


class Foreign:
    """An array of another library."""

    def __init__(self, array: DeviceArray, number: int = 0) -> None:
        self.array, self.number, self.shape = array, number, array.shape

    def __dlpack__(self, *, stream: int | None = None) -> object:
        assert stream == dlpack.LEGACY_STREAM
        return self.array.__dlpack__(stream=stream)

    def __dlpack_device__(self) -> tuple[int, int]:
        return dlpack.CUDA, self.number


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> FakeCuda:
    fake = FakeCuda()
    processors_for_gpus(monkeypatch, fake)
    return fake


@pytest.fixture
def pair(fake: FakeCuda) -> tuple[Batch, Batch]:
    """The same matches of tic-tac-toe on the CPU and on the GPU of paper."""
    game = load("tictactoe")
    return game.batch(70), game.batch(70, device="cuda")


def there(batch: Batch, values: np.ndarray[Any, Any]) -> Foreign:
    """*values* on the GPU, as another library has them."""
    kernels = batch._lanes.kernels  # type: ignore[attr-defined]
    return Foreign(uploaded(kernels, values))


def assert_same(cpu: Batch, gpu: Batch) -> None:
    assert np.array_equal(gpu.states, cpu.states)
    assert np.array_equal(gpu.rewards, cpu.rewards)


def test_an_array_is_handed_over_and_comes_back_when_it_is_given_back(pair: tuple[Batch, Batch]) -> None:
    gpu: Any = pair[1]
    array = gpu.observations()
    assert array.__dlpack_device__() == (2, 0)
    borrowed = dlpack.Borrowed(array, 0)
    assert borrowed.address == array.address and borrowed.shape == (70, 29)
    assert (borrowed.code, borrowed.bits) == (6, 8) and borrowed.packed
    place = array.address
    del array
    gc.collect()
    assert gpu.observations().address != place, "the memory is still in use"
    borrowed.give_back()
    assert not dlpack._exported
    gc.collect()
    assert place in [array.address for array in (gpu.observations(), gpu.observations())]


def test_a_capsule_that_nobody_takes_gives_the_array_back(pair: tuple[Batch, Batch]) -> None:
    capsule: Any = pair[1].rewards.__dlpack__()
    assert len(dlpack._exported) == 1
    del capsule
    gc.collect()
    assert not dlpack._exported


@pytest.mark.parametrize("asked", [{"copy": True}, {"dl_device": (1, 0)}])
def test_an_array_is_not_copied_elsewhere(pair: tuple[Batch, Batch], asked: Mapping[str, Any]) -> None:
    with pytest.raises(BufferError, match="without a copy"):
        pair[1].rewards.__dlpack__(**asked)
    with pytest.raises(ValueError, match="has to be copied"):
        np.asarray(pair[1].rewards, copy=False)


@pytest.mark.parametrize("kind", [np.int8, np.int16, np.int32, np.int64, np.uint64])
def test_actions_of_another_library_are_taken(pair: tuple[Batch, Batch], kind: type) -> None:
    cpu, gpu = pair
    whole = cpu.random_actions(1)
    gpu.step(there(gpu, np.maximum(whole, 0).astype(kind)))  # type: ignore[arg-type]
    cpu.step(np.maximum(whole, 0))
    assert_same(cpu, gpu)
    own = cpu.random_actions(2)[:, 1].astype(kind)
    gpu.step({"oplayer": there(gpu, own)})  # type: ignore[dict-item]
    cpu.step({"oplayer": own})
    assert_same(cpu, gpu)
    assert not dlpack._exported


def test_numbers_that_are_too_large_stay_too_large(pair: tuple[Batch, Batch]) -> None:
    gpu = pair[1]
    for wrong in (2**40 + 1, -(2**40)):
        with pytest.raises(IllegalMove, match=r"match 0: action -?2147483"):
            gpu.step({"xplayer": there(gpu, np.full(70, wrong))})  # type: ignore[dict-item]


def test_flags_and_room_of_another_library_are_taken(pair: tuple[Batch, Batch]) -> None:
    cpu, gpu = pair
    which = np.arange(70) % 3 == 0
    actions = cpu.random_actions(3)
    cpu.step(actions, where=which)
    gpu.step(actions, where=there(gpu, which))  # type: ignore[arg-type]
    assert_same(cpu, gpu)
    room = there(gpu, np.zeros((70, 29), np.bool_))
    assert gpu.observations(out=room) is room  # type: ignore[arg-type]
    assert np.array_equal(np.asarray(room.array), cpu.observations())
    cpu.reset(which)
    gpu.reset(there(gpu, which))  # type: ignore[arg-type]
    assert_same(cpu, gpu)
    assert np.array_equal(gpu.planes(), cpu.planes())


def test_the_rest_of_a_batch_works_on_a_gpu(pair: tuple[Batch, Batch]) -> None:
    cpu, gpu = pair
    for batch in pair:
        batch.step_greedy(seed=1)
        batch.advance_to_choice("xplayer", seed=2)
    assert_same(cpu, gpu)
    assert gpu.state(69) == cpu.state(69)
    assert np.array_equal(gpu.select([3, 3, 5]).states, cpu.select([3, 3, 5]).states)
    assert np.array_equal(pickle.loads(pickle.dumps(gpu)).states, cpu.states)
    gpu.set_states(gpu.states)
    assert np.array_equal(gpu.copy().states, cpu.states)
    assert "on a GPU of paper" in repr(gpu.states) and len(gpu.states) == 70
    with pytest.raises(IndexError, match="no row 70 in 70"):
        gpu.states[70]


def test_what_cannot_be_taken_is_refused_in_a_sentence(pair: tuple[Batch, Batch]) -> None:
    gpu: Any = pair[1]
    with pytest.raises(UsageError, match="actions are an array of 70 by 2 indices, not"):
        gpu.step(there(gpu, np.zeros((70, 3), np.int32)))
    with pytest.raises(UsageError, match="the actions of xplayer are 70 indices, not"):
        gpu.step({"xplayer": there(gpu, np.zeros(3, np.int32))})
    with pytest.raises(UsageError, match="actions are whole numbers"):
        gpu.step({"xplayer": there(gpu, np.zeros(70))})
    with pytest.raises(UsageError, match="a packed array of bools"):
        gpu.reset(there(gpu, np.zeros(70, np.int32)))
    with pytest.raises(UsageError, match="on another device than GPU 0"):
        gpu.step({"xplayer": Foreign(there(gpu, np.zeros(70, np.int32)).array, 1)})
    wrong = np.ones(70, np.int32)
    wrong[2] = 77
    with pytest.raises(IllegalMove, match="match 2: action 77 is not legal for xplayer"):
        gpu.step({"xplayer": there(gpu, wrong)})


def test_memory_is_used_again_and_given_back(fake: FakeCuda) -> None:
    batch = load("tictactoe").batch(600, device="cuda")
    for seed in range(3):
        batch.step_random(seed)
        _ = batch.rewards, batch.masks
    kept = fake.calls["cuMemAlloc_v2"]
    for seed in range(20):
        batch.step_random(seed)
        _ = batch.rewards, batch.masks
    assert fake.calls["cuMemAlloc_v2"] == kept
    for size in range(1, 60):
        batch._lanes.kernels.pool.array((1000 * size,), np.uint8)  # type: ignore[attr-defined]
    assert len(batch._lanes.kernels.pool._free) <= 16  # type: ignore[attr-defined]


def test_a_missing_gpu_and_too_little_memory_are_said_in_a_sentence(
    fake: FakeCuda, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = load("tictactoe")
    with pytest.raises(UsageError, match="no GPU number 3"):
        game.batch(5, device="cuda:3")
    batch = game.batch(5, device="cuda")
    fake.failing["cuMemAlloc_v2"] = 2
    with pytest.raises(LimitExceeded, match="too little free memory for these matches"):
        game.batch(50_000, device="cuda")
    with pytest.raises(LimitExceeded, match="too little free memory"):
        batch.observations()
    cuda.system_driver.cache_clear()
    cuda.system_devices.cache_clear()
    monkeypatch.setattr(devices, "system_devices", cuda.system_devices)
    monkeypatch.setattr(cuda, "cuda_library", lambda: "libno-such-driver.so")
    with pytest.raises(DeviceUnavailable, match="is not installed on this machine"):
        game.batch(5, device="cuda")

"""Many matches of one game on a GPU: the `DeviceBatch` of NVIDIA's devices. Nothing is copied that is not asked for.

Blocks are the CPU's (`native.batch`), so that one match is one bit there, too, and results are the CPU's bit for bit.
Answers are `DeviceArray`s, which stand where the CPU's batch has numpy's arrays.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from stratagem.kernels.splitmix import FIRST_FACTOR, SECOND_FACTOR, WORD
from stratagem.native.device_batch import DeviceBatch
from stratagem.native.gpu.batch.arrays import DeviceArray
from stratagem.native.gpu.batch.intake import joint_on_device, taken_bools, uploaded
from stratagem.native.gpu.batch.kernels import BatchKernels
from stratagem.native.gpu.batch.moves import EVERYBODY
from stratagem.native.gpu.batch.step_code import BLOCK, KEEP, RANDOM, STILL
from stratagem.native.packing import packed_truth, words_of

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

NOTHING_FOUND: Final = 0xFF
"""The byte that *found* is filled with before a step: -1, more than any match."""


class GpuBatch(DeviceBatch):
    """*n* matches, all at the start. A batch is a place, not a value: its methods change it."""

    def __init__(self, kernels: BatchKernels, n: int) -> None:
        self._make_room(kernels, int(n))
        self.reset(None)

    def _make_room(self, kernels: BatchKernels, n: int) -> None:
        self.kernels, self.device, self.count, self.threads = kernels, kernels.device, n, 1
        self.roles, self.rows = len(kernels.circuit.roles), kernels.rows
        size = -(-n // BLOCK) * kernels.rows.count * BLOCK // 8
        self._blocks, self._after = (self.device.allocate(size) for _ in range(2))
        self._found = self.device.allocate(8)

    def _like(self, n: int) -> GpuBatch:
        other = object.__new__(type(self))
        other._make_room(self.kernels, n)
        return other

    @property
    def _place(self) -> tuple[int, int]:
        """Where the blocks are and how many rows they have: what every view begins with."""
        return self._blocks.address.value, self.rows.count

    # looking

    def terminated(self) -> NDArray[np.bool_]:
        return self._row(self.rows.terminal)

    def refused(self) -> NDArray[np.bool_]:
        return self._row(self.rows.refused)

    def _row(self, row: int) -> NDArray[np.bool_]:
        """One byte for each match."""
        array = self.kernels.pool.array((self.count,), np.bool_)
        return self._looked("row_flags", array, row, self.count, array.address, total=-(-self.count // 8))

    def legal(self, role: int) -> NDArray[np.bool_]:
        rows = self.rows.moves[role]
        return self._flags(rows, (len(rows),))

    def observations(self, out: NDArray[np.bool_] | None = None) -> NDArray[np.bool_]:
        bases = self.rows.bases
        return self._flags(range(bases), (bases,), out)

    def gathered(self, index: NDArray[np.int32]) -> NDArray[np.bool_]:
        return self._flags(index.astype(np.int32).reshape(-1), index.shape)

    def _flags(
        self,
        rows: range | NDArray[np.int32],
        shape: tuple[int, ...],
        out: NDArray[np.bool_] | None = None,
    ) -> NDArray[np.bool_]:
        """One byte for each match and row."""
        shape = (self.count, *shape)
        pool = self.kernels.pool
        array = pool.array(shape, np.bool_) if out is None else taken_bools(self.kernels, out, shape)
        if isinstance(rows, range):
            index, first = 0, rows.start
        else:
            index, first = self.kernels.table(rows), -1
        size = len(rows)
        threads = -(-self.count // 32) * 32 * -(-size // 8)
        numbers = (index, first, size, self.count, array.address, array.address)
        if size:
            self.kernels.view("flags", threads, *self._place, *numbers)
        return array if out is None else out  # type: ignore[return-value]

    def choices(self, role: int) -> NDArray[np.bool_]:
        rows = self.rows.moves[role]
        array = self.kernels.pool.array((self.count,), np.bool_)
        numbers = (self.rows.terminal, rows.start, len(rows), self.count)
        return self._looked("choices", array, *numbers)

    def goals(self) -> NDArray[np.int16]:
        array = self._by_role(np.int16)
        numbers = (self.rows.goals, self.kernels.value_counts, self.roles, self.count)
        return self._looked("goals", array, *numbers, self.kernels.goal_values)

    def rewards(self, worth: NDArray[np.float32]) -> NDArray[np.float32]:
        array = self._by_role(np.float32)
        numbers = (self.rows.ended, self.rows.goals, self.kernels.value_counts, self.roles, self.count)
        return self._looked("rewards", array, *numbers, self.kernels.table(worth))

    def states(self) -> NDArray[np.uint64]:
        width = words_of(self.kernels.circuit)
        array = self.kernels.pool.array((self.count, width), np.uint64)
        return self._looked("pack", array, self.rows.bases, width, self.count, total=self.count * width)

    def random_actions(self, seed: int) -> NDArray[np.int32]:
        actions = self._by_role(np.int32)
        self._choose(EVERYBODY, seed & WORD, actions)
        return actions  # type: ignore[return-value]

    # going on

    def step(
        self, actions: NDArray[np.int32], which: NDArray[np.bool_] | None = None, *, strict: bool = True
    ) -> int:
        given = actions if isinstance(actions, DeviceArray) else uploaded(self.kernels, actions)
        flags = None if which is None else taken_bools(self.kernels, which, (self.count,))
        self._found.fill(NOTHING_FOUND, 8)
        self._run(given.address, 0 if flags is None else flags.address, 0)
        found = int(self._found.read(np.empty(1, np.int64))[0])
        if found < 0 or not strict:
            self._blocks, self._after = self._after, self._blocks
        return found

    def step_random(self, seed: int) -> None:
        self._random(EVERYBODY, seed & WORD, RANDOM)

    def advance_to_choice(self, role: int, seed: int, most: int) -> int:
        mode = RANDOM | KEEP
        for steps in range(most):
            self._found.fill(0, 8)
            actions = self._random(role, seed + _mixed(steps) & WORD, mode)
            waited = int(self._found.read(np.empty(1, np.int64))[0])
            del actions
            if not waited:
                return -1
        return 0

    def _random(self, role: int, seed: int, mode: int) -> DeviceArray:
        actions = self._by_role(np.int32)
        self._choose(role, seed, actions)
        self._run(actions.address, 0, mode)
        self._blocks, self._after = self._after, self._blocks
        return actions

    def _choose(self, role: int, seed: int, actions: DeviceArray) -> None:
        numbers = (self.rows.terminal, self.kernels.move_table, self.roles, role, seed, self.count)
        waiting = self._found.address.value
        self.kernels.view("choose", self.count, *self._place, *numbers, actions.address, waiting)

    def _run(self, actions: int, which: int, mode: int) -> None:
        blocks, after = self._blocks.address.value, self._after.address.value
        self.kernels.step(blocks, after, actions, which, self._found.address.value, self.count, mode)

    def reset(self, which: NDArray[np.bool_] | None) -> None:
        place, words = 0, -(-self.count // 64)
        if which is not None:
            flags = taken_bools(self.kernels, which, (self.count,))
            lanes = self.kernels.pool.array((words,), np.uint64)
            place = lanes.address
            self.kernels.view("words_of_flags", words, flags.address, self.count, place)
        numbers = (self.kernels.table(self._start()), self.count, place, int(which is None))
        self.kernels.view("reset", words * -(-self.rows.count // 8), *self._place, *numbers)

    def _start(self) -> NDArray[np.uint64]:
        """For each row of a block all ones where it holds at the start."""
        found = self.kernels.start
        if found is None:
            first = self._like(1)
            circuit = self.kernels.circuit
            first.load(packed_truth(circuit.initial, words_of(circuit))[None])
            block = first._blocks.read(np.empty((self.rows.count, BLOCK // 64), np.uint64))
            found = self.kernels.start = -(block[:, 0] & np.uint64(1))
        return found

    def load(self, states: NDArray[np.uint64]) -> None:
        packed = self.device.copy_of(states)
        width = words_of(self.kernels.circuit)
        threads = -(-self.count // BLOCK) * BLOCK // 64
        numbers = (self.rows.bases, width, self.count, packed.address.value)
        self.kernels.view("load", threads, *self._place, *numbers)
        actions = self._by_role(np.int32)
        self._run(actions.address, 0, STILL | RANDOM)
        self._blocks, self._after = self._after, self._blocks

    def copy(self) -> GpuBatch:
        other = self._like(self.count)
        other._blocks.copy_from(self._blocks)
        return other

    # arrays

    def joint(self, actions: object, numbers: Mapping[str, int]) -> Any:
        return joint_on_device(self.kernels, actions, numbers, self.count)

    def _by_role(self, kind: DTypeLike) -> DeviceArray:
        return self.kernels.pool.array((self.count, self.roles), kind)

    def _looked(
        self, entry: str, array: DeviceArray, *numbers: int, total: int | None = None
    ) -> NDArray[Any]:
        """*array*, filled by a view whose last argument it is."""
        threads = self.count if total is None else total
        self.kernels.view(entry, threads, *self._place, *numbers, array.address)
        return array  # type: ignore[return-value]


def _mixed(word: int) -> int:
    """`kernels.library.random_numbers.mixed` for one number."""
    word = (word ^ word >> 30) * FIRST_FACTOR & WORD
    word = (word ^ word >> 27) * SECOND_FACTOR & WORD
    return word ^ word >> 31

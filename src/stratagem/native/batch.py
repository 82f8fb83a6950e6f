"""Many matches of one game on the processor, as rows of bits: the `DeviceBatch` of numpy.

Inside, a match is one bit: every base proposition is a row of bits, in blocks of 512 matches, and a gate advances
512 of them. A million connect four matches take 14 megabytes, and as much again for the step that is being made.
The native code releases the interpreter's lock, and blocks are shared out among threads; no loop in Python is over
matches.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from math import prod
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from stratagem.circuit.circuit import Circuit
from stratagem.kernels import KernelFunction
from stratagem.native.device_batch import DeviceBatch
from stratagem.native.driver import batch as drive
from stratagem.native.driver import batch_views as view
from stratagem.native.driver.build import BATCH
from stratagem.native.driver.game_header import GameHeader
from stratagem.native.jit.kernel_families import compiled_family
from stratagem.native.packing import packed_truth
from stratagem.native.phases.phase_tables import WIDE
from stratagem.native.playouts.block import aligned_rows
from stratagem.platform import cores

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

COMPILED_GATES: Final = 20_000
"""Larger circuits stay interpreted unless `compile` is called: LLVM takes some milliseconds for every ten gates."""
BLOCK: Final = 64 * WIDE
"""Matches in a block."""
WORTH_COMPILING: Final = 10_000
"""Steps of a block after which machine code is made for the game, in the background."""
LINE: Final = 64
"""Bytes of a cache line."""
SHARE: Final = 32
"""Blocks that are worth a thread."""


@cache
def _workers() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(cores(), thread_name_prefix="stratagem-batch")


def aligned(shape: tuple[int, ...], kind: DTypeLike) -> NDArray[Any]:
    """An array with any contents that begins on a cache line, as libraries want it that take it over without a copy."""
    size = prod(shape) * np.dtype(kind).itemsize
    room = np.empty(size + LINE, np.uint8)
    start = -room.ctypes.data % LINE
    return room[start : start + size].view(kind).reshape(shape)


class CpuBatch(DeviceBatch):
    """*n* matches, all at the start. A batch is a place, not a value: its methods change it."""

    def __init__(self, header: GameHeader, n: int, *, threads: int | None = None) -> None:
        self._header, self._code = header, compiled_family(BATCH)
        self._make_room(int(n), threads or cores())
        self._start = self._first_block()
        self.reset(None)

    def _make_room(self, n: int, threads: int) -> None:
        self.count, self.threads, self._stepped = n, threads, 0
        self.blocks, self._after = self._room(-(-n // BLOCK)), self._room(-(-n // BLOCK))

    def _room(self, blocks: int) -> NDArray[np.uint64]:
        layout = self._header.phases.layout
        goals = sum(layout.values)
        rows = layout.bases + (layout.terminal - layout.moves[0].first) + 1 + goals + 2
        return aligned_rows(blocks * rows, WIDE).reshape(blocks, rows * WIDE)

    def _first_block(self) -> NDArray[np.uint64]:
        """A block whose first match is at the start: what a reset copies."""
        block = self._room(1)
        initial = packed_truth(self.circuit.initial, self._header.words)
        load: Callable[..., None] = self._code[drive.batch_load]
        load(self._header.address, block.ctypes.data, 0, 1, 1, initial.ctypes.data)
        return block

    def __len__(self) -> int:
        return self.count

    @property
    def circuit(self) -> Circuit:
        return self._header.circuit

    @property
    def roles(self) -> tuple[str, ...]:
        return self.circuit.roles

    # looking

    def terminated(self) -> NDArray[np.bool_]:
        return self._looked(view.batch_terminated, aligned((self.count,), np.bool_))

    def refused(self) -> NDArray[np.bool_]:
        return self._looked(view.batch_refused, aligned((self.count,), np.bool_))

    def goals(self) -> NDArray[np.int16]:
        return self._looked(view.batch_goals, self._by_role(np.int16))

    def rewards(self, worth: NDArray[np.float32]) -> NDArray[np.float32]:
        return self._looked(view.batch_rewards, self._by_role(np.float32), worth.ctypes.data)

    def legal(self, role: int) -> NDArray[np.bool_]:
        legal = aligned((self.count, len(self.circuit.moves[role])), np.bool_)
        return self._looked(view.batch_legal, legal, role)

    def choices(self, role: int) -> NDArray[np.bool_]:
        return self._looked(view.batch_choices, aligned((self.count,), np.bool_), role)

    def observations(self, out: NDArray[np.bool_] | None = None) -> NDArray[np.bool_]:
        if out is None:
            out = aligned((self.count, len(self.circuit.bases)), np.bool_)
        return self._looked(view.batch_observe, out)

    def gathered(self, index: NDArray[np.int32]) -> NDArray[np.bool_]:
        bases = len(self.circuit.bases)
        padded = np.zeros((self.count, bases + 1), np.bool_)
        padded[:, :bases] = self.observations()
        return padded[:, index]

    def states(self) -> NDArray[np.uint64]:
        return self._looked(view.batch_pack, aligned((self.count, self._header.words), np.uint64))

    def random_actions(self, seed: int) -> NDArray[np.int32]:
        return self._looked(drive.batch_choose, self._by_role(np.int32), seed & 0xFFFF_FFFF_FFFF_FFFF)

    # going on

    def _note_step(self) -> None:
        """Have machine code made for the game once that is worth its time."""
        before, self._stepped = self._stepped, self._stepped + len(self.blocks)
        phases = self._header.phases
        if before < WORTH_COMPILING <= self._stepped and phases.expansion_gates <= COMPILED_GATES:
            phases.wide.compile()

    def joint(self, actions: object, numbers: Mapping[str, int]) -> None:
        """Numpy can read everything."""

    def step(self, actions: NDArray[np.int32], which: NDArray[np.bool_] | None, *, strict: bool) -> int:
        self._note_step()
        which = np.ones(self.count, np.bool_) if which is None else which
        after = self._after.ctypes.data
        wrong = self._run(drive.batch_step, after, actions.ctypes.data, which.ctypes.data, strict)
        if wrong < 0 or not strict:
            self.blocks, self._after = self._after, self.blocks
        return wrong

    def step_random(self, seed: int) -> None:
        self._random(drive.EVERYBODY, 1, seed)

    def advance_to_choice(self, role: int, seed: int, most: int) -> int:
        return self._random(role, most, seed)

    def reset(self, which: NDArray[np.bool_] | None) -> None:
        which = np.ones(self.count, np.bool_) if which is None else which
        self._run(drive.batch_reset, which.ctypes.data, self._start.ctypes.data)

    def load(self, states: NDArray[np.uint64]) -> None:
        self._run(drive.batch_load, states.ctypes.data)

    def copy(self) -> CpuBatch:
        other = self.like(self.count)
        other.blocks[:] = self.blocks
        return other

    def like(self, n: int) -> CpuBatch:
        """Room for *n* matches of the same game, to be loaded."""
        other = object.__new__(type(self))
        other._header, other._code, other._start = self._header, self._code, self._start
        other._make_room(n, self.threads)
        return other

    # kernels

    def _by_role(self, kind: DTypeLike) -> NDArray[Any]:
        return aligned((self.count, len(self.roles)), kind)

    def _random(self, role: int, most: int, seed: int) -> int:
        self._note_step()
        actions = self._by_role(np.int32)
        return self._run(drive.batch_random, role, most, seed & 0xFFFF_FFFF_FFFF_FFFF, actions.ctypes.data)

    def _looked(self, kernel: KernelFunction[..., Any], out: NDArray[Any], *arguments: int) -> NDArray[Any]:
        """*out*, filled by a kernel whose last argument it is."""
        self._run(kernel, *arguments, out.ctypes.data)
        return out

    def _run(self, kernel: KernelFunction[..., Any], *arguments: int) -> int:
        """Run one kernel over all blocks, in threads; the lowest number of a match that it returns, else -1."""
        function: Callable[..., int | None] = self._code[kernel]
        blocks = len(self.blocks)
        rows, game = self.blocks.ctypes.data, self._header.address
        threads = max(1, min(self.threads, blocks // SHARE))
        if threads == 1:
            found = function(game, rows, 0, blocks, self.count, *arguments)
            return -1 if found is None else found

        def work(first: int, last: int) -> int:
            found = function(game, rows, first, last, self.count, *arguments)
            return -1 if found is None else found

        edges = [blocks * share // threads for share in range(threads + 1)]
        results = list(_workers().map(work, edges[:-1], edges[1:]))
        return min((result for result in results if result >= 0), default=-1)

"""Matches on GPUs: words are dealt to the devices, launched in slices, and added up. No code is made here.

Everything of one slice is bounded: its time, so that Ctrl-C is heard and a display stays alive, and its log. Between
slices the log is read and the launch repeated until no word has a match left.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import numpy as np

from stratagem.native.gpu import rows
from stratagem.native.gpu.rows import ThreadKernel, fill_lanes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stratagem.native.gpu.cuda import Device, DeviceMemory, Module
    from stratagem.native.playouts.report import Sums
    from stratagem.native.playouts.schedule import Deal

WAVES: Final = 16
"""How many times the words that a device runs at once are given to it together."""
FIRST_CYCLES: Final = 64
SLICE_SECONDS: Final = 0.25
"""How long one launch should take."""
MOST_CYCLES: Final = 1 << 24
MEMORY_SHARE: Final = 0.5
"""The part of a device's free memory that words may take."""


@dataclass(frozen=True, slots=True)
class DeviceKernel:
    """A kernel that is ready to run on one device."""

    device: Device
    kernel: ThreadKernel
    module: Module
    programs: DeviceMemory

    @property
    def words_at_once(self) -> int:
        """How many words run at the same time."""
        kernel = self.kernel
        blocks = self.module.blocks_per_multiprocessor(kernel.threads, kernel.near_bytes)
        return max(1, blocks) * self.device.multiprocessors * kernel.threads // 2


def play_deal(
    kernels: Sequence[DeviceKernel],
    roots: NDArray[np.uint32],
    dealt: Deal,
    seed: int,
    limit: int,
    sums: Sequence[Sums],
    *,
    now: Callable[[], float] = time.perf_counter,
) -> None:
    """Play all matches of *dealt* and add them to *sums*, one for each root; *roots* has the rows of each root."""
    words = len(dealt)
    runs = []
    for number, kernel in enumerate(kernels):
        part = slice(words * number // len(kernels), words * (number + 1) // len(kernels))
        if part.start < part.stop:
            runs.append(_DeviceRun(kernel, roots, dealt, part, seed, limit, now))
    if len(runs) == 1:
        runs[0].play()
    else:
        with ThreadPoolExecutor(len(runs)) as pool:
            for done in [pool.submit(run.play) for run in runs]:
                done.result()
    for run in runs:
        run.add_to(sums)


class _DeviceRun:
    """The words of one device."""

    def __init__(
        self,
        kernel: DeviceKernel,
        roots: NDArray[np.uint32],
        dealt: Deal,
        part: slice,
        seed: int,
        limit: int,
        now: Callable[[], float],
    ) -> None:
        self.ready, self.kernel = kernel, kernel.kernel
        self.roots = roots
        self.streams, self.quotas, self.places = dealt.streams[part], dealt.quotas[part], dealt.roots[part]
        self.seed, self.limit, self.now = seed, limit, now
        self.cycles = FIRST_CYCLES
        self.log: DeviceMemory | None = None
        self.found: list[tuple[NDArray[np.int64], NDArray[np.uint64], NDArray[np.uint32]]] = []
        self.written: list[tuple[NDArray[np.int64], NDArray[np.uint64]]] = []

    def play(self) -> None:
        room = self.words_in_memory()
        # As many waves as fit, and the words evenly over the launches.
        most = min(room, self.ready.words_at_once * (1 if self.kernel.frame_rows else WAVES))
        parts = -(-len(self.quotas) // max(1, most))
        edges = [len(self.quotas) * number // parts for number in range(parts + 1)]
        roots = self.ready.device.copy_of(self.roots)
        for first, last in pairwise(edges):
            self._play_some(roots, slice(first, last))

    @property
    def capacity(self) -> int:
        """Records in each thread's log: a few cycles of all lanes; more where every match is written down."""
        return 32 * self.kernel.period + (32 if self.kernel.outcomes else 480)

    def words_in_memory(self) -> int:
        kernel = self.kernel
        word = 8 * (rows.STATE + kernel.bases + 2 * (rows.COUNTS + len(kernel.outcomes)) + kernel.frame_rows)
        word += 16 * self.capacity * kernel.record + 4
        return max(32, int(MEMORY_SHARE * self.ready.device.free_memory() / word))

    def _play_some(self, roots: DeviceMemory, part: slice) -> None:
        """Some words, launch after launch until their quotas are played."""
        kernel, device = self.kernel, self.ready.device
        # Blocks are full: words that are missing have no matches to play.
        missing = -(part.stop - part.start) % (kernel.threads // 2)
        streams, quotas = np.pad(self.streams[part], (0, missing)), np.pad(self.quotas[part], (0, missing))
        owners: NDArray[np.int64] = np.pad(self.places[part], (0, missing))
        words = len(quotas)
        threads = 2 * words
        head = np.zeros((rows.AGE, words), np.uint64)
        fill_lanes(head, self.seed, streams, quotas, halves=True)
        lanes = device.allocate(8 * words * (rows.STATE + kernel.bases))
        lanes.write(head)
        counts = (rows.COUNTS + len(kernel.outcomes), threads)
        totals = device.allocate(8 * counts[0] * threads)
        places = device.copy_of(owners.astype(np.uint32))
        log = self._log(8 * threads * self.capacity * kernel.record)
        frames = device.allocate(4 * threads * kernel.frame_rows)
        arrays = [lanes, totals, roots, places, log, frames, self.ready.programs]
        digits = max((self.limit + kernel.period).bit_length(), kernel.digits + 1)
        blocks = threads // kernel.threads
        active = np.empty(words, np.uint64)
        while True:
            begin = self.now()
            numbers = [threads, self.cycles, self.limit, digits, self.capacity]
            self.ready.module.launch(blocks, kernel.threads, kernel.near_bytes, arrays, numbers)
            lanes.read(active, 8 * words * rows.ACTIVE)
            self._pace(self.now() - begin)
            self._drain(lanes, log, owners)
            if not active.any():
                break
        longest = lanes.read(np.empty(threads, np.uint32), 8 * words * rows.LONGEST)
        self.found.append((owners, totals.read(np.empty(counts, np.uint64)), longest))

    def _log(self, size: int) -> DeviceMemory:
        """Memory for the log: the same for all launches if it is large enough."""
        if self.log is None or self.log.size < size:
            self.log = self.ready.device.allocate(size, zeroed=False)
        return self.log

    def _pace(self, seconds: float) -> None:
        """Let the next launch take about as long as one should."""
        factor = min(8.0, SLICE_SECONDS / max(seconds, 1e-6))
        self.cycles = max(1, min(MOST_CYCLES, int(self.cycles * factor)))

    def _drain(self, lanes: DeviceMemory, log: DeviceMemory, places: NDArray[np.int64]) -> None:
        """Read the matches that were written down."""
        threads, record = 2 * len(places), self.kernel.record
        logged = lanes.read(np.empty(threads, np.uint32), 4 * threads * rows.LOGGED)
        most = int(logged.max())
        if most:
            records = log.read(np.empty((most, threads, record), np.uint64))
            valid = np.arange(most)[:, None] < logged[None, :]
            self.written.append((np.repeat(places, 2)[np.nonzero(valid)[1]], records[valid]))

    def add_to(self, sums: Sequence[Sums]) -> None:
        outcomes = self.kernel.outcomes
        for places, totals, longest in self.found:
            present = np.flatnonzero(np.bincount(places)).tolist()
            owners = np.repeat(places, 2)
            for root in present:
                own = slice(None) if len(present) == 1 else owners == root
                counts = totals[:, own].sum(axis=1).tolist()
                sums[root].add_counts(
                    counts[rows.PLIES],
                    counts[rows.STUCK],
                    counts[rows.OVER],
                    int(longest[own].max()),
                    dict(zip(outcomes, counts[rows.COUNTS :], strict=True)),
                )
        for owners, records in self.written:
            for root in np.unique(owners).tolist():
                sums[root].add_records(records[owners == root])

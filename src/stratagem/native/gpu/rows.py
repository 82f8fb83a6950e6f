"""The memory that threads of a GPU carry from launch to launch: rows of one value per thread, and totals.

A row has a 32-bit value for each thread, so a pair of threads has the 64 bits of a word: the states of a word are
those of the CPU's kernels, bit for bit. On a processor a row has one 64-bit value for each word.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from stratagem.native.playouts.block import generators

if TYPE_CHECKING:
    from numpy.typing import NDArray

SEED_LOW: Final = 0
SEED_HIGH: Final = 1
"""The generator of the word: 64 bits, half of them in each of its threads."""
ACTIVE: Final = 2
"""Lanes with a match that counts."""
RESTARTED: Final = 3
"""Lanes whose match begins at the next ply."""
REMAINING: Final = 4
"""Matches of the word's quota that have not begun; the same in both threads."""
LONGEST: Final = 5
"""The longest match that this thread has finished."""
LONG: Final = 6
"""Not zero once a match was too long for the digits in registers."""
LOGGED: Final = 7
"""Matches that this thread has written down since the launch."""
AGE: Final = 8
"""Plies of the current match, 32 digits."""
DIGITS: Final = 32
STATE: Final = AGE + DIGITS
"""One row per base."""

PLIES: Final = 0
STUCK: Final = 1
OVER: Final = 2
COUNTS: Final = 3
"""Rows of the totals, one 64-bit number for each thread: see `playouts.block`."""

ENTRY: Final = "playout"
ARRAYS: Final = ("lanes", "totals", "roots", "root_of", "log", "frames", "programs")
"""The arrays that a kernel is given ..."""
NUMBERS: Final = ("threads", "plies", "limit", "digit_count", "capacity")
"""... and the 32-bit numbers after them: threads in all, cycles of the tokens to play at most, the limit of plies and
how many digits it needs, and how many records each thread's log can hold."""


@dataclass(frozen=True, slots=True)
class ThreadKernel:
    """What there is to know about a kernel in order to launch it."""

    entry: str
    bases: int
    root_rows: int
    """How many rows a root has: the state, and for an interpreted kernel the legal moves behind it."""
    outcomes: tuple[tuple[int, ...], ...]
    period: int
    digits: int
    """Digits of the lengths that are in registers."""
    threads: int
    """Threads per block."""
    near_bytes: int
    """Shared memory per block."""
    frame_rows: int
    """Rows of a frame in global memory, for each thread; 0 where a kernel needs none."""
    record: int
    """Words of a record in the log."""
    gates: int


def new_lanes(kernel: ThreadKernel, words: int) -> NDArray[np.uint64]:
    """Zeroed rows for *words* words."""
    return np.zeros((STATE + kernel.bases, words), np.uint64)


def new_totals(kernel: ThreadKernel, threads: int) -> NDArray[np.uint64]:
    return np.zeros((COUNTS + len(kernel.outcomes), threads), np.uint64)


def fill_lanes(
    lanes: NDArray[np.uint64],
    seed: int,
    streams: NDArray[np.uint64],
    quotas: NDArray[np.uint64],
    *,
    halves: bool,
) -> None:
    """Make *lanes* ready: word w plays *quotas[w]* matches with generator *streams[w]* of *seed*.

    *halves*: two threads share a word, and each of them has a number of its own.
    """
    full = np.uint64(0xFFFFFFFFFFFFFFFF)
    lanes[:] = 0
    lanes[SEED_LOW], lanes[SEED_HIGH] = generators(seed, streams)
    started = np.minimum(quotas, np.uint64(64))
    partial = (np.uint64(1) << np.minimum(started, np.uint64(63))) - np.uint64(1)
    lanes[ACTIVE] = np.where(started == 64, full, partial)
    lanes[RESTARTED] = full
    left = quotas - started
    lanes[REMAINING] = left | left << np.uint64(32) if halves else left

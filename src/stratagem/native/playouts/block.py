"""The block: what a row of matches carries from ply to ply beside its states, and what it reports.

All of it is rows, so that one layout serves the code generator, the reference in plain Python and the caller who
fills a block and reads it back. Words of a row are independent of each other: a word is 64 matches with a
generator and a quota of their own, and the same word gives the same results in rows of any width.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from stratagem.kernels.splitmix import FIRST_FACTOR, GOLDEN, SECOND_FACTOR

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SEED_LOW: Final = 0
SEED_HIGH: Final = 1
REMAINING: Final = 2
"""Matches of the word's quota that have not begun."""
ACTIVE: Final = 3
"""Matches that count: a lane leaves when the quota is used up."""
PLIES: Final = 4
STUCK: Final = 5
"""Matches that ended because a role had no legal move."""
OVER: Final = 6
"""Matches that were given up at the limit."""
ENDED: Final = 7
"""Scratch: lanes handed to a slow path."""
REST: Final = 8
"""Scratch: lanes whose goals are none of the expected ones."""
ABOVE: Final = 9
"""Scratch: lanes whose match is longer than the longest so far."""
AT_LIMIT: Final = 10
"""Scratch: lanes whose match is as long as the limit."""
RESET: Final = 11
"""Scratch: lanes whose match has just begun."""
FITS_4: Final = 12
FITS_8: Final = 13
"""All ones where the limit has at most so many binary digits."""
STUCK_NOW: Final = 14
"""Lanes in which a role has no legal move at this ply."""
RESTARTED: Final = 15
"""Lanes whose match begins at this ply."""
IDLE: Final = 16
"""Lanes that wait for the next step 0 of the tokens' cycle."""
USED: Final = 17
"""How many digits of the lengths are in use, in the first word of each column; how many words the columns before it have,
in the second."""
AGE: Final = 18
"""Plies of the current match, 32 digits."""
DIGITS: Final = 32
LONGEST: Final = AGE + DIGITS
"""The longest match so far, one number per word, in digits that are all zeros or all ones."""
LIMIT: Final = LONGEST + DIGITS
COUNTS: Final = LIMIT + DIGITS
"""One row per expected outcome; each word counts its own matches."""


def block_rows(outcomes: int) -> int:
    """How many rows a block has."""
    return COUNTS + outcomes


def new_block(words: int, outcomes: int) -> NDArray[np.uint64]:
    """An empty block, aligned for the widest vectors."""
    return aligned_rows(block_rows(outcomes), words)


def aligned_rows(rows: int, words: int) -> NDArray[np.uint64]:
    """Zeroed rows that begin on a cache line."""
    import numpy as np

    room = np.zeros(rows * words + 8, np.uint64)
    start = -(room.ctypes.data // 8) % 8
    return room[start : start + rows * words].reshape(rows, words)


def fill_block(
    block: NDArray[np.uint64], seed: int, streams: NDArray[np.uint64], quotas: NDArray[np.uint64], limit: int
) -> None:
    """Make *block* ready: word w plays *quotas[w]* matches with generator number *streams[w]* of *seed*.

    *block* may also be several blocks, [block, row, word], with streams and quotas [block, word].
    """
    import numpy as np

    rows = np.moveaxis(block, -2, 0)
    rows[:] = 0
    rows[SEED_LOW], rows[SEED_HIGH] = generators(seed, streams)
    started = np.minimum(quotas, np.uint64(64))
    rows[REMAINING] = quotas - started
    full = np.uint64(0xFFFFFFFFFFFFFFFF)
    partial = (np.uint64(1) << np.minimum(started, np.uint64(63))) - np.uint64(1)
    rows[ACTIVE] = np.where(started == 64, full, partial)
    for digit in range(limit.bit_length()):
        rows[LIMIT + digit] = full if limit >> digit & 1 else 0
    rows[FITS_4] = full if limit < 1 << 4 else 0
    rows[FITS_8] = full if limit < 1 << 8 else 0


def generators(seed: int, streams: NDArray[np.uint64]) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """The starting states of xoroshiro128++ for numbered streams, through SplitMix64 (Steele et al., 2014)."""
    import numpy as np

    golden = np.uint64(GOLDEN)

    def mixed(word: NDArray[np.uint64]) -> NDArray[np.uint64]:
        word = (word ^ (word >> np.uint64(30))) * np.uint64(FIRST_FACTOR)
        word = (word ^ (word >> np.uint64(27))) * np.uint64(SECOND_FACTOR)
        return word ^ (word >> np.uint64(31))

    base = mixed(np.full(streams.shape, seed & 0xFFFFFFFFFFFFFFFF, np.uint64) + golden)
    place = mixed(base + golden * (np.uint64(2) * streams + np.uint64(1)))
    low, high = mixed(place + golden), mixed(place + golden + golden)
    return low, np.where((low | high) == 0, golden, high)

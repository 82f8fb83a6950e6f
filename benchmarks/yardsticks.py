"""Hand-written bitboard programs in numba: what a programmer who knows one game by heart would write.

They share nothing with the package. Each plays uniformly random matches (splitmix64, multiply-shift choice) and
returns what the package returns, so that the results can be compared too: wins of the first player, draws, wins of
the second, plies.
"""

from __future__ import annotations

import numpy as np
from numba import njit, types
from numba.extending import intrinsic


@intrinsic
def popcount(typing_context, word):  # type: ignore[no-untyped-def]
    """The machine's own instruction for counting bits."""

    def code(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), code


ONE = np.uint64(1)
FULL = np.uint64(0xFFFFFFFFFFFFFFFF)
GOLDEN = np.uint64(0x9E3779B97F4A7C15)
FIRST = np.uint64(0xBF58476D1CE4E5B9)
SECOND = np.uint64(0x94D049BB133111EB)


@njit(inline="always")
def mixed(state):  # type: ignore[no-untyped-def]
    word = (state ^ (state >> np.uint64(30))) * FIRST
    word = (word ^ (word >> np.uint64(27))) * SECOND
    return word ^ (word >> np.uint64(31))


@njit(inline="always")
def below(word, count):  # type: ignore[no-untyped-def]
    """A number below *count* from the upper half of a random word."""
    return ((word >> np.uint64(32)) * count) >> np.uint64(32)


@njit(inline="always")
def nth_bit(word, rank):  # type: ignore[no-untyped-def]
    """The set bit number *rank* of *word*, by halving, without branches."""
    shift = np.uint64(0)
    for width in (32, 16, 8, 4, 2, 1):
        lower = popcount((word >> shift) & ((ONE << np.uint64(width)) - ONE))
        right = np.uint64(0) - np.uint64(rank >= lower)
        rank -= lower & right
        shift += np.uint64(width) & right
    return ONE << shift


# Connect four: seven columns of seven bits, the top one always empty.

BOTTOM = np.uint64(sum(1 << (7 * column) for column in range(7)))
COLUMN = np.uint64(0b1111111)
BOARD = np.uint64(sum(0b111111 << (7 * column) for column in range(7)))


@njit(inline="always")
def four_in_line(stones):  # type: ignore[no-untyped-def]
    found = np.uint64(0)
    for step in (1, 7, 6, 8):
        pairs = stones & (stones >> np.uint64(step))
        found |= pairs & (pairs >> np.uint64(2 * step))
    return found != np.uint64(0)


@njit(nogil=True)
def connect_four_playouts(matches, seed):  # type: ignore[no-untyped-def]
    """(wins of the first, draws, wins of the second, plies)."""
    random = np.uint64(seed)
    results = np.zeros(4, np.int64)
    for _ in range(matches):
        own = other = np.uint64(0)
        ply = 0
        while True:
            if ply == 42:
                results[1] += 1
                break
            free = ((own | other) + BOTTOM) & BOARD
            # A column at random until it is open: nearly always the first, so the branch is predicted.
            stone = np.uint64(0)
            while stone == np.uint64(0):
                random += GOLDEN
                stone = free & (COLUMN << (np.uint64(7) * below(mixed(random), np.uint64(7))))
            own |= stone
            ply += 1
            if ply >= 7 and four_in_line(own):
                results[0 if ply & 1 else 2] += 1
                break
            own, other = other, own
        results[3] += ply
    return results


@njit(nogil=True)
def connect_four_children(boards, out):  # type: ignore[no-untyped-def]
    """All children of the positions (own, other), with the flag that the match is over; how many there are."""
    count = 0
    for row in range(boards.shape[0]):
        own, other = boards[row, 0], boards[row, 1]
        occupied = own | other
        free = (occupied + BOTTOM) & BOARD
        while free != np.uint64(0):
            stone = free & (~free + ONE)
            free ^= stone
            placed = own | stone
            over = four_in_line(placed) or (occupied | stone) == BOARD
            out[count, 0] = other
            out[count, 1] = placed
            out[count, 2] = np.uint64(1) if over else np.uint64(0)
            count += 1
    return count


# Tic-tac-toe: nine bits, and a table of the 512 sets of cells that hold a line.

LINES = (0o7, 0o70, 0o700, 0o111, 0o222, 0o444, 0o421, 0o124)
NTH_CELL = np.array(
    [
        [([1 << cell for cell in range(9) if cells >> cell & 1] + [0] * 9)[rank] for rank in range(9)]
        for cells in range(512)
    ],
    np.uint64,
)
HAS_LINE = np.array([any(cells & line == line for line in LINES) for cells in range(512)])


@njit(nogil=True)
def tic_tac_toe_playouts(matches, seed):  # type: ignore[no-untyped-def]
    """(wins of the first, draws, wins of the second, plies)."""
    random = np.uint64(seed)
    results = np.zeros(4, np.int64)
    for _ in range(matches):
        own = other = np.uint64(0)
        ply = 0
        while True:
            if ply == 9:
                results[1] += 1
                break
            free = ~(own | other) & np.uint64(511)
            random += GOLDEN
            own |= NTH_CELL[free, below(mixed(random), np.uint64(9 - ply))]
            ply += 1
            if ply >= 5 and HAS_LINE[own]:
                results[0 if ply & 1 else 2] += 1
                break
            own, other = other, own
        results[3] += ply
    return results


# Breakthrough: one bit per square; the board is turned after every move, so that the mover always goes up.

NOT_FIRST_FILE = np.uint64(0xFEFEFEFEFEFEFEFE)
NOT_LAST_FILE = np.uint64(0x7F7F7F7F7F7F7F7F)
LAST_RANK = np.uint64(0xFF00000000000000)


@njit(inline="always")
def turned(word):  # type: ignore[no-untyped-def]
    """The board seen from the other side: ranks in reverse order."""
    for width, mask in ((8, 0x00FF00FF00FF00FF), (16, 0x0000FFFF0000FFFF), (32, 0x00000000FFFFFFFF)):
        word = ((word >> np.uint64(width)) & np.uint64(mask)) | ((word & np.uint64(mask)) << np.uint64(width))
    return word


@njit(nogil=True)
def breakthrough_playouts(matches, seed):  # type: ignore[no-untyped-def]
    """(wins of the first, draws, wins of the second, plies)."""
    random = np.uint64(seed)
    results = np.zeros(4, np.int64)
    for _ in range(matches):
        own, other = np.uint64(0xFFFF), np.uint64(0xFFFF000000000000)
        ply = 0
        while True:
            ahead = (own << np.uint64(8)) & ~(own | other)
            left = ((own & NOT_FIRST_FILE) << np.uint64(7)) & ~own
            right = ((own & NOT_LAST_FILE) << np.uint64(9)) & ~own
            count_ahead, count_left = popcount(ahead), popcount(left)
            random += GOLDEN
            rank = below(mixed(random), count_ahead + count_left + popcount(right))
            # Which of the three, and the rank within it, without branches: they could not be predicted.
            past_ahead = np.uint64(0) - np.uint64(rank >= count_ahead)
            rank -= count_ahead & past_ahead
            past_left = (np.uint64(0) - np.uint64(rank >= count_left)) & past_ahead
            rank -= count_left & past_left
            targets = (ahead & ~past_ahead) | (left & past_ahead & ~past_left) | (right & past_left)
            target = nth_bit(targets, rank)
            source = target >> ((np.uint64(8) - (past_ahead & ONE)) + (past_left & np.uint64(2)))
            own = (own ^ source) | target
            other &= ~target
            ply += 1
            if target & LAST_RANK or other == np.uint64(0):
                results[0 if ply & 1 else 2] += 1
                break
            own, other = turned(other), turned(own)
        results[3] += ply
    return results

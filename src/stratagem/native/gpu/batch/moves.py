"""Moves in the kernels that are the same for all games: which are legal in a match, random ones, and those that are given.

One call for each thread, as in `views`; a thread answers for a match.
"""

from __future__ import annotations

from typing import Final

from stratagem.kernels import Array, count_ones, inlined, int32, kernel, uint8, uint64
from stratagem.kernels.library.random_numbers import below, mixed
from stratagem.kernels.splitmix import GOLDEN
from stratagem.native.driver.batch import nth_one

EVERYBODY: Final = -1
"""In the place of a role: nobody is waited for."""
LEAST: Final = -(2**31)
MOST: Final = 2**31 - 1


@inlined
def word_at(rows: int, match: int) -> int:
    """Where the word of *match* in the first row of its block is; the next row is eight words on."""
    return (match >> 9) * rows * 8 + (match >> 6 & 7)


@inlined
def legal_word(blocks: Array[uint64], at: int, shift: int, first: int, some: int) -> uint64:
    """Which of *some* moves, at most 64, from row *first* on are legal in one match."""
    word = uint64(0)
    for move in range(some):
        word |= (blocks[at + 8 * (first + move)] >> shift & 1) << move
    return word


@inlined
def legal_count(blocks: Array[uint64], at: int, shift: int, first: int, size: int) -> int:
    """How many of *size* moves from row *first* on are legal in one match."""
    total = 0
    for part in range((size + 63) >> 6):
        some = min(64, size - 64 * part)
        total += count_ones(legal_word(blocks, at, shift, first + 64 * part, some))
    return total


@inlined
def legal_number(blocks: Array[uint64], at: int, shift: int, first: int, size: int, random: uint64) -> int:
    """One of the legal moves of one match, uniformly; -1 if there is none."""
    half = 32 if size > 32 else 16 if size > 16 else 8 if size > 8 else 4
    if size <= 64:
        word = legal_word(blocks, at, shift, first, size)
        total = count_ones(word)
        if total == 0:
            return -1
        return nth_one(word, below(random, total), half)
    total = legal_count(blocks, at, shift, first, size)
    if total == 0:
        return -1
    rank = below(random, total)
    for part in range((size + 63) >> 6):
        some = min(64, size - 64 * part)
        word = legal_word(blocks, at, shift, first + 64 * part, some)
        here = count_ones(word)
        if rank < here:
            return 64 * part + nth_one(word, rank, half)
        rank -= here
    return -1


@kernel
def choose(
    blocks: Array[uint64],
    rows: int,
    terminal: int,
    table: Array[int],
    roles: int,
    role: int,
    seed: uint64,
    count: int,
    actions: Array[int32],
    waiting: Array[uint64],
    thread: int,
) -> None:
    """A uniformly random legal move for every role of a match; -1 where there is none or it is over.

    *table* has for each role the first row of its moves and their number. With a *role*, all are -1 unless every role
    can move and this one has no choice; *waiting* is then set to 1.
    """
    if thread >= count:
        return
    at = word_at(rows, thread)
    shift = thread & 63
    moving = (blocks[at + 8 * terminal] >> shift & 1) == 0
    if role != EVERYBODY and moving:
        for each in range(roles):
            able = legal_count(blocks, at, shift, table[2 * each], table[2 * each + 1])
            if able == 0 or (each == role and able > 1):
                moving = False
        if moving:
            waiting[0] = 1
    for each in range(roles):
        place = thread * roles + each
        move = -1
        if moving:
            random = mixed(seed + uint64(place + 1) * GOLDEN)
            move = legal_number(blocks, at, shift, table[2 * each], table[2 * each + 1], random)
        actions[place] = move


@kernel
def choices(
    blocks: Array[uint64],
    rows: int,
    terminal: int,
    first: int,
    size: int,
    count: int,
    several: Array[uint8],
    thread: int,
) -> None:
    """Whether a match is not over and a role with the *size* moves from row *first* on has more than one."""
    if thread >= count:
        return
    at = word_at(rows, thread)
    shift = thread & 63
    over = blocks[at + 8 * terminal] >> shift & 1
    able = legal_count(blocks, at, shift, first, size)
    several[thread] = int(able > 1 and over == 0)


@inlined
def clipped(number: int) -> int:
    """What fits into 32 bits; what is too large stays too large."""
    return max(LEAST, min(MOST, number))


@kernel
def place_bytes(
    source: Array[uint8],
    bits: int,
    signed: int,
    row: int,
    column: int,
    columns: int,
    target: Array[int32],
    role: int,
    roles: int,
    count: int,
    thread: int,
) -> None:
    """*columns* numbers of a match, of so many *bits*, as actions: from role *role* on.

    Numbers lie *column* bytes apart, matches *row* bytes.
    """
    if thread >= count:
        return
    for number in range(columns):
        own = source.at(thread * row + number * column)
        word = uint64(0)
        for byte in range(bits >> 3):
            word |= uint64(own[byte]) << (8 * byte)
        value = int(word)
        if bits < 64:
            if signed != 0 and word >> (bits - 1) & 1:
                value -= 1 << bits
        elif signed == 0 and value < 0:
            value = MOST
        target[thread * roles + role + number] = clipped(value)

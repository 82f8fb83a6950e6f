"""The kernels of a batch that are the same for all games, written in the kernel language: one call for each thread.

Blocks are laid out as on the CPU (`driver.blocks`), 512 matches in rows of eight words, so a block can be copied
from one to the other. *rows* is the number of rows of a block; *thread* counts from 0, and may be past the last one.
A thread answers for a match, for eight bytes (`flags`), for a word of a packed state (`pack`), or for 64 matches.
"""

from __future__ import annotations

from typing import Final

from stratagem.kernels import Array, float32, int16, int32, kernel, uint8, uint64
from stratagem.kernels.translate.family import KernelFamily
from stratagem.native.gpu.batch.moves import choices, choose, legal_word, place_bytes, word_at

ONE_EACH: Final = 0x0101_0101_0101_0101
DIAGONAL: Final = 0x8040_2010_0804_0201
HALF_EACH: Final = 0x7F7F_7F7F_7F7F_7F7F
"""Words of eight bytes: each is 1, the k-th has bit k, each is 127."""


@kernel
def flags(
    blocks: Array[uint64],
    rows: int,
    index: Array[int32],
    base: int,
    size: int,
    count: int,
    words: Array[uint64],
    bytes_: Array[uint8],
    thread: int,
) -> None:
    """A byte for every match and each of *size* rows, from row *base* on, or those of *index* where *base* is below 0.

    A thread writes eight bytes at once, beginning in its match; its neighbours have the next matches and nearly the
    same rows, so that they read the same words. *words* and *bytes_* are the same memory.
    """
    chunks = (size + 7) >> 3
    group = int(uint64(thread >> 5) // uint64(chunks))
    match = 32 * group + (thread & 31)
    if match >= count:
        return
    begin = match * size
    first = ((begin + 7) & -8) + 8 * ((thread >> 5) - group * chunks)
    place = first - begin
    if place >= size:
        return
    total = count * size
    at = word_at(rows, match)
    shift = match & 63
    value = uint64(0)
    if base >= 0 and place + 8 <= size:
        own = blocks.at(at + 8 * (base + place))
        for number in range(8):
            value |= (own[8 * number] >> shift & 1) << (8 * number)
        words[first >> 3] = value
        return
    for number in range(8):
        if first + number < total:
            row = base + place if base >= 0 else int(index[place])
            if row >= 0:
                value |= (blocks[at + 8 * row] >> shift & 1) << (8 * number)
            place += 1
            if place == size:
                place = 0
                match += 1
                at = word_at(rows, match)
                shift = match & 63
    if first + 8 <= total:
        words[first >> 3] = value
    else:
        for number in range(total - first):
            bytes_[first + number] = int(value >> (8 * number) & 255)


@kernel
def row_flags(
    blocks: Array[uint64],
    rows: int,
    row: int,
    count: int,
    words: Array[uint64],
    bytes_: Array[uint8],
    thread: int,
) -> None:
    """A byte for each of eight matches: one row. *words* and *bytes_* are the same memory."""
    first = 8 * thread
    if first >= count:
        return
    some = blocks[word_at(rows, first) + 8 * row] >> (first & 63) & 255
    # Byte k of the product keeps bit k alone; adding 127 to it carries into its highest bit.
    value = ((some * ONE_EACH & DIAGONAL) + HALF_EACH) >> 7 & ONE_EACH
    if first + 8 <= count:
        words[thread] = value
    else:
        for number in range(count - first):
            bytes_[first + number] = int(value >> (8 * number) & 255)


@kernel
def rewards(
    blocks: Array[uint64],
    rows: int,
    ended: int,
    first: int,
    values: Array[int],
    roles: int,
    count: int,
    worth: Array[float32],
    earned: Array[float32],
    thread: int,
) -> None:
    """What the last step earned every role of a match: *worth* of its goal where it ended the match, else 0.

    The goals are the rows from *first* on, *values* of them for each role.
    """
    if thread >= count:
        return
    at = word_at(rows, thread)
    shift = thread & 63
    over = (blocks[at + 8 * ended] >> shift & 1) != 0
    total = 0
    for role in range(roles):
        total += values[role]
    number = 0
    for role in range(roles):
        own = float32(0)
        if over:
            own = worth[total]
            for _ in range(values[role]):
                if blocks[at + 8 * (first + number)] >> shift & 1:
                    own = worth[number]
                number += 1
        earned[thread * roles + role] = own


@kernel
def goals(
    blocks: Array[uint64],
    rows: int,
    first: int,
    values: Array[int],
    roles: int,
    count: int,
    worth: Array[int],
    scores: Array[int16],
    thread: int,
) -> None:
    """The goals of a match, *worth* of the row that holds; -1 where the rules give none, or several."""
    if thread >= count:
        return
    at = word_at(rows, thread)
    shift = thread & 63
    number = 0
    for role in range(roles):
        own = -1
        for _ in range(values[role]):
            if blocks[at + 8 * (first + number)] >> shift & 1:
                own = worth[number]
            number += 1
        scores[thread * roles + role] = own


@kernel
def pack(
    blocks: Array[uint64], rows: int, bases: int, width: int, count: int, states: Array[uint64], thread: int
) -> None:
    """One word of the packed state of a match; *width* words are one state."""
    if thread >= count * width:
        return
    match = thread // width
    part = thread - match * width
    at = word_at(rows, match)
    some = max(0, min(64, bases - 64 * part))
    states[thread] = legal_word(blocks, at, match & 63, 64 * part, some)


@kernel
def load(
    blocks: Array[uint64], rows: int, bases: int, width: int, count: int, states: Array[uint64], thread: int
) -> None:
    """The packed states of 64 matches as words of the rows of their block; matches past the last one are empty."""
    first = 64 * thread
    if first >= (count + 511) // 512 * 512:
        return
    at = word_at(rows, first)
    some = max(0, min(64, count - first))
    for base in range(bases):
        word = uint64(0)
        own = states.at(first * width + (base >> 6))
        for lane in range(some):
            word |= (own[lane * width] >> (base & 63) & 1) << lane
        blocks[at + 8 * base] = word


@kernel
def words_of_flags(flagged: Array[uint8], count: int, words: Array[uint64], thread: int) -> None:
    """The flags of 64 matches as the bits of a word."""
    first = 64 * thread
    if first >= count:
        return
    word = uint64(0)
    for lane in range(min(64, count - first)):
        word |= uint64(flagged[first + lane] != 0) << lane
    words[thread] = word


@kernel
def reset(
    blocks: Array[uint64],
    rows: int,
    start: Array[uint64],
    count: int,
    which: Array[uint64],
    all_: int,
    thread: int,
) -> None:
    """Put those of 64 matches that are in the word *which*, or all, where *start* has one word for each row but the last two.

    A thread has eight rows; its neighbours have the next words.
    """
    words = (count + 63) >> 6
    group = int(uint64(thread) // uint64(max(1, words)))
    word = thread - group * words
    if word >= words or 8 * group >= rows:
        return
    some = min(64, count - 64 * word)
    lanes = (uint64(1) << some) - 1 if some < 64 else ~uint64(0)
    if all_ == 0:
        lanes &= which[word]
    if lanes == 0:
        return
    at = word_at(rows, 64 * word)
    for row in range(8 * group, min(rows, 8 * group + 8)):
        new = start[row] if row < rows - 2 else uint64(0)
        old = blocks[at + 8 * row]
        blocks[at + 8 * row] = old ^ ((old ^ new) & lanes)


VIEWS: Final = KernelFamily(
    "batches on a GPU",
    (flags, row_flags, choose, rewards, goals, choices, pack, load, words_of_flags, reset, place_bytes),
)

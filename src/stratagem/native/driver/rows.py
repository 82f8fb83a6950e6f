"""Conversions between packed states and rows, in the kernel language: what all drivers share.

A frame has rows of *stride* words; bit k of word w of a row belongs to lane 64 w + k. Packed states come in blocks of
64, which one transposition turns into 64 rows' words, or back.
"""

from __future__ import annotations

from stratagem.kernels.checked_memory import Flags, Numbers, Scores, Words, lowest_one, transpose


def one_to_rows(state: Words, bases: int, frame: Words, stride: int) -> None:
    """One packed state into every lane."""
    for part in range((bases + 63) >> 6):
        word = state[part]
        rows = frame.at(64 * part * stride)
        size = min(64, bases - 64 * part)
        if stride == 1:
            for bit in range(size):
                rows[bit] = -(word >> bit & 1)
        else:
            for bit in range(size):
                value = -(word >> bit & 1)
                for column in range(stride):
                    rows[bit * stride + column] = value


def block_to_rows(block: Words, size: int, rows: Words, stride: int) -> None:
    """64 packed words, which it destroys, into one word of each of *size* rows."""
    transpose(block)
    for bit in range(size):
        rows[bit * stride] = block[bit]


def states_to_rows(
    states: Words, width: int, bases: int, count: int, frame: Words, stride: int, block: Words
) -> None:
    """*count* packed states into as many lanes; the lanes after them are zero up to a multiple of 64."""
    for column in range((count + 63) >> 6):
        lanes = min(64, count - 64 * column)
        for part in range(width):
            first = states.at(64 * column * width + part)
            for lane in range(lanes):
                block[lane] = first[lane * width]
            for lane in range(lanes, 64):
                block[lane] = 0
            rows = frame.at(64 * part * stride + column)
            block_to_rows(block, min(64, bases - 64 * part), rows, stride)


def parents_to_rows(
    states: Words,
    parents: Numbers,
    width: int,
    bases: int,
    count: int,
    frame: Words,
    stride: int,
    block: Words,
) -> None:
    """The packed states numbered *parents* into *count* lanes."""
    if parents[0] == parents[count - 1]:
        one_to_rows(states.at(parents[0] * width), bases, frame, stride)
        return
    for column in range((count + 63) >> 6):
        lanes = min(64, count - 64 * column)
        some = parents.at(64 * column)
        for part in range(width):
            for lane in range(lanes):
                block[lane] = states[some[lane] * width + part]
            for lane in range(lanes, 64):
                block[lane] = 0
            rows = frame.at(64 * part * stride + column)
            block_to_rows(block, min(64, bases - 64 * part), rows, stride)


def rows_to_packed(
    rows: Words, size: int, stride: int, count: int, packed: Words, width: int, block: Words
) -> None:
    """*size* rows of *count* lanes as packed words: lane i's from packed[i * width]."""
    for column in range((count + 63) >> 6):
        lanes = min(64, count - 64 * column)
        for part in range(max(1, (size + 63) >> 6)):
            own = min(64, size - 64 * part)
            first = rows.at(64 * part * stride + column)
            for bit in range(own):
                block[bit] = first[bit * stride]
            for bit in range(own, 64):
                block[bit] = 0
            transpose(block)
            target = packed.at(64 * column * width + part)
            for lane in range(lanes):
                target[lane * width] = block[lane]


def first_lane(rows: Words, size: int, stride: int, packed: Words) -> None:
    """The first lane of *size* rows as packed words: for a single state, cheaper than a transposition."""
    for part in range((size + 63) >> 6):
        own = rows.at(64 * part * stride)
        word = 0
        for bit in range(min(64, size - 64 * part)):
            word |= (own[bit * stride] & 1) << bit
        packed[part] = word


def flags_of(row: Words, count: int, flags: Flags) -> None:
    """A row as one byte per lane."""
    for column in range((count + 63) >> 6):
        word = row[column]
        own = flags.at(64 * column)
        if count - 64 * column >= 64:
            for lane in range(64):
                own[lane] = word >> lane & 1
        else:
            for lane in range(count - 64 * column):
                own[lane] = word >> lane & 1


def scores_of(
    rows: Words, values: Words, size: int, stride: int, count: int, goals: Scores, roles: int, block: Words
) -> None:
    """Rows of which at most one holds in a lane as the value of that row, or -1: lane i's goes to goals[i * roles]."""
    for column in range((count + 63) >> 6):
        lanes = min(64, count - 64 * column)
        vectors = (lanes + 7) & ~7
        for lane in range(vectors):
            block[lane] = 0
        for number in range(size):
            word = rows[number * stride + column]
            if word != 0:
                value = values[number] + 1
                for lane in range(vectors):
                    block[lane] |= -(word >> lane & 1) & value
        own = goals.at(64 * column * roles)
        for lane in range(lanes):
            own[lane * roles] = block[lane] - 1


def clear(words: Words, count: int) -> None:
    """Make *count* words zero."""
    for at in range(count):
        words[at] = 0


def copy(source: Words, target: Words, count: int) -> None:
    """Copy *count* words."""
    for at in range(count):
        target[at] = source[at]


def listed(mask: Words, words: int, numbers: Numbers) -> int:
    """The places of the bits of a mask, ascending; how many there are."""
    found = 0
    for at in range(words):
        word = mask[at]
        while word != 0:
            numbers[found] = 64 * at + lowest_one(word)
            found += 1
            word &= word - 1
    return found

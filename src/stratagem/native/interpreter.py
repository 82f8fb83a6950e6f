"""The gate interpreter in numba: `expand` and `evaluate` for every circuit, with nothing to compile per game.

A frame has one row of words per node of the circuit; every bit of a row is another state. Two nanoseconds per
gate and row; rows are one word for a single parent and wider for many. Compiled once for all games and kept on
disk; the tape (`tape`) is all that differs. Import costs most of a second: import where used.
"""

# mypy: allow-untyped-defs
from __future__ import annotations

import numpy as np
from numba import carray, cfunc, njit, types

from stratagem.native import tape as t
from stratagem.native.kernel_cache import keep_kernels

keep_kernels()

ONES = np.uint64(0xFFFF_FFFF_FFFF_FFFF)
ZERO = np.uint64(0)
ONE = np.uint64(1)
FRAME_WORDS = 1 << 17
"""A frame is kept within a megabyte where it can: rows are narrower in large circuits."""
MANY = 1 << 40
"""More joint moves than any caller has room for."""


@njit(cache=True, nogil=True)
def run_phase(tape, place, frame, words):
    """Run the gates of one phase over *frame*, whose rows have *words* words."""
    runs = tape[place]
    place += 1
    for _ in range(runs):
        loop, gates = tape[place], tape[place + 1]
        first = place + 2
        place = first + 4 * gates
        if loop:
            for at in range(first, place, 4):
                target = tape[at] * words
                for word in range(words):
                    frame[target + word] = ZERO
        changed = True
        while changed:
            difference = ZERO
            if words == 1:
                for at in range(first, place, 4):
                    left, right = tape[at + 1], tape[at + 2]
                    a = frame[left >> 1] ^ np.uint64(-(left & 1))
                    b = frame[right >> 1] ^ np.uint64(-(right & 1))
                    value = (a & b) ^ np.uint64(np.int64(tape[at + 3]))
                    difference |= value ^ frame[tape[at]]
                    frame[tape[at]] = value
            else:
                for at in range(first, place, 4):
                    left, right, target = tape[at + 1], tape[at + 2], tape[at] * words
                    flip_a, flip_b = np.uint64(-(left & 1)), np.uint64(-(right & 1))
                    flip = np.uint64(np.int64(tape[at + 3]))
                    a, b = (left >> 1) * words, (right >> 1) * words
                    for word in range(words):
                        value = ((frame[a + word] ^ flip_a) & (frame[b + word] ^ flip_b)) ^ flip
                        difference |= value ^ frame[target + word]
                        frame[target + word] = value
            changed = loop != 0 and difference != ZERO


@njit(cache=True, nogil=True)
def transpose(block):
    """Bit i of word k becomes bit k of word i, in place, for 64 words (Warren, Hacker's Delight, 7-3)."""
    shift, mask = 32, np.uint64(0x0000_0000_FFFF_FFFF)
    while shift:
        step = np.uint64(shift)
        low = 0
        while low < 64:
            for at in range(low, low + shift):
                change = ((block[at] >> step) ^ block[at + shift]) & mask
                block[at] ^= change << step
                block[at + shift] ^= change
            low += 2 * shift
        shift >>= 1
        mask ^= mask << np.uint64(shift)


@njit(cache=True, nogil=True)
def states_to_rows(tape, states, which, count, frame, words, block):
    """The packed states numbered which[0..count) into the lanes of the base rows."""
    width, bases = tape[t.WORDS], tape[t.BASES]
    if which[0] == which[count - 1]:
        for base in range(bases):
            bit = states[which[0] * width + (base >> 6)] >> np.uint64(base & 63) & ONE
            for word in range(words):
                frame[(1 + base) * words + word] = ZERO - bit
        return
    for word in range(words):
        lanes = min(64, count - 64 * word)
        for part in range(width):
            for lane in range(64):
                block[lane] = states[which[64 * word + lane] * width + part] if lane < lanes else ZERO
            transpose(block)
            for bit in range(min(64, bases - 64 * part)):
                frame[(1 + 64 * part + bit) * words + word] = block[bit]


@njit(cache=True, nogil=True)
def literals_to_packed(tape, place, literals, frame, words, count, packed, first, stride, block):
    """Literals tape[place...] of *count* lanes as bits: lane i's words from packed[first + i * stride]."""
    for word in range((count + 63) >> 6):
        lanes = min(64, count - 64 * word)
        for part in range((literals + 63) >> 6):
            for bit in range(64):
                at = 64 * part + bit
                value = ZERO
                if at < literals:
                    literal = tape[place + at]
                    value = frame[(literal >> 1) * words + word] ^ np.uint64(-(literal & 1))
                block[bit] = value
            transpose(block)
            for lane in range(lanes):
                packed[first + (64 * word + lane) * stride + part] = block[lane]


@njit(cache=True, nogil=True)
def finals(tape, frame, words, count, terminal, goals, first):
    """The end and the goals of *count* lanes, written from state *first* on."""
    roles = tape[t.ROLES]
    literal = tape[t.TERMINAL]
    for lane in range(count):
        row = frame[(literal >> 1) * words + (lane >> 6)] ^ np.uint64(-(literal & 1))
        terminal[first + lane] = row >> np.uint64(lane & 63) & ONE
    place = tape[t.GOALS]
    for role in range(roles):
        values = tape[place]
        for lane in range(count):
            found, value = 0, -1
            for at in range(place + 1, place + 1 + 2 * values, 2):
                literal = tape[at + 1]
                row = frame[(literal >> 1) * words + (lane >> 6)] ^ np.uint64(-(literal & 1))
                if row >> np.uint64(lane & 63) & ONE:
                    found += 1
                    value = tape[at]
            goals[(first + lane) * roles + role] = value if found == 1 else -1
        place += 1 + 2 * values


@njit(cache=True, nogil=True)
def legal_masks(tape, frame, words, count, legal, first, block):
    """The legal moves of *count* lanes as masks, one row of words for each role."""
    roles, mask_words = tape[t.ROLES], tape[t.MASK_WORDS]
    legal[first * roles * mask_words : (first + count) * roles * mask_words] = ZERO
    place = tape[t.MOVES]
    for role in range(roles):
        moves = tape[place]
        start = (first * roles + role) * mask_words
        literals_to_packed(
            tape, place + 2, moves, frame, words, count, legal, start, roles * mask_words, block
        )
        place += 2 + moves


@njit(cache=True, nogil=True)
def row_words(tape, count):
    """How many words a row should have for *count* states."""
    room = max(1, FRAME_WORDS // tape[t.ROWS])
    return min(max(1, (count + 63) >> 6), room, 16)


@njit(cache=True, nogil=True)
def make_children(tape, states, first, count, parents, moves, children, terminal, goals, frame, words, block):
    """The children numbered first to first + count - 1, whose parents and moves are written already."""
    roles = tape[t.ROLES]
    for word in range(words):
        frame[word] = ZERO
    states_to_rows(tape, states, parents[first:], count, frame, words, block)
    begin = tape[t.FIRST_MOVE] * words
    frame[begin : begin + tape[t.MOVE_ROWS] * words] = ZERO
    place = tape[t.MOVES]
    for role in range(roles):
        row = tape[place + 1]
        for lane in range(count):
            at = (row + moves[(first + lane) * roles + role]) * words + (lane >> 6)
            frame[at] |= ONE << np.uint64(lane & 63)
        place += 2 + tape[place]
    run_phase(tape, tape[t.NEXT], frame, words)
    width = tape[t.WORDS]
    children[first * width : (first + count) * width] = ZERO
    literals_to_packed(
        tape, tape[t.NEXT_LITERALS], tape[t.BASES], frame, words, count, children, first * width, width, block
    )
    fresh = np.empty(tape[t.BASES] * words, np.uint64)
    for base in range(tape[t.BASES]):
        literal = tape[tape[t.NEXT_LITERALS] + base]
        for word in range(words):
            fresh[base * words + word] = frame[(literal >> 1) * words + word] ^ np.uint64(-(literal & 1))
    frame[words : words + len(fresh)] = fresh
    run_phase(tape, tape[t.FINAL], frame, words)
    finals(tape, frame, words, count, terminal, goals, first)


@njit(cache=True, nogil=True)
def first_choice(legal, start, mask_words, after):
    """The lowest legal move above *after* in a mask, or -1."""
    at = after + 1
    while at < 64 * mask_words:
        rest = legal[start + (at >> 6)] >> np.uint64(at & 63)
        if rest != ZERO:
            while not rest & ONE:
                rest >>= ONE
                at += 1
            return at
        at = ((at >> 6) + 1) << 6
    return -1


@njit(cache=True, nogil=True)
def joint_moves(legal, start, roles, mask_words, moves, first):
    """How many joint moves the masks allow; where *moves* has room, they are written in ascending order."""
    total = 1
    for role in range(roles):
        own = 0
        for word in range(mask_words):
            mask = legal[start + role * mask_words + word]
            while mask != ZERO:
                mask &= mask - ONE
                own += 1
        total = min(total * own, MANY)
    if total == 0 or (first + total) * roles > len(moves):
        return total
    for role in range(roles):
        moves[first * roles + role] = first_choice(legal, start + role * mask_words, mask_words, -1)
    for at in range(first + 1, first + total):
        for role in range(roles):
            moves[at * roles + role] = moves[(at - 1) * roles + role]
        role = roles - 1
        while True:
            base = start + role * mask_words
            following = first_choice(legal, base, mask_words, moves[at * roles + role])
            if following >= 0:
                moves[at * roles + role] = following
                break
            moves[at * roles + role] = first_choice(legal, base, mask_words, -1)
            role -= 1
    return total


@njit(cache=True, nogil=True)
def expand_states(tape, states, count, children, parents, moves, terminal, goals, capacity, consumed):
    """The children of *count* states; the contract stands in `expand`."""
    roles, mask_words = tape[t.ROLES], tape[t.MASK_WORDS]
    words = row_words(tape, count)
    wide = row_words(tape, min(capacity, 8 * count))
    frame = np.empty(tape[t.ROWS] * max(words, wide), np.uint64)
    block = np.empty(64, np.uint64)
    which = np.empty(64 * words, np.int32)
    legal = np.empty(64 * words * roles * mask_words, np.uint64)
    made = written = done = 0
    full = False
    while done < count and not full:
        group = min(64 * words, count - done)
        for lane in range(group):
            which[lane] = done + lane
        frame[:words] = ZERO
        states_to_rows(tape, states, which, group, frame, words, block)
        run_phase(tape, tape[t.LEGAL], frame, words)
        legal_masks(tape, frame, words, group, legal, 0, block)
        for lane in range(group):
            total = joint_moves(legal, lane * roles * mask_words, roles, mask_words, moves, made)
            if made + total > capacity:
                if done + lane == 0:
                    return -total
                full = True
                break
            for at in range(made, made + total):
                parents[at] = done + lane
            made += total
            consumed[0] = done + lane + 1
        while made - written >= 64 * wide or (written < made and (full or done + group >= count)):
            part = min(64 * wide, made - written)
            narrow = min(wide, (part + 63) >> 6)
            make_children(
                tape, states, written, part, parents, moves, children, terminal, goals, frame, narrow, block
            )
            written += part
        done += group
    return made


@njit(cache=True, nogil=True)
def evaluate_states(tape, states, count, legal, terminal, goals):
    """Legal moves, the end and the goals of *count* states; the contract stands in `expand`."""
    words = row_words(tape, count)
    frame = np.empty(tape[t.ROWS] * words, np.uint64)
    block = np.empty(64, np.uint64)
    which = np.empty(64 * words, np.int32)
    done = 0
    while done < count:
        group = min(64 * words, count - done)
        for lane in range(group):
            which[lane] = done + lane
        frame[:words] = ZERO
        states_to_rows(tape, states, which, group, frame, words, block)
        run_phase(tape, tape[t.LEGAL], frame, words)
        legal_masks(tape, frame, words, group, legal, done, block)
        run_phase(tape, tape[t.FINAL], frame, words)
        finals(tape, frame, words, group, terminal, goals, done)
        done += group


_words = types.CPointer(types.uint64)
_numbers = types.CPointer(types.int32)
_flags = types.CPointer(types.uint8)
_scores = types.CPointer(types.int16)
_counts = types.CPointer(types.int64)


@cfunc(
    types.int64(
        _numbers,
        _words,
        types.int64,
        _words,
        _numbers,
        _numbers,
        _flags,
        _scores,
        types.int64,
        _counts,
    ),
    cache=True,
)
def expand_entry(
    context, states, count, children, parents, moves, terminal, goals, capacity, consumed
):  # pragma: no cover
    header = carray(context, t.HEADER)
    tape = carray(context, header[t.LENGTH])
    width, roles = header[t.WORDS], header[t.ROLES]
    progress = carray(consumed, 1)
    progress[0] = 0
    return expand_states(
        tape,
        carray(states, count * width),
        count,
        carray(children, capacity * width),
        carray(parents, capacity),
        carray(moves, capacity * roles),
        carray(terminal, capacity),
        carray(goals, capacity * roles),
        capacity,
        progress,
    )


@cfunc(types.void(_numbers, _words, types.int64, _words, _flags, _scores), cache=True)
def evaluate_entry(context, states, count, legal, terminal, goals):  # pragma: no cover
    header = carray(context, t.HEADER)
    tape = carray(context, header[t.LENGTH])
    width, roles = header[t.WORDS], header[t.ROLES]
    evaluate_states(
        tape,
        carray(states, count * width),
        count,
        carray(legal, count * roles * header[t.MASK_WORDS]),
        carray(terminal, count),
        carray(goals, count * roles),
    )

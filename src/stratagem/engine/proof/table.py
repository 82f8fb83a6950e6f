"""A table of packed states for proofs, shared by threads without locks.

A row is the words of a state and one more for what is known about it, so that a look costs one line of the cache:

    bits 0-7 question   8-15 effort   16-31 proved within   32-47 refuted within, plus one   48-63 mark of the best child

The first word of the state is kept mixed with that last word. A row of which two threads wrote a half each then looks
like no state at all (Hyatt and Mann, 2002). States that symmetries of the rules turn into each other share a row: the
least of them, word by word, stands for all. Rows come in fours; the one that cost least gives way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from stratagem.engine.states.state_set import hash_words
from stratagem.native.jit.numba_cache import njit

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from stratagem.gdl.terms import Term

FOR_EVER = 32000
"""The depth that stands for "refuted at any depth", and for "not proved"."""
BUCKET = 4
FIRST_ROWS = 1 << 16
"""Rows of a table before anything is searched."""
GROWTH = 8
"""How many times larger a table becomes when it must grow."""


@njit(nogil=True, inline="always")
def canonical(states, row, images, keys, scratch):  # type: ignore[no-untyped-def]
    """Writes the least image of a state under the symmetries to *keys*, and returns its hash."""
    width = states.shape[1]
    for word in range(width):
        keys[row, word] = states[row, word]
    for image in range(images.shape[0]):
        for word in range(width):
            scratch[word] = np.uint64(0)
        for word in range(width):
            rest = states[row, word]
            for byte in range(8):
                if rest == np.uint64(0):
                    break
                part = np.int64(rest & np.uint64(255))
                rest >>= np.uint64(8)
                if part != 0:
                    for to in range(width):
                        scratch[to] |= images[image, 8 * word + byte, part, to]
        less = False
        for word in range(width):
            if scratch[word] != keys[row, word]:
                less = scratch[word] < keys[row, word]
                break
        if less:
            for word in range(width):
                keys[row, word] = scratch[word]
    return hash_words(keys, row)


@njit(nogil=True, inline="always")
def bucket(table, tag, value):  # type: ignore[no-untyped-def]
    """The first of the rows in which a state with this hash can lie."""
    mixed = value ^ (np.uint64(tag) * np.uint64(0x9E3779B97F4A7C15))
    return np.int64(mixed & np.uint64(len(table) - 1)) & ~(BUCKET - 1)


@njit(nogil=True, inline="always")
def scramble(known):  # type: ignore[no-untyped-def]
    value = known * np.uint64(0xD6E8FEB86659FD93)
    return value ^ (value >> np.uint64(32))


@njit(nogil=True, inline="always")
def probe(table, tag, keys, row, value):  # type: ignore[no-untyped-def]
    """What is known about a state, 0 where nothing is."""
    width = keys.shape[1]
    base = bucket(table, tag, value)
    for slot in range(base, base + BUCKET):
        known = table[slot, width]
        if known & np.uint64(255) == np.uint64(tag) and table[slot, 0] ^ scramble(known) == keys[row, 0]:
            same = True
            for word in range(1, width):
                if table[slot, word] != keys[row, word]:
                    same = False
                    break
            if same:
                return known
    return np.uint64(0)


@njit(nogil=True, inline="always")
def proved_within(known):  # type: ignore[no-untyped-def]
    return np.int64((known >> np.uint64(16)) & np.uint64(0xFFFF))


@njit(nogil=True, inline="always")
def refuted_within(known):  # type: ignore[no-untyped-def]
    return np.int64((known >> np.uint64(32)) & np.uint64(0xFFFF)) - 1


@njit(nogil=True)
def store(table, tag, keys, row, value, proved, refuted, work, mark):  # type: ignore[no-untyped-def]
    """Enters an answer beside what is known already."""
    width = keys.shape[1]
    base = bucket(table, tag, value)
    chosen = base
    least = np.uint64(1 << 16)
    for slot in range(base, base + BUCKET):
        known = table[slot, width]
        same = known & np.uint64(255) == np.uint64(tag) and table[slot, 0] ^ scramble(known) == keys[row, 0]
        for word in range(1, width):
            if table[slot, word] != keys[row, word]:
                same = False
        if same:
            proved = min(proved, proved_within(known))
            refuted = max(refuted, refuted_within(known))
            if mark == np.uint64(0):
                mark = known >> np.uint64(48)
            chosen = slot
            break
        if known == np.uint64(0):
            if least > np.uint64(0):
                chosen = slot
                least = np.uint64(0)
            continue
        effort = (known >> np.uint64(8)) & np.uint64(255)
        if effort + np.uint64(1) < least:
            chosen = slot
            least = effort + np.uint64(1)
    effort = np.uint64(0)
    while work > 3:  # four steps for every doubling
        work >>= 1
        effort += np.uint64(2)
    effort += np.uint64(work)
    known = (
        np.uint64(tag)
        | (effort << np.uint64(8))
        | (np.uint64(proved) << np.uint64(16))
        | (np.uint64(refuted + 1) << np.uint64(32))
        | (mark << np.uint64(48))
    )
    for word in range(1, width):
        table[chosen, word] = keys[row, word]
    table[chosen, 0] = keys[row, 0] ^ scramble(known)
    table[chosen, width] = known


def rows_in(memory: int, words: int) -> int:
    """The rows, a power of two, of a table with *words* to a row that takes at most *memory* bytes (64 KiB at least)."""
    return 1 << max(6, (max(memory, 1 << 16) // (8 * words)).bit_length() - 1)


@njit(nogil=True)
def _refill(old, new):  # type: ignore[no-untyped-def]
    """Enters every row of *old* into *new*, a larger table; rows of different fours never share one there."""
    width = old.shape[1] - 1
    key = np.empty((1, width), np.uint64)
    for row in range(len(old)):
        known = old[row, width]
        if known == np.uint64(0):
            continue
        for word in range(width):
            key[0, word] = old[row, word]
        key[0, 0] ^= scramble(known)
        slot = bucket(new, known & np.uint64(255), hash_words(key, 0))
        while new[slot, width] != np.uint64(0):
            slot += 1
        for word in range(width + 1):
            new[slot, word] = old[row, word]


def larger(table: NDArray[np.uint64], rows: int) -> NDArray[np.uint64]:
    """The same table with room for *rows* rows, a power of two."""
    grown: NDArray[np.uint64] = np.zeros((rows, table.shape[1]), np.uint64)
    _refill(table, grown)
    return grown


def images_of(
    bases: Sequence[Term], exchanges: Sequence[Mapping[Term, Term]], words: int
) -> NDArray[np.uint64]:
    """What each symmetry makes of each byte of a state: [symmetries, bytes, 256, words]."""
    places = {term: place for place, term in enumerate(bases)}
    images = np.zeros((len(exchanges), 8 * words, 256, words), np.uint64)
    for number, exchange in enumerate(exchanges):
        for term, place in places.items():
            to = places[exchange[term]]
            with_bit = (np.arange(256) >> (place % 8)) & 1 == 1
            images[number, place // 8, with_bit, to // 64] |= np.uint64(1 << (to % 64))
    return images

"""The table of the provers: for packed states, within how many moves a question about them is proved or refuted.

A row is the words of a state and one more for what is known about it (see `engine.states.transposition`):

    bits 0-7 question   8-15 effort   16-31 proved within   32-47 refuted within, plus one   48-63 mark of the best child

States that symmetries of the rules turn into each other share a row: the least of them, word by word, stands for all.
Buckets have four rows; the one that cost least gives way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from stratagem.engine.states.hashing import hash_words
from stratagem.engine.states.transposition import TAG, first_row, grown, match, tagged, write
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
    """The first of the rows in which a state with this hash can stand, by the question asked about it."""
    return first_row(table, tagged(value, tag), BUCKET)


@njit(nogil=True, inline="always")
def probe(table, tag, keys, row, value):  # type: ignore[no-untyped-def]
    """What is known about a state, 0 where nothing is."""
    return match(table, bucket(table, tag, value), BUCKET, keys, row, TAG, tag)[1]


@njit(nogil=True, inline="always")
def proved_within(known):  # type: ignore[no-untyped-def]
    return np.int64((known >> np.uint64(16)) & np.uint64(0xFFFF))


@njit(nogil=True, inline="always")
def refuted_within(known):  # type: ignore[no-untyped-def]
    return np.int64((known >> np.uint64(32)) & np.uint64(0xFFFF)) - 1


@njit(nogil=True)
def store(table, tag, keys, row, value, proved, refuted, work, mark):  # type: ignore[no-untyped-def]
    """Enters an answer beside what is known already."""
    base = bucket(table, tag, value)
    chosen, known = match(table, base, BUCKET, keys, row, TAG, tag)
    if chosen >= 0:
        proved = min(proved, proved_within(known))
        refuted = max(refuted, refuted_within(known))
        if mark == np.uint64(0):
            mark = known >> np.uint64(48)
    else:
        chosen = base
        least = np.uint64(1 << 16)
        for place in range(base, base + BUCKET):
            known = table[place, keys.shape[1]]
            cost = np.uint64(0) if known == 0 else ((known >> np.uint64(8)) & np.uint64(255)) + np.uint64(1)
            if cost < least:
                chosen, least = place, cost
            if cost == 0:
                break
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
    write(table, chosen, keys, row, known)


def rows_in(memory: int, columns: int) -> int:
    """The rows, a power of two, of a table with *columns* words to a row that takes at most *memory* bytes (64 KiB at least)."""
    return 1 << max(6, (max(memory, 1 << 16) // (8 * columns)).bit_length() - 1)


def fitting(table: NDArray[np.uint64], words: int, nodes: int, most: int) -> NDArray[np.uint64]:
    """*table*, of states of *words* words: larger where it would be more than half full after *nodes* nodes.

    It has *most* rows at most, and keeps what is known.
    """
    while len(table) < min(most, 2 * nodes + 2):
        table = grown(table, min(most, GROWTH * len(table)), words, BUCKET)
    return table


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

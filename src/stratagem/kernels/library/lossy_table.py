"""A lossy table of packed states, shared by threads without a lock: a transposition table.

Rows come in buckets of two or four, in one line of the cache where a state has few words; when a bucket is full the row
that is worth least gives way. A row is the words of a state and one more for what is *known*, which is never 0 in a row
that is used and whose highest 16 bits say what the row is worth. The first word is kept mixed with a hash of the others
and of what is known (after Hyatt and Mann, 2002): a row of which two threads wrote a part each matches no state, and a row
that one thread wrote matches its own state only.
"""

from __future__ import annotations

from typing import Final

from stratagem.kernels import (
    Array,
    Record,
    dims,
    inlined,
    kernel,
    load_relaxed,
    prefetch,
    size,
    store_relaxed,
    uint64,
)
from stratagem.kernels.library.random_numbers import mixed
from stratagem.kernels.splitmix import GOLDEN

WORTH_SHIFT: Final = 48


class LossyTable(Record):
    """*entries* rows, a power of two, of *stride* words: the *words* of a state, what is known, whatever else a search keeps."""

    entries: int = size()
    stride: int = size()
    rows: Array[uint64] = dims("entries", "stride")
    words: int
    bucket: int
    """Rows of a bucket, a power of two."""


@inlined
def seal(state: Array[uint64], words: int, known: uint64) -> uint64:
    """What the first word of a row is mixed with."""
    for word in range(1, words):
        known = (known ^ state[word]) * GOLDEN
    return mixed(known)


@inlined
def bucket_of(table: LossyTable, hashed: uint64) -> int:
    """The first row of the bucket for this hash."""
    return int(hashed) & (table.entries - 1) & ~(table.bucket - 1)


@inlined
def prefetch_bucket(table: LossyTable, hashed: uint64) -> None:
    """Fetches a bucket into the cache ahead of its use."""
    prefetch(table.rows.row(bucket_of(table, hashed)), 0)


@inlined
def known_in(table: LossyTable, row: int, state: Array[uint64]) -> uint64:
    """What a row knows of this state; 0 where it speaks of another one, or of none."""
    entry = table.rows.row(row)
    known = load_relaxed(entry, table.words)  # read once: another thread may write the row now
    if known == 0:
        return uint64(0)
    for word in range(1, table.words):
        if entry[word] != state[word]:
            return uint64(0)
    return known if entry[0] ^ seal(state, table.words, known) == state[0] else uint64(0)


@kernel
def look_up(table: LossyTable, state: Array[uint64], hashed: uint64) -> uint64:
    """What is known of a state, or 0."""
    _, known = find_row(table, state, hashed, uint64(0), uint64(0))
    return known


@inlined
def find_row(
    table: LossyTable, state: Array[uint64], hashed: uint64, mask: uint64, tag: uint64
) -> tuple[int, uint64]:
    """The row of a state, and what is known there; -1 and 0 where there is none.

    Only rows count whose bits *mask* of what is known are *tag*: the question that a row answers, where there are several.
    """
    first = bucket_of(table, hashed)
    for row in range(first, first + table.bucket):
        known = known_in(table, row, state)
        if known != 0 and known & mask == tag:
            return row, known
    return -1, uint64(0)


@inlined
def row_for(table: LossyTable, state: Array[uint64], hashed: uint64) -> int:
    """The row in which to keep a state: its own, or else the one that is worth least; free ones are worth 0."""
    first = bucket_of(table, hashed)
    chosen = first
    for row in range(first, first + table.bucket):
        if known_in(table, row, state) != 0:
            return row
        if worth(table.rows[row, table.words]) < worth(table.rows[chosen, table.words]):
            chosen = row
    return chosen


@inlined
def worth(known: uint64) -> int:
    """How much a row is worth: the highest 16 bits of what is known."""
    return int(known >> WORTH_SHIFT)


@inlined
def write_row(table: LossyTable, row: int, state: Array[uint64], known: uint64) -> None:
    """Fills a row; *known* must not be 0."""
    entry = table.rows.row(row)
    for word in range(1, table.words):
        entry[word] = state[word]
    store_relaxed(entry, 0, state[0] ^ seal(state, table.words, known))
    store_relaxed(entry, table.words, known)


@kernel
def keep(table: LossyTable, state: Array[uint64], hashed: uint64, known: uint64) -> None:
    """Enters what is *known* of a state, in place of what was; *known* must not be 0."""
    write_row(table, row_for(table, state, hashed), state, known)

"""The table of the provers: for packed states, within how many moves a question about them is proved or refuted.

A row is the words of a state and one more for what is known about it (see `kernels.library.lossy_table`):

    bits 0-7 question   8-15 effort   16-31 proved within   32-47 refuted within, plus one   48-63 mark of the best child

Buckets have four rows; the one that cost least gives way.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from stratagem.kernels import Array, inlined, kernel, uint64
from stratagem.kernels.library.hashing import hash_state
from stratagem.kernels.library.lossy_table import LossyTable, bucket_of, find_row, seal, write_row
from stratagem.kernels.splitmix import GOLDEN
from stratagem.kernels.translate.family import KernelFamily
from stratagem.native.jit.kernel_families import compiled_family

FOR_EVER: Final = 32000
"""The depth that stands for "refuted at any depth", and for "not proved"."""
TAG: Final = uint64(255)
"""The bits of what is known that name the question it answers."""
BUCKET = 4
FIRST_ROWS = 1 << 16
"""Rows of a table before anything is searched."""
GROWTH = 4
"""How many times larger a table becomes when it must grow. Larger steps touch memory that a search never needs."""
UNLIMITED = 1 << 60


@inlined
def tagged(hashed: uint64, tag: int) -> uint64:
    """The hash of a state together with the question that is asked about it."""
    return hashed ^ uint64(tag) * GOLDEN


@inlined
def find(table: LossyTable, key: Array[uint64], hashed: uint64, tag: int) -> tuple[int, uint64]:
    """The row that answers a question about a state, and what is known there; -1 and 0 where there is none."""
    return find_row(table, key, tagged(hashed, tag), TAG, uint64(tag))


@kernel
def probe(table: LossyTable, key: Array[uint64], hashed: uint64, tag: int) -> uint64:
    """What is known about a state, 0 where nothing is."""
    _, known = find(table, key, hashed, tag)
    return known


@inlined
def proved_within(known: uint64) -> int:
    return int(known >> 16 & 0xFFFF)


@inlined
def refuted_within(known: uint64) -> int:
    return int(known >> 32 & 0xFFFF) - 1


@inlined
def best_mark(known: uint64) -> uint64:
    return known >> 48


@kernel
def store(
    table: LossyTable,
    key: Array[uint64],
    hashed: uint64,
    tag: int,
    proved: int,
    refuted: int,
    work: int,
    mark: uint64,
) -> None:
    """Enters an answer beside what is known already."""
    row, known = find(table, key, hashed, tag)
    if row >= 0:
        proved = min(proved, proved_within(known))
        refuted = max(refuted, refuted_within(known))
        if mark == 0:
            mark = best_mark(known)
    else:
        row = cheapest(table, bucket_of(table, tagged(hashed, tag)))
    known = uint64(tag) | effort(work) << 8 | uint64(proved) << 16 | uint64(refuted + 1) << 32 | mark << 48
    write_row(table, row, key, known)


@inlined
def cheapest(table: LossyTable, first: int) -> int:
    """The row of a bucket that cost least; a free one cost nothing."""
    chosen, least = first, 1 << 16
    for row in range(first, first + table.bucket):
        known = table.rows[row, table.words]
        cost = 0 if known == 0 else int(known >> 8 & 255) + 1
        if cost < least:
            chosen, least = row, cost
    return chosen


@inlined
def effort(work: int) -> uint64:
    """The nodes behind an answer on a logarithmic scale that fits into a byte: two steps for every doubling."""
    steps = 0
    while work > 3:
        work >>= 1
        steps += 2
    return uint64(steps + work)


@kernel
def move_rows(old: LossyTable, new: LossyTable) -> None:
    """Enters every row of *old*, which is of no use afterwards, into a larger table, where no bucket gets rows of two."""
    for source in range(old.entries):
        entry = old.rows.row(source)
        known = entry[old.words]
        if known == 0:
            continue
        entry[0] ^= seal(entry, old.words, known)
        row = bucket_of(new, tagged(hash_state(entry, old.words), int(known & TAG)))
        while new.rows[row, new.words] != 0:
            row += 1
        write_row(new, row, entry, known)
        for extra in range(old.words + 1, old.stride):
            new.rows[row, extra] = entry[extra]


KERNELS: Final = KernelFamily("table of proofs", (move_rows,))


class GrowingTable:
    """A table that is at most half full, until it takes *memory* bytes: memory that is never used costs nothing.

    Rows have *extra* words beside the *words* of a state and what is known.
    """

    def __init__(self, words: int, *, memory: int, extra: int = 0) -> None:
        stride = words + 1 + extra
        self.rows_at_most = 1 << max(6, (max(memory, 1 << 16) // (8 * stride)).bit_length() - 1)
        first = np.zeros((min(FIRST_ROWS, self.rows_at_most), stride), np.uint64)
        self.record = LossyTable(rows=first, words=words, bucket=BUCKET)

    def __len__(self) -> int:
        return int(self.record.entries)

    @property
    def nbytes(self) -> int:
        return int(self.record.rows.numpy.nbytes)

    @property
    def states(self) -> int:
        """How many states it holds, counted once for every question about them."""
        return int(np.count_nonzero(self.record.rows.numpy[:, self.record.words]))

    def clear(self) -> None:
        self.record.rows.numpy[:] = 0

    def node_limit(self, nodes: int) -> int:
        """Makes room after *nodes* nodes; says up to which number of nodes in all there will be enough."""
        while len(self) < min(self.rows_at_most, 2 * nodes + 2):
            self._grow(min(self.rows_at_most, GROWTH * len(self)))
        return UNLIMITED if len(self) == self.rows_at_most else len(self) // 2

    def _grow(self, rows: int) -> None:
        old = self.record
        larger = LossyTable(rows=np.zeros((rows, old.stride), np.uint64), words=old.words, bucket=old.bucket)
        compiled_family(KERNELS)[move_rows](old, larger)
        old.put(rows=larger.rows)

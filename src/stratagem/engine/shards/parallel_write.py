"""One database written by all shards of a machine at once: each merges and writes a range of the states (as a sample sort does).

The ends of ranges come from a sample of all runs, so that ranges are of about one size. Where a range begins in every run
is exact, and so is the row of the file at which it begins: shards write side by side what one process would write.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from stratagem.engine.shards.backward import Induction
from stratagem.engine.shards.chunks import FiledChunk, joined
from stratagem.engine.shards.merging import Rows, in_word_order, places_after
from stratagem.engine.space.database_file import (
    DatabaseLayout,
    SectionWriter,
    sync,
    unfinished,
    write_head,
)

if TYPE_CHECKING:
    from stratagem.engine.shards.search import ShardedSearch

ROWS: Final = 1 << 17
"""Rows that are merged at a time, within the memory: they stay in the processor's cache."""
SAMPLES: Final = 1 << 16
SYNCED: Final = 0.1
"""Seconds between two times that the disk is waited for."""
READ: Final = 1 << 20
"""Bytes that are read at a time for a checksum."""

Section = tuple[str, int, int]
"""A section of the file: its name, the byte at which it begins, and how many bytes it has."""


@dataclass(frozen=True, slots=True)
class WritePlan:
    """The file that shards write together, and the sorted rows that it is merged from."""

    path: str
    layout: DatabaseLayout
    induction: Induction
    sources: list[FiledChunk]


def write_together(search: ShardedSearch, layout: DatabaseLayout, induction: Induction, target: Path) -> None:
    """Has all shards write *target*; they are on this machine and use each other's files."""
    shards = len(search.shards)
    sources = [source for own in search.each("sources") for source in own]
    width = 8 * layout.facts.words + 2 * induction.columns + 16
    rows = max(1 << 10, min(ROWS, search.plan.memory // (4 * width)))
    pieces = max(1, -(-layout.count // (rows * shards)))
    lengths = [source.count for source in sources]
    bounds = bounds_of(lengths, lambda number: sources[number].section("states"), shards * pieces)
    shares = [bounds[first : first + pieces + 1] for first in range(0, shards * pieces, pieces)]
    with unfinished(target) as place:
        plan = WritePlan(str(place), layout, induction, sources)
        with _on_its_way_to_disk(place) as written:
            search.each("write_range", [(plan, share) for share in shares])
            written.set()
            digests: dict[str, str] = {}
            for found in search.each("checksums", [(str(place), part) for part in _dealt(layout, shards)]):
                digests |= found
        with place.open("r+b") as file:
            write_head(file, layout.head(digests))


@contextmanager
def _on_its_way_to_disk(place: Path) -> Iterator[Event]:
    """Has what is written to a file brought to the disk meanwhile; all of it is there at the end, if the event was set."""
    written = Event()

    def keep_syncing() -> None:
        last = False
        while not last:
            last = written.wait(SYNCED)
            sync(place)

    with ThreadPoolExecutor(1, "database") as disk:
        syncing = disk.submit(keep_syncing)
        try:
            yield written
        finally:
            written.set()
        syncing.result()


def _dealt(layout: DatabaseLayout, shards: int) -> list[list[Section]]:
    """The sections that each shard reads for their checksums: the largest first, to whoever has least to read."""
    parts: list[list[Section]] = [[] for _ in range(shards)]
    sizes, places = layout.sizes, layout.places
    for name in sorted(sizes, key=sizes.__getitem__, reverse=True):
        least = min(parts, key=lambda part: sum(size for _, _, size in part))
        least.append((name, places[name], sizes[name]))
    return parts


def bounds_of(
    lengths: Sequence[int], states_of: Callable[[int], NDArray[np.uint64]], count: int
) -> NDArray[np.int64]:
    """Where each of *count* ranges of about one size begins in each of some sorted sources; in the last row, where they end.

    Of source *n*, which has ``lengths[n]`` states, *states_of* gives a map. One is looked at after the other, as a map holds an open file.
    """
    step = max(1, sum(lengths) // max(SAMPLES, 16 * count))
    samples = [states_of(number)[step // 2 :: step].copy() for number in range(len(lengths))]
    sample = in_word_order({"states": np.concatenate(samples)})
    ends = sample["states"][[len(sample["states"]) * number // count for number in range(1, count)]]
    bounds = np.zeros((count + 1, len(lengths)), np.int64)
    for number in range(len(lengths)):
        states = states_of(number)
        if states.shape[1] == 1:
            bounds[1:count, number] = np.searchsorted(states[:, 0], ends[:, 0], "right")
        else:
            bounds[1:count, number] = [places_after(states, tuple(map(int, end))) for end in ends]
        bounds[count, number] = len(states)
    return bounds


def write_range(plan: WritePlan, bounds: NDArray[np.int64]) -> None:
    """Merges and writes the rows between *bounds*, one piece after another."""
    sources = [source.rows() for source in plan.sources]
    with open(plan.path, "r+b", buffering=0) as file:
        sections = SectionWriter(file, plan.layout, int(bounds[0].sum()))
        for begin, end in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
            parts = [
                {name: array[first:last] for name, array in rows.items()}
                for rows, first, last in zip(sources, begin, end, strict=True)
                if first < last
            ]
            if parts:
                sections.add(in_word_order(entered(joined(parts), plan.induction)))


def entered(rows: Rows, induction: Induction) -> Rows:
    """*rows* with what a database keeps, where they still have the values of backward induction."""
    if "values" not in rows:
        return rows
    return {"states": rows["states"], **induction.entries(rows["values"])}


def checksums(path: str, sections: Sequence[Section]) -> dict[str, str]:
    """The checksums of some sections of a file."""
    found = {}
    buffer = memoryview(bytearray(READ))
    with open(path, "rb", buffering=0) as file:
        for name, begin, size in sections:
            digest = hashlib.sha256()
            file.seek(begin)
            left = size
            while left and (read := file.readinto(buffer[: min(left, READ)])):
                digest.update(buffer[:read])
                left -= read
            found[name] = digest.hexdigest()
    return found

"""Chunks: the rows of a shard's database, sorted in pieces that fit into the memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stratagem.engine.shards.backward import Induction
from stratagem.engine.shards.merging import Rows, in_word_order

Layer = tuple[NDArray[np.uint64], NDArray[np.int16]]
"""The states of a layer, and their values."""


@dataclass(frozen=True, slots=True)
class FiledChunk:
    """A chunk: how many rows it has and, where it lies in files, for each section its path, type and shape."""

    count: int
    files: dict[str, tuple[str, str, tuple[int, ...]]]

    def rows(self) -> Rows:
        """Its rows, as maps of the files."""
        return {name: self.section(name) for name in self.files}

    def section(self, name: str) -> NDArray[Any]:
        """One section of its rows."""
        path, kind, shape = self.files[name]
        return np.asarray(np.memmap(path, kind, "r", shape=shape))


def sorted_chunks(
    layers: Sequence[Layer], induction: Induction, rows: int, folder: Path, *, in_files: bool
) -> list[tuple[Rows, FiledChunk]]:
    """All states of *layers* with what a database keeps of them, about *rows* in a chunk; in memory, if it is one, unless *in_files*."""
    chunks: list[tuple[Rows, FiledChunk]] = []
    whole = not in_files and sum(len(states) for states, _ in layers) <= rows
    for number, gathered in enumerate(_gathered(layers, induction, rows)):
        chunk = in_word_order(gathered)
        if whole:
            chunks.append((chunk, FiledChunk(len(chunk["distance"]), {})))
        else:
            filed = _in_files(chunk, folder, number)
            chunks.append((filed.rows(), filed))
    return chunks


def _in_files(chunk: Rows, folder: Path, number: int) -> FiledChunk:
    """The same rows in files."""
    files: dict[str, tuple[str, str, tuple[int, ...]]] = {}
    for name, array in chunk.items():
        path = folder / f"chunk-{number}-{name}"
        np.ascontiguousarray(array).tofile(path)
        files[name] = str(path), array.dtype.str, array.shape
    return FiledChunk(len(chunk["distance"]), files)


def _gathered(layers: Sequence[Layer], induction: Induction, rows: int) -> Iterator[Rows]:
    """The rows of all layers, as many at a time as may be sorted in memory."""
    parts: list[Rows] = []
    count = 0
    for states, values in layers:
        for first in range(0, len(states), rows):
            last = min(first + rows, len(states))
            parts.append({"states": states[first:last], **induction.entries(values[first:last])})
            count += last - first
            if count >= rows:
                yield joined(parts)
                parts, count = [], 0
    if parts:
        yield joined(parts)


def joined(parts: Sequence[Rows]) -> Rows:
    """The rows of *parts*, one after another."""
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}

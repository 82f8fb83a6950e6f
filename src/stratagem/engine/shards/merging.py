"""Merging sorted chunks of database rows into one sequence, a piece of each at a time."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

THREADS: Final = 2
Rows = dict[str, NDArray[Any]]
"""Rows of the sections of a database, in the order of the words of their states."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """*count* rows in order; *fetch* gives those from a first one on, so many of them."""

    count: int
    fetch: Callable[[int, int], Rows]


def in_word_order(rows: Rows) -> Rows:
    """*rows* sorted by the words of their states."""
    states = rows["states"]
    order = np.argsort(states[:, 0]) if states.shape[1] == 1 else np.lexsort(states.T[::-1])
    return {name: array[order] for name, array in rows.items()}


def merged(chunks: Sequence[Chunk], rows: int) -> Iterator[Rows]:
    """The rows of all *chunks* in order, in pieces; of each chunk a share of *rows* is held at a time.

    Pieces are sorted by a few threads, which numpy lets run side by side.
    """
    with ThreadPoolExecutor(THREADS, "merging") as sorting:
        begun: deque[Future[Rows]] = deque()
        for pieces in _ranges(chunks, rows):
            begun.append(sorting.submit(in_one, pieces))
            if len(begun) > THREADS:
                yield begun.popleft().result()
        while begun:
            yield begun.popleft().result()


def _ranges(chunks: Sequence[Chunk], rows: int) -> Iterator[list[Rows]]:
    """For one range of states after another the rows of each chunk."""
    share = max(1, rows // max(1, len(chunks)))
    taken = [0] * len(chunks)
    held: list[Rows | None] = [None] * len(chunks)
    while True:
        for number, chunk in enumerate(chunks):
            if held[number] is None and taken[number] < chunk.count:
                held[number] = chunk.fetch(taken[number], min(share, chunk.count - taken[number]))
                taken[number] += len(held[number]["states"])  # type: ignore[index]
        present = [(number, part) for number, part in enumerate(held) if part is not None]
        if not present:
            return
        unread = [part for number, part in present if taken[number] < chunks[number].count]
        bound = min((_key(part["states"], -1) for part in unread), default=None)
        pieces: list[Rows] = []
        for number, part in present:
            end = len(part["states"]) if bound is None else places_after(part["states"], bound)
            pieces.append({name: array[:end] for name, array in part.items()})
            rest = {name: array[end:] for name, array in part.items()}
            held[number] = rest if len(rest["states"]) else None
        yield pieces


def in_one(pieces: Sequence[Rows]) -> Rows:
    """The rows of *pieces* in order."""
    if len(pieces) == 1:
        return pieces[0]
    return in_word_order({name: np.concatenate([piece[name] for piece in pieces]) for name in pieces[0]})


def _key(states: NDArray[np.uint64], row: int) -> tuple[int, ...]:
    return tuple(map(int, states[row]))


def places_after(states: NDArray[np.uint64], bound: tuple[int, ...]) -> int:
    """How many of *states*, which are in order, do not come after *bound*."""
    low, high = 0, len(states)
    while low < high:
        middle = (low + high) // 2
        if _key(states, middle) <= bound:
            low = middle + 1
        else:
            high = middle
    return low

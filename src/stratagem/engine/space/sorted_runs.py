"""Sorted runs: packed states in files, in order, for external breadth-first search.

A run is a file of states in ascending order, each once. States of one word are ordered as numbers; longer ones by
their hash, then word by word: any order will do, as long as it is the same in all runs, and one word sorts fastest. Runs
are read through memory maps, so that they take no memory of ours; merging takes them range by range, and a state is
looked up in a longer run by galloping (Bentley and Yao, 1976), which costs no more than a merge where the two are of
one size and a logarithm where they are not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from stratagem.engine.states.hashing import hash_words
from stratagem.errors import LimitExceeded
from stratagem.native.jit.numba_cache import njit


@njit(nogil=True, inline="always")
def rank(states, row):  # type: ignore[no-untyped-def]
    """What a state is sorted by first."""
    if states.shape[1] == 1:
        return states[row, 0]
    return hash_words(states, row)


@njit(nogil=True)
def compare(states, row, others, other):  # type: ignore[no-untyped-def]
    """-1, 0 or 1: how a state stands to another in the order of runs."""
    one, two = rank(states, row), rank(others, other)
    if one != two:
        return -1 if one < two else 1
    for word in range(states.shape[1]):
        if states[row, word] != others[other, word]:
            return -1 if states[row, word] < others[other, word] else 1
    return 0


@njit(nogil=True)
def ranks(states, keys):  # type: ignore[no-untyped-def]
    for row in range(len(states)):
        keys[row] = rank(states, row)


@njit(nogil=True)
def settle(states):  # type: ignore[no-untyped-def]
    """Sorts states of equal rank, which lie side by side, and drops all but one of equal states; how many are left."""
    count, width = states.shape
    for row in range(1, count):
        at = row
        while at > 0 and rank(states, at - 1) == rank(states, at) and compare(states, at, states, at - 1) < 0:
            for word in range(width):
                held = states[at, word]
                states[at, word] = states[at - 1, word]
                states[at - 1, word] = held
            at -= 1
    kept = 0
    for row in range(count):
        if kept and compare(states, row, states, kept - 1) == 0:
            continue
        if kept != row:
            for word in range(width):
                states[kept, word] = states[row, word]
        kept += 1
    return kept


@njit(nogil=True)
def gallop(states, first, wanted, row):  # type: ignore[no-untyped-def]
    """The first place from *first* in sorted *states* that is not before the wanted state."""
    step, low = 1, first
    while low + step <= len(states) and compare(states, low + step - 1, wanted, row) < 0:
        low += step
        step *= 2
    high = min(low + step - 1, len(states))
    while low < high:
        middle = (low + high) // 2
        if compare(states, middle, wanted, row) < 0:
            low = middle + 1
        else:
            high = middle
    return low


@njit(nogil=True)
def subtract(states, count, run, first, fresh):  # type: ignore[no-untyped-def]
    """Clears *fresh* where a state lies in *run*, from its place *first* on; the place to go on from."""
    place = first
    for row in range(count):
        place = gallop(run, place, states, row)
        if place == len(run):
            break
        if compare(run, place, states, row) == 0:
            fresh[row] = False
            place += 1
    return place


def in_order(states: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """*states* sorted, each once. The array itself may be used for it."""
    if states.shape[1] == 1:
        states[:, 0].sort()
    elif len(states):
        keys = np.empty(len(states), np.uint64)
        ranks(states, keys)
        states = states[np.argsort(keys)]
    return states[: int(settle(states))]


@dataclass(frozen=True, slots=True, eq=False)
class SortedRun:
    """States in a file; *states* is a map of it."""

    path: Path
    states: NDArray[np.uint64]

    def __len__(self) -> int:
        return len(self.states)

    def remove(self) -> None:
        self.path.unlink()


class RunWriter:
    """Writes a run piece by piece."""

    def __init__(self, path: Path, words: int) -> None:
        self.path, self.words, self.count = path, words, 0
        try:
            self._file = path.open("xb", buffering=0)
        except OSError as refused:
            raise _refusal(path, refused) from refused

    def add(self, states: NDArray[np.uint64]) -> None:
        """Appends *states*, which must come after those written before."""
        content = np.ascontiguousarray(states).reshape(-1).view(np.uint8).data
        try:
            while len(content):
                content = content[self._file.write(content) :]
        except OSError as refused:
            self._file.close()
            raise _refusal(self.path, refused) from refused
        self.count += len(states)

    def close(self) -> SortedRun:
        self._file.close()
        if not self.count:
            return SortedRun(self.path, np.empty((0, self.words), np.uint64))
        # copy-on-write, never written: so kernels see one kind of array, whether it lies in memory or in a file
        states = np.memmap(self.path, np.uint64, "c", shape=(self.count, self.words))
        return SortedRun(self.path, np.asarray(states))


def _refusal(path: Path, refused: OSError) -> LimitExceeded:
    return LimitExceeded(
        f"{path.parent}: the layers of the search could not be written ({refused.strerror})",
        hint="name a directory with more room, or give more memory",
    )


def ranges(runs: Sequence[SortedRun], rows: int) -> Iterator[NDArray[np.uint64]]:
    """The states of all *runs* in order, each once, in pieces of at most *rows* (at least one of each run)."""
    places = [0] * len(runs)
    share = max(1, rows // max(1, len(runs)))
    while open_runs := [number for number, run in enumerate(runs) if places[number] < len(run)]:
        last = _nearest(
            [runs[number].states[min(places[number] + share, len(runs[number])) - 1] for number in open_runs]
        )
        pieces = []
        for number in open_runs:
            states = runs[number].states
            end = int(gallop(states, places[number], last, 0))
            if end < len(states) and compare(states, end, last, 0) == 0:
                end += 1
            pieces.append(states[places[number] : end])
            places[number] = end
        yield in_order(np.concatenate(pieces))


def _nearest(states: Sequence[NDArray[np.uint64]]) -> NDArray[np.uint64]:
    """The first of *states*, as an array of one row."""
    best = np.ascontiguousarray(states[0]).reshape(1, -1)
    for state in states[1:]:
        other = np.ascontiguousarray(state).reshape(1, -1)
        if compare(other, 0, best, 0) < 0:
            best = other
    return best

"""Sorted runs: packed states in files, in order, for external breadth-first search.

A run is a file of states in ascending order, each once. States of one word are ordered as numbers; longer ones by
their hash, then word by word: any order will do, as long as it is the same in all runs, and one word sorts fastest. Runs
are read through memory maps, so that they take no memory of ours; merging takes them range by range, and a state is
looked up in a longer run by galloping (Bentley and Yao, 1976), which costs no more than a merge where the two are of
one size and a logarithm where they are not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from weakref import finalize

import numpy as np
from numpy.typing import NDArray

from stratagem.errors import LimitExceeded
from stratagem.kernels import Array, Record, count_ones, dims, inlined, kernel, size, uint64
from stratagem.kernels.library.hashing import copy_state, hash_state, less_state, same_state
from stratagem.kernels.translate.family import KernelFamily
from stratagem.native.jit.kernel_families import compiled_family


class StateRows(Record):
    """Packed states, one after another."""

    rows: int = size()
    words: int = size()
    states: Array[uint64] = dims("rows", "words")


@inlined
def rank(state: Array[uint64], words: int) -> uint64:
    """What a state is sorted by first."""
    if words == 1:
        return state[0]
    return hash_state(state, words)


@kernel
def comes_first(one: Array[uint64], other: Array[uint64], words: int) -> bool:
    """Whether a state comes before another in the order of runs."""
    first, second = rank(one, words), rank(other, words)
    if first != second:
        return first < second
    return less_state(one, other, words)


@kernel
def rank_all(unsorted: StateRows, ranks: Array[uint64]) -> None:
    for row in range(unsorted.rows):
        ranks[row] = rank(unsorted.states.row(row), unsorted.words)


@inlined
def swap_states(one: Array[uint64], other: Array[uint64], words: int) -> None:
    for word in range(words):
        one[word], other[word] = other[word], one[word]


@kernel
def settle(by_rank: StateRows) -> int:
    """Sorts states of equal rank, which lie side by side, and drops all but one of equal states; how many are left."""
    words = by_rank.words
    if words > 1:  # states of one word are equal where their ranks are
        for row in range(1, by_rank.rows):
            place = row
            while place > 0 and comes_first(by_rank.states.row(place), by_rank.states.row(place - 1), words):
                swap_states(by_rank.states.row(place), by_rank.states.row(place - 1), words)
                place -= 1
    kept = 0
    for row in range(by_rank.rows):
        state = by_rank.states.row(row)
        if kept == 0 or not same_state(state, by_rank.states.row(kept - 1), words):
            copy_state(state, by_rank.states.row(kept), words)
            kept += 1
    return kept


@kernel
def gallop(run: StateRows, first: int, wanted: Array[uint64]) -> int:
    """The first place from *first* in a sorted run that is not before the wanted state."""
    step, low = 1, first
    while low + step <= run.rows and comes_first(run.states.row(low + step - 1), wanted, run.words):
        low += step
        step *= 2
    high = min(low + step - 1, run.rows)
    while low < high:
        middle = (low + high) // 2
        if comes_first(run.states.row(middle), wanted, run.words):
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def sizes_of(some: StateRows) -> uint64:
    """Which numbers of bits the states have that are set, modulo 64: a bit of the result for each."""
    found = uint64(0)
    for row in range(some.rows):
        ones = 0
        for word in range(some.words):
            ones += count_ones(some.states.row(row)[word])
        found |= uint64(1) << (ones & 63)
    return found


@kernel
def stands_before(run: StateRows, place: int, other: StateRows, other_place: int) -> bool:
    """Whether a state of a run comes before one of another run."""
    return comes_first(run.states.row(place), other.states.row(other_place), run.words)


@kernel
def end_of_range(run: StateRows, first: int, other: StateRows, last: int) -> int:
    """The first place from *first* in a run that comes after the state at *last* in another one."""
    state = other.states.row(last)
    place = gallop(run, first, state)
    if place < run.rows and same_state(run.states.row(place), state, run.words):
        return place + 1
    return place


@kernel
def subtract(layer: StateRows, run: StateRows, first: int, fresh: Array[bool]) -> int:
    """Clears *fresh* where a state of a sorted *layer* lies in *run*, from its place *first* on; the place to go on from.

    Each gallops to where the other stands, so that the shorter one decides what it costs.
    """
    place, row = first, 0
    while row < layer.rows:
        place = gallop(run, place, layer.states.row(row))
        if place == run.rows:
            break
        if same_state(run.states.row(place), layer.states.row(row), run.words):
            fresh[row] = False
            place += 1
            row += 1
        else:
            row = gallop(layer, row + 1, run.states.row(place))
    return place


KERNELS: Final = KernelFamily(
    "sorted runs", (rank_all, settle, sizes_of, stands_before, end_of_range, subtract)
)


def in_order(states: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """*states* sorted, each once. The array itself may be used for it."""
    code = compiled_family(KERNELS)
    if states.shape[1] == 1:
        states[:, 0].sort()
    elif len(states):
        ranks = np.empty(len(states), np.uint64)
        code[rank_all](StateRows(states=states), Array(uint64, ranks))
        states = states[np.argsort(ranks)]
    return states[: code[settle](StateRows(states=states))]


def marks_of(states: NDArray[np.uint64]) -> int:
    """A set of what the *states* are like, as bits: sets of states whose marks have nothing in common are disjoint.

    Where every move sets a bit, as where pieces are only ever added, each layer has a mark of its own.
    """
    return int(compiled_family(KERNELS)[sizes_of](StateRows(states=states))) & ((1 << 64) - 1)


@dataclass(frozen=True, slots=True, eq=False)
class SortedRun:
    """States in a file; *states* is a map of it."""

    path: Path
    states: NDArray[np.uint64]

    def __len__(self) -> int:
        return len(self.states)

    def remove(self) -> None:
        """Removes the file; on Windows, which keeps one that is mapped, it goes with its folder."""
        with suppress(PermissionError):
            self.path.unlink()


class RunWriter:
    """Writes a run piece by piece; or, where *kind* says so, rows of other numbers than words; *over* a file that is there."""

    def __init__(self, path: Path, words: int, kind: Any = np.uint64, *, over: bool = False) -> None:
        self.path, self.words, self.kind, self.count = path, words, kind, 0
        try:
            self._file = path.open("r+b" if over else "xb", buffering=0)
        except OSError as refused:
            raise refused_by_system(path, refused) from refused
        finalize(self, self._file.close)  # where the work is broken off and nothing closes it

    def add(self, states: NDArray[Any]) -> None:
        """Appends *states*, which must come after those written before."""
        content = np.ascontiguousarray(states).reshape(-1).view(np.uint8).data
        try:
            while len(content):
                content = content[self._file.write(content) :]
        except OSError as refused:
            self._file.close()
            raise refused_by_system(self.path, refused) from refused
        self.count += len(states)

    def end(self) -> None:
        """Closes the file."""
        self._file.close()

    def close(self) -> SortedRun:
        """Closes the file and maps it."""
        self.end()
        if not self.count * self.words:
            return SortedRun(self.path, np.empty((self.count, self.words), self.kind))
        # copy-on-write, never written: so kernels see one kind of array, whether it lies in memory or in a file
        states = np.memmap(self.path, self.kind, "c", shape=(self.count, self.words))
        return SortedRun(self.path, np.asarray(states))


def refused_by_system(path: Path, refused: OSError) -> LimitExceeded:
    """What is said where the file at *path* cannot be written."""
    return LimitExceeded(
        f"{path.parent}: the layers of the search could not be written ({refused.strerror})",
        hint="name a directory with more free space, or give more memory",
    )


def remove_known(
    states: NDArray[np.uint64], run: NDArray[np.uint64], first: int, fresh: NDArray[np.bool_]
) -> int:
    """Clears *fresh* where one of sorted *states* lies in a *run*, from its place *first* on; the place to go on from."""
    return compiled_family(KERNELS)[subtract](
        StateRows(states=states), StateRows(states=run), first, Array(bool, fresh)
    )


def ranges(runs: Sequence[SortedRun], rows: int) -> Iterator[NDArray[np.uint64]]:
    """The states of all *runs* in order, each once, in pieces of at most *rows* (at least one of each run)."""
    code = compiled_family(KERNELS)
    files = [StateRows(states=run.states) for run in runs]
    places = [0] * len(runs)
    share = max(1, rows // max(1, len(runs)))
    while open_runs := [number for number, run in enumerate(runs) if places[number] < len(run)]:
        last, end = files[open_runs[0]], -1
        for number in open_runs:  # up to the least of the states that end a share
            candidate = min(places[number] + share, len(runs[number])) - 1
            if end < 0 or code[stands_before](files[number], candidate, last, end):
                last, end = files[number], candidate
        pieces = []
        for number in open_runs:
            first, places[number] = (
                places[number],
                code[end_of_range](files[number], places[number], last, end),
            )
            pieces.append(runs[number].states[first : places[number]])
        yield in_order(np.concatenate(pieces))

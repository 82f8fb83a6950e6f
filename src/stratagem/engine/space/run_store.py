"""The run store: states that have come in, as sorted runs in files, and all that is known already (external memory).

What comes in fills a buffer, whose content is written as a sorted run when it is full. A turn merges the runs, takes away
what is known and makes the rest a run of its own. Known runs of similar size are merged, so that a state is looked
up in logarithmically many.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from stratagem.engine.space.sorted_runs import RunWriter, SortedRun, in_order, ranges, remove_known


class RunStore:
    """Runs in *folder*, whose names begin with *name*; the buffer has *rows* states. Files elsewhere are only read."""

    def __init__(self, folder: Path, name: str, words: int, rows: int) -> None:
        self.folder, self.name, self.words, self.rows = folder, name, words, rows
        self.number = self.filed = self.count = self.used = self.met = 0
        """Files, bytes and states so far; states in the buffer; states that came in and were known."""
        self.known: list[SortedRun] = []
        self.runs: list[SortedRun] = []
        self.buffer: NDArray[np.uint64] = np.empty((0, words), np.uint64)

    def writer(self) -> RunWriter:
        """A writer of the next file."""
        self.number += 1
        return RunWriter(self.folder / f"{self.name}-{self.number}", self.words)

    def sorted_run(self, states: NDArray[np.uint64]) -> SortedRun:
        """*states* as a run; the array may be used for it."""
        writer = self.writer()
        writer.add(in_order(states))
        self.filed += 8 * self.words * writer.count
        return writer.close()

    def add(self, states: NDArray[np.uint64]) -> None:
        """Takes *states* in, of which some may be known or come twice."""
        if len(self.buffer) < self.rows and self.used + len(states) > len(self.buffer):
            room = min(self.rows, max(1 << 12, 2 * len(self.buffer), self.used + len(states)))
            larger = np.empty((room, self.words), np.uint64)
            larger[: self.used] = self.buffer[: self.used]
            self.buffer = larger
        first = 0
        while first < len(states):
            count = min(len(states) - first, self.rows - self.used)
            self.buffer[self.used : self.used + count] = states[first : first + count]
            self.used += count
            first += count
            if self.used == self.rows:
                self._file()

    def _file(self) -> None:
        if self.used:
            self.runs.append(self.sorted_run(self.buffer[: self.used]))
            self.used = 0

    def turn(self, check: Callable[[], None] = lambda: None, into: RunWriter | None = None) -> SortedRun:
        """Merges what has come in, takes away what is known, and makes the rest known: a run, written *into* if given."""
        places = [0] * len(self.known)
        writer = self.writer() if into is None else into
        for states in self._came_in():
            check()
            fresh = np.ones(len(states), np.bool_)
            for number, run in enumerate(self.known):
                places[number] = remove_known(states, run.states, places[number], fresh)
            new = states if fresh.all() else states[fresh]
            self.met += len(states) - len(new)
            writer.add(new)
        for run in self.runs:
            run.remove()
        self.runs = []
        found = writer.close()
        self.filed += 8 * self.words * len(found)
        self.count += len(found)
        self._consolidate(check)
        self.known.append(found)
        return found

    def _came_in(self) -> Iterator[NDArray[np.uint64]]:
        """What has come in, in order, each state once; it goes through files only where the buffer was full before."""
        if self.runs:
            self._file()
            yield from ranges(self.runs, self.rows)
        elif self.used:
            used, self.used = self.used, 0
            yield in_order(self.buffer[:used])

    def learn(self, run: SortedRun) -> None:
        """Makes a run known that was written before."""
        self._consolidate(lambda: None)
        self.known.append(run)
        self.count += len(run)

    def _consolidate(self, check: Callable[[], None]) -> None:
        """Merges known runs of similar size, so that a state is looked up in few."""
        self.known.sort(key=len, reverse=True)
        while len(self.known) > 1 and len(self.known[-2]) <= 2 * len(self.known[-1]):
            pair = [self.known.pop(), self.known.pop()]
            writer = self.writer()
            for states in ranges(pair, self.rows):
                check()
                writer.add(states)
            for run in pair:
                if run.path.parent == self.folder:
                    run.remove()
            self.known.append(writer.close())
            self.known.sort(key=len, reverse=True)

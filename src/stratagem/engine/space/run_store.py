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

from stratagem.engine.space.sorted_runs import (
    RunWriter,
    SortedRun,
    in_order,
    marks_of,
    ranges,
    remove_known,
)


class RunStore:
    """Runs in *folder*, whose names begin with *name*; the buffer has *rows* states. Files elsewhere are only read."""

    def __init__(self, folder: Path, name: str, words: int, rows: int) -> None:
        self.folder, self.name, self.words, self.rows = folder, name, words, rows
        self.number = self.filed = self.count = self.used = self.met = 0
        """Files, bytes and states so far; states in the buffer; states that came in and were known."""
        self.known: list[SortedRun] = []
        self.marks: dict[SortedRun, int] = {}
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
        first = 0
        for part in self.room(len(states)):
            part[:] = states[first : first + len(part)]
            first += len(part)

    def room(self, count: int) -> Iterator[NDArray[np.uint64]]:
        """Room for so many states, part by part, each of which is to be filled before the next one is asked for."""
        if len(self.buffer) < self.rows and self.used + count > len(self.buffer):
            size = min(self.rows, max(1 << 12, 2 * len(self.buffer), self.used + count))
            larger = np.empty((size, self.words), np.uint64)
            larger[: self.used] = self.buffer[: self.used]
            self.buffer = larger
        while count:
            part = self.buffer[self.used : self.used + count]
            yield part
            self.used += len(part)
            count -= len(part)
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
        marks = 0
        for states in self._came_in():
            check()
            found = marks_of(states)
            alike = [number for number, run in enumerate(self.known) if self.marks[run] & found]
            fresh = np.ones(len(states) if alike else 0, np.bool_)
            for number in alike:
                places[number] = remove_known(states, self.known[number].states, places[number], fresh)
            new = states if fresh.all() else states[fresh]
            self.met += len(states) - len(new)
            marks |= found
            writer.add(new)
        for run in self.runs:
            run.remove()
        self.runs = []
        layer = writer.close()
        self.filed += 8 * self.words * len(layer)
        self._consolidate(check)
        self._keep(layer, marks)
        return layer

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
        self._keep(run, marks_of(run.states))

    def _keep(self, run: SortedRun, marks: int) -> None:
        self.known.append(run)
        self.marks[run] = marks
        self.count += len(run)

    def _consolidate(self, check: Callable[[], None]) -> None:
        """Merges known runs of similar size that may have states in common with one layer, so that a state is looked up in few."""
        while (pair := self._similar()) is not None:
            writer = self.writer()
            for states in ranges(pair, self.rows):
                check()
                writer.add(states)
            merged = writer.close()
            self.marks[merged] = 0
            for run in pair:
                self.known.remove(run)
                self.marks[merged] |= self.marks.pop(run)
                if run.path.parent == self.folder:
                    run.remove()
            self.known.append(merged)

    def _similar(self) -> list[SortedRun] | None:
        """Two known runs with marks in common, of which one is at most twice as long as the other; the shortest such."""
        self.known.sort(key=len)
        for number, run in enumerate(self.known):
            for other in self.known[number + 1 :]:
                if len(other) > 2 * len(run):
                    break
                if self.marks[run] & self.marks[other]:
                    return [run, other]
        return None

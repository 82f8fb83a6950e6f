"""Breadth-first search whose layers may be larger than memory: the states of a game counted by their distance.

While they fit, all states lie in a hash set. Then they go to files, and duplicates are found late (Korf, 2003): the
children of a layer are written as sorted runs, merged, and what lies in an earlier layer is taken away. All earlier
layers are kept and consulted, as a move need not have a way back; those of similar size are merged, so that there are
only logarithmically many. Ends are kept apart from states that go on, since no state is both, and are never expanded.

Cost: an expansion and a look-up per edge in memory; on disk a sort of the edges and, for every layer, a pass over what
is known that is no longer than it and a logarithm per state where it is. Of memory: the limit that was given, and what
the operating system lends for the files.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

import numpy as np

from stratagem.engine.space.sorted_runs import Run, Writer, in_order, ranges, subtract
from stratagem.engine.states.child_buffer import Sower
from stratagem.engine.states.state_set import StateSet
from stratagem.errors import UsageError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stratagem.gdl_game import GdlGame, State
    from stratagem.native.expand import Expander

MEMORY: Final = 1 << 30
BLOCK: Final = 1 << 12
"""States expanded at a time: their children fit the processor's cache."""
Stop = Callable[[], bool]


@dataclass(frozen=True, slots=True)
class Layers:
    """How many states are first met after 0, 1, 2, ... moves; *ended*: those of them that are ends.

    *complete* if there are no others. *filed*: bytes of states written to files.
    """

    states: tuple[int, ...]
    ended: tuple[int, ...]
    complete: bool
    expanded: int
    filed: int
    seconds: float

    @property
    def total(self) -> int:
        return sum(self.states)


class Interrupted(Exception):
    """The search was asked to stop, or has seen enough."""


def count_layers(
    game: GdlGame | Expander,
    state: State | None = None,
    *,
    memory: int = MEMORY,
    directory: str | os.PathLike[str] | None = None,
    most: int | None = None,
    depth: int | None = None,
    progress: Callable[[int, int], None] | None = None,
    stop: Stop | None = None,
) -> Layers:
    """The reachable states by distance, within *memory* bytes and files in *directory* (the system's if not given).

    Ends after *most* states or at *depth*, or when *stop*, which is asked after every block, says so; then only whole
    layers are reported. *progress* hears (states known, states expanded). The files are removed at the end.

    >>> from stratagem.loading import load
    >>> count_layers(load("tictactoe")).states
    (1, 9, 72, 252, 756, 1260, 1520, 1140, 390, 78)
    """
    from stratagem.native.expand import Expander

    if memory <= 0:
        raise UsageError("the memory must be greater than nothing")
    expander = game if isinstance(game, Expander) else game.expander
    start = expander.initial if state is None else expander.pack(state.facts())
    if directory is not None and not Path(directory).is_dir():
        raise UsageError(
            f"{directory} is no directory", hint="name one that exists, for the files of the search"
        )
    with TemporaryDirectory(prefix="stratagem-layers-", dir=directory, ignore_cleanup_errors=True) as place:
        search = _Search(expander, memory, Path(place), most, progress, stop)
        return search.run(start.reshape(1, -1), depth)


class _Search:
    """One call of `count_layers`: states that go on in *live*, ends in *over*."""

    def __init__(
        self,
        expander: Expander,
        memory: int,
        place: Path,
        most: int | None,
        progress: Callable[[int, int], None] | None,
        stop: Stop | None,
    ) -> None:
        self.sower = Sower(expander, BLOCK)
        self.memory, self.place, self.most = memory, place, most
        self.progress, self.stop = progress, stop
        self.live: _Table | _Shelf = _Table(expander.words)
        self.over: _Table | _Shelf = _Table(expander.words)
        self.expanded = 0
        self.words = expander.words

    def run(self, start: NDArray[np.uint64], depth: int | None) -> Layers:
        begin = time.monotonic()
        ended = bool(self.sower.expander.evaluate(np.ascontiguousarray(start)).terminal[0])
        (self.over if ended else self.live).add(start)
        counts: list[tuple[int, int]] = []
        complete = False
        try:
            while not complete:
                going, gone = self.live.turn(self.check), self.over.turn(self.check)
                complete = going + gone == 0
                if not complete:
                    counts.append((going, gone))
                if depth is not None and len(counts) > depth:
                    break
                self.expand()
        except Interrupted:
            complete = False
        return Layers(
            tuple(going + gone for going, gone in counts),
            tuple(gone for _, gone in counts),
            complete
            or (bool(counts) and counts[-1][0] == 0 and self.expanded == sum(going for going, _ in counts)),
            self.expanded,
            sum(store.filed for store in (self.live, self.over) if isinstance(store, _Shelf)),
            time.monotonic() - begin,
        )

    def expand(self) -> None:
        """The children of the present layer go where they belong."""
        while len(block := self.live.block()):
            for children, terminal in self.sower.children(block):
                if terminal.any():
                    self.over.add(children[terminal])
                    children = children[~terminal]
                self.live.add(children)
            self.expanded += len(block)
            self.check()
            self._move_out()

    def _move_out(self) -> None:
        """From memory to files, where the tables could not grow once more within the limit."""
        live, over = self.live, self.over
        if (
            isinstance(live, _Table)
            and isinstance(over, _Table)
            and 3 * (live.bytes + over.bytes) > self.memory
        ):
            rows = max(1 << 10, self.memory // (8 * (8 * self.words + 16)))
            self.live = _Shelf(self.place, "live", live, rows)
            self.over = _Shelf(self.place, "over", over, rows)

    def check(self) -> None:
        known = len(self.live) + len(self.over)
        if self.progress is not None:
            self.progress(known, self.expanded)
        if (self.stop is not None and self.stop()) or (self.most is not None and known > self.most):
            raise Interrupted


class _Table:
    """All layers in memory: numbers before *first* are known, from *first* to *last* the present layer, then the next."""

    def __init__(self, words: int) -> None:
        self.known = StateSet(words)
        self.first, self.last, self.done = 0, 0, 0

    def __len__(self) -> int:
        return len(self.known)

    @property
    def bytes(self) -> int:
        return self.known.bytes

    def add(self, states: NDArray[np.uint64]) -> None:
        self.known.add(np.ascontiguousarray(states))

    def block(self) -> NDArray[np.uint64]:
        """Some states of the layer that were not given out yet; none at its end."""
        first, self.done = self.done, min(self.done + BLOCK, self.last)
        return np.ascontiguousarray(self.known.pool[first : self.done])

    def turn(self, check: Callable[[], None]) -> int:
        """The next layer becomes the present one; its size."""
        check()
        self.first, self.last = self.last, self.known.used
        self.done = self.first
        return self.last - self.first


class _Shelf:
    """All layers in files, and the children that have come since as sorted runs."""

    def __init__(self, place: Path, name: str, table: _Table, rows: int) -> None:
        self.place, self.name, self.rows = place, name, rows
        self.words = table.known.pool.shape[1]
        self.number, self.filed, self.count, self.done = 0, 0, table.last, 0
        pool = table.known.pool
        rest = self._writer()
        rest.add(pool[table.done : table.last])
        self.present = rest.close()
        self.known = [self._sorted(pool[: table.first]), self._sorted(pool[table.first : table.last])]
        self.runs = [self._sorted(pool[table.last : table.known.used])]
        self.buffer = np.empty((rows, self.words), np.uint64)
        self.used = 0

    def __len__(self) -> int:
        return self.count

    def _writer(self) -> Writer:
        self.number += 1
        return Writer(self.place / f"{self.name}-{self.number}", self.words)

    def _sorted(self, states: NDArray[np.uint64]) -> Run:
        writer = self._writer()
        writer.add(in_order(states.copy()))
        self.filed += 8 * self.words * writer.count
        return writer.close()

    def add(self, states: NDArray[np.uint64]) -> None:
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
            self.runs.append(self._sorted(self.buffer[: self.used]))
            self.used = 0

    def block(self) -> NDArray[np.uint64]:
        first, self.done = self.done, min(self.done + BLOCK, len(self.present))
        return np.ascontiguousarray(self.present.states[first : self.done])

    def turn(self, check: Callable[[], None]) -> int:
        """Merges the runs, takes away all that is known, and makes the rest the present layer; its size."""
        self._file()
        places = [0] * len(self.known)
        writer = self._writer()
        for states in ranges(self.runs, self.rows):
            check()
            fresh = np.ones(len(states), np.bool_)
            for number, run in enumerate(self.known):
                places[number] = int(subtract(states, len(states), run.states, places[number], fresh))
            writer.add(states[fresh])
        for run in self.runs:
            run.remove()
        self.runs = []
        if all(self.present is not run for run in self.known):
            self.present.remove()
        self.present = writer.close()
        self.done = 0
        self.filed += 8 * self.words * len(self.present)
        self.count += len(self.present)
        self._consolidate(check)
        self.known.append(self.present)
        return len(self.present)

    def _consolidate(self, check: Callable[[], None]) -> None:
        """Merges known runs of similar size, so that a state is looked up in few."""
        self.known.sort(key=len, reverse=True)
        while len(self.known) > 1 and len(self.known[-2]) <= 2 * len(self.known[-1]):
            pair = [self.known.pop(), self.known.pop()]
            writer = self._writer()
            for states in ranges(pair, self.rows):
                check()
                writer.add(states)
            for run in pair:
                run.remove()
            self.known.append(writer.close())
            self.known.sort(key=len, reverse=True)

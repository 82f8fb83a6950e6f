"""Breadth-first search whose layers may be larger than memory: the states of a game counted by their distance.

While they fit, all states lie in an exact set. Then they go to files, and duplicates are found late (delayed duplicate
detection: Korf, 2003): the children of a layer are written as sorted runs, merged, and what lies in an earlier layer is
taken away. All earlier layers are kept and consulted, as a move need not have a way back; those of similar size are merged,
so that there are only logarithmically many. Terminal states are kept apart from the others and are never expanded.

Cost: an expansion and a probe per edge in memory; on disk a sort of the edges and, for every layer, a pass over what is
known that is no longer than it and a logarithm per state where it is. Of memory: the limit that was given, and what the
operating system lends for the files.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from stratagem.engine.space.counts import DEFAULT_MEMORY, CountedLevel, Counts
from stratagem.engine.space.run_store import RunStore
from stratagem.engine.states.child_buffer import ChildBuffer
from stratagem.engine.states.frontier import Frontier
from stratagem.limit import DEPTH, Limit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stratagem.native.compiled import PackedGame

BLOCK: Final = 1 << 12
"""States expanded at a time: their children fit the processor's cache."""


class _Stopped(Exception):
    """A limit was reached; its name."""


def count_layers(
    compiled: PackedGame,
    start: NDArray[np.uint64],
    folder: Path,
    limit: Limit,
    progress: Callable[[int, int], None] | None,
) -> Counts:
    """The states reachable from *start* by distance, within the memory of *limit* and files in *folder*."""
    return _LayerCount(compiled, folder, limit, progress).run(start)


class _LayerCount:
    """One call of `count_layers`."""

    def __init__(
        self,
        compiled: PackedGame,
        folder: Path,
        limit: Limit,
        progress: Callable[[int, int], None] | None,
    ) -> None:
        self.compiled, self.folder, self.progress = compiled, folder, progress
        self.memory = DEFAULT_MEMORY if limit.memory is None else limit.memory
        self.depth = limit.depth
        self.limit = Limit(limit.seconds, limit.nodes, None, None, limit.stop, clock=limit.clock).start()
        self.levels: list[CountedLevel] = []
        self.expanded = 0

    def run(self, start: NDArray[np.uint64]) -> Counts:
        stopped = None
        filed: tuple[_FiledLayers, ...] = ()
        try:
            frontier = self._in_memory(start)
            if frontier is not None:
                rows = max(1 << 10, self.memory // (8 * (8 * frontier.words + 16)))
                filed = tuple(
                    _FiledLayers(self.folder, name, frontier, ended, rows)
                    for name, ended in (("live", False), ("terminal", True))
                )
                del frontier
                self._in_files(*filed)
        except _Stopped as reached:
            stopped = str(reached)
        going = sum(level.states - level.terminal for level in self.levels)
        complete = stopped is None and self.expanded == going
        return Counts(
            "distance",
            tuple(self.levels),
            complete,
            stopped if complete or stopped is not None else DEPTH,
            self.expanded,
            sum(store.filed for store in filed),
            self.limit.elapsed,
        )

    def _counted(self, states: int, terminal: int) -> bool:
        """Notes a layer; whether there is another one to count."""
        if states:
            self.levels.append(CountedLevel(states, terminal))
        return states > terminal and (self.depth is None or len(self.levels) <= self.depth)

    def _in_memory(self, start: NDArray[np.uint64]) -> Frontier | None:
        """Counts while everything fits: the frontier, in the middle of a layer, where it could not grow once more."""
        frontier = Frontier(self.compiled, start, limit=self.limit, progress=self.progress, block=BLOCK)
        while self._counted(frontier.width, int(frontier.terminal[frontier.first : frontier.last].sum())):
            for step in frontier.layer():
                self.expanded += len(step.parents)
                if 3 * frontier.bytes > self.memory:
                    return frontier
            if frontier.stopped is not None:
                raise _Stopped(frontier.stopped)
        return None

    def _in_files(self, live: _FiledLayers, over: _FiledLayers) -> None:
        """Goes on with the layer that was being expanded, and counts the rest."""
        buffer = ChildBuffer(self.compiled, BLOCK)

        def check() -> None:
            known = len(live) + len(over)
            if self.progress is not None:
                self.progress(known, self.expanded)
            reached = self.limit.reached(known)
            if reached is not None:
                raise _Stopped(reached)

        more = True
        while more:
            while len(block := live.block()):
                children = buffer.expand(block)
                over.add(children.states[children.terminal])
                live.add(children.states[~children.terminal])
                self.expanded += len(block)
                check()
            going, ended = live.turn(check), over.turn(check)
            more = self._counted(going + ended, ended)


class _FiledLayers:
    """The terminal or the other states of all layers in files, and the children that have come since as sorted runs."""

    def __init__(self, folder: Path, name: str, frontier: Frontier, ended: bool, rows: int) -> None:
        """What is *ended*, or is not, of a frontier in the middle of a layer."""
        self.store = store = RunStore(folder, name, frontier.words, rows)
        self.done = 0

        def part(first: int, last: int) -> NDArray[np.uint64]:
            chosen = frontier.terminal[first:last] == ended
            return np.ascontiguousarray(frontier.known.pool[first:last][chosen])

        rest = store.writer()
        rest.add(part(frontier.passed, frontier.last))
        self.present = rest.close()
        known, layer = part(0, frontier.first), part(frontier.first, frontier.last)
        store.learn(store.sorted_run(known))
        store.learn(store.sorted_run(layer))
        store.runs = [store.sorted_run(part(frontier.last, frontier.known.used))]
        self.add = store.add

    def __len__(self) -> int:
        return self.store.count

    @property
    def filed(self) -> int:
        return self.store.filed

    def block(self) -> NDArray[np.uint64]:
        first, self.done = self.done, min(self.done + BLOCK, len(self.present))
        return np.ascontiguousarray(self.present.states[first : self.done])

    def turn(self, check: Callable[[], None]) -> int:
        """Makes what is new the present layer; its size."""
        before, self.present = self.present, self.store.turn(check)
        if before.path.exists() and all(before is not run for run in self.store.known):
            before.remove()
        self.done = 0
        return len(self.present)

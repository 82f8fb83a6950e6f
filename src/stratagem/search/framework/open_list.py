"""OPEN, the priority queue of SSS* and DUAL*: records (node, player, status, h), the best on top.

SSS* takes the record with the greatest h, DUAL* the one with the least. Ties go to the left-most node: the one rule
under which SSS* stays inside alpha-beta's leaves and does, leaf for leaf, what MTD(+inf) does. When a node is solved
everything below it is purged; that is a block of neighbours in the order of paths, so it is cut out in one piece.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from dataclasses import dataclass
from heapq import heappop, heappush

from stratagem.search.framework.alternating import AlternatingGame
from stratagem.search.framework.node import Node, Outcome
from stratagem.trace.events import Path, Pop, Purge, Push, Solve

LIVE, SOLVED = "LIVE", "SOLVED"


@dataclass(frozen=True, slots=True, eq=False)
class Record:
    """One element of OPEN: (node, player, status, h); a SOLVED one has its completed strategy with it."""

    node: Node
    player: str
    status: str
    h: float
    solution: Outcome


class OpenList:
    """Records ordered by h, greatest first unless *least_first*; among equals the left-most first.

    Tells *view* how many there are, and its trace what comes and goes.
    """

    def __init__(self, view: AlternatingGame, *, least_first: bool = False) -> None:
        self._tally = view.tally
        self._trace = None if view.story is None else view.story.tell
        self._sign = 1 if least_first else -1
        self._heap: list[tuple[float, Path, Record]] = []
        self._records: dict[Path, Record] = {}
        self._paths: list[Path] = []  # sorted: the records from left to right

    def __len__(self) -> int:
        return len(self._records)

    def add(self, node: Node, status: str, h: float, solution: Outcome | None = None) -> None:
        record = Record(node, node.player, status, h, solution or Outcome(node, h))
        path = node.path
        self._records[path] = record
        insort(self._paths, path)
        heappush(self._heap, (self._sign * h, path, record))
        self._tally.holds(len(self))
        if self._trace is not None:
            move = None if node.move is None else str(node.move)
            self._trace(Push(path, h, len(self), node.player, status, path[:-1] if path else None, move))

    def pop(self) -> Record:
        """The best record, taken out; purged ones, which are still in the heap, are passed over."""
        while True:
            _, path, record = heappop(self._heap)
            if self._records.get(path) is record:
                break
        del self._records[path]
        del self._paths[bisect_left(self._paths, path)]
        self._tally.pops += 1
        if self._trace is not None:
            self._trace(Pop(path, record.h, len(self), record.player, record.status))
        return record

    def solve(self, node: Node, h: float, child: Node, solution: Outcome) -> None:
        """Adds *node*, SOLVED because of *child*."""
        if self._trace is not None:
            self._trace(Solve(node.path, h, child.path))
        self.add(node, SOLVED, h, solution)

    def purge(self, node: Node) -> None:
        """Removes every record below *node*."""
        path = node.path
        start = bisect_left(self._paths, (*path, 0))
        end = bisect_left(self._paths, (*path[:-1], path[-1] + 1), start) if path else len(self._paths)
        removed = self._paths[start:end]
        for each in removed:
            del self._records[each]
        del self._paths[start:end]
        if self._trace is not None:
            self._trace(Purge(path, tuple(removed)))

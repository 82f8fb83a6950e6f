"""OPEN, the priority queue of SSS* and DUAL*: records (node, player, status, h), the best on top.

SSS* takes the record with the greatest h, DUAL* the one with the least. Ties go to the left-most node: the one rule
under which SSS* evaluates only leaves of alpha-beta, and the same leaves as MTD(+inf). When a node is solved everything
below it is purged; in the order of paths these records are adjacent, so they are removed as one slice.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from dataclasses import dataclass
from heapq import heappop, heappush

from stratagem.search.framework.adversarial_run import AdversarialRun
from stratagem.search.framework.game_tree import GameTreeNode, SolutionTree
from stratagem.trace.events import Path, Pop, Purge, Push, Solve

LIVE, SOLVED = "LIVE", "SOLVED"


@dataclass(frozen=True, slots=True, eq=False)
class OpenRecord:
    """One element of OPEN: (node, player, status, h); a SOLVED one carries its solution tree."""

    node: GameTreeNode
    player: str
    status: str
    h: float
    solution: SolutionTree


class OpenList:
    """Records ordered by h, greatest first unless *least_first*; among equals the left-most first.

    Reports to *run* how many there are, and what goes in and out.
    """

    def __init__(self, run: AdversarialRun, *, least_first: bool = False) -> None:
        self._tally = run.tally
        self._trace = None if run.tracer is None else run.tracer.emit
        self._sign = 1 if least_first else -1
        self._heap: list[tuple[float, Path, OpenRecord]] = []
        self._records: dict[Path, OpenRecord] = {}
        self._paths: list[Path] = []  # sorted: the records from left to right

    def __len__(self) -> int:
        return len(self._records)

    def add(self, node: GameTreeNode, status: str, h: float, solution: SolutionTree | None = None) -> None:
        record = OpenRecord(node, node.player, status, h, solution or SolutionTree(node, h))
        path = node.path
        self._records[path] = record
        insort(self._paths, path)
        heappush(self._heap, (self._sign * h, path, record))
        self._tally.holds(len(self))
        if self._trace is not None:
            move = None if node.move is None else str(node.move)
            self._trace(Push(path, h, len(self), node.player, status, path[:-1] if path else None, move))

    def pop(self) -> OpenRecord:
        """Removes and returns the best record; purged ones, which are still in the heap, are skipped."""
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

    def solve(self, node: GameTreeNode, h: float, child: GameTreeNode, solution: SolutionTree) -> None:
        """Adds *node*, SOLVED because of *child*."""
        if self._trace is not None:
            self._trace(Solve(node.path, h, child.path))
        self.add(node, SOLVED, h, solution)

    def purge(self, node: GameTreeNode) -> None:
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

"""The fringe: the nodes that were generated and not yet expanded. Its order is what distinguishes the searches.

    Queue    first in, first out      breadth-first
    Stack    last in, first out       depth-first
    Heap     least priority first     uniform cost, A*, greedy

Each reports to its `SingleRun` what goes in and out, for the counters and the trace.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable
from heapq import heappop, heappush
from itertools import count
from typing import Generic

from stratagem.game import StateT
from stratagem.search.framework.single_run import PathNode, SingleRun


class Queue(Generic[StateT]):
    """First in, first out; its priority in events is the depth."""

    __slots__ = ("_nodes", "_run")

    def __init__(self, run: SingleRun[StateT]) -> None:
        self._run = run
        self._nodes: deque[PathNode[StateT]] = deque()

    def put(self, node: PathNode[StateT]) -> None:
        self._nodes.append(node)
        self._run.pushed(node, node.depth, len(self._nodes))

    def take(self) -> PathNode[StateT]:
        node = self._nodes.popleft()
        self._run.popped(node, node.depth, len(self._nodes))
        return node

    def __len__(self) -> int:
        return len(self._nodes)


class Stack(Generic[StateT]):
    """Last in, first out; its priority in events is the depth."""

    __slots__ = ("_nodes", "_run")

    def __init__(self, run: SingleRun[StateT]) -> None:
        self._run = run
        self._nodes: list[PathNode[StateT]] = []

    def put(self, node: PathNode[StateT]) -> None:
        self._nodes.append(node)
        self._run.pushed(node, node.depth, len(self._nodes))

    def take(self) -> PathNode[StateT]:
        node = self._nodes.pop()
        self._run.popped(node, node.depth, len(self._nodes))
        return node

    def __len__(self) -> int:
        return len(self._nodes)


class Heap(Generic[StateT]):
    """Least priority first, then least *second*, then first come. A better path to a state replaces the older one."""

    __slots__ = ("_arrivals", "_current", "_heap", "_run")

    def __init__(self, run: SingleRun[StateT]) -> None:
        self._run = run
        self._heap: list[tuple[float, float, int, PathNode[StateT]]] = []
        self._current: dict[Hashable, PathNode[StateT]] = {}
        self._arrivals = count()

    def put(self, node: PathNode[StateT], priority: float, second: float = 0) -> None:
        self._current[self._run.key(node)] = node
        heappush(self._heap, (priority, second, next(self._arrivals), node))
        self._run.pushed(node, priority, len(self._current))

    def take(self) -> PathNode[StateT]:
        while True:
            priority, _, _, node = heappop(self._heap)
            key = self._run.key(node)
            if self._current.get(key) is node:  # else it was replaced by a better path
                del self._current[key]
                self._run.popped(node, priority, len(self._current))
                return node

    def __len__(self) -> int:
        return len(self._current)


class CurrentPath(Generic[StateT]):
    """The states from the start to the node that a depth-first search is at: enough to detect cycles."""

    __slots__ = ("_path", "_states")

    def __init__(self) -> None:
        self._path: list[StateT] = []
        self._states: set[StateT] = set()

    def follow(self, node: PathNode[StateT]) -> None:
        """Backtracks to the parent of *node*, and enters *node*."""
        while len(self._path) > node.depth:
            self._states.discard(self._path.pop())
        self._path.append(node.state)
        self._states.add(node.state)

    def __contains__(self, state: StateT) -> bool:
        return state in self._states

"""The fringe: the ways that have been found and not yet gone. Its order is what makes one search another.

    Queue    first in, first out      breadth-first
    Stack    last in, first out       depth-first
    Heap     least priority first     uniform cost, A*, greedy

Each tells the `Quest` what goes in and out, so that peaks are counted and traces are heard.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable
from heapq import heappop, heappush
from itertools import count
from typing import Generic

from stratagem.game import StateT
from stratagem.search.framework.run import Quest, Way


class Queue(Generic[StateT]):
    """First in, first out; the priority told to the trace is the depth."""

    __slots__ = ("_quest", "_ways")

    def __init__(self, quest: Quest[StateT]) -> None:
        self._quest = quest
        self._ways: deque[Way[StateT]] = deque()

    def put(self, way: Way[StateT]) -> None:
        self._ways.append(way)
        self._quest.put(way, way.depth, len(self._ways))

    def take(self) -> Way[StateT]:
        way = self._ways.popleft()
        self._quest.taken(way, way.depth, len(self._ways))
        return way

    def __len__(self) -> int:
        return len(self._ways)


class Stack(Generic[StateT]):
    """Last in, first out; the priority told to the trace is the depth."""

    __slots__ = ("_quest", "_ways")

    def __init__(self, quest: Quest[StateT]) -> None:
        self._quest = quest
        self._ways: list[Way[StateT]] = []

    def put(self, way: Way[StateT]) -> None:
        self._ways.append(way)
        self._quest.put(way, way.depth, len(self._ways))

    def take(self) -> Way[StateT]:
        way = self._ways.pop()
        self._quest.taken(way, way.depth, len(self._ways))
        return way

    def __len__(self) -> int:
        return len(self._ways)


class Heap(Generic[StateT]):
    """Least priority first, then least *second*, then first come. A better way to a state replaces the older."""

    __slots__ = ("_arrivals", "_current", "_heap", "_quest")

    def __init__(self, quest: Quest[StateT]) -> None:
        self._quest = quest
        self._heap: list[tuple[float, float, int, Way[StateT]]] = []
        self._current: dict[Hashable, Way[StateT]] = {}
        self._arrivals = count()

    def put(self, way: Way[StateT], priority: float, second: float = 0) -> None:
        self._current[self._quest.key(way)] = way
        heappush(self._heap, (priority, second, next(self._arrivals), way))
        self._quest.put(way, priority, len(self._current))

    def take(self) -> Way[StateT]:
        while True:
            priority, _, _, way = heappop(self._heap)
            key = self._quest.key(way)
            if self._current.get(key) is way:  # else a better way has taken its place, and this one is void
                del self._current[key]
                self._quest.taken(way, priority, len(self._current))
                return way

    def __len__(self) -> int:
        return len(self._current)


class Trail(Generic[StateT]):
    """The states from the start to where a depth-first search is: all that it needs to see a circle."""

    __slots__ = ("_path", "_states")

    def __init__(self) -> None:
        self._path: list[StateT] = []
        self._states: set[StateT] = set()

    def follow(self, way: Way[StateT]) -> None:
        """Goes back to where *way* branches off, and takes its last step."""
        while len(self._path) > way.depth:
            self._states.discard(self._path.pop())
        self._path.append(way.state)
        self._states.add(way.state)

    def __contains__(self, state: StateT) -> bool:
        return state in self._states

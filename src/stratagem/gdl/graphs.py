"""Graph algorithms: strongly connected components (Tarjan, 1972, without recursion) and shortest paths.

A graph is a mapping from each vertex to those that its edges lead to.

>>> components({"a": ["b"], "b": ["a", "c"], "c": []})
[('c',), ('a', 'b')]
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from typing import TypeVar

Vertex = TypeVar("Vertex", bound=Hashable)


def components(edges: Mapping[Vertex, Collection[Vertex]]) -> list[tuple[Vertex, ...]]:
    """The strongly connected components of a graph: what a component depends on comes before it."""
    numbers = {vertex: number for number, vertex in enumerate(edges)}
    for others in edges.values():
        for vertex in others:
            numbers.setdefault(vertex, len(numbers))
    vertices = list(numbers)

    def successors(number: int) -> list[int]:
        return [numbers[vertex] for vertex in edges.get(vertices[number], ())]

    found = numbered_components(range(len(edges)), successors, len(vertices))
    return [tuple(vertices[number] for number in reversed(component)) for component in found]


def numbered_components(
    roots: Iterable[int], successors: Callable[[int], Sequence[int]], count: int
) -> list[list[int]]:
    """The components that *roots* reach, each after those it leads to; nodes are numbers below *count*.

    >>> graph = {1: [2], 2: [3], 3: [2, 4], 4: []}
    >>> numbered_components([1], graph.__getitem__, 5)
    [[4], [3, 2], [1]]
    """
    # 0: not met; a positive number: the least index it reaches; a negative one: in a finished component.
    low = [0] * count
    met = 0
    waiting: list[int] = []
    found: list[list[int]] = []
    for root in roots:
        if low[root]:
            continue
        met += 1
        low[root] = met
        waiting.append(root)
        path = [(root, met, iter(successors(root)))]
        while path:
            node, index, rest = path[-1]
            for other in rest:
                reached = low[other]
                if not reached:
                    inner = successors(other)
                    if not inner:
                        low[other] = -1
                        found.append([other])
                        continue
                    met += 1
                    low[other] = met
                    waiting.append(other)
                    path.append((other, met, iter(inner)))
                    break
                if 0 < reached < low[node]:
                    low[node] = reached
            else:
                path.pop()
                least = low[node]
                if least == index:
                    if waiting[-1] == node:
                        waiting.pop()
                        low[node] = -1
                        found.append([node])
                    else:
                        place = len(waiting) - 1
                        while waiting[place] != node:
                            place -= 1
                        component = waiting[place:][::-1]
                        del waiting[place:]
                        for member in component:
                            low[member] = -1
                        found.append(component)
                elif least < low[path[-1][0]]:
                    low[path[-1][0]] = least
    return found


def path(edges: Mapping[Vertex, Collection[Vertex]], start: Vertex, end: Vertex) -> tuple[Vertex, ...] | None:
    """A shortest path from *start* to *end*, both included, or None. From a vertex to itself: just that vertex."""
    came_from: dict[Vertex, Vertex] = {start: start}
    queue = deque([start])
    while queue:
        vertex = queue.popleft()
        if vertex == end:
            way = [vertex]
            while way[-1] != start:
                way.append(came_from[way[-1]])
            return tuple(reversed(way))
        for following in edges.get(vertex, ()):
            if following not in came_from:
                came_from[following] = vertex
                queue.append(following)
    return None

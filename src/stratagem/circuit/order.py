"""Strongly connected components (Tarjan, 1972), without recursion."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence


def components(roots: Iterable[int], successors: Callable[[int], Sequence[int]]) -> list[list[int]]:
    """The components that *roots* reach, each after those it leads to.

    >>> graph = {1: [2], 2: [3], 3: [2, 4], 4: []}
    >>> components([1], graph.__getitem__)
    [[4], [3, 2], [1]]
    """
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    waiting: list[int] = []
    settled: set[int] = set()
    found: list[list[int]] = []
    for root in roots:
        if root in index:
            continue
        index[root] = low[root] = len(index)
        waiting.append(root)
        path = [(root, iter(successors(root)))]
        while path:
            node, rest = path[-1]
            for other in rest:
                if other not in index:
                    index[other] = low[other] = len(index)
                    waiting.append(other)
                    path.append((other, iter(successors(other))))
                    break
                if other not in settled and index[other] < low[node]:
                    low[node] = index[other]
            else:
                path.pop()
                if path and low[node] < low[path[-1][0]]:
                    low[path[-1][0]] = low[node]
                if low[node] == index[node]:
                    component: list[int] = []
                    while True:
                        member = waiting.pop()
                        settled.add(member)
                        component.append(member)
                        if member == node:
                            break
                    found.append(component)
    return found

"""Strongly connected components (Tarjan, 1972), without recursion."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence


def components(
    roots: Iterable[int], successors: Callable[[int], Sequence[int]], count: int
) -> list[list[int]]:
    """The components that *roots* reach, each after those it leads to; nodes are numbers below *count*.

    >>> graph = {1: [2], 2: [3], 3: [2, 4], 4: []}
    >>> components([1], graph.__getitem__, 5)
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

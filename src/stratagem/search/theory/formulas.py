"""The lectures' tables as functions: what is printed and, where that is wrong, what is right.

Uniform trees throughout: b children per node, d levels, and a solution at level k. **The root is at level 1**, as in
the printed tables, and time is the number of nodes visited, the solution included. `measurements` puts measured
numbers beside these. Exact: whole numbers, or fractions where a ratio is asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import prod

from stratagem.errors import UsageError


def tree_size(b: int, d: int) -> int:
    """The nodes of a tree of *d* levels: (b^d - 1)/(b - 1), or d where b = 1.

    >>> [tree_size(2, d) for d in range(1, 6)]
    [1, 3, 7, 15, 31]
    """
    _check(b, d)
    return d if b == 1 else (b**d - 1) // (b - 1)


# -- time --------------------------------------------------------------------------------------------------


def depth_first_best(b: int, d: int, k: int) -> int:
    """k: straight down to the solution."""
    _check(b, d, k)
    return k


def depth_first_worst_printed(b: int, d: int, k: int) -> Fraction:
    """(b^d - b^(d-k))/(b - 1), as printed: right for k = d only. It charges 4 nodes for a root that is a solution.

    >>> depth_first_worst_printed(2, 3, 1), depth_first_worst(2, 3, 1)
    (Fraction(4, 1), 1)
    """
    _check(b, d, k)
    return Fraction(k) if b == 1 else Fraction(b**d - b ** (d - k), b - 1)


def depth_first_worst(b: int, d: int, k: int) -> int:
    """(b^d - b^(d-k+1))/(b - 1) + 1: everything but what lies below the last node of level k.

    >>> depth_first_worst(2, 4, 4), depth_first_worst(3, 4, 2)
    (15, 28)
    """
    _check(b, d, k)
    return tree_size(b, d) - tree_size(b, d - k + 1) + 1


def breadth_first_best(b: int, d: int, k: int) -> int:
    """(b^(k-1) - 1)/(b - 1) + 1: all the levels above, and the first node of level k."""
    _check(b, d, k)
    return 1 if k == 1 else tree_size(b, k - 1) + 1


def breadth_first_worst(b: int, d: int, k: int) -> int:
    """(b^k - 1)/(b - 1): all the levels down to k."""
    _check(b, d, k)
    return tree_size(b, k)


def iterative_deepening_all(b: int, d: int) -> int:
    """All rounds over a tree of *d* levels without a solution: one after the other, of 1 to d levels.

    >>> [iterative_deepening_all(2, d) for d in range(1, 6)]
    [1, 4, 11, 26, 57]
    """
    _check(b, d)
    return sum(tree_size(b, level) for level in range(1, d + 1))


def iterative_deepening_binary(d: int) -> int:
    """2^(d+1) - d - 2: the same for b = 2, as printed.

    >>> [iterative_deepening_binary(d) for d in range(1, 6)]
    [1, 4, 11, 26, 57]
    """
    _check(2, d)
    return int(2 ** (d + 1) - d - 2)


def iterative_deepening_best(b: int, d: int, k: int) -> int:
    """All rounds above level k, then k nodes straight down."""
    _check(b, d, k)
    return (iterative_deepening_all(b, k - 1) if k > 1 else 0) + k


def iterative_deepening_worst(b: int, d: int, k: int) -> int:
    """All rounds down to level k."""
    _check(b, d, k)
    return iterative_deepening_all(b, k)


def deepening_ratio_printed(b: int) -> Fraction:
    """b/(b - 1): the printed theorem on what iterative deepening costs; true of deep trees only."""
    if b < 2:
        raise UsageError(f"the ratio b/(b-1) needs a branching factor of 2 or more, not {b}")
    return Fraction(b, b - 1)


def deepening_ratio(b: int, d: int) -> Fraction:
    """b/(b - 1) - d/(b^d - 1): exactly what iterative deepening costs, in nodes of one depth-first search.

    >>> deepening_ratio(2, 5) == Fraction(iterative_deepening_all(2, 5), tree_size(2, 5))
    True
    """
    _check(b, d)
    return deepening_ratio_printed(b) - Fraction(d, b**d - 1)


# -- space -------------------------------------------------------------------------------------------------


def depth_first_space(b: int, d: int) -> int:
    """(b - 1)(d - 1) + 1: the current path, and the siblings still to visit on each level."""
    _check(b, d)
    return (b - 1) * (d - 1) + 1


def breadth_first_space(b: int, k: int) -> int:
    """b^(k-1): the whole level of the solution. Right where nodes are tested when they are made."""
    _check(b, k)
    return int(b ** (k - 1))


def breadth_first_space_late(b: int, d: int, k: int) -> int:
    """b^k - b + 1 where nodes are tested only when their turn comes: the next level is there already, nearly all.

    Where level k is the last of the tree (k = d) there is no next level, and it is b^(k-1) again.
    """
    _check(b, d, k)
    return int(b**k - b + 1 if k < d else b ** (k - 1))


# -- two players -------------------------------------------------------------------------------------------


def minimal_tree(b: int, d: int) -> int:
    """b^ceil(d/2) + b^floor(d/2) - 1 (Knuth and Moore, 1975): the fewest leaves that prove a value, d plies deep.

    >>> minimal_tree(2, 4), minimal_tree(3, 4)
    (7, 17)
    """
    return minimal_tree_of([b] * d)


def minimal_tree_of(degrees: Sequence[int]) -> int:
    """The same where ply i has *degrees[i]* moves: product of the odd plies + product of the even plies - 1.

    >>> minimal_tree_of([3, 3, 2, 2]), minimal_tree_of([3, 12])
    (11, 14)
    """
    if any(degree < 1 for degree in degrees):
        raise UsageError(f"every ply needs at least one move, and these are {list(degrees)}")
    return prod(degrees[0::2]) + prod(degrees[1::2]) - 1


def max_strategies(b: int, k: int) -> int:
    """b^((b^ceil(k/2) - 1)/(b - 1)): MAX's strategies in a tree of *k* plies where MAX begins.

    >>> [max_strategies(2, k) for k in range(7)]
    [1, 2, 2, 8, 8, 128, 128]
    """
    if b < 1 or k < 0:
        raise UsageError(f"no tree has {k} plies with {b} moves each", hint="give b >= 1 and k >= 0")
    choices = (k + 1) // 2
    return int(b ** (0 if choices == 0 else tree_size(b, choices)))


def min_strategies(b: int, k: int) -> int:
    """The same for MIN, who chooses in every other ply: b^(b (b^floor(k/2) - 1)/(b - 1)).

    >>> [min_strategies(2, k) for k in range(6)]
    [1, 1, 4, 4, 64, 64]
    """
    return max_strategies(b, k - 1) ** b if k > 0 else 1


def initial_clusters(b: int, k: int) -> int:
    """b^ceil(k/2): the leaves with which SSS* begins; each stands for a cluster of strategies."""
    return int(b ** ((k + 1) // 2))


def leaves_of_a_strategy(b: int, k: int) -> int:
    """b^floor(k/2): one for every sequence of replies of MIN."""
    return int(b ** (k // 2))


def _check(b: int, d: int, k: int = 1) -> None:
    if b < 1 or not 1 <= k <= d:
        raise UsageError(
            f"no tree has branching factor {b}, {d} levels and a solution at level {k}",
            hint="give b >= 1 and 1 <= k <= d; the root is level 1",
        )

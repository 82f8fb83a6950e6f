"""Trees for measurements: uniform ones from a seed, in best, worst or random order, and the lecture's own.

Random numbers come from SplitMix64 (Steele, Lea and Flood, 2014), so that a seed names the same tree on every
machine and in every language. The models:

    distinct   the numbers 0..N-1 shuffled over the N leaves
    iid10      each leaf one of 0..9, independently; any other number after iid
    inc100:20  each move adds or takes an amount: the moves of a node get worse from left to right by 20 on average
    ord70      distinct, then with 70 % probability the best child of a node is moved to the front

The minimal tree, which every search must visit, has b^ceil(d/2) + b^floor(d/2) - 1 leaves (Knuth and Moore,
1975); in `best` trees alpha-beta visits no more, in `worst` trees every leaf.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from math import prod

from stratagem.errors import LimitExceeded, UsageError, require_type, require_whole
from stratagem.kernels.splitmix import FIRST_FACTOR, GOLDEN, SECOND_FACTOR, WORD
from stratagem.machines.trees.tree import MAX, Spec, Tree

LARGEST_TREE = 2_000_000  # leaves; about a gigabyte

LECTURE_TREE: Spec = [
    [[[10, 9], [15, 11]], [[8, 7], [9, 10]]],
    [[[13, 12], [5, 6]], [[13, 14], [7, 3]]],
]


def splitmix64(seed: int) -> Iterator[int]:
    """The endless stream of 64-bit numbers of SplitMix64.

    >>> hex(next(splitmix64(0)))
    '0xe220a8397b1dcdaf'
    """
    state = seed & WORD
    while True:
        state = (state + GOLDEN) & WORD
        mixed = ((state ^ (state >> 30)) * FIRST_FACTOR) & WORD
        mixed = ((mixed ^ (mixed >> 27)) * SECOND_FACTOR) & WORD
        yield mixed ^ (mixed >> 31)


def lecture_tree() -> Tree:
    """The lecture's binary tree of 16 leaves: value 12, eight strategies in four clusters.

    The lecture gives its right half and a few sentences about the left one; the left half here agrees with all
    of them.
    """
    return Tree.of(LECTURE_TREE)


def thirty_six_leaves() -> Tree:
    """36 leaves in best order, three moves at the root: 11 of them settle the value, and no 10 could."""
    return ordered((3, 3, 2, 2), order="best")


def uniform(branching: int, depth: int, *, model: str = "distinct", seed: int = 1) -> Tree:
    """A tree with *branching* children everywhere and leaves at *depth*, from *model* and *seed*.

    >>> uniform(2, 2, seed=1).spec()
    [[2, 0], [3, 1]]
    """
    require_whole("depth", depth)
    degrees = _checked((branching,) * depth)
    name, numbers = _parse_model(model)
    draw = splitmix64(seed).__next__
    if name == "iid":
        return grow(degrees, [draw() % numbers[0] for _ in range(prod(degrees))])
    if name == "inc":
        return grow(degrees, _increments(degrees, draw, *numbers))
    tree = grow(degrees, _shuffled(prod(degrees), draw))
    if name == "ord":
        second = splitmix64(seed ^ 0xABCDEF)
        return reorder(tree, lambda: next(second) % 100 < numbers[0])
    return tree


def ordered(degrees: Sequence[int], *, order: str = "best", seed: int = 1) -> Tree:
    """A tree whose nodes at ply i have ``degrees[i]`` children, its leaves 0..N-1 in *order*.

    "best": the best child is always first. "worst": every child is better for the player to move than all before
    it, down to the leaves, so that no search from the left can cut. "random": shuffled by *seed*.

    >>> ordered((2, 2), order="best").spec(), ordered((2, 2), order="worst").spec()
    ([[2, 3], [0, 1]], [[1, 0], [3, 2]])
    """
    degrees = _checked(degrees)
    if order == "random":
        return grow(degrees, _shuffled(prod(degrees), splitmix64(seed).__next__))
    if order not in ("best", "worst"):
        raise UsageError(f"the order must be best, worst or random, not {order!r}")
    # each node owns a block of values; its children own equal parts of it, handed out upwards or downwards
    blocks = [0]
    size = prod(degrees)
    for ply, degree in enumerate(degrees):
        size //= degree
        upwards = (ply % 2 == 0) == (order == "worst")
        steps = range(degree) if upwards else range(degree - 1, -1, -1)
        blocks = [block + step * size for block in blocks for step in steps]
    return grow(degrees, blocks)


def grow(degrees: Sequence[int], leaves: Sequence[float]) -> Tree:
    """The tree with ``degrees[i]`` children at ply i and these *leaves*, from left to right."""
    level: list[Spec] = list(leaves)
    for degree in reversed(degrees):
        level = [level[start : start + degree] for start in range(0, len(level), degree)]
    (spec,) = level
    return Tree.of(spec)


def backed_up(tree: Tree) -> tuple[float, ...]:
    """The minimax value of every node of a *tree* without chance nodes, by its number."""
    values: list[float] = [0 if value is None else value for value in tree.values]
    for node in reversed(range(len(tree))):
        if below := tree.children[node]:
            choose = max if tree.players[node] == MAX else min
            values[node] = choose(values[child] for child in below)
    return tuple(values)


def reorder(tree: Tree, wanted: Callable[[], bool] = lambda: True) -> Tree:
    """*tree* with the best child of each node moved to its front where *wanted* says so, asked in pre-order."""
    values = backed_up(tree)
    specs: list[Spec] = list(tree.values)
    order: dict[int, list[int]] = {}
    waiting = [0]
    while waiting:
        node = waiting.pop()
        below = list(tree.children[node])
        if below and wanted():
            choose = max if tree.players[node] == MAX else min
            best = choose(below, key=lambda child: values[child])
            below = [best, *(child for child in below if child != best)]
        order[node] = below
        waiting.extend(reversed(below))
    for node in reversed(range(len(tree))):
        if order[node]:
            specs[node] = {"player": tree.players[node], "children": [specs[child] for child in order[node]]}
    return Tree.of(specs[0])


def _shuffled(count: int, draw: Callable[[], int]) -> list[int]:
    values = list(range(count))
    for last in range(count - 1, 0, -1):
        other = draw() % (last + 1)
        values[last], values[other] = values[other], values[last]
    return values


def _increments(degrees: Sequence[int], draw: Callable[[], int], spread: int, drift: int) -> list[int]:
    """Leaf values by the model inc: MAX adds, MIN takes, and a subtree is drawn before its next sibling."""
    leaves: list[int] = []
    path = [(0, 0)]  # (value of the node, children drawn so far), one per ply
    while path:
        value, drawn = path.pop()
        ply = len(path)
        if ply == len(degrees):
            leaves.append(value)
        elif drawn < degrees[ply]:
            amount = draw() % spread - drawn * drift
            path.append((value, drawn + 1))
            path.append((value + amount if ply % 2 == 0 else value - amount, 0))
    return leaves


def _parse_model(model: str) -> tuple[str, tuple[int, ...]]:
    match = re.fullmatch(r"(distinct)|(iid)([1-9]\d*)|(inc)([1-9]\d*):(\d+)|(ord)(\d+)", model)
    if match is None:
        raise UsageError(
            f"there is no tree model {model!r}",
            hint="examples are distinct, iid10, inc100:20 and ord70",
        )
    name, *numbers = (group for group in match.groups() if group is not None)
    return name, tuple(map(int, numbers))


def _checked(degrees: Sequence[int]) -> tuple[int, ...]:
    require_type(degrees, Sequence, "a list with the number of children of each level")
    for degree in degrees:
        require_whole("number of children", degree)
    if any(degree < 1 for degree in degrees):
        raise UsageError(f"every node needs at least one child, not {min(degrees)}")
    if prod(degrees) > LARGEST_TREE:
        raise LimitExceeded(
            f"this tree would have {prod(degrees):,} leaves; explicit trees may have {LARGEST_TREE:,}",
            hint="take fewer children or a smaller depth",
        )
    return tuple(degrees)

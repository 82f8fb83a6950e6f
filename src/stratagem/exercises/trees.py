"""Trees for exercises: small, named nodes, drawn as text.

Inner nodes are called A, B, C, ... from top to bottom and left to right; leaves are numbered from the left, from 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from string import ascii_uppercase

from stratagem.machines.trees.tree import Spec, Tree


def random_tree(
    random: Random, *, levels: int = 3, widest: int = 3, leaves: int = 16, values: int = 20
) -> Tree:
    """A tree of *levels* plies whose leaves all differ, of uneven width, with at most *leaves* leaves."""
    numbers = list(range(values))
    random.shuffle(numbers)

    def grow(level: int) -> Spec:
        if level == 0:
            return numbers.pop()
        return [grow(level - 1) for _ in range(random.randint(2, widest))]

    while True:
        numbers = list(range(max(values, widest**levels)))
        random.shuffle(numbers)
        tree = Tree.of(grow(levels))
        if len(tree.leaves) <= leaves:
            return tree


def names(tree: Tree) -> dict[int, str]:
    """The letter of every inner node, level by level."""
    found: dict[int, str] = {}
    level = [0]
    while level:
        for node in level:
            if tree.children[node]:
                found[node] = letters(len(found))
        level = [child for node in level for child in tree.children[node]]
    return found


def letters(number: int) -> str:
    """A, B, ..., Z, AA, AB, ..."""
    text = ""
    number += 1
    while number:
        number, rest = divmod(number - 1, 26)
        text = ascii_uppercase[rest] + text
    return text


def node_at(tree: Tree, path: tuple[int, ...]) -> int:
    """The node that *path* leads to."""
    node = 0
    for step in path:
        node = tree.children[node][step]
    return node


def drawn(tree: Tree, *, values: bool = True) -> str:
    """The tree as text, one node a line; without *values* the leaves show their numbers alone."""
    named = names(tree)

    def lines(node: int, margin: str, tail: str) -> Iterator[str]:
        if not tree.children[node]:
            number = tree.leaf_number(node)
            yield f"{margin}leaf {number}" + (f": {tree.values[node]:g}" if values else "")
            return
        yield f"{margin}{named[node]} ({tree.players[node].upper()})"
        for place, child in enumerate(tree.children[node]):
            last = place == len(tree.children[node]) - 1
            yield from lines(child, tail + ("└─ " if last else "├─ "), tail + ("   " if last else "│  "))

    return "\n".join(lines(0, "", ""))

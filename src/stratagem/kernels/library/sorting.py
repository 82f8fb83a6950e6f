"""Insertion sort, one element at a time: the moves of a state by how promising they are.

There are a few dozen at most, and they come one by one; then nothing is faster. Millions of states are sorted by numpy.
"""

from __future__ import annotations

from stratagem.kernels import Array, inlined, int32


@inlined
def insert_by_key(order: Array[int32], keys: Array[int], count: int, element: int, key: int) -> None:
    """Puts *element* among the first *count* of *order*: the largest key first, equal ones as they came."""
    place = count
    while place > 0 and keys[place - 1] < key:
        order[place], keys[place] = order[place - 1], keys[place - 1]
        place -= 1
    order[place], keys[place] = element, key

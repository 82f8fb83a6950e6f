"""Sorting: indices by a key, and packed states. Heapsort (Williams, 1964): in place, n log n in the worst case.

A few elements, such as the moves of a state, are sorted by insertion, which keeps the order of equal ones.
"""

from __future__ import annotations

from stratagem.kernels import Array, inlined, kernel, uint64
from stratagem.kernels.library.hashing import less_state


@kernel
def insertion_sort(order: Array[int], keys: Array[int], count: int) -> None:
    """Sorts the indices *order* by ascending key; equal ones stay as they are. For a few dozen at most."""
    for end in range(1, count):
        moved = order[end]
        place = end
        while place > 0 and keys[order[place - 1]] > keys[moved]:
            order[place] = order[place - 1]
            place -= 1
        order[place] = moved


@kernel
def sort_indices(order: Array[int], keys: Array[int], count: int) -> None:
    """Sorts the indices *order* by ascending key, equal ones by ascending index."""
    for root in range(count // 2 - 1, -1, -1):
        _sift_index(order, keys, root, count)
    for end in range(count - 1, 0, -1):
        order[0], order[end] = order[end], order[0]
        _sift_index(order, keys, 0, end)


@inlined
def _comes_first(keys: Array[int], one: int, other: int) -> bool:
    return keys[one] < keys[other] or (keys[one] == keys[other] and one < other)


@kernel
def _sift_index(order: Array[int], keys: Array[int], root: int, count: int) -> None:
    """Moves the index at *root* down the heap until none below it is larger."""
    while 2 * root + 1 < count:
        child = 2 * root + 1
        if child + 1 < count and _comes_first(keys, order[child], order[child + 1]):
            child += 1
        if not _comes_first(keys, order[root], order[child]):
            return
        order[root], order[child] = order[child], order[root]
        root = child


@kernel
def sort_states(states: Array[uint64], count: int, words: int) -> None:
    """Sorts packed states, word by word, in place."""
    for root in range(count // 2 - 1, -1, -1):
        _sift_state(states, root, count, words)
    for end in range(count - 1, 0, -1):
        _swap_states(states, 0, end, words)
        _sift_state(states, 0, end, words)


@inlined
def _swap_states(states: Array[uint64], one: int, other: int, words: int) -> None:
    for word in range(words):
        here, there = one * words + word, other * words + word
        states[here], states[there] = states[there], states[here]


@kernel
def _sift_state(states: Array[uint64], root: int, count: int, words: int) -> None:
    """Moves the state at *root* down the heap until none below it is larger."""
    while 2 * root + 1 < count:
        child = 2 * root + 1
        if child + 1 < count and less_state(states.at(child * words), states.at((child + 1) * words), words):
            child += 1
        if not less_state(states.at(root * words), states.at(child * words), words):
            return
        _swap_states(states, root, child, words)
        root = child


@kernel
def without_repetitions(states: Array[uint64], count: int, words: int) -> int:
    """Moves the different ones of *count* sorted states to the front; how many there are."""
    kept = 0
    for row in range(count):
        if kept == 0 or less_state(states.at((kept - 1) * words), states.at(row * words), words):
            for word in range(words):
                states[kept * words + word] = states[row * words + word]
            kept += 1
    return kept

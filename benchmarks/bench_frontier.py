"""Breadth-first search, states per second: the package, from the text of the rules, against programs written by hand.

Both count the states of the eight puzzle by distance, and the first layers of English peg solitaire. The hand-written
programs know their board: a tile is four bits of a word, a jump three bits of a mask, and the set of known states is
a table of words. The signature is the number of states in every layer. The aim is a quarter of their rate.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from benchmarks.measure import Work, rates, table, verdict
from stratagem.engine.space.count import count_states
from stratagem.limit import Limit
from stratagem.loading import load

DEPTH = 11
WANTED = 0.25
NIBBLE = np.uint64(15)


@njit(nogil=True, inline="always")
def put(slots, key):  # type: ignore[no-untyped-def]
    """Whether *key*, which is not 0, is new in the set; it is in it afterwards."""
    mask = np.uint64(len(slots) - 1)
    mixed = (key ^ (key >> np.uint64(31))) * np.uint64(0x9E3779B97F4A7C15)
    place = (mixed ^ (mixed >> np.uint64(29))) & mask
    while slots[place] != np.uint64(0):
        if slots[place] == key:
            return False
        place = (place + np.uint64(1)) & mask
    slots[place] = key
    return True


@njit(nogil=True)
def eight_puzzle(slots, pool, layers):  # type: ignore[no-untyped-def]
    """Counts the layers from the tiles in reverse order; the number of states."""
    start = np.uint64(0)
    for cell in range(8):
        start |= np.uint64(8 - cell) << np.uint64(4 * cell)
    pool[0] = start
    put(slots, start)
    used, first, depth = 1, 0, 0
    while first < used:
        last = used
        layers[depth] = last - first
        for number in range(first, last):
            board = pool[number]
            gap = 0
            while (board >> np.uint64(4 * gap)) & NIBBLE:
                gap += 1
            row, column = gap // 3, gap % 3
            for way in range(4):
                to_row, to_column = row + (way == 0) - (way == 1), column + (way == 2) - (way == 3)
                if to_row < 0 or to_row > 2 or to_column < 0 or to_column > 2:
                    continue
                cell = 3 * to_row + to_column
                tile = (board >> np.uint64(4 * cell)) & NIBBLE
                child = board ^ (tile << np.uint64(4 * cell)) | (tile << np.uint64(4 * gap))
                if put(slots, child):
                    pool[used] = child
                    used += 1
        first, depth = last, depth + 1
    return used


@njit(nogil=True)
def pegs(slots, pool, layers, start, taken, needed, depth):  # type: ignore[no-untyped-def]
    """Counts the layers up to *depth*: a jump needs two pegs and a hole among the three cells it turns round."""
    pool[0] = start
    put(slots, start)
    used, first = 1, 0
    for ply in range(depth + 1):
        last = used
        layers[ply] = last - first
        if ply == depth:
            break
        for number in range(first, last):
            board = pool[number]
            for jump in range(len(taken)):
                if board & taken[jump] == needed[jump]:
                    child = board ^ taken[jump]
                    if put(slots, child):
                        pool[used] = child
                        used += 1
        first = last
    return used


def jumps() -> tuple[np.uint64, NDArray[np.uint64], NDArray[np.uint64]]:
    """The start with the middle empty; for each jump its three cells, and those of them that must have a peg."""
    cells = [(row, column) for row in range(7) for column in range(7) if 2 <= row <= 4 or 2 <= column <= 4]
    place = {cell: number for number, cell in enumerate(cells)}
    taken, needed = [], []
    for row, column in cells:
        for down, right in ((0, 1), (1, 0), (0, -1), (-1, 0)):
            over, to = (row + down, column + right), (row + 2 * down, column + 2 * right)
            if over in place and to in place:
                pair = 1 << place[row, column] | 1 << place[over]
                needed.append(pair)
                taken.append(pair | 1 << place[to])
    start = (1 << 33) - 1 ^ 1 << place[3, 3]
    return np.uint64(start), np.array(taken, np.uint64), np.array(needed, np.uint64)


def main() -> None:
    layers = np.zeros(64, np.int64)
    start, taken, needed = jumps()
    eight, solitaire = load("eightpuzzle"), load("pegsolitaire")
    for game in (eight, solitaire):
        game.compiled.compile(wait=True)
    full = tuple(count_states(eight))
    some = tuple(count_states(solitaire, limit=Limit(depth=DEPTH)))

    def by_hand(_seed: int) -> float:
        found = int(eight_puzzle(np.zeros(1 << 19, np.uint64), np.empty(200_000, np.uint64), layers))
        assert tuple(layers[: len(full)]) == full
        return found

    def pegs_by_hand(_seed: int) -> float:
        size = sum(some)
        slots = np.zeros(1 << (3 * size // 2).bit_length(), np.uint64)
        found = int(pegs(slots, np.empty(size + 1, np.uint64), layers, start, taken, needed, DEPTH))
        assert tuple(layers[: len(some)]) == some
        return found

    works: dict[str, dict[str, Work]] = {
        f"the eight puzzle, {sum(full):,} states": {
            "by hand": by_hand,
            "from the rules": lambda _seed: count_states(eight).total,
        },
        f"peg solitaire to depth {DEPTH}, {sum(some):,} states": {
            "by hand": pegs_by_hand,
            "from the rules": lambda _seed: count_states(solitaire, limit=Limit(depth=DEPTH)).total,
        },
    }
    for title, both in works.items():
        found = rates(both, rounds=3)
        table(title, found, "states", "by hand")
        verdict("ratio", found["from the rules"] / found["by hand"], WANTED)


if __name__ == "__main__":
    main()

"""IDA* for the fifteen puzzle written by hand (Korf, 1985), with additive pattern databases that are given.

It knows the board: a gap, its neighbours, the tile that slides. A database of up to six tiles is looked up by the places of its
tiles, four bits each, as programs for one puzzle do; a larger one by the number of the arrangement.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

from benchmarks.yardsticks import popcount
from stratagem.engine.heuristics.additive_databases import AdditiveDatabases

LARGEST_DENSE = 6
LONGEST = 100


@njit(nogil=True)
def number_of(key, tiles):  # type: ignore[no-untyped-def]
    """The number of an arrangement, from the places of its tiles, four bits each."""
    number, taken = 0, np.uint64(0)
    for tile in range(tiles):
        place = (key >> (4 * tile)) & 15
        bit = np.uint64(1) << np.uint64(place)
        number = number * (16 - tile) + place - np.int64(popcount(taken & (bit - np.uint64(1))))
        taken |= bit
    return number


@njit(nogil=True)
def spread(table, tiles, dense):  # type: ignore[no-untyped-def]
    """Fills a table with an entry for all places of its tiles."""
    for key in range(len(dense)):
        taken = 0
        for tile in range(tiles):
            taken |= 1 << ((key >> (4 * tile)) & 15)
        if popcount(np.uint64(taken)) == np.uint64(tiles):
            dense[key] = table[number_of(key, tiles)]


@njit(nogil=True)
def distance(tables, start, tiles, view, key):  # type: ignore[no-untyped-def]
    if tiles[view] > LARGEST_DENSE:
        return np.int64(tables[start[view] + number_of(key, tiles[view])])
    return np.int64(tables[start[view] + key])


@njit(nogil=True)
def search(board, length, neighbours, count, tables, start, tiles, view, weight, keys, values, sums):  # type: ignore[no-untyped-def]
    """Depth-first up to *length*: (length of the solution or -1, the least f beyond, children made)."""
    partitions = len(sums)
    gaps, turns = np.zeros(LONGEST, np.int64), np.zeros(LONGEST, np.int64)
    old_keys, old_values = (
        np.zeros((LONGEST, partitions), np.int64),
        np.zeros((LONGEST, partitions), np.int64),
    )
    new_keys, new_values = np.zeros(partitions, np.int64), np.zeros(partitions, np.int64)
    for place in range(16):
        if board[place] == 0:
            gaps[0] = place
    depth, made, beyond = 0, 0, 1 << 14
    while True:
        gap = gaps[depth]
        if turns[depth] == count[gap]:
            if depth == 0:
                return -1, beyond, made
            back = gaps[depth - 1]
            tile = board[back]
            board[gap], board[back] = tile, 0
            for partition in range(partitions):
                at = view[partition, tile]
                keys[at] = old_keys[depth, partition]
                sums[partition] += old_values[depth, partition] - values[at]
                values[at] = old_values[depth, partition]
            depth -= 1
            continue
        place = neighbours[gap, turns[depth]]
        turns[depth] += 1
        if depth > 0 and place == gaps[depth - 1]:
            continue
        made += 1
        tile, bound = board[place], 0
        for partition in range(partitions):
            at = view[partition, tile]
            key = keys[at] + weight[partition, tile, gap] - weight[partition, tile, place]
            new_keys[partition] = key
            new_values[partition] = distance(tables, start, tiles, at, key)
            bound = max(bound, sums[partition] + new_values[partition] - values[at])
            if depth + 1 + bound > length:
                break
        if depth + 1 + bound > length:
            beyond = min(beyond, depth + 1 + bound)
            continue
        depth += 1
        board[gap], board[place] = tile, 0
        gaps[depth], turns[depth] = place, 0
        for partition in range(partitions):
            at = view[partition, tile]
            old_keys[depth, partition], old_values[depth, partition] = keys[at], values[at]
            sums[partition] += new_values[partition] - values[at]
            keys[at], values[at] = new_keys[partition], new_values[partition]
        if bound == 0:
            return depth, beyond, made


class HandWritten:
    """The search with the tables of *databases*, whose variable i is tile ``tiles[i]`` and whose places are the board's."""

    def __init__(self, databases: AdditiveDatabases, tiles: list[int]) -> None:
        given = databases.tables
        self.tiles = given.slots.numpy.astype(np.int64)
        parts, starts, begin = [], [], 0
        for number, pattern in enumerate(databases.patterns):
            first = int(given.start[number])
            following = (
                int(given.start[number + 1]) if number + 1 < len(databases.patterns) else given.entries
            )
            table = given.moves.numpy[first:following]
            if len(pattern) <= LARGEST_DENSE:
                dense = np.zeros(16 ** len(pattern), np.uint8)
                spread(table, len(pattern), dense)
                table = dense
            parts.append(table)
            starts.append(begin)
            begin += len(table)
        self.tables = np.concatenate(parts)
        self.start = np.array(starts * given.partitions, np.int64)
        self.view = np.zeros((given.partitions, 16), np.int64)
        self.weight = np.zeros((given.partitions, 16, 16), np.int64)
        facts = databases.domain.facts
        for partition in range(given.partitions):
            for variable, tile in enumerate(tiles):
                self.view[partition, tile] = given.view.numpy[partition, facts[variable, 0]]
                for place in range(16):
                    # eight bits for each tile there, four here
                    wide = int(given.weight.numpy[partition, facts[variable, place]])
                    slot = max(0, (wide.bit_length() - 1) // 8)
                    self.weight[partition, tile, place] = (wide >> (8 * slot)) << (4 * slot)
        self.neighbours, self.count = np.zeros((16, 4), np.int64), np.zeros(16, np.int64)
        for place in range(16):
            near = [
                other for other in range(16) if abs(place // 4 - other // 4) + abs(place % 4 - other % 4) == 1
            ]
            self.neighbours[place, : len(near)], self.count[place] = near, len(near)

    def solve(self, board: NDArray[np.int64]) -> tuple[int, int]:
        """The length of the shortest solution and the children made."""
        length, total = -1, 0
        while True:
            keys = np.zeros(len(self.tiles), np.int64)
            for place, tile in enumerate(board):
                if tile:
                    for partition in range(len(self.view)):
                        keys[self.view[partition, tile]] += self.weight[partition, tile, place]
            values = np.array(
                [distance(self.tables, self.start, self.tiles, view, key) for view, key in enumerate(keys)]
            )
            sums = values.reshape(len(self.view), -1).sum(axis=1)
            length = max(length, int(sums.max()))
            found, beyond, made = search(
                board.copy(),
                length,
                self.neighbours,
                self.count,
                self.tables,
                self.start,
                self.tiles,
                self.view,
                self.weight,
                keys,
                values,
                sums,
            )
            total += made
            if found >= 0:
                return found, total
            length = beyond

"""Routing: which shard owns a state, states in the order of their owners, and where sorted states lie in a run.

The owner of a state is the upper part of its hash times the number of shards, so that shards are of one size whatever
the game is.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from stratagem.engine.space.sorted_runs import StateRows, comes_first, gallop, rank_all, swap_states
from stratagem.kernels import Array, Record, dims, inlined, int16, int32, kernel, size, uint64
from stratagem.kernels.library.hashing import copy_state, hash_state, same_state
from stratagem.kernels.library.random_numbers import mixed
from stratagem.kernels.splitmix import GOLDEN
from stratagem.kernels.translate.family import KernelFamily
from stratagem.native.jit.kernel_families import compiled_family

SALT: Final = 0x5EED_0F_5_4A_2D
"""Makes the owner independent of the order of runs, which longer states have from the same hash."""


@inlined
def owner_of_spread(spread: uint64, shards: int) -> int:
    """The shard of a number that is spread evenly."""
    return int(((spread >> 32) * uint64(shards)) >> 32)


@inlined
def owner(state: Array[uint64], words: int, shards: int) -> int:
    """The shard that a state belongs to."""
    return owner_of_spread(mixed(hash_state(state, words) ^ uint64(SALT)), shards)


class RoutedRows(Record):
    """Room for states in the order of their owners; *ends* is where the states of each shard end."""

    rows: int = size()
    words: int = size()
    shards: int = size()
    routed: Array[uint64] = dims("rows", "words")
    places: Array[int32] = dims("rows")
    """The place that each of the states has got."""
    ends: Array[int] = dims("shards")


@kernel
def route(block: RoutedRows, states: Array[uint64], count: int) -> None:
    """Puts states into the order of their owners (a counting sort); those of one owner stay in their order."""
    words = block.words
    for shard in range(block.shards):
        block.ends[shard] = 0
    for row in range(count):
        chosen = owner(states.at(row * words), words, block.shards)
        block.places[row] = chosen
        block.ends[chosen] += 1
    total = 0
    for shard in range(block.shards):
        owned = block.ends[shard]
        block.ends[shard] = total
        total += owned
    for row in range(count):
        chosen = block.places[row]
        place = block.ends[chosen]
        block.ends[chosen] = place + 1
        copy_state(states.at(row * words), block.routed.row(place), words)
        block.places[row] = place


class OutgoingRows(Record):
    """Room for states on their way to each shard, and the states that were routed last, by their hash."""

    shards: int = size()
    rows: int = size()
    words: int = size()
    slots: int = size()
    """A power of two."""
    states: Array[uint64] = dims("shards", "rows", "words")
    counts: Array[int] = dims("shards")
    recent: Array[uint64] = dims("slots", "words")
    ahead: int = size()
    spreads: Array[uint64] = dims("ahead")


@inlined
def spread_states(states: Array[uint64], count: int, words: int, spreads: Array[uint64]) -> None:
    """The numbers that say where states belong; a loop of its own, as it is done for several states of a word at a time."""
    if words == 1:
        for row in range(count):
            spreads[row] = mixed(mixed(uint64(GOLDEN) ^ states[row]) ^ uint64(SALT))
    else:
        for row in range(count):
            spreads[row] = mixed(hash_state(states.at(row * words), words) ^ uint64(SALT))


@kernel
def send_off(out: OutgoingRows, states: Array[uint64], first: int, count: int) -> int:
    """Puts states from *first* on into the room of their owners, until one is full: where to go on.

    A state that is the last one with its hash is left out, as most transpositions of near states are. There is no branch
    on it, since it could not be predicted.
    """
    words = out.words
    while first < count:
        some = min(out.ahead, count - first)
        spread_states(states.at(first * words), some, words, out.spreads)
        for row in range(some):
            state, spread = states.at((first + row) * words), out.spreads[row]
            chosen = owner_of_spread(spread, out.shards)
            place = out.counts[chosen]
            if place == out.rows:
                return first + row
            latest, room = out.recent.row(int(spread & uint64(out.slots - 1))), out.states.row(chosen, place)
            differs = uint64(0)
            for word in range(words):
                differs |= state[word] ^ latest[word]
                latest[word] = state[word]
                room[word] = state[word]
            out.counts[chosen] = place + (0 if differs == 0 else 1)
        first += some
    return count


@kernel
def count_owners(some: StateRows, counts: Array[int], shards: int) -> None:
    """Adds up how many states each shard owns."""
    for row in range(some.rows):
        counts[owner(some.states.row(row), some.words, shards)] += 1


@kernel
def join_equals(by_rank: StateRows, order: Array[int], places: Array[int32]) -> int:
    """Sorts states of equal rank, which lie side by side, and drops all but one of equal states; how many are left.

    *order* is where each comes from, and *places* says for each of those where it has gone.
    """
    words = by_rank.words
    if words > 1:
        for row in range(1, by_rank.rows):
            place = row
            while place > 0 and comes_first(by_rank.states.row(place), by_rank.states.row(place - 1), words):
                swap_states(by_rank.states.row(place), by_rank.states.row(place - 1), words)
                order[place], order[place - 1] = order[place - 1], order[place]
                place -= 1
    kept = 0
    for row in range(by_rank.rows):
        state = by_rank.states.row(row)
        if kept == 0 or not same_state(state, by_rank.states.row(kept - 1), words):
            copy_state(state, by_rank.states.row(kept), words)
            kept += 1
        places[order[row]] = kept - 1
    return kept


@kernel
def locate(wanted: StateRows, run: StateRows, found: Array[int]) -> int:
    """Where each of the wanted states, in the order of runs, lies in a run; those that do not keep their number. How many do."""
    first, hits = 0, 0
    for row in range(wanted.rows):
        state = wanted.states.row(row)
        first = gallop(run, first, state)
        if first == run.rows:
            break
        if same_state(run.states.row(first), state, run.words):
            found[row] = first
            hits += 1
    return hits


@kernel
def look_up(
    wanted: StateRows, run: StateRows, values: Array[int16], columns: int, result: Array[int16]
) -> int:
    """Puts the values of the wanted states, in the order of runs, into *result*: how many there are before one is missing."""
    first = 0
    for row in range(wanted.rows):
        state = wanted.states.row(row)
        first = gallop(run, first, state)
        if first == run.rows or not same_state(run.states.row(first), state, run.words):
            return row
        for column in range(columns):
            result[row * columns + column] = values[first * columns + column]
    return wanted.rows


KERNELS: Final = KernelFamily(
    "routing", (route, send_off, count_owners, join_equals, locate, look_up, rank_all)
)


class Router:
    """Puts states into the order of their owners, in memory that is used again by the next call."""

    def __init__(self, words: int, shards: int) -> None:
        self.words, self.shards = words, shards
        self._room(1 << 12)

    def _room(self, rows: int) -> None:
        self._routed = np.empty((rows, self.words), np.uint64)
        self._places = np.empty(rows, np.int32)
        self._ends = np.empty(self.shards, np.int64)
        self._rows = RoutedRows(routed=self._routed, places=self._places, ends=self._ends)

    def route(self, states: NDArray[np.uint64]) -> tuple[list[NDArray[np.uint64]], NDArray[np.int32]]:
        """The *states* of each owner, in their order; and where each is when these are put one after another."""
        count = len(states)
        if count > len(self._places):
            self._room(max(count, 2 * len(self._places)))
        compiled_family(KERNELS)[route](self._rows, Array(uint64, states), count)
        bounds = [0, *self._ends.tolist()]
        parts = [self._routed[first:last] for first, last in pairwise(bounds)]
        return parts, self._places[:count]


def owners_of(states: NDArray[np.uint64], shards: int) -> NDArray[np.int64]:
    """How many of *states* each of *shards* owns."""
    counts = np.zeros(shards, np.int64)
    compiled_family(KERNELS)[count_owners](StateRows(states=states), Array(int, counts), shards)
    return counts


def owner_of(packed: NDArray[np.uint64], shards: int) -> int:
    """The shard that owns one packed state."""
    return int(np.argmax(owners_of(np.array(packed).reshape(1, -1), shards)))


def distinct(states: NDArray[np.uint64]) -> tuple[NDArray[np.uint64], NDArray[np.int32]]:
    """*states* in the order of runs, equal ones joined; and for each the place that it has there."""
    code = compiled_family(KERNELS)
    ranks: NDArray[np.uint64] = states[:, 0]
    if states.shape[1] > 1:
        ranks = np.empty(len(states), np.uint64)
        code[rank_all](StateRows(states=states), Array(uint64, ranks))
    order = np.argsort(ranks)
    ordered = states[order]
    places = np.empty(len(states), np.int32)
    left = code[join_equals](StateRows(states=ordered), Array(int, order), Array(int32, places))
    return ordered[:left], places


def located(wanted: NDArray[np.uint64], run: NDArray[np.uint64], found: NDArray[np.int64]) -> int:
    """Puts into *found* where each of *wanted* lies in *run*; how many do."""
    return compiled_family(KERNELS)[locate](
        StateRows(states=wanted), StateRows(states=run), Array(int, found)
    )


def looked_up(
    wanted: NDArray[np.uint64], run: NDArray[np.uint64], values: NDArray[np.int16]
) -> NDArray[np.int16] | None:
    """The *values* of the states of *run* for each of *wanted*, both in order; None where one is missing."""
    result = np.empty((len(wanted), values.shape[1]), np.int16)
    found = compiled_family(KERNELS)[look_up](
        StateRows(states=wanted),
        StateRows(states=run),
        Array(int16, values),
        values.shape[1],
        Array(int16, result),
    )
    return result if found == len(wanted) else None

"""How large a game is: lines of play (perft) and distinct states, ply by ply.

`count_lines` keeps the distinct states of one ply with the exact number of ways to each: 128-bit numbers, wider ones
where those could overflow. `count_states` keeps all states and finds each at its least distance. Cost: one expansion
and one look-up per edge of the graph of states, a few dozen nanoseconds, however large the tree is.

>>> from stratagem.loading import load
>>> counted = count_lines(load("tictactoe").circuit)
>>> counted.nodes_by_ply, counted.matches
((1, 9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872), 255168)
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from stratagem.circuit.circuit import Circuit
from stratagem.errors import LimitExceeded
from stratagem.native.driver.build import driver
from stratagem.native.expand import Children, Expander

if TYPE_CHECKING:
    from numpy.typing import NDArray

MEMORY: Final = 1 << 30
"""Bytes that a count may take unless told otherwise."""
GROUP: Final = 1 << 14
"""States that are expanded at once."""
SAFE: Final = 1 << 20
"""While the top digit of every number is below this, one more ply cannot overflow it: no ply has 2^44 edges."""


@dataclass(frozen=True, slots=True)
class Layer:
    """One ply: distinct *states*, those of them that are *terminal*, *nodes* of the tree, *matches* that end here."""

    ply: int
    states: int
    terminal: int
    nodes: int
    matches: int


@dataclass(frozen=True, slots=True)
class Counts:
    """All plies that were counted; *complete* if no line of play goes on after the last."""

    layers: tuple[Layer, ...]
    complete: bool

    @property
    def states_by_ply(self) -> tuple[int, ...]:
        return tuple(layer.states for layer in self.layers)

    @property
    def nodes_by_ply(self) -> tuple[int, ...]:
        """Nodes of the tree of play: lines of exactly so many moves."""
        return tuple(layer.nodes for layer in self.layers)

    @property
    def perft(self) -> tuple[int, ...]:
        """Lines of play up to each ply: one that ended earlier counts at every later ply too."""
        ended = 0
        result = []
        for layer in self.layers:
            result.append(layer.nodes + ended)
            ended += layer.matches
        return tuple(result)

    @property
    def tree_nodes(self) -> int:
        return sum(layer.nodes for layer in self.layers)

    @property
    def matches(self) -> int:
        return sum(layer.matches for layer in self.layers)

    @property
    def matches_by_length(self) -> dict[int, int]:
        return {layer.ply: layer.matches for layer in self.layers if layer.matches}


def count_lines(source: Circuit | Expander, *, depth: int | None = None, memory: int = MEMORY) -> Counts:
    """Lines of play and distinct states for every ply up to *depth*, by default to the end of the game.

    A state that can be met at several plies counts at each of them. A game that never ends needs a *depth*.
    """
    expander = source if isinstance(source, Expander) else Expander(source)
    states = expander.initial[None]
    ends = expander.evaluate(states).terminal
    ways = np.array([[1, 0]], np.uint64)
    layers: list[Layer] = []
    while len(states):
        numbers, ended = _totals(ways), _totals(ways[ends])
        layers.append(Layer(len(layers), len(states), int(ends.sum()), numbers, ended))
        if depth is not None and len(layers) > depth:
            return Counts(tuple(layers), bool(ends.all()))
        states, ways = states[~ends], np.ascontiguousarray(ways[~ends])
        if len(ways) and int(ways[:, -1].max()) >= SAFE:
            ways = np.concatenate([ways, np.zeros((len(ways), 1), np.uint64)], axis=1)
        collection = _Collection(expander, ways.shape[1], memory, held=states.nbytes + ways.nbytes)
        for first, children in _expanded(expander, states):
            collection.add(children, ways[first:])
        states, ends, ways = collection.contents()
    return Counts(tuple(layers), True)


def count_states(
    source: Circuit | Expander, *, depth: int | None = None, memory: int = MEMORY
) -> tuple[int, ...]:
    """How many distinct states are first met after 0, 1, 2, ... moves, up to *depth*; their sum is all of them."""
    expander = source if isinstance(source, Expander) else Expander(source)
    collection = _Collection(expander, 0, memory, held=0)
    start = expander.initial[None]
    roles = len(expander.roles)
    collection.add(
        Children(
            start,
            np.zeros(1, np.int32),
            np.zeros((1, roles), np.int32),
            expander.evaluate(start).terminal,
            np.zeros((1, roles), np.int16),
        ),
        np.zeros((1, 0), np.uint64),
    )
    found: list[int] = []
    known = 0
    while collection.used > known and (depth is None or len(found) <= depth):
        found.append(collection.used - known)
        states, ends, _ = collection.contents(known)
        known = collection.used
        if depth is None or len(found) <= depth:
            for _, children in _expanded(expander, states[~ends]):
                collection.add(children, np.zeros((1, 0), np.uint64))
    return tuple(found)


def _expanded(expander: Expander, states: NDArray[np.uint64]) -> Iterator[tuple[int, Children]]:
    """The children of *states* in groups, each with the number of the group's first state."""
    room = 8 * GROUP
    for first in range(0, len(states), GROUP):
        children = expander.expand(states[first : first + GROUP], room=room)
        room = max(room, len(children) + len(children) // 8)
        yield first, children


def _totals(ways: NDArray[np.uint64]) -> int:
    """The sum of numbers of several digits, exactly: halves of words cannot overflow."""
    total = 0
    for digit in range(ways.shape[1]):
        column = ways[:, digit]
        low, high = int((column & np.uint64(0xFFFFFFFF)).sum()), int((column >> np.uint64(32)).sum())
        total += (low + (high << 32)) << (64 * digit)
    return total


class _Collection:
    """Distinct states with their ends and ways; grows by doubling, within a limit."""

    def __init__(self, expander: Expander, digits: int, memory: int, *, held: int) -> None:
        self.width, self.digits, self.limit, self.held = expander.words, digits, memory, held
        self.used = 0
        self.states: NDArray[np.uint64] = np.empty((0, self.width), np.uint64)
        self.ends: NDArray[np.bool_] = np.empty(0, np.bool_)
        self.ways: NDArray[np.uint64] = np.empty((0, digits), np.uint64)
        pointer, number = ctypes.c_void_p, ctypes.c_int64
        shared = driver("count")
        kinds = [pointer, number, *[pointer] * 3, number, number, pointer, number, *[pointer] * 3, number]
        self._collect = ctypes.CFUNCTYPE(number, *kinds)(shared["collect"])
        self._arrange = ctypes.CFUNCTYPE(None, pointer, number, number, pointer, number)(shared["arrange"])
        self._resize(2 * GROUP)

    def _resize(self, capacity: int) -> None:
        """Make room for *capacity* states."""
        size = capacity * (8 * (self.width + self.digits) + 1) + 16 * capacity
        if self.held + size + size // 2 > self.limit:
            raise LimitExceeded(
                f"{capacity // 2:,} states at one time do not fit the memory limit of {self.limit >> 20:,} MiB",
                hint="give a smaller depth or more memory",
            )
        states = np.empty((capacity, self.width), np.uint64)
        ends = np.empty(capacity, np.bool_)
        ways = np.empty((capacity, self.digits), np.uint64)
        states[: self.used] = self.states[: self.used]
        ends[: self.used] = self.ends[: self.used]
        ways[: self.used] = self.ways[: self.used]
        self.states, self.ends, self.ways, self.capacity = states, ends, ways, capacity
        self.slots = np.zeros(2 * capacity, np.uint64)
        self._arrange(states.ctypes.data, self.used, self.width, self.slots.ctypes.data, len(self.slots) - 1)

    def add(self, children: Children, ways: NDArray[np.uint64]) -> None:
        """Add children; *ways* are those of their parents."""
        for first in range(0, len(children), GROUP):
            count = min(GROUP, len(children) - first)
            if self.used + count > self.capacity:
                self._resize(2 * self.capacity)
            self.used = self._collect(
                children.states[first:].ctypes.data,
                count,
                children.terminal[first:].ctypes.data,
                children.parents[first:].ctypes.data,
                ways.ctypes.data,
                self.width,
                self.digits,
                self.slots.ctypes.data,
                len(self.slots) - 1,
                self.states.ctypes.data,
                self.ends.ctypes.data,
                self.ways.ctypes.data,
                self.used,
            )

    def contents(self, first: int = 0) -> tuple[NDArray[np.uint64], NDArray[np.bool_], NDArray[np.uint64]]:
        """The states collected since number *first*, which of them are over, and the ways to them."""
        own = slice(first, self.used)
        return self.states[own], self.ends[own], self.ways[own]

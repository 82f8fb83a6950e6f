"""The breadth-first frontier: packed states layer by layer, each state once.

A layer is expanded block by block, in one native call each; children go into an exact set, and what is new there is the
next layer. Every breadth-first search here is a loop over a `Frontier`, which alone looks at the limits: explicit spaces,
shortest solutions, searches from both ends, counts of states. Cost: one expansion and one insertion per edge.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from stratagem.engine.states.child_buffer import ChildBuffer
from stratagem.engine.states.state_set import StateSet
from stratagem.limit import DEPTH, MEMORY, UNLIMITED, Started

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stratagem.native.compiled import Children, PackedGame

BLOCK = 1 << 14
"""States expanded at a time: large enough to fill lanes, small enough to be interrupted soon."""
Kind = TypeVar("Kind", bound=np.generic)


@dataclass(frozen=True, slots=True, eq=False)
class Expansion:
    """A block of states with their children; the arrays of *children* are overwritten by the next block."""

    parents: NDArray[np.int64]
    """The numbers of the states that were expanded; ``children.parents`` are places in this array."""
    children: Children
    numbers: NDArray[np.int64]
    """The number of each child."""
    fresh: NDArray[np.int64]
    """The rows of the children that are new, in the order of their numbers."""


class Frontier:
    """Breadth-first search from *starts* [n, words], as an iterator over blocks.

    States have numbers in the order of arrival; those from `first` to `last` are the outermost layer. When a limit is
    reached, *stopped* names it and the iteration ends; the layer that was being expanded stays the outermost.
    """

    def __init__(
        self,
        compiled: PackedGame,
        starts: NDArray[np.uint64],
        *,
        limit: Started | None = None,
        progress: Callable[[int, int], None] | None = None,
        block: int = BLOCK,
        expand: Callable[[NDArray[np.uint64]], Children] | None = None,
        paths: bool = False,
        by_ply: bool = False,
    ) -> None:
        """*expand* gives the children of some states where these are not those by the rules, from *starts* back.

        With *paths* the parent and the move of every state are kept. With *by_ply* a state counts anew at each ply at which
        it can be met, and numbers begin anew with each layer. *progress* hears (states known, states passed).
        """
        self.limit = UNLIMITED.start() if limit is None else limit
        self.progress, self.block, self.by_ply = progress, block, by_ply
        self.expand = ChildBuffer(compiled, block).expand if expand is None else expand
        self.words, self.roles = compiled.words, len(compiled.roles)
        self.known = StateSet(self.words)
        self.known.add(starts.reshape(-1, self.words))
        self.first, self.last = 0, self.known.used
        self.layers = [self.last]
        """How many states are at the distance 0, 1, 2, ... (the last one may be expanded in part)."""
        self.passed = 0
        """Numbers below this were expanded, or need not be because they are terminal."""
        self.held = 0
        """Bytes that the caller keeps beside the frontier, for the limit of memory."""
        self.stopped: str | None = None
        self.start = compiled.evaluate(self.known.states)
        # what *expand* goes back from may well be terminal
        self._terminal = self.start.terminal if expand is None else np.zeros(self.last, np.bool_)
        self._origins = np.full(self.last if paths else 0, -1, np.int64)
        self._moves = np.zeros((self.last if paths else 0, self.roles), np.int32)
        self._paths = paths

    @property
    def width(self) -> int:
        """How many states the outermost layer has; 0 where everything within reach is known."""
        return self.last - self.first

    @property
    def terminal(self) -> NDArray[np.bool_]:
        """Which of the known states are terminal."""
        return self._terminal[: self.known.used]

    @property
    def bytes(self) -> int:
        """The memory that it takes."""
        return int(
            self.known.bytes + self._terminal.nbytes + self._origins.nbytes + self._moves.nbytes + self.held
        )

    def __iter__(self) -> Iterator[Expansion]:
        while self.width and self.stopped is None:
            if self.limit.limit.depth is not None and len(self.layers) > self.limit.limit.depth:
                self.stopped = DEPTH
                return
            yield from self.layer()

    def layer(self) -> Iterator[Expansion]:
        """The outermost layer, block by block; then what is new is the outermost."""
        source, terminal, first, last = self.known, self._terminal, self.first, self.last
        before = source.bytes if self.by_ply else 0
        self.held += before
        if self.by_ply:
            self.known, self._terminal = StateSet(self.words), np.zeros(1024, np.bool_)
        for low in range(first, last, self.block):
            high = min(low + self.block, last)
            if terminal[low:high].any():
                parents = low + np.flatnonzero(~terminal[low:high])
                children = self.expand(source.pool[parents])
            else:
                parents = np.arange(low, high)
                children = self.expand(source.pool[low:high])
            self.passed = high
            yield self._entered(parents, children)
            self._check()
            if self.stopped is not None:
                break
        self.held -= before
        if self.stopped is None:
            self._advance(0 if self.by_ply else last)

    def adopt(self, states: NDArray[np.uint64], terminal: NDArray[np.bool_]) -> None:
        """Takes *states*, all new, for the next layer, as if the outermost one had been expanded."""
        first = self.known.used
        self.known.add(states)
        self._terminal = _with_room(self._terminal, self.known.used)
        self._terminal[first : self.known.used] = terminal
        self.passed = self.last
        self._advance(self.last)

    def path(self, number: int) -> list[tuple[int, ...]]:
        """The joint moves between a state and the start it comes from, beginning at the state."""
        found: list[tuple[int, ...]] = []
        while self._origins[number] >= 0:
            found.append(tuple(int(move) for move in self._moves[number]))
            number = int(self._origins[number])
        return found

    def ancestors(self, number: int) -> list[NDArray[np.uint64]]:
        """The states on that path, from the state itself to the start."""
        found = []
        while number >= 0:
            found.append(self.known.pool[number].copy())
            number = int(self._origins[number])
        return found

    def _entered(self, parents: NDArray[np.int64], children: Children) -> Expansion:
        first = self.known.used
        numbers, fresh = self.known.insert(children.states)
        last = self.known.used
        self._terminal = _with_room(self._terminal, last)
        self._terminal[first:last] = children.terminal[fresh]
        if self._paths:
            self._origins, self._moves = _with_room(self._origins, last), _with_room(self._moves, last)
            self._origins[first:last] = parents[children.parents[fresh]]
            self._moves[first:last] = children.moves[fresh]
        return Expansion(parents, children, numbers, fresh)

    def _advance(self, first: int) -> None:
        self.first, self.last = first, self.known.used
        if self.by_ply:
            self.passed = 0
        if self.width:
            self.layers.append(self.width)

    def _check(self) -> None:
        known = self.known.used
        if self.progress is not None:
            self.progress(known, self.passed)
        memory = self.limit.limit.memory
        self.stopped = MEMORY if memory is not None and self.bytes > memory else self.limit.reached(known)


def _with_room(array: NDArray[Kind], needed: int) -> NDArray[Kind]:
    """*array*, or a larger one that begins with it, with at least *needed* rows."""
    if needed <= len(array):
        return array
    larger: NDArray[Kind] = np.zeros((max(1024, needed, 3 * len(array) // 2), *array.shape[1:]), array.dtype)
    larger[: len(array)] = array
    return larger

"""Children of blocks of states in buffers that are used again and again.

Fresh arrays for every block cost more than the expansion itself, as the operating system clears their pages.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from stratagem.native.calls.expand import call_expand
from stratagem.native.jit.numba_cache import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stratagem.native.expand import Expander


@njit(nogil=True)
def _sow(address, states, count, children, parents, moves, terminal, goals, consumed):  # type: ignore[no-untyped-def]
    return call_expand(
        address, states, count, children, parents, moves, terminal, goals, len(parents), consumed
    )


class Sower:
    """The children of at most *block* states at a time; what it gives is overwritten by the next call."""

    def __init__(self, expander: Expander, block: int) -> None:
        self.expander = expander
        self.address = expander.expand_address
        self._consumed = np.zeros(1, np.int64)
        self._make(8 * block)

    def _make(self, room: int) -> None:
        roles = len(self.expander.roles)
        self.states: NDArray[np.uint64] = np.empty((room, self.expander.words), np.uint64)
        self.parents: NDArray[np.int32] = np.empty(room, np.int32)
        self.moves: NDArray[np.int32] = np.empty((room, roles), np.int32)
        self.terminal: NDArray[np.bool_] = np.empty(room, np.bool_)
        self.goals: NDArray[np.int16] = np.empty((room, roles), np.int16)

    def sow(self, states: NDArray[np.uint64]) -> tuple[int, int]:
        """Fills the buffers with the children of the first of *states*, none of which is an end.

        How many children there are, and how many parents they are of.
        """
        while True:
            made = int(
                _sow(
                    self.address,
                    states,
                    len(states),
                    self.states,
                    self.parents,
                    self.moves,
                    self.terminal,
                    self.goals,
                    self._consumed,
                )
            )
            if made >= 0:
                return made, int(self._consumed[0])
            self._make(-made)

    def children(self, states: NDArray[np.uint64]) -> Iterator[tuple[NDArray[np.uint64], NDArray[np.bool_]]]:
        """All children of *states*, and which are ends, in as many pieces as the buffers ask for."""
        done = 0
        while done < len(states):
            made, consumed = self.sow(states[done:])
            done += consumed
            yield self.states[:made], self.terminal[:made]

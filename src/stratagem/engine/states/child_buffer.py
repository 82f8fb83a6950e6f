"""The children of blocks of states, in buffers that are used again and again.

Fresh arrays for every block cost more than the expansion itself, as the operating system clears their pages.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from stratagem.native.calls.expand import call_expand
from stratagem.native.compiled import Children
from stratagem.native.jit.numba_cache import njit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stratagem.native.compiled import CompiledGame


@njit(nogil=True)
def _expand(address, states, children, parents, moves, terminal, goals, consumed):  # type: ignore[no-untyped-def]
    return call_expand(
        address, states, len(states), children, parents, moves, terminal, goals, len(parents), consumed
    )


class ChildBuffer:
    """Expands states, about *block* at a time; what it returns is overwritten by the next call."""

    def __init__(self, compiled: CompiledGame, block: int) -> None:
        self.compiled = compiled
        self._address = compiled.expand_address
        self._consumed = np.zeros(1, np.int64)
        self._rows = self._made(8 * block)

    def _made(self, capacity: int) -> Children:
        roles = len(self.compiled.roles)
        return Children(
            np.empty((capacity, self.compiled.words), np.uint64),
            np.empty(capacity, np.int32),
            np.empty((capacity, roles), np.int32),
            np.empty(capacity, np.bool_),
            np.empty((capacity, roles), np.int16),
        )

    def some(self, states: NDArray[np.uint64]) -> tuple[Children, int]:
        """The children of the first of *states*, none of which is terminal, as many as fit; and how many parents that is."""
        rows, made, consumed = self._filled(states, 0)
        return _part(rows, 0, made), consumed

    def expand(self, states: NDArray[np.uint64]) -> Children:
        """All children of *states*, none of which is terminal."""
        made = done = 0
        while done < len(states):
            rows, more, consumed = self._filled(states[done:], made)
            if done:
                rows.parents[made : made + more] += np.int32(done)
            made, done = made + more, done + consumed
        return _part(self._rows, 0, made)

    def _filled(self, states: NDArray[np.uint64], first: int) -> tuple[Children, int, int]:
        """Fills the rows from *first* on, after making room for one parent's children at least."""
        while True:
            free = _part(self._rows, first, len(self._rows))
            made = int(
                _expand(
                    self._address,
                    states,
                    free.states,
                    free.parents,
                    free.moves,
                    free.terminal,
                    free.goals,
                    self._consumed,
                )
            )
            if made >= 0 and self._consumed[0]:
                return self._rows, made, int(self._consumed[0])
            old = self._rows
            self._rows = self._made(max(2 * len(old), first - made))
            for place, target in zip(_arrays(old), _arrays(self._rows), strict=True):
                target[:first] = place[:first]


def _arrays(rows: Children) -> tuple[NDArray[np.generic], ...]:
    return rows.states, rows.parents, rows.moves, rows.terminal, rows.goals


def _part(rows: Children, first: int, last: int) -> Children:
    own = slice(first, last)
    return Children(rows.states[own], rows.parents[own], rows.moves[own], rows.terminal[own], rows.goals[own])

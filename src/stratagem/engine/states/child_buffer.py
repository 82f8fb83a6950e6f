"""The children of blocks of states, in buffers that are used again and again.

Fresh arrays for every block cost more than the expansion itself, as the operating system clears their pages.
"""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from stratagem.errors import LimitExceeded
from stratagem.kernels import Array, Record, dims, int16, int32, kernel, size, uint64
from stratagem.kernels.library.game_functions import Expand
from stratagem.kernels.translate.family import KernelFamily
from stratagem.native.compiled import Children
from stratagem.native.jit.kernel_families import compiled_family

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stratagem.native.compiled import PackedGame

MOST_CHILDREN: Final = 1 << 26
"""Rows of a buffer; in games in which many roles move at once a position may have trillions of children."""


class ChildRows(Record):
    """Room for children: their states, places of their parents, joint moves, whether they are ends, and goals."""

    expand: Expand
    rows: int = size()
    words: int = size()
    roles: int = size()
    states: Array[uint64] = dims("rows", "words")
    parents: Array[int32] = dims("rows")
    moves: Array[int32] = dims("rows", "roles")
    terminal: Array[bool] = dims("rows")
    goals: Array[int16] = dims("rows", "roles")
    consumed: Array[int] = dims(1)


@kernel
def expand_block(children: ChildRows, first: int, states: Array[uint64], count: int) -> int:
    """Fills the rows from *first* on with the children of *states*; `expand` says what is returned."""
    return children.expand(
        states,
        count,
        children.states.at(first),
        children.parents.at(first),
        children.moves.at(first),
        children.terminal.at(first),
        children.goals.at(first),
        children.rows - first,
        children.consumed,
    )


def new_children(compiled: PackedGame, capacity: int) -> Children:
    """Room for so many children."""
    roles = len(compiled.roles)
    return Children(
        np.empty((capacity, compiled.words), np.uint64),
        np.empty(capacity, np.int32),
        np.empty((capacity, roles), np.int32),
        np.empty(capacity, np.bool_),
        np.empty((capacity, roles), np.int16),
    )


def child_rows(compiled: PackedGame, children: Children) -> ChildRows:
    """The arrays of *children* for kernels, which fill them by the rules."""
    return ChildRows(expand=compiled.expand_address, consumed=np.zeros(1, np.int64), **_arrays_of(children))


KERNELS: Final = KernelFamily("children", (expand_block,))


class ChildBuffer:
    """Expands states, about *block* at a time; what it returns is overwritten by the next call."""

    def __init__(self, compiled: PackedGame, block: int) -> None:
        self.compiled = compiled
        self._arrays = new_children(compiled, 8 * block)
        self.rows = child_rows(compiled, self._arrays)
        self._fill = compiled_family(KERNELS)[expand_block]

    def some(self, states: NDArray[np.uint64]) -> tuple[Children, int]:
        """The children of the first of *states*, none of which is terminal, as many as fit; and how many parents that is."""
        made, consumed = self._filled(states, 0)
        return self._first(made), consumed

    def expand(self, states: NDArray[np.uint64]) -> Children:
        """All children of *states*, none of which is terminal."""
        made = done = 0
        while done < len(states):
            more, consumed = self._filled(states[done:], made)
            if done:
                self._arrays.parents[made : made + more] += np.int32(done)
            made, done = made + more, done + consumed
        return self._first(made)

    def _filled(self, states: NDArray[np.uint64], first: int) -> tuple[int, int]:
        """Fills the rows from *first* on, after making room for one parent's children at least."""
        while True:
            made = self._fill(self.rows, first, Array(uint64, states), len(states))
            consumed = self.rows.consumed[0]
            if made >= 0 and consumed:
                return made, consumed
            if first - made > MOST_CHILDREN:
                raise LimitExceeded(
                    f"{-made:,} joint moves in one position are too many to be expanded",
                    hint=f"at most {MOST_CHILDREN:,} children are held at a time",
                )
            self._grow(first, max(2 * len(self._arrays), first - made))

    def _grow(self, used: int, capacity: int) -> None:
        before, self._arrays = _arrays_of(self._arrays), new_children(self.compiled, capacity)
        for name, array in _arrays_of(self._arrays).items():
            array[:used] = before[name][:used]
        self.rows.put(**_arrays_of(self._arrays))

    def _first(self, count: int) -> Children:
        rows = self._arrays
        return Children(
            rows.states[:count],
            rows.parents[:count],
            rows.moves[:count],
            rows.terminal[:count],
            rows.goals[:count],
        )


def _arrays_of(rows: Children) -> dict[str, NDArray[Any]]:
    return {field.name: getattr(rows, field.name) for field in fields(rows)}

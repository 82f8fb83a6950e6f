"""The layout of a frame: the memory in which code for one row of states works.

state     one row per base
next      one row per base
moves     role by role one row per move, padded with zero rows to a multiple of eight: what is legal, then
          (in the same place) what is done
terminal  one row
goals     role by role one row per value: that value and no other
counts    scratch of the selection of moves
masks     walked playouts: one byte per row of the state and of the moves (`emit.walked.restart`)
scratch   values that pass from one function to the next
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from stratagem.circuit.circuit import Circuit
from stratagem.native.emit.choice import MoveRows

ROW_BYTES: Final = 32
"""The bytes of the narrowest rows of walked playouts."""


@dataclass(frozen=True, slots=True)
class FrameLayout:
    """Row numbers within a frame."""

    bases: int
    moves: tuple[MoveRows, ...]
    values: tuple[int, ...]
    """How many goal values each role has."""
    terminal: int
    masks: int
    scratch: int

    @property
    def state(self) -> int:
        return 0

    @property
    def next(self) -> int:
        return self.bases

    @property
    def goals(self) -> int:
        return self.terminal + 1

    def goal(self, role: int, value: int) -> int:
        return self.goals + sum(self.values[:role]) + value


def layout_of(circuit: Circuit) -> FrameLayout:
    """The layout for *circuit*."""
    bases = len(circuit.bases)
    at = 2 * bases
    sizes = [MoveRows.rows_needed(len(moves)) for moves in circuit.moves]
    firsts = []
    for size, _ in sizes:
        firsts.append(at)
        at += size
    terminal = at
    values = tuple(len(goals) for goals in circuit.goals)
    at += 1 + sum(values)
    moves = []
    for own, first, (_, counts) in zip(circuit.moves, firsts, sizes, strict=True):
        moves.append(MoveRows(len(own), first, at))
        at += counts
    masks = -(-(terminal - bases) // ROW_BYTES)
    return FrameLayout(bases, tuple(moves), values, terminal, at, at + masks)

"""One game as the driver sees it: a header of words, with what its addresses lead to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from stratagem.circuit.circuit import Circuit
from stratagem.errors import UnsuitableGame
from stratagem.kernels.checked_memory import known_at
from stratagem.native.driver import expand as names
from stratagem.native.phases.expand_tables import NARROW, WIDE, Lanes

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Sizes:
    """What callers need to know to make room."""

    words: int
    """Words of a packed state."""
    roles: int
    mask_words: int
    """Words of a role's legal mask."""


def sizes_of(circuit: Circuit) -> Sizes:
    """The sizes of packed states and masks of *circuit*."""
    most = max(map(len, circuit.moves), default=0)
    return Sizes(max(1, -(-len(circuit.bases) // 64)), len(circuit.roles), max(1, -(-most // 64)))


class Header:
    """The words, and the arrays that they point to."""

    def __init__(self, lanes: Lanes) -> None:
        circuit, layout = lanes.circuit, lanes.layout
        sizes = sizes_of(circuit)
        values = [value for goals in circuit.goals for value, _ in goals]
        if any(not 0 <= value < 1 << 15 for value in values):
            raise UnsuitableGame("a goal value has no room in 16 bits", hint="GDL's goals are 0 to 100")
        self.values: NDArray[np.uint64] = np.array([*values, 0], np.uint64)
        self.roles: NDArray[np.uint64] = np.array(
            [
                (rows.moves, rows.first, len(goals), layout.goal(role, 0))
                for role, (rows, goals) in enumerate(zip(layout.moves, circuit.goals, strict=True))
            ],
            np.uint64,
        )
        self.tables = lanes.tables
        self.words: NDArray[np.uint64] = np.zeros(names.GAME_SIZE, np.uint64)
        entries = {
            names.GAME_WORDS: sizes.words,
            names.GAME_ROLES: sizes.roles,
            names.GAME_BASES: layout.bases,
            names.GAME_MASK_WORDS: sizes.mask_words,
            names.GAME_ROWS: lanes.rows,
            names.GAME_NEXT: layout.next,
            names.GAME_MOVES: layout.moves[0].first,
            names.GAME_TERMINAL: layout.terminal,
            names.GAME_ZERO: layout.scratch,
            names.GAME_WIDE: WIDE,
            names.GAME_ROLE_DATA: known_at(self.roles),
            names.GAME_VALUES: known_at(self.values),
            names.GAME_NARROW_TABLES: known_at(self.tables[NARROW]),
            names.GAME_WIDE_TABLES: known_at(self.tables[WIDE]),
            names.GAME_MOST_MOVES: 64 * sizes.mask_words,
        }
        for place, value in entries.items():
            self.words[place] = value

    @property
    def address(self) -> int:
        return known_at(self.words)

"""The game header: the struct of words through which the driver sees one game."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from stratagem.errors import UnsuitableGame
from stratagem.kernels.checked_memory import known_at
from stratagem.native.driver import expand as names
from stratagem.native.packing import words_of
from stratagem.native.phases.phase_tables import WIDE, PhaseTables

if TYPE_CHECKING:
    from numpy.typing import NDArray


class GameHeader:
    """The words that the driver reads, and the arrays that they point to; keeps the phase tables alive."""

    def __init__(self, phases: PhaseTables) -> None:
        self.phases, self.circuit = phases, phases.circuit
        circuit, layout = phases.circuit, phases.layout
        self.words = words_of(circuit)
        """Words of a packed state."""
        self.mask_words = max(1, -(-max(map(len, circuit.moves), default=0) // 64))
        """Words of the mask of a role's legal moves."""
        values = [value for goals in circuit.goals for value, _ in goals]
        if not circuit.goals_fit:
            raise UnsuitableGame("a goal value has no room in 16 bits", hint="GDL's goals are 0 to 100")
        self.values: NDArray[np.uint64] = np.array([*values, 0], np.uint64)
        self.roles: NDArray[np.uint64] = np.array(
            [
                (rows.moves, rows.first, len(goals), layout.goal(role, 0))
                for role, (rows, goals) in enumerate(zip(layout.moves, circuit.goals, strict=True))
            ],
            np.uint64,
        )
        self.entries: NDArray[np.uint64] = np.zeros(names.GAME_SIZE, np.uint64)
        entries = {
            names.GAME_WORDS: self.words,
            names.GAME_ROLES: len(circuit.roles),
            names.GAME_BASES: layout.bases,
            names.GAME_MASK_WORDS: self.mask_words,
            names.GAME_ROWS: max(phases.narrow.rows, phases.wide.rows),
            names.GAME_NEXT: layout.next,
            names.GAME_MOVES: layout.moves[0].first,
            names.GAME_TERMINAL: layout.terminal,
            names.GAME_ZERO: layout.scratch,
            names.GAME_WIDE: WIDE,
            names.GAME_ROLE_DATA: known_at(self.roles),
            names.GAME_VALUES: known_at(self.values),
            names.GAME_NARROW_TABLES: known_at(phases.narrow.addresses),
            names.GAME_WIDE_TABLES: known_at(phases.wide.addresses),
            names.GAME_MOST_MOVES: 64 * self.mask_words,
        }
        for place, value in entries.items():
            self.entries[place] = value

    @property
    def address(self) -> int:
        return known_at(self.entries)

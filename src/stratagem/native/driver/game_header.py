"""The game header: the record through which the drivers see one game."""

from __future__ import annotations

import numpy as np

from stratagem.errors import UnsuitableGame
from stratagem.kernels import Array, Record, dims, record_rows, size, uint64
from stratagem.native.logic.turn_cycle import LONGEST_PERIOD
from stratagem.native.packing import words_of
from stratagem.native.phases.phase_tables import EXPANSION, WIDE, PhaseTable, PhaseTables


class Role(Record):
    """Where the moves and the goals of a role stand in a frame: how many, and the row of the first."""

    moves: int
    first: int
    values: int
    goals: int


class DriverGame(Record):
    """One game as the drivers see it. Rows count from the beginning of a frame."""

    roles: int = size()
    goal_values: int = size()
    periods: int = size()
    token_words: int = size()
    step_tables: int = size()
    role: Array[Role] = dims("roles")
    values: Array[uint64] = dims("goal_values")
    """The goal values, in the order of their rows."""
    narrow_tables: Array[int] = dims(3)
    """The tables of legal, next and final for rows of one word."""
    wide_tables: Array[int] = dims(3)
    steps: int
    """The length of the tokens' cycle if there are tables for its steps, else 0."""
    narrow_steps: Array[int] = dims("step_tables")
    """For each step the tables of legal, next and final; `next` leaves the state in its place."""
    wide_steps: Array[int] = dims("step_tables")
    token_mask: Array[uint64] = dims("token_words")
    token_values: Array[uint64] = dims("periods", "token_words")
    """The facts of whose turn it is in packed states, for each step."""
    words: int
    """Words of a packed state."""
    mask_words: int
    """Words of the mask of a role's legal moves."""
    most_moves: int
    """The largest number of moves of a role, rounded up to whole words."""
    bases: int
    rows: int
    """Rows of a frame."""
    next: int
    """The row of the first base of the next state."""
    moves: int
    """The first row of the moves."""
    terminal: int
    """The row after the moves: whether it is over; then the goals."""
    zero: int
    """A row that must be zero."""
    wide: int
    """Words of a wide row."""


class GameHeader:
    """The record that the drivers read; keeps the phase tables alive."""

    def __init__(self, phases: PhaseTables) -> None:
        self.phases, self.circuit = phases, phases.circuit
        self.stepped: tuple[PhaseTable, ...] = ()
        """The tables behind `DriverGame.narrow_steps` and `wide_steps`."""
        circuit, layout = phases.circuit, phases.layout
        self.words = words_of(circuit)
        self.mask_words = max(1, -(-max(map(len, circuit.moves), default=0) // 64))
        if not circuit.goals_fit:
            raise UnsuitableGame("a goal value does not fit into 16 bits", hint="GDL's goals are 0 to 100")
        values = [value for goals in circuit.goals for value, _ in goals]
        roles = record_rows(Role, len(circuit.roles))
        for role, (rows, goals) in enumerate(zip(layout.moves, circuit.goals, strict=True)):
            roles[role] = (rows.moves, rows.first, len(goals), layout.goal(role, 0))
        self.game = DriverGame(
            role=roles,
            values=np.array([*values, 0], np.uint64),
            narrow_tables=phases.narrow.addresses,
            wide_tables=phases.wide.addresses,
            steps=0,  # see `expansion_steps`
            narrow_steps=np.zeros(LONGEST_PERIOD * len(EXPANSION), np.int64),
            wide_steps=np.zeros(LONGEST_PERIOD * len(EXPANSION), np.int64),
            token_mask=np.zeros(self.words, np.uint64),
            token_values=np.zeros((LONGEST_PERIOD, self.words), np.uint64),
            words=self.words,
            mask_words=self.mask_words,
            most_moves=64 * self.mask_words,
            bases=layout.bases,
            rows=max(phases.narrow.rows, phases.wide.rows),
            next=layout.next,
            moves=layout.moves[0].first,
            terminal=layout.terminal,
            zero=layout.scratch,
            wide=WIDE,
        )

    @property
    def address(self) -> int:
        return self.game._as_parameter_

"""The block of a lane kernel: what its matches carry beside their states, and what it reports.

A lane kernel plays one match in every lane, each from a state of its own, and keeps every lane's result apart, where the
kernels of `kernels` count the matches of a word. A bit of a row belongs to one lane.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from stratagem.native.logic.turn_cycle import LONGEST_PERIOD

if TYPE_CHECKING:
    from stratagem.circuit.circuit import Circuit

SEED_LOW: Final = 0
SEED_HIGH: Final = 1
"""The generators of the words, as in `block`."""
LIVE: Final = 2
"""Lanes whose match is going on. After a call: those that were given up at the limit."""
STUCK_NOW: Final = 3
"""Scratch: lanes in which a role has no legal move at this ply."""
BEGIN: Final = 4
"""For every step of the tokens' cycle the lanes whose state is at that step. Lanes in none of these rows do not play."""
RESULTS: Final = BEGIN + LONGEST_PERIOD
"""Role by role one row per goal value: the lanes that ended with it. The caller clears them, and PLAYED."""


def played_row(circuit: Circuit) -> int:
    """PLAYED: role by role one row per move, the lanes that made it at least once; only where that is recorded."""
    return RESULTS + sum(len(goals) for goals in circuit.goals)


def lane_block_rows(circuit: Circuit, recorded: bool) -> int:
    """How many rows the block has; *recorded*: with the moves that were made."""
    return played_row(circuit) + (sum(map(len, circuit.moves)) if recorded else 0)

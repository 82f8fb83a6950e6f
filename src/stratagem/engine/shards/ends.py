"""Ends of a space: which of a block of states they are, and what their goals are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from stratagem.kernels import Array, Record, dims, int16, kernel, size, uint64
from stratagem.kernels.library.hashing import copy_state
from stratagem.kernels.translate.family import KernelFamily
from stratagem.native.jit.kernel_families import compiled_family

if TYPE_CHECKING:
    from stratagem.native.compiled import StateViews

GOALS: Final = 1 << 15
"""Numbers that a goal may be."""
COUNT, MISSING, LEAST, MOST = range(4)
"""The numbers of a tally: ends, ends without a goal, and the least and the greatest sum of goals."""


@dataclass(frozen=True, slots=True)
class Ends:
    """What is known of the ends of a space: distinct goals of the first role, sums of all goals, and whether any is missing."""

    goals: tuple[int, ...] = ()
    sums: tuple[int, ...] = ()
    missing: bool = False

    def plus(self, other: Ends) -> Ends:
        sums = sorted({*self.sums, *other.sums})
        return Ends(
            tuple(sorted({*self.goals, *other.goals})),
            tuple(sums if len(sums) < 2 else (sums[0], sums[-1])),
            self.missing or other.missing,
        )

    def zero_sum(self, roles: int) -> bool:
        """Whether backward induction is that of one role, or of two whose goals add up."""
        return roles == 1 or (roles == 2 and len(self.sums) == 1 and not self.missing)


class TallyRows(Record):
    """Goals of the first role that were seen, and the numbers of a tally."""

    goals: int = size()
    numbers: int = size()
    seen: Array[bool] = dims("goals")
    tally: Array[int] = dims("numbers")


@kernel
def take_ends(
    ends: TallyRows,
    states: Array[uint64],
    count: int,
    words: int,
    roles: int,
    terminal: Array[bool],
    goals: Array[int16],
    live: Array[uint64],
) -> int:
    """Adds the ends of a block to a tally, and copies all other states to *live*: how many these are."""
    kept = 0
    for row in range(count):
        if not terminal[row]:
            copy_state(states.at(row * words), live.at(kept * words), words)
            kept += 1
            continue
        total = 0
        for role in range(roles):
            goal = int(goals[row * roles + role])
            total += goal
            if goal < 0:
                ends.tally[MISSING] += 1
        first = int(goals[row * roles])
        if first >= 0:
            ends.seen[first] = True
        if ends.tally[COUNT] == 0 or total < ends.tally[LEAST]:
            ends.tally[LEAST] = total
        if ends.tally[COUNT] == 0 or total > ends.tally[MOST]:
            ends.tally[MOST] = total
        ends.tally[COUNT] += 1
    return kept


KERNELS: Final = KernelFamily("ends", (take_ends,))


class EndTally:
    """Counts the ends among blocks of states."""

    def __init__(self, words: int, rows: int) -> None:
        self._live = np.empty((rows, words), np.uint64)
        self._seen, self._tally = np.zeros(GOALS, np.bool_), np.zeros(4, np.int64)
        self._rows = TallyRows(seen=self._seen, tally=self._tally)

    def take(self, states: NDArray[np.uint64], views: StateViews) -> NDArray[np.uint64]:
        """Notes the ends among *states* and returns the others; what is returned is overwritten by the next call."""
        kept = compiled_family(KERNELS)[take_ends](
            self._rows,
            Array(uint64, states),
            len(states),
            states.shape[1],
            views.goals.shape[1],
            Array(bool, views.terminal),
            Array(int16, views.goals),
            Array(uint64, self._live),
        )
        return self._live[:kept]

    @property
    def count(self) -> int:
        return int(self._tally[COUNT])

    @property
    def ends(self) -> Ends:
        """What is known of them."""
        if not self.count:
            return Ends()
        sums = tuple(sorted({int(self._tally[LEAST]), int(self._tally[MOST])}))
        return Ends(tuple(map(int, np.flatnonzero(self._seen))), sums, bool(self._tally[MISSING]))

"""The log of a playout kernel: a record for every match that is written down one by one.

The first word counts the words that follow. A record is the word of the block in which the match was played, its length
in plies, and the goals: for each group of roles one number, with a digit per role in base ``values + 1``, the
first role's highest. A digit numbers the role's goal values; the highest one means no goal.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from stratagem.circuit.circuit import Circuit

WORD: Final = 0
LENGTH: Final = 1
GOALS: Final = 2
"""Where a record has the word, the length and the first group of goals."""


class LogLayout:
    """The records of one game, of whose roles *values* says how many goal values each has."""

    def __init__(self, values: Sequence[int]) -> None:
        self.values = tuple(values)

    @staticmethod
    def of(circuit: Circuit) -> LogLayout:
        return LogLayout([len(goals) for goals in circuit.goals])

    @cached_property
    def groups(self) -> list[list[int]]:
        """The roles in groups whose goals, as one number, fit a word."""
        groups: list[list[int]] = [[]]
        size = 1
        for role, values in enumerate(self.values):
            if size * (values + 1) >= 1 << 63:
                groups.append([])
                size = 1
            groups[-1].append(role)
            size *= values + 1
        return groups

    @property
    def record(self) -> int:
        """Words per record."""
        return GOALS + len(self.groups)

    @property
    def places(self) -> list[int]:
        """For each role the place in a record of the number with its digit."""
        return [GOALS + number for number, group in enumerate(self.groups) for _ in group]

    def records(self, log: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """The records of a *log*, [matches, words]."""
        return log[1 : 1 + int(log[0])].reshape(-1, self.record)

    def vector(self, numbers: Sequence[int]) -> tuple[int, ...]:
        """For each role the number of its goal value, from the numbers of a record."""
        vector: list[int] = []
        for number, group in zip(numbers, self.groups, strict=True):
            digits = []
            for role in reversed(group):
                number, digit = divmod(number, self.values[role] + 1)
                digits.append(digit)
            vector += reversed(digits)
        return tuple(vector)

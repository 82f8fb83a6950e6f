"""Statistics of random matches: sums while they are played, a report in the end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from stratagem.circuit.circuit import Circuit
from stratagem.gdl.terms import Term
from stratagem.native.playouts import block as blocks
from stratagem.native.playouts.log import GOALS, LENGTH, LogLayout

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Goals: TypeAlias = tuple[int | None, ...]
"""A goal vector: a value for each role, None where the rules give none, or more than one."""


class Sums:
    """Matches from one root, added up; goal vectors as numbers of values, role by role."""

    __slots__ = ("layout", "lengths", "longest", "outcomes", "over", "plies", "stuck")

    def __init__(self, circuit: Circuit) -> None:
        self.layout = LogLayout.of(circuit)
        self.outcomes: Counter[tuple[int, ...]] = Counter()
        self.lengths: Counter[int] = Counter()
        self.plies = self.stuck = self.over = self.longest = 0

    def add(self, ended: tuple[int, ...], count: int) -> None:
        """Matches that are over before they begin: their goals, or () where a role is stuck."""
        if ended == () and self.layout.values:
            self.stuck += count
        elif count:
            self.outcomes[ended] += count
            self.lengths[0] += count

    def add_block(self, block: NDArray[np.uint64], outcomes: Sequence[tuple[int, ...]]) -> None:
        """The counts of some words of a block."""
        self.plies += int(block[blocks.PLIES].sum())
        self.stuck += int(block[blocks.STUCK].sum())
        self.over += int(block[blocks.OVER].sum())
        for number, outcome in enumerate(outcomes):
            count = int(block[blocks.COUNTS + number].sum())
            if count:
                self.outcomes[outcome] += count
        self.longest = max(self.longest, int(longest_of(block).max()))

    def add_counts(
        self, plies: int, stuck: int, over: int, longest: int, outcomes: Mapping[tuple[int, ...], int]
    ) -> None:
        """Matches that were counted elsewhere."""
        self.plies += plies
        self.stuck += stuck
        self.over += over
        self.longest = max(self.longest, longest)
        self.outcomes.update({outcome: count for outcome, count in outcomes.items() if count})

    def add_log(self, records: NDArray[np.uint64]) -> None:
        """Matches that were written down one by one."""
        self.add_records(records[:, LENGTH:])

    def add_records(self, records: NDArray[np.uint64]) -> None:
        """The same without the word at the beginning of every record."""
        self.lengths.update(_counted(records[:, 0]))
        if len(self.layout.groups) == 1:
            for number, count in _counted(records[:, GOALS - LENGTH]).items():
                self.outcomes[self.layout.vector([number])] += count
            return
        for numbers, count in Counter(map(tuple, records[:, GOALS - LENGTH :].tolist())).items():
            self.outcomes[self.layout.vector(numbers)] += count

    def lengthen(self) -> None:
        """Count the ply that led to the root as well."""
        finished = sum(self.outcomes.values())
        self.plies += finished + self.over + self.stuck
        self.longest += finished > 0
        self.lengths = Counter({length + 1: count for length, count in self.lengths.items()})

    def join(self, other: Sums) -> None:
        self.outcomes.update(other.outcomes)
        self.lengths.update(other.lengths)
        self.plies += other.plies
        self.stuck += other.stuck
        self.over += other.over
        self.longest = max(self.longest, other.longest)


def _counted(numbers: NDArray[np.uint64]) -> dict[int, int]:
    """How often each number occurs."""
    import numpy as np

    if numbers.max(initial=0) < 1 << 20:
        counts = np.bincount(numbers.astype(np.int64))
        values = np.flatnonzero(counts)
        return dict(zip(values.tolist(), counts[values].tolist(), strict=True))
    found, counts = np.unique(numbers, return_counts=True)
    return dict(zip(found.tolist(), counts.tolist(), strict=True))


def longest_of(block: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The longest match of each word, from its digits."""
    import numpy as np

    digits = block[blocks.LONGEST : blocks.LONGEST + blocks.DIGITS] != 0
    weights = np.uint64(1) << np.arange(blocks.DIGITS, dtype=np.uint64)
    longest: NDArray[np.uint64] = (digits * weights[:, None]).sum(axis=0)
    return longest


def mean_goals(outcomes: Mapping[Goals, int], roles: int) -> tuple[float | None, ...]:
    """For each role the mean goal over the matches that gave it one; None if none did."""
    means: list[float | None] = []
    for role in range(roles):
        counts = [(vector[role], count) for vector, count in outcomes.items() if vector[role] is not None]
        total = sum(count for _, count in counts)
        means.append(sum((value or 0) * count for value, count in counts) / total if total else None)
    return tuple(means)


def _vectors(circuit: Circuit, sums: Sums) -> dict[Goals, int]:
    """Goal vectors with their values, the most frequent first."""
    named: dict[Goals, int] = {}
    for numbers, count in sorted(sums.outcomes.items(), key=lambda item: (-item[1], item[0])):
        vector = tuple(
            goals[number][0] if number < len(goals) else None
            for number, goals in zip(numbers, circuit.goals, strict=True)
        )
        named[vector] = named.get(vector, 0) + count
    return named


@dataclass(frozen=True, slots=True)
class MoveReport:
    """The matches that began with one joint move."""

    joint: tuple[Term, ...]
    matches: int
    outcomes: Mapping[Goals, int]
    goals: tuple[float | None, ...]
    """The mean goal of each role."""

    @staticmethod
    def of(circuit: Circuit, joint: tuple[int, ...], sums: Sums) -> MoveReport:
        terms = tuple(moves[number] for moves, number in zip(circuit.moves, joint, strict=True))
        outcomes = _vectors(circuit, sums)
        matches = sum(outcomes.values()) + sums.over + sums.stuck
        return MoveReport(terms, matches, outcomes, mean_goals(outcomes, len(circuit.roles)))


@dataclass(frozen=True, slots=True)
class PlayoutReport:
    """The statistics of random matches."""

    roles: tuple[str, ...]
    matches: int
    """All of them: finished, stuck and given up."""
    outcomes: Mapping[Goals, int]
    """How often the finished ones ended with which goals, the most frequent first."""
    goals: tuple[float | None, ...]
    """The mean goal of each role over the finished matches that gave it one."""
    plies: int
    longest: int
    """The length of the longest finished match."""
    over: int
    """Matches given up at the limit."""
    stuck: int
    """Matches that ended because a role had no legal move."""
    lengths: Mapping[int, int]
    """How many finished matches took how many plies; complete only if it was asked for."""
    moves: tuple[MoveReport, ...]
    """For each first joint move, if it was asked for."""
    seconds: float = 0.0
    threads: int = 1

    @staticmethod
    def of(circuit: Circuit, sums: Sums, moves: tuple[MoveReport, ...] = ()) -> PlayoutReport:
        outcomes = _vectors(circuit, sums)
        return PlayoutReport(
            circuit.roles,
            sum(outcomes.values()) + sums.over + sums.stuck,
            outcomes,
            mean_goals(outcomes, len(circuit.roles)),
            sums.plies,
            sums.longest,
            sums.over,
            sums.stuck,
            dict(sorted(sums.lengths.items())),
            moves,
        )

    @property
    def mean_length(self) -> float:
        """Plies per match."""
        return self.plies / self.matches if self.matches else 0.0

    @property
    def without_goal(self) -> tuple[int, ...]:
        """For each role the finished matches that gave it no goal."""
        return tuple(
            sum(count for vector, count in self.outcomes.items() if vector[role] is None)
            for role in range(len(self.roles))
        )

    @property
    def matches_per_second(self) -> float:
        return self.matches / self.seconds if self.seconds else 0.0

    @property
    def states_per_second(self) -> float:
        return self.plies / self.seconds if self.seconds else 0.0

    def mean_by_move(self, role: int) -> dict[Term, float]:
        """For each first move of a role its mean goal, whatever the others did; the moves in canonical order."""
        sums: dict[Term, tuple[float, int]] = {}
        for report in self.moves:
            for vector, count in report.outcomes.items():
                value = vector[role]
                if value is not None:
                    total, matches = sums.get(report.joint[role], (0.0, 0))
                    sums[report.joint[role]] = (total + value * count, matches + count)
        return {move: total / matches for move, (total, matches) in sums.items()}

    def timed(self, seconds: float, threads: int) -> PlayoutReport:
        return replace(self, seconds=seconds, threads=threads)

    def plus(self, other: PlayoutReport) -> PlayoutReport:
        """Both together."""
        outcomes = Counter(self.outcomes)
        outcomes.update(other.outcomes)
        lengths = Counter(self.lengths)
        lengths.update(other.lengths)
        ordered = dict(outcomes.most_common())
        return PlayoutReport(
            self.roles,
            self.matches + other.matches,
            ordered,
            mean_goals(ordered, len(self.roles)),
            self.plies + other.plies,
            max(self.longest, other.longest),
            self.over + other.over,
            self.stuck + other.stuck,
            dict(sorted(lengths.items())),
            _joined(self.moves, other.moves),
        )


def _joined(one: tuple[MoveReport, ...], other: tuple[MoveReport, ...]) -> tuple[MoveReport, ...]:
    """The reports on the same joint moves added up."""
    found = {report.joint: report for report in one}
    for report in other:
        old = found.get(report.joint)
        if old is not None:
            outcomes = Counter(old.outcomes)
            outcomes.update(report.outcomes)
            goals = mean_goals(outcomes, len(report.goals))
            report = MoveReport(report.joint, old.matches + report.matches, dict(outcomes), goals)
        found[report.joint] = report
    return tuple(found.values())

"""Measurements of blind search: the lecture's tables beside the counts of the searches in this package.

For given b, d and k a uniform tree is searched whose solution is where it suits the algorithm best (the first node of level
k) and worst (the last). The tree is never built: a node is its level and its number on the level, and its children are made
when they are asked for. The root is level 1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from stratagem.errors import LimitExceeded
from stratagem.game import JointMove, Role
from stratagem.result import Result
from stratagem.search.single.breadth_first import breadth_first
from stratagem.search.single.depth_first import depth_first
from stratagem.search.single.iterative_deepening import iterative_deepening_blind
from stratagem.search.single.uniform_cost import uniform_cost
from stratagem.search.theory import formulas

SEEKER = "seeker"
LARGEST_MEASUREMENT = 3_000_000  # visits: a minute or so

LevelAndNumber = tuple[int, int]
"""A level, from 1, and a number on that level, from 0."""


@dataclass(frozen=True, slots=True)
class UniformTree:
    """A `Game`: *branching* moves everywhere, *levels* levels, and one node, *solution*, worth 100.

    >>> UniformTree(2, 3, solution=(3, 1)).next((2, 0), {"seeker": 1})
    (3, 1)
    """

    branching: int
    levels: int
    solution: LevelAndNumber | None = None

    @property
    def roles(self) -> tuple[Role, ...]:
        return (SEEKER,)

    def initial(self) -> LevelAndNumber:
        return (1, 0)

    def legals(self, state: LevelAndNumber, role: Role) -> range:
        return range(0 if self.terminal(state) else self.branching)

    def next(self, state: LevelAndNumber, joint: JointMove) -> LevelAndNumber:
        level, number = state
        move = joint[SEEKER] if isinstance(joint, Mapping) else joint[0]
        return level + 1, number * self.branching + move

    def terminal(self, state: LevelAndNumber) -> bool:
        return state == self.solution or state[0] == self.levels

    def goal(self, state: LevelAndNumber, role: Role) -> int:
        return 100 if state == self.solution else 0


@dataclass(frozen=True, slots=True)
class MeasuredRow:
    """One line of the table: *quantity* "time" or "space", *case* "best" or "worst".

    *printed* is None where the lecture prints nothing; *expected* is the right formula.
    """

    algorithm: str
    quantity: str
    case: str
    printed: Fraction | int | None
    expected: int
    measured: int


@dataclass(frozen=True, slots=True)
class DeepeningRow:
    """Iterative deepening against one depth-first search of a tree of *levels* levels without a solution."""

    levels: int
    iterative_deepening: int
    depth_first: int
    expected: int
    ratio: Fraction
    ratio_expected: Fraction | None
    ratio_printed: Fraction | None


def measure(b: int, d: int, k: int) -> tuple[MeasuredRow, ...]:
    """Time and space of the blind searches, best and worst, on trees made for the purpose.

    >>> for row in measure(2, 4, 3)[:2]:
    ...     print(row.algorithm, row.quantity, row.case, row.printed, row.expected, row.measured)
    depth-first time best 3 3 3
    depth-first time worst 14 13 13
    """
    _refuse_large(formulas.depth_first_worst(b, d, k), formulas.iterative_deepening_worst(b, d, k))
    first, last = (k, 0), (k, b ** (k - 1) - 1)
    rows: list[MeasuredRow] = []
    for name, search, printed, expected in TIMES:
        for case, solution, claim, truth in zip(CASES, (first, last), printed, expected, strict=True):
            nodes = search(UniformTree(b, d, solution)).counters.nodes
            rows.append(MeasuredRow(name, "time", case, claim and claim(b, d, k), truth(b, d, k), nodes))
    for name, search, claim, truth in SPACES:
        peak = search(UniformTree(b, d, last)).counters.peak_open
        rows.append(MeasuredRow(name, "space", "worst", claim and claim(b, d, k), truth(b, d, k), peak))
    return tuple(rows)


def measure_deepening(b: int, levels: int) -> tuple[DeepeningRow, ...]:
    """Iterative deepening beside depth-first search on trees of 1 to *levels* levels without a solution.

    >>> [row.iterative_deepening for row in measure_deepening(2, 5)]
    [1, 4, 11, 26, 57]
    """
    _refuse_large(formulas.iterative_deepening_all(b, levels))
    rows: list[DeepeningRow] = []
    for depth in range(1, levels + 1):
        tree = UniformTree(b, depth)
        rounds = iterative_deepening_blind(tree).counters.nodes
        once = depth_first(tree).counters.nodes
        rows.append(
            DeepeningRow(
                depth,
                rounds,
                once,
                formulas.iterative_deepening_all(b, depth),
                Fraction(rounds, once),
                formulas.deepening_ratio(b, depth) if b > 1 else None,
                formulas.deepening_ratio_printed(b) if b > 1 else None,
            )
        )
    return tuple(rows)


Search = Callable[[UniformTree], Result]
Formula = Callable[[int, int, int], Fraction | int]
Exact = Callable[[int, int, int], int]

CASES = ("best", "worst")

TIMES: tuple[tuple[str, Search, tuple[Formula | None, Formula | None], tuple[Exact, Exact]], ...] = (
    (
        "depth-first",
        depth_first,
        (formulas.depth_first_best, formulas.depth_first_worst_printed),
        (formulas.depth_first_best, formulas.depth_first_worst),
    ),
    (
        "breadth-first",
        breadth_first,
        (formulas.breadth_first_best, formulas.breadth_first_worst),
        (formulas.breadth_first_best, formulas.breadth_first_worst),
    ),
    (
        "iterative-deepening-blind",
        iterative_deepening_blind,
        (None, None),
        (formulas.iterative_deepening_best, formulas.iterative_deepening_worst),
    ),
)

SPACES: tuple[tuple[str, Search, Formula | None, Exact], ...] = (
    (
        "depth-first",
        depth_first,
        lambda b, d, _k: formulas.depth_first_space(b, d),
        lambda b, d, k: (
            formulas.depth_first_space(b, d) if k > 1 else 1
        ),  # a root that is the solution has no siblings
    ),
    (
        "breadth-first",
        breadth_first,
        lambda b, _d, k: formulas.breadth_first_space(b, k),
        lambda b, _d, k: formulas.breadth_first_space(b, k),
    ),
    (
        "breadth-first, tested late",
        uniform_cost,  # the same where every move costs 1
        lambda b, _d, k: formulas.breadth_first_space(b, k),
        formulas.breadth_first_space_late,
    ),
    (
        "iterative-deepening-blind",
        iterative_deepening_blind,
        lambda b, d, _k: formulas.depth_first_space(b, d),
        lambda b, _d, k: formulas.depth_first_space(b, k),  # it goes no deeper than the solution
    ),
)


def _refuse_large(*visits: int) -> None:
    if max(visits) > LARGEST_MEASUREMENT:
        raise LimitExceeded(
            f"measuring this would take {max(visits):,} visits, more than {LARGEST_MEASUREMENT:,}",
            hint="choose smaller b, d or k; the formulas take any size",
        )

"""The value of a state from yes-or-no proofs: bounds that close in on it from both sides.

The prover answers whether a role can force a goal of at least (at most) a bound within a number of moves. Two schedules
of such questions run in turn, with the same number of nodes each, doubled every round, since either may be the faster:

    iterative deepening   one move more every time: the first proof is also the quickest win
    full depth            as deep as matches last: no line is cut off at a horizon, so a refutation is final, and where every
                          terminal state has a goal it is a proof for the other side

Once the value is known, the distance is found by deepening the one question that is left.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from stratagem.engine.proof import kernel
from stratagem.engine.proof.prover import DEEPEST

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from stratagem.engine.proof.prover import Prover

FIRST_SHARE = 100_000
"""Nodes that each schedule gets in the first round."""


@dataclass(frozen=True, slots=True)
class BoundQuestion:
    """An answered question: a goal of at least (or at most) *bound* is forced; without *proved*, it can never be forced."""

    at_least: bool
    bound: int
    proved: bool = True


@dataclass(frozen=True, slots=True)
class ProvedBounds:
    """What is proved about a state for one role: at least *low*, at most *high*.

    *distance*: moves within which the value is forced, the least there is; None where it is not known. *complete*:
    nothing more can be proved (the rest is endless play). *low_by* and *high_by* are the answers behind the bounds.
    """

    low: int
    high: int
    distance: int | None
    complete: bool
    nodes: int
    children: int
    depth: int
    seconds: float
    low_by: BoundQuestion | None = None
    high_by: BoundQuestion | None = None

    @property
    def proved(self) -> bool:
        return self.low == self.high


def value_of(
    prover: Prover,
    state: NDArray[np.uint64],
    role: int = 0,
    *,
    seconds: float = np.inf,
    longest: int | None = None,
    exact: bool = True,
    progress: Callable[[ProvedBounds], None] | None = None,
    stop: Callable[[], bool] | None = None,
) -> ProvedBounds:
    """What *role* gets from *state* with best play of all, as far as *seconds* allow.

    *longest* is a guess at the longest match, a guess only: it says how deep "to the very end" is. Without it there is
    only deepening. *exact*: spend the rest of the time on the distance.
    """
    return _Case(prover, state, role, time.monotonic() + seconds, longest, progress, stop).bounds(exact)


class _OutOfTime(Exception):
    """The deadline or the user says stop."""


class _Case:
    """What is known about one state, while the questions are asked."""

    def __init__(
        self,
        prover: Prover,
        state: NDArray[np.uint64],
        role: int,
        deadline: float,
        longest: int | None,
        progress: Callable[[ProvedBounds], None] | None,
        stop: Callable[[], bool] | None,
    ) -> None:
        self.prover, self.state, self.role = prover, state, role
        self.deadline, self.stop, self.progress = deadline, stop, progress
        self.far = longest
        self.begin = time.monotonic()
        self.values = prover.values(role) or [0]
        self.low, self.high = 0, len(self.values) - 1
        self.low_by: BoundQuestion | None = None
        self.high_by: BoundQuestion | None = None
        self.depth = 0
        self.distance: int | None = None
        self.proofs: dict[tuple[bool, int], int] = {}
        self.refutations: dict[tuple[bool, int], int] = {}
        self.never: set[bool] = set()
        self.complete = False

    def bounds(self, exact: bool) -> ProvedBounds:
        try:
            self._find_value()
            if exact and self.low == self.high and (self.low_by or self.high_by):
                self._find_distance()
        except _OutOfTime:
            pass
        return self._bounds()

    def _find_value(self) -> None:
        share = FIRST_SHARE if self.far is not None else 1 << 60
        while self.low < self.high and self.depth < DEEPEST and not self.complete:
            self._deeper(share)
            if self.far is not None and self.low < self.high and not self.complete:
                self._to_the_end(share)
            share *= 2
        self.complete = self.complete or self.low == self.high

    def _deeper(self, share: int) -> None:
        """One move more at a time, for about *share* nodes."""
        until = self.prover.nodes + share
        while self.low < self.high and self.depth < DEEPEST and self.prover.nodes < until:
            for at_least in (True, False):
                while self.low < self.high and at_least not in self.never:
                    goal = self.low + 1 if at_least else self.high - 1
                    answer = self._ask(at_least, goal, self.depth + 1, max(1, until - self.prover.nodes))
                    if answer == kernel.LIMIT:
                        return
                    if answer == kernel.HORIZON:
                        break
            self.depth += 1
            self._tell()
            if self.never == {True, False}:
                self.complete = True
                return

    def _to_the_end(self, share: int) -> None:
        """The questions of which one at least narrows the bounds, at full depth, for about *share* nodes each."""
        for goal in sorted({self.high, self.low + 1}, reverse=True):
            if not self.low < goal <= self.high or self.far is None:
                continue
            answer = self._ask(True, goal, self.far, share)
            if answer == kernel.HORIZON:
                self.far = min(DEEPEST, self.far + self.far // 2 + 2)
            self._tell()

    def _ask(self, at_least: bool, goal: int, depth: int, nodes: int) -> int:
        bound = self.values[goal]
        answer, _ = self.prover.force(
            self.state,
            self.role,
            bound,
            at_least=at_least,
            depth=depth,
            nodes=nodes,
            deadline=self.deadline,
            stop=self.stop,
        )
        if answer == kernel.STOPPED:
            raise _OutOfTime
        if answer >= 0:
            self.proofs[at_least, goal] = answer
            self._narrow(at_least, goal, BoundQuestion(at_least, bound))
        elif answer == kernel.HORIZON:
            self.refutations[at_least, goal] = max(depth, self.refutations.get((at_least, goal), 0))
        elif answer == kernel.NEVER:
            if self.prover.every_end_has_a_goal:
                self._narrow(
                    not at_least, goal - 1 if at_least else goal + 1, BoundQuestion(at_least, bound, False)
                )
            else:
                self.never.add(at_least)
        return answer

    def _narrow(self, at_least: bool, goal: int, because: BoundQuestion) -> None:
        if at_least and goal > self.low:
            self.low, self.low_by = goal, because
        elif not at_least and goal < self.high:
            self.high, self.high_by = goal, because

    def _find_distance(self) -> None:
        """Deepens the question whose first proof is the distance: the winner's, and the first role's in a draw."""
        at_least = 2 * self.values[self.low] >= self.values[0] + self.values[-1]
        key = at_least, self.low
        depth = self.refutations.get(key, 0) + 1
        while key not in self.proofs or depth < self.proofs[key]:
            self.depth = max(self.depth, depth)
            answer = self._ask(*key, depth, 1 << 60)
            if answer >= 0:
                break
            if answer == kernel.NEVER:
                return
            depth += 1
            self._tell()
        self.distance = self.proofs[key]

    def _tell(self) -> None:
        if self.progress is not None:
            self.progress(self._bounds())

    def _bounds(self) -> ProvedBounds:
        return ProvedBounds(
            self.values[self.low],
            self.values[self.high],
            self.distance,
            self.complete,
            self.prover.nodes,
            self.prover.children,
            self.depth,
            time.monotonic() - self.begin,
            self.low_by,
            self.high_by,
        )

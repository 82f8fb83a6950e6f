"""Statistics of matches: intervals for a share of points, Elo differences, and tests that end when they are decided.

A match counts 1, 0.5 or 0. The sequential probability ratio test (Wald, 1945) weighs two hypotheses about the share of points
that a player wins, match after match, and ends as soon as one of them is clearly the better explanation: it needs about half the
matches of a test whose length is fixed beforehand.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import inf, log, log10, sqrt
from typing import Final, Literal, TypeAlias

from stratagem.errors import UsageError

NORMAL: Final = 1.96
"""Standard deviations on either side that hold 95 % of a normal distribution."""
Decision: TypeAlias = Literal["accepted", "rejected", "open"]


def wilson_interval(points: float, matches: int, *, deviations: float = NORMAL) -> tuple[float, float]:
    """The interval for a share of *points* in so many *matches* (Wilson, 1927), at 95 % unless told.

    >>> [round(100 * bound) for bound in wilson_interval(18, 20)]
    [70, 97]
    """
    if matches == 0:
        return 0.0, 1.0
    square, share = deviations * deviations, points / matches
    middle = share + square / (2 * matches)
    spread = deviations * sqrt(max(0.0, share * (1 - share)) / matches + square / (4 * matches * matches))
    scale = 1 + square / matches
    # Where all points or none were won, one bound is the share itself, and rounding must not move it.
    low = 0.0 if share <= 0.0 else max(0.0, (middle - spread) / scale)
    high = 1.0 if share >= 1.0 else min(1.0, (middle + spread) / scale)
    return low, high


def elo_difference(share: float) -> float:
    """By how many Elo points a player is stronger who wins *share* of the points; infinite where it wins all or none.

    >>> round(elo_difference(0.75))
    191
    """
    if share <= 0.0 or share >= 1.0:
        return -inf if share <= 0.0 else inf
    return 400.0 * log10(share / (1.0 - share))


def expected_share(elo: float) -> float:
    """The share of the points that a player wins who is *elo* points stronger.

    >>> round(expected_share(100), 2)
    0.64
    """
    return float(1.0 / (1.0 + 10.0 ** (-elo / 400.0)))


@dataclass(frozen=True, slots=True)
class SequentialTest:
    """Whether a player wins *high* of the points (accepted) rather than *low* (rejected).

    With probability *wrong* at most a player of the one share is taken for the other. A draw counts half of each outcome: draws
    make the true spread smaller than the test assumes, so that it is wrong less often than it says, and longer than need be.

    >>> test = SequentialTest(0.70, 0.85)
    >>> test.verdict([1] * 15), test.verdict([1] * 16), test.verdict([0] * 5)
    ('open', 'accepted', 'rejected')
    """

    low: float
    high: float
    wrong: float = 0.05

    def __post_init__(self) -> None:
        if not 0.0 < self.low < self.high < 1.0:
            raise UsageError(
                f"a test of {100 * self.high:g} % against {100 * self.low:g} % is not possible",
                hint="give two shares between 0 and 100 %, the lower one first",
            )
        if not 0.0 < self.wrong < 0.5:
            raise UsageError(
                f"{self.wrong:g} is not a probability of error", hint="give one between 0 and 0.5"
            )

    @classmethod
    def of_elo(cls, low: float, high: float, wrong: float = 0.05) -> SequentialTest:
        """Whether a player is *high* Elo points stronger rather than *low*.

        >>> [round(share, 2) for share in (SequentialTest.of_elo(0, 50).low, SequentialTest.of_elo(0, 50).high)]
        [0.5, 0.57]
        """
        return cls(expected_share(low), expected_share(high), wrong)

    @property
    def bound(self) -> float:
        """The logarithm of the likelihood ratio at which the test ends, on either side."""
        return log((1.0 - self.wrong) / self.wrong)

    def evidence(self, points: float, matches: int) -> float:
        """The logarithm of the likelihood ratio of *high* to *low* after *points* in so many *matches*."""
        won, lost = log(self.high / self.low), log((1.0 - self.high) / (1.0 - self.low))
        return points * won + (matches - points) * lost

    def verdict(self, scores: Iterable[float]) -> Decision:
        """What the test says of *scores* in the order of the matches: it ends at the first bound that is reached."""
        points, matches = 0.0, 0
        for score in scores:
            points, matches = points + score, matches + 1
            evidence = self.evidence(points, matches)
            if abs(evidence) >= self.bound:
                return "accepted" if evidence > 0 else "rejected"
        return "open"

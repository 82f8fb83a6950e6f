"""Intervals, Elo differences and sequential tests: small functions with known values and known rates of error."""

from __future__ import annotations

from math import inf, isinf
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratagem.errors import UsageError
from stratagem.play.tournaments.statistics import (
    SequentialTest,
    elo_difference,
    expected_share,
    wilson_interval,
)

SHARES = st.floats(0.01, 0.99)
SCORES = st.lists(st.sampled_from([0.0, 0.5, 1.0]), max_size=60)


def test_the_interval_is_wilsons():
    # Worked by hand from the formula with z = 1.96.
    assert wilson_interval(0, 10) == pytest.approx((0.0, 0.2775), abs=1e-4)
    assert wilson_interval(5, 10) == pytest.approx((0.2366, 0.7634), abs=1e-4)
    assert wilson_interval(0, 0) == (0.0, 1.0)


@pytest.mark.parametrize("matches", range(1, 200))
def test_who_wins_all_may_be_stronger_by_any_number_of_elo_points(matches):
    assert wilson_interval(matches, matches)[1] == 1.0
    assert wilson_interval(0, matches)[0] == 0.0


@given(SCORES)
def test_an_interval_holds_the_share_and_its_mirror_image_is_that_of_the_other_side(scores):
    points, matches = sum(scores), len(scores)
    low, high = wilson_interval(points, matches)
    assert 0.0 <= low <= high <= 1.0
    if matches:
        assert low - 1e-12 <= points / matches <= high + 1e-12
    assert wilson_interval(matches - points, matches) == pytest.approx((1 - high, 1 - low))


@given(SHARES)
def test_elo_and_the_share_of_points_say_the_same(share):
    assert expected_share(elo_difference(share)) == pytest.approx(share)
    assert elo_difference(1 - share) == pytest.approx(-elo_difference(share), abs=1e-9)


def test_who_wins_everything_is_infinitely_stronger():
    assert elo_difference(1.0) == inf and elo_difference(0.0) == -inf
    assert not isinf(elo_difference(0.999))


@given(SCORES)
def test_a_test_is_decided_once_and_stays_so(scores):
    test = SequentialTest(0.5, 0.7)
    decided = [test.verdict(scores[:count]) for count in range(len(scores) + 1)]
    first = next((place for place, one in enumerate(decided) if one != "open"), len(decided))
    assert set(decided[first:]) <= {decided[first] if first < len(decided) else "open"}
    assert set(decided[:first]) <= {"open"}


@given(SCORES)
def test_the_other_side_gets_the_opposite_verdict(scores):
    ours = SequentialTest(0.4, 0.6).verdict(scores)
    theirs = SequentialTest(0.4, 0.6).verdict([1 - score for score in scores])
    assert (ours, theirs) in {("open", "open"), ("accepted", "rejected"), ("rejected", "accepted")}


@pytest.mark.parametrize(("share", "expected"), [(0.85, "accepted"), (0.70, "rejected")])
def test_the_test_is_wrong_no_more_often_than_it_says(share, expected):
    random, test = Random(5), SequentialTest(0.70, 0.85, wrong=0.05)
    verdicts = [test.verdict(float(random.random() < share) for _ in range(2000)) for _ in range(1000)]
    assert "open" not in verdicts
    # 0.05 and three standard deviations of a thousand tries
    assert sum(one != expected for one in verdicts) <= 50 + 21


@pytest.mark.parametrize(("low", "high", "wrong"), [(0.7, 0.7, 0.05), (0.0, 0.5, 0.05), (0.5, 0.6, 0.5)])
def test_a_test_that_cannot_be_decided_is_refused(low, high, wrong):
    with pytest.raises(UsageError):
        SequentialTest(low, high, wrong)

"""The trial of two searches: who wins it, when it ends, and what becomes of a match that there was no time to finish."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stratagem.engine.alpha_beta.search import AlphaBeta
from stratagem.engine.mcts.search import Mcts
from stratagem.errors import UnsuitableGame
from stratagem.limit import Limit
from stratagem.loading import load
from stratagem.play.clock import Deadline, never
from stratagem.play.players.choosing.trial import (
    LEAST_MOVE,
    MOST_MATCHES,
    MOST_MOVE,
    Trial,
    TrialScore,
    seconds_per_move,
)
from stratagem.result import Result

GAME = load("tictactoe")


class Perfect:
    """Alpha-beta to the end, whatever the limit."""

    def __init__(self) -> None:
        self.search_to_the_end = AlphaBeta(GAME, memory=1 << 20)
        self.asked = 0

    def search(self, state, limit):
        self.asked += 1
        return self.search_to_the_end.search(state, Limit(depth=9))


class Careless:
    """The last legal move."""

    def __init__(self) -> None:
        self.positions: list[object] = []

    def search(self, state, limit):
        self.positions.append(state)
        (role,) = state.choosing
        return Result("careless", best={role: state.legals(role)[-1]})


class Plain(Careless):
    """The first legal move."""

    def search(self, state, limit):
        self.positions.append(state)
        (role,) = state.choosing
        return Result("plain", best={role: state.legals(role)[0]})


def standing_still(until: Callable[[], bool] = never) -> Deadline:
    return Deadline(1.0, now=lambda: 0.0, interrupted=until)


def trial(*candidates, seed: int = 1) -> Trial:
    return Trial(GAME.initial(), candidates, plies=8.0, seed=seed)


def test_the_stronger_search_wins_and_the_trial_ends_when_that_is_clear():
    for candidates, sign in (((Perfect(), Careless()), 1), ((Careless(), Perfect()), -1)):
        tried = trial(*candidates)
        tried.go_on(standing_still())
        assert tried.score.decided and tried.score.lead * sign > 0
        assert tried.score.leads is (sign > 0)
        assert tried.played == tried.score.matches < MOST_MATCHES


def test_equal_searches_stay_even_and_the_trial_ends_all_the_same():
    tried = trial(Careless(), Careless())
    tried.go_on(standing_still())
    assert tried.score.lead == 0, "every opening is played from both sides"
    assert tried.score.matches == MOST_MATCHES and not tried.score.leads


def test_each_opening_is_played_from_both_sides():
    one, other = Careless(), Careless()
    tried = trial(one, other)
    tried.go_on(standing_still(lambda: tried.played == 2))
    assert one.positions[0] != other.positions[0]
    assert set(one.positions) | set(other.positions) == set(one.positions + other.positions)
    assert {state.choosing for state in one.positions} == {("xplayer",), ("oplayer",)}


@settings(max_examples=20)
@given(st.lists(st.integers(1, 7), min_size=1, max_size=12))
def test_a_match_that_was_interrupted_goes_on_and_the_score_is_the_same(pauses):
    whole = trial(Careless(), Plain())
    whole.go_on(standing_still())
    asked = Plain()
    parts = trial(Careless(), asked)
    for pause in pauses:
        until = len(asked.positions) + pause
        parts.go_on(standing_still(lambda until=until: len(asked.positions) >= until))
        assert len(asked.positions) <= until, "nothing is asked once the clock is over"
    parts.go_on(standing_still())
    assert parts.score == whole.score


def test_a_clock_that_is_over_leaves_no_time_for_a_single_question():
    perfect = Perfect()
    tried = trial(perfect, perfect)
    tried.go_on(Deadline(0.0, now=lambda: 0.0))
    assert perfect.asked == 0 and tried.score == TrialScore()


def test_a_move_has_its_seconds_of_the_meter_and_no_more():
    spent, limits = [0.0], []

    class Metered(Careless):
        def search(self, state, limit):
            started = limit.start()
            assert started.reached() is None
            spent[0] += 0.03
            limits.append(started.reached())
            return super().search(state, limit)

    tried = Trial(GAME.initial(), (Metered(), Metered()), seconds=0.02, plies=8.0, meter=lambda: spent[0])
    tried.go_on(standing_still(lambda: len(limits) == 4))
    assert limits[:3] == ["interrupted"] * 3


def test_moves_made_at_once_are_refused():
    game = load("rockpaperscissors")
    with pytest.raises(UnsuitableGame, match="at once"):
        Trial(game.initial(), (Careless(), Careless()), plies=1.0).go_on(standing_still())


def test_alpha_beta_and_mcts_are_tried_alike_for_the_same_seed():
    def scores(seed):
        searches = AlphaBeta(GAME, memory=1 << 20), Mcts(GAME, memory=1 << 20, seed=seed)
        tried = Trial(GAME.initial(), searches, plies=8.0, seed=seed, limit=lambda clock: Limit(nodes=200))
        tried.go_on(standing_still(lambda: tried.played >= 4))
        return tried.score

    assert scores(3) == scores(3)
    assert scores(3).matches == 4


@given(st.floats(0.01, 100), st.floats(1, 500))
def test_the_time_of_a_move_fits_a_dozen_matches_or_is_the_least(seconds, plies):
    each = seconds_per_move(seconds, plies)
    assert LEAST_MOVE <= each <= MOST_MOVE
    assert each == LEAST_MOVE or each * plies * 12 <= seconds * 1.001


def test_a_score_says_who_won():
    assert TrialScore(2, 4).words("a", "b") == "a and b are even in 4 fast matches"
    assert TrialScore(0, 1).words("a", "b") == "b beat a 1 to 0 in 1 fast match"
    assert not TrialScore(1, 1).leads and TrialScore(2, 2).leads
    assert not TrialScore(2, 3).leads and TrialScore(3, 4).leads

"""Whether MCTS uses what was learned: in games with amounts, where that explains how matches end."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from stratagem.engine.evaluation.learning import learn_evaluation
from stratagem.limit import Limit
from stratagem.loading import load
from stratagem.play.clock import Deadline
from stratagem.play.match_state import Match
from stratagem.play.players import stratagem as module
from stratagem.play.players.choosing.advice import LEAST_EXPLAINED, SHARPNESS, advice_for_mcts
from stratagem.play.players.choosing.trial import TrialScore, trial_of
from stratagem.play.players.stratagem import Stratagem


def explaining(name: str, share: float, **sizes: int):
    """An evaluation that is said to explain such a share of the variance."""
    learned = learn_evaluation(load(name, **sizes), Limit(nodes=600), seed=1)
    return replace(learned, accuracy=tuple(replace(one, explained=share) for one in learned.accuracy))


@pytest.fixture(scope="module")
def good():
    return explaining("kalah", LEAST_EXPLAINED, pits=3, seeds=2)


def test_a_good_evaluation_with_amounts_is_used_and_made_sharper(good):
    advice = advice_for_mcts(good)
    assert advice is not None and np.array_equal(advice.early, SHARPNESS * good.early)


def test_one_that_explains_little_and_one_without_amounts_are_not_used(good):
    poor = replace(good, accuracy=tuple(replace(one, explained=0.14) for one in good.accuracy))
    assert advice_for_mcts(poor) is None
    assert advice_for_mcts(explaining("breakthrough", 0.9, columns=4, rows=4)) is None
    assert advice_for_mcts(None) is None


def test_the_trial_is_held_by_mcts_as_it_would_play(good):
    used = trial_of(good.game, good, seconds=1.0, seed=0).candidates[1]
    assert np.array_equal(used.evaluation.early, SHARPNESS * good.early)
    other = explaining("breakthrough", 0.9, columns=4, rows=4)
    assert trial_of(other.game, other, seconds=1.0, seed=0).candidates[1].evaluation is None


def test_the_player_has_mcts_use_it_and_says_so(good, monkeypatch):
    """The trial goes to MCTS; then its search judges leaves by what was learned, until the match is over."""

    class Lost:
        score = TrialScore(0, 4)

        def go_on(self, clock: Deadline) -> None:
            return

    monkeypatch.setattr(module, "trial_of", lambda rules, evaluation, **more: Lost())
    monkeypatch.setattr(module, "advice_for_mcts", lambda evaluation: None if evaluation is None else good)
    game = good.game
    player, match = Stratagem(seed=1, threads=1), Match.of(game, game.roles[0], startclock=60)
    player.start(match, Deadline(60.0, now=lambda: 0.0, interrupted=lambda: player.advised_by is not None))
    assert not player.prefers_alpha_beta and player.mcts.advice is good
    looks = iter(range(1000))
    choice = player.play(
        match, Deadline(60.0, now=lambda: 0.0, interrupted=lambda: next(looks) > 100), lambda choice: None
    )
    assert choice.move in match.legals()
    assert player._reason().endswith("MCTS uses the learned evaluation beside random matches")
    assert player.mcts.prepared is not None
    engine = player.mcts.prepared[1].wait(Deadline(60.0, now=lambda: 0.0))
    assert engine is None or engine.evaluation is good
    player.stop(match)
    assert player.mcts.advice is None and player.advised_by is None

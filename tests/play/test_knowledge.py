"""What is kept about rules on disk: the same evaluation comes back, and what cannot be right does not."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stratagem.cache import Cache, user_cache
from stratagem.engine.evaluation.features import is_amount
from stratagem.engine.evaluation.fit import Regression
from stratagem.engine.evaluation.learning import learn_evaluation
from stratagem.engine.evaluation.self_play import SelfPlay
from stratagem.engine.evaluation.stored import evaluation_json, read_evaluation
from stratagem.limit import Limit
from stratagem.loading import load
from stratagem.play.clock import Deadline
from stratagem.play.match_state import Match
from stratagem.play.players import alpha_beta, player_named
from stratagem.play.players.choosing import knowledge
from stratagem.play.players.choosing.knowledge import GameKnowledge, keep, recall
from stratagem.play.players.choosing.trial import TrialScore
from stratagem.play.players.stratagem import Stratagem

GAME = load("tictactoe")
OTHER = load("hexapawn")


@pytest.fixture(scope="module")
def learned():
    return learn_evaluation(GAME, Limit(nodes=600), seed=1)


@pytest.fixture
def own_cache(tmp_path, monkeypatch) -> Cache:
    """The disk cache of this test alone."""
    monkeypatch.setattr(knowledge, "user_cache", lambda: Cache(tmp_path))
    return Cache(tmp_path)


def states(game=GAME):
    found, state = [], game.initial()
    while not state.terminal:
        found.append(state)
        state = state.next([state.legals(role)[0] for role in game.roles])
    return found


def test_an_evaluation_comes_back_from_json_as_it_was(learned):
    again = read_evaluation(GAME, json.loads(json.dumps(evaluation_json(learned))))
    assert again is not None
    assert again.features == learned.features and again.accuracy == learned.accuracy
    assert (again.matches, again.states) == (learned.matches, learned.states)
    assert [again(state) for state in states()] == [learned(state) for state in states()]
    assert np.array_equal(again.curves.worth, learned.curves.worth)


def test_an_evaluation_of_random_play_comes_back_too():
    game = load("tictactoethree")
    sampled = learn_evaluation(game, Limit(nodes=200), seed=1)
    again = read_evaluation(game, json.loads(json.dumps(evaluation_json(sampled))))
    assert again is not None and again.features == sampled.features
    assert again(game.initial(), game.roles[2]) == sampled(game.initial(), game.roles[2])


def test_amounts_come_back_too():
    game = load("kalah", pits=3, seeds=2)
    learned = learn_evaluation(game, Limit(nodes=600), seed=1)
    again = read_evaluation(game, json.loads(json.dumps(evaluation_json(learned))))
    assert any(map(is_amount, learned.features))
    assert again is not None and again.features == learned.features
    assert [again(state) for state in states(game)] == [learned(state) for state in states(game)]
    said = evaluation_json(learned)
    first, *others = said["features"]
    assert read_evaluation(game, {**said, "features": [[*first[:3], first[3][1:]], *others]}) is None


@pytest.mark.parametrize(
    "change",
    [
        {"bases": "of another game"},
        {"early": [[1.0]]},
        {"progress": []},
        {"features": [["bases", "x", [100_000], []]]},
        {"features": [["lines", "x", 99, 1]]},
        {"late": "nothing"},
        {"accuracy": []},
        {"states": None},
    ],
)
def test_what_cannot_be_right_is_not_read(learned, change):
    assert read_evaluation(GAME, {**evaluation_json(learned), **change}) is None


def test_what_was_kept_comes_back_for_the_same_rules_only(learned, tmp_path):
    cache = Cache(tmp_path)
    keep(GAME, GameKnowledge(learned, TrialScore(3.5, 5)), cache)
    found = recall(GAME, cache)
    assert found is not None and found.score == TrialScore(3.5, 5)
    assert found.evaluation(GAME.initial()) == learned(GAME.initial())
    text = GAME.identity.source.text
    assert recall(load(f"; another layout\n{text}\n"), cache) is not None
    assert recall(OTHER, cache) is None
    assert recall(GAME, Cache(None)) is None


def test_the_better_of_both_is_kept(learned, tmp_path):
    cache, poor = Cache(tmp_path), learn_evaluation(GAME, Limit(nodes=100), seed=2)
    assert poor.matches < learned.matches
    keep(GAME, GameKnowledge(learned, TrialScore(1, 2)), cache)
    keep(GAME, GameKnowledge(poor, TrialScore(4, 4)), cache)
    found = recall(GAME, cache)
    assert found is not None and found.score == TrialScore(4, 4)
    assert found.evaluation.matches == learned.matches


@pytest.mark.parametrize(
    "content", [b"", b"[]", b"{}", b"\xff", b'{"points": 5, "matches": 2, "evaluation": {}}']
)
def test_an_entry_that_says_nothing_is_passed_over(content, learned, tmp_path):
    cache = Cache(tmp_path)
    keep(GAME, GameKnowledge(learned, TrialScore()), cache)
    cache.part(knowledge.PART).write(knowledge._name(GAME), content)
    assert recall(GAME, cache) is None
    (entry,) = (tmp_path / knowledge.PART).glob("*/*")
    entry.write_bytes(b"cut short")
    assert recall(GAME, cache) is None


def test_an_impossible_score_is_passed_over(learned, tmp_path):
    cache = Cache(tmp_path)
    keep(GAME, GameKnowledge(learned, TrialScore(5, 2)), cache)
    assert recall(GAME, cache) is None


@given(st.integers(0, 2**32 - 1), st.integers(1, 6))
def test_a_regression_that_is_resumed_stays_where_it_was_if_the_examples_agree(seed, width):
    random = np.random.default_rng(seed)
    weights = random.normal(size=width + 1)
    resumed = Regression(width)
    resumed.resume(weights, rows=1000.0)
    columns = random.normal(size=(50, width)).astype(np.float32)
    resumed.learn(columns, resumed.chances(columns), keep=1.0)
    # What pulls weights to nothing (the ridge) was in the old ones already.
    assert np.allclose(resumed.weights, weights, atol=0.2)
    assert np.abs(resumed.weights - weights).max() <= 0.1 * np.abs(weights).max() + 1e-6


def test_learning_goes_on_from_what_is_known(learned):
    fresh = SelfPlay(GAME, seed=5)
    fresh.resume(learned)
    again = fresh.learned()
    assert again is not None and again.matches == learned.matches
    assert np.allclose(again.early, learned.early) and np.allclose(again.late, learned.late)
    assert again.accuracy == learned.accuracy
    fresh.round(matches=100)
    further = fresh.learned()
    assert further is not None and further.matches == learned.matches + 100
    assert np.abs(further.early - learned.early).max() < 1.0, "a hundred matches do not turn it over"


def started(remember: bool, until) -> tuple[Stratagem, Match]:
    player = Stratagem(seed=1, threads=1)
    player.remember = remember
    match = Match.of(OTHER, "white")
    player.start(match, Deadline(60.0, now=lambda: 0.0, interrupted=lambda: until(player)))
    return player, match


def tried(player: Stratagem) -> bool:
    return player.trial is not None and player.trial.played >= 2


def test_the_next_match_begins_with_what_the_last_one_learned(own_cache, monkeypatch):
    monkeypatch.setattr(alpha_beta, "START_MATCHES", 300)
    player, match = started(True, tried)
    assert player.score.matches == 2
    player.stop(match)
    assert recall(OTHER) is not None
    again, match = started(True, lambda player: player.alpha_beta.evaluation is not None)
    assert again.kept is not None and again.score.matches == 2
    assert again.alpha_beta.evaluation is again.kept.evaluation, "nothing had to be learned"
    again.stop(match)
    forgetful, match = started(False, lambda player: player.alpha_beta.prepared is not None)
    assert forgetful.kept is None and forgetful.score.matches == 0
    forgetful.stop(match)


def test_without_remembering_nothing_is_written(own_cache, monkeypatch):
    monkeypatch.setattr(alpha_beta, "START_MATCHES", 300)
    player, match = started(False, tried)
    player.stop(match)
    assert recall(OTHER) is None


def test_where_mcts_is_known_to_be_better_nothing_is_learned_and_it_has_the_start_clock(
    own_cache, monkeypatch
):
    keep(OTHER, GameKnowledge(learn_evaluation(OTHER, Limit(nodes=600), seed=1), TrialScore(0, 4)))
    pondered = []
    monkeypatch.setattr(
        "stratagem.play.players.mcts.MctsPlayer.ponder",
        lambda self, match, clock: pondered.append(clock.left()),
    )
    player, match = started(True, lambda player: False)
    assert pondered == [60.0] and player.alpha_beta.prepared is None
    assert "MCTS beat alpha-beta 4 to 0" in player._reason()
    player.stop(match)


def test_alpha_beta_alone_remembers_its_evaluation(own_cache, monkeypatch):
    monkeypatch.setattr(alpha_beta, "START_MATCHES", 200)
    player = player_named("alphabeta", seed=1, remember=True)
    match = Match.of(GAME, "xplayer")
    player.start(match, Deadline(60.0, now=lambda: 0.0))
    player.stop(match)
    found = recall(GAME)
    assert found is not None and found.evaluation.matches >= 200


def test_the_cache_of_the_user_is_where_knowledge_is_kept():
    assert knowledge.user_cache is user_cache

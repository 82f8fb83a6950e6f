"""Evaluations learned from matches of a game against itself."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest

from stratagem.engine.alpha_beta.evaluator import tables_for
from stratagem.engine.alpha_beta.search import AlphaBeta
from stratagem.engine.evaluation import learning as evaluation_learning
from stratagem.engine.evaluation import self_play
from stratagem.engine.evaluation import self_play_kernel as kernel
from stratagem.engine.evaluation.features import Feature
from stratagem.engine.evaluation.fit import MOST_COLUMNS, Regression
from stratagem.engine.evaluation.learning import learn_evaluation, sample
from stratagem.engine.evaluation.model import Evaluation
from stratagem.engine.evaluation.sample_kernel import sample_match
from stratagem.engine.evaluation.self_play import ROWS, SelfPlay
from stratagem.errors import LimitExceeded, UnsuitableGame, UsageError
from stratagem.limit import Limit
from stratagem.loading import load

SMALL = 1 << 20


def late_weight(evaluation: Evaluation, name: str) -> float:
    """What a feature is worth to the first role at the end of a match."""
    place = [feature.name for feature in evaluation.features].index(name)
    return float(evaluation.late[0, place])


def test_the_same_seed_learns_the_same():
    game = load("hexapawn", columns=4, rows=5)
    one, other = (learn_evaluation(game, Limit(nodes=900), seed=5) for _ in range(2))
    assert one is not None and other is not None
    assert np.array_equal(one.early, other.early)
    assert np.array_equal(one.progress, other.progress)


@pytest.mark.parametrize("seed", range(3))
def test_the_kernel_plays_as_python_the_matches_that_it_plays_as_machine_code(seed):
    game = load("hexapawn")
    seen = []
    for checked in (True, False):
        play = SelfPlay(game, seed=seed)
        assert play.round(matches=20)  # so that there are weights
        memory = play.crew[0].memory
        memory.put(evaluation=tables_for(play.evaluation(), game.compiled.words))
        play_match = kernel.play_match if checked else play.crew[0].code[kernel.play_match]
        goals = [play_match(memory, opening) for opening in (0, 0, 2)]
        assert set(goals) <= {0, 100}
        used = memory.used
        learned = memory.states.numpy[:used], memory.targets.numpy[:used], memory.plies.numpy[:used]
        seen.append((goals, memory.length, [each.tolist() for each in learned]))
    assert seen[0] == seen[1]


def test_threads_share_the_matches():
    game = load("hexapawn", columns=4, rows=5)
    play = SelfPlay(game, seed=1, threads=2)
    assert play.round(matches=50)
    assert play.matches == 50
    assert play.round(matches=51)
    assert play.matches == 101
    assert play.learned_from <= 101 * ROWS


def test_pieces_are_worth_something_in_checkers():
    """The first thing that anybody learns about the game."""
    evaluation = learn_evaluation(load("checkers"), Limit(nodes=12_000), seed=1)
    assert evaluation is not None
    assert late_weight(evaluation, "number of (cell _ _ black_man)") > 0.1
    assert late_weight(evaluation, "number of (cell _ _ white_man)") < -0.1
    assert late_weight(evaluation, "number of (cell _ _ black_king)") > 0.1


def test_corners_are_good_in_reversi_and_discs_only_at_the_end():
    game = load("reversi")
    evaluation = learn_evaluation(game, Limit(nodes=24_000), seed=1)
    assert evaluation is not None
    weights = evaluation.weights.mean(axis=0)[0]
    cells = {str(base): place for place, base in enumerate(game.circuit.bases)}
    corners = [weights[cells[f"(cell {row} {column} black)"]] for row in (1, 8) for column in (1, 8)]
    inner = [weights[cells[f"(cell {row} {column} black)"]] for row in (3, 6) for column in (3, 6)]
    assert min(corners) > max(inner)
    early, late = evaluation.weights[:, 0, [cells[f"(cell {row} 4 black)"] for row in (3, 6)]].mean(axis=1)
    assert early < late


def test_what_is_learned_wins_matches():
    """Two plies with it against two plies with nothing but the ends."""
    game = load("breakthrough", columns=6, rows=6)
    evaluation = learn_evaluation(game, Limit(nodes=12_000), seed=1)
    won = 0
    for number, side in itertools.product(range(6), (0, 1)):
        source = random.Random(number)
        state = game.initial()
        for _ in range(2):
            state = state.next([source.choice(state.legals(role)) for role in game.roles])
        engines = [AlphaBeta(game, memory=SMALL) for _ in game.roles]
        engines[side] = AlphaBeta(game, evaluation, memory=SMALL)
        while not state.terminal:
            (mover,) = state.to_move
            place = game.roles.index(mover)
            move = engines[place].search(state, Limit(depth=2)).best_move
            state = state.play(str(move))
        won += state.goal(game.roles[side]) == 100
    assert won >= 10


def test_games_that_are_no_duels_are_learned_from_random_play():
    for name in ("tictactoethree", "biddingtictactoe"):
        evaluation = learn_evaluation(load(name), Limit(nodes=200))
        assert evaluation is not None
        assert "random play" in evaluation.source
    with pytest.raises(UnsuitableGame):
        SelfPlay(load("rockpaperscissors")).round(matches=2)


def test_who_cannot_learn_says_how_much_there_was_to_learn_from():
    game = load("tictactoe")
    for limit in (Limit(seconds=0), Limit(seconds=60, stop=lambda: True)):
        with pytest.raises(LimitExceeded, match=r"^0 states are too few to learn an evaluation from"):
            learn_evaluation(game, limit)
    over = game.initial()
    for row, column in ((1, 1), (2, 1), (1, 2), (2, 2), (1, 3)):
        over = over.play(f"(mark {row} {column})")
    with pytest.raises(UsageError, match="the match is already over in this state"):
        learn_evaluation(game, Limit(nodes=100), start=over)
    with pytest.raises(UsageError, match="learning needs an end"):
        learn_evaluation(game, Limit())


@pytest.mark.parametrize(
    ("name", "module"), [("tictactoe", self_play), ("tictactoethree", evaluation_learning)]
)
def test_the_seconds_count_from_when_the_kernels_are_compiled(monkeypatch, name, module):
    """Compiling took 20 s: two seconds of learning are two seconds all the same."""
    time, real = [0.0], module.compiled_family
    calls = itertools.count()

    def clock():
        time[0] += 0.001
        return time[0]

    def slow_at_first(*arguments):
        time[0] += 20.0 if next(calls) == 0 else 0.0
        return real(*arguments)

    monkeypatch.setattr(module, "compiled_family", slow_at_first)
    assert learn_evaluation(load(name), Limit(seconds=2, clock=clock)).states > 0
    assert time[0] >= 20


def test_sampling_run_as_python_finds_the_same_states_and_values(monkeypatch):
    game = load("biddingtictactoe")
    compiled = sample(game, Limit(nodes=60), seed=4)
    monkeypatch.setattr(evaluation_learning, "compiled_family", lambda family: {sample_match: sample_match})
    checked = sample(game, Limit(nodes=60), seed=4)
    assert len(checked[0]) == 60
    assert np.array_equal(compiled[0], checked[0]) and np.array_equal(compiled[1], checked[1])


def test_a_search_can_be_stopped_between_matches():
    game = load("connectfour")
    play = SelfPlay(game, seed=1)
    calls = itertools.count()
    assert play.round(lambda: next(calls) >= 7, matches=100)
    assert play.matches == 7


def test_a_regression_follows_what_it_is_shown_last():
    """What was learned fades: after the world has changed, the old examples do not hold it back."""
    source = np.random.default_rng(2)
    rows = source.integers(0, 2, (4000, 3)).astype(np.float32)
    learned = Regression(3, ridge=0.1)
    for truth in (np.array([2.0, -1.0, 0.0]), np.array([-2.0, 0.5, 1.0])):
        targets = 1 / (1 + np.exp(-(rows @ truth - 0.3)))
        for _ in range(40):
            learned.learn(rows, targets, keep=0.5)
        assert np.allclose(learned.weights, [*truth, -0.3], atol=0.02)


def test_large_games_are_cut_down_to_the_features_that_vary():
    game = load("amazons", size=6)
    evaluation = learn_evaluation(game, Limit(nodes=240), seed=1)
    assert evaluation is not None
    assert sum(isinstance(feature, Feature) for feature in evaluation.features) <= MOST_COLUMNS


@pytest.mark.parametrize(
    ("seconds", "rounds"), [((0.0, 0.001), [100, 200, 200, 200]), ((0.06, 0.0), [100, 200, 400, 800])]
)
def test_rounds_grow_while_that_makes_learning_cheaper(monkeypatch, seconds, rounds):
    time = [0.0]
    school = SelfPlay(load("tictactoe"), seed=1, now=lambda: time[0])
    fixed, each = seconds
    taught: list[int] = []

    def learn(found) -> None:
        taught.append(found.matches)
        time[0] += fixed + each * found.matches

    monkeypatch.setattr(school, "_learn", learn)
    for _ in rounds:
        assert school.round()
    assert taught == rounds

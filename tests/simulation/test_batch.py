"""Batches as users meet them: actions by role, one sentence for what is illegal, and arrays for everything else."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from tests.support.environments import COIN, EVERY, HANDFUL

import stratagem as st
from stratagem.errors import IllegalMove, LimitExceeded, UsageError


@pytest.mark.parametrize("name", EVERY)
def test_every_lane_is_the_match_that_states_make(name: str):
    game = st.load(name)
    encoding, batch = game.encoding, game.batch(3)
    states = [game.initial()] * 3
    for ply in range(8):
        actions = batch.random_actions(ply)
        for lane, state in enumerate(states):
            assert batch.state(lane) == state
            assert np.array_equal(batch.observations()[lane], encoding.observation(state))
            for role in game.roles:
                if not state.terminal:
                    assert np.array_equal(batch.legal(role)[lane], encoding.mask(state, role))
        batch.step(actions, where=(actions >= 0).all(axis=1))
        for lane, state in enumerate(states):
            if not state.terminal:
                joint = dict(zip(game.roles, actions[lane].tolist(), strict=True))
                states[lane] = after = encoding.next(state, joint)
                expected = [
                    encoding.reward(after.goal(role)) if after.terminal else 0.0 for role in game.roles
                ]
                assert batch.rewards[lane].tolist() == pytest.approx(expected)


def test_a_mapping_leaves_out_roles_with_one_move():
    game = st.load("tictactoe")
    batch = game.batch(2)
    batch.step({"xplayer": [1, 5]})
    assert batch.state(1) == game.initial().play("(mark 2 2)")
    with pytest.raises(IllegalMove, match="match 0: -1 stands for an only move, but oplayer has 8"):
        batch.step({"xplayer": [0, 0]})


def test_an_illegal_action_names_lane_role_and_action_and_changes_nothing():
    batch = st.load("tictactoe").batch(4)
    batch.step({"xplayer": [1, 2, 3, 4]})
    before = batch.states
    with pytest.raises(IllegalMove) as refusal:
        batch.step({"oplayer": [9, 9, 3, 9]})
    assert str(refusal.value).startswith(
        "match 2: action 3 (mark 1 3) is not legal for oplayer; legal: 1 (mark 1 1), 2"
    )
    with pytest.raises(IllegalMove, match="match 3: action 77 is not legal for oplayer"):
        batch.step({"oplayer": [9, 9, 9, 77]})
    assert np.array_equal(batch.states, before)
    batch.step({"oplayer": [9, 9, 3, 9]}, illegal="refuse")
    assert batch.refused.tolist() == [False, False, True, False]
    assert np.array_equal(batch.states[2], before[2])


@pytest.mark.parametrize("action", [2**32 + 1, 2**63 - 1, -(2**40)])
def test_a_number_that_is_too_large_is_not_cut_to_a_legal_one(action: int):
    batch = st.load("tictactoe").batch(1)
    with pytest.raises(IllegalMove, match="is not legal for xplayer"):
        batch.step({"xplayer": np.array([action])})
    with pytest.raises(IllegalMove, match="is not legal for xplayer"):
        batch.step({"xplayer": np.array([2**64 - 1], np.uint64)})


def test_rewards_are_those_of_the_last_step():
    batch = st.load("tictactoe").batch(300, reward_range=(0, 1))
    earned = np.zeros((300, 2))
    for ply in range(9):
        batch.step_random(ply)
        earned += batch.rewards
    assert batch.terminated.all()
    assert np.array_equal(earned, batch.goals / np.float32(100))
    batch.step_random(10)
    assert not batch.rewards.any()


def test_all_begin_anew_or_those_that_are_over():
    batch = st.load("tictactoe").batch(200)
    for ply in range(7):
        batch.step_random(ply)
    over, states = batch.terminated, batch.states
    assert np.array_equal(batch.reset_finished(), over)
    assert np.array_equal(batch.states[~over], states[~over])
    batch.reset()
    assert len(np.unique(batch.states, axis=0)) == 1
    batch.set_states(states)
    batch.reset(over)
    assert np.array_equal(batch.states[~over], states[~over])


def test_states_go_in_and_out():
    game = st.load("connectfour")
    batch = game.batch(3)
    wanted = [game.initial().play("(drop 1)"), game.initial(), game.initial().play("(drop 7)")]
    batch.set_states(wanted)
    assert [batch.state(lane) for lane in range(3)] == wanted
    assert batch.select([2, 2, 0]).state(1) == wanted[2]
    assert len(batch.select(np.array([True, False, True]))) == 2


@pytest.mark.parametrize("name", HANDFUL)
def test_a_batch_survives_pickling_and_copying(name: str):
    batch = st.load(name).batch(70, reward_range=(0, 1))
    batch.step_random(3)
    for other in (pickle.loads(pickle.dumps(batch)), batch.copy()):
        batch_states = batch.states
        other.step_random(4)
        assert np.array_equal(batch.states, batch_states)
        twin = batch.copy()
        twin.step_random(4)
        assert np.array_equal(twin.states, other.states)
        assert np.array_equal(twin.rewards, other.rewards)


def test_arrays_are_handed_over_without_a_copy():
    batch = st.load("tictactoe").batch(10)
    for array in (
        batch.observations(),
        batch.legal("xplayer"),
        batch.rewards,
        batch.terminated,
        batch.states,
    ):
        other = np.from_dlpack(array)
        assert np.shares_memory(other, array)
    room = np.empty((10, len(batch.encoding.propositions)), np.bool_)
    assert batch.observations(out=room) is room
    with pytest.raises(UsageError, match="contiguous array of bools"):
        batch.observations(out=np.empty((10, 3), np.bool_))


def test_a_greedy_player_takes_a_win_and_never_hands_one_over():
    game = st.load("tictactoe")
    state = game.initial()
    for move in ("(mark 1 1)", "(mark 2 1)", "(mark 1 2)", "(mark 2 2)"):
        state = state.play(move)
    batch = game.batch(50)
    batch.set_states([state] * 50)
    batch.step_greedy(seed=1)
    assert batch.terminated.all() and (batch.rewards[:, 0] == 1).all()


def test_ties_of_a_greedy_player_fall_by_the_seed():
    batch = st.load("tictactoe").batch(600)
    actions = batch.greedy_actions(seed=3)
    assert np.array_equal(actions, batch.greedy_actions(seed=3))
    assert len(np.unique(actions[:, 0])) == 9
    assert not np.array_equal(actions, batch.greedy_actions(seed=4))


def test_scores_choose_the_best_legal_action():
    batch = st.load("tictactoe").batch(40)
    batch.step_random(1)
    scores = np.random.default_rng(1).normal(size=batch.legal("oplayer").shape)
    actions = batch.greedy_actions(scores={"oplayer": scores})[:, 1]
    assert batch.legal("oplayer")[np.arange(40), actions].all()
    best = np.where(batch.legal("oplayer"), scores, -np.inf).max(axis=1)
    assert np.array_equal(scores[np.arange(40), actions], best)
    batch.step_greedy(scores={"oplayer": scores})
    with pytest.raises(UsageError, match=r"the scores of xplayer are an array of \(40, 10\), not \(1, 1\)"):
        batch.greedy_actions(scores={"xplayer": np.zeros((1, 1))})


def test_a_score_of_minus_infinity_is_none():
    batch = st.load("tictactoe").batch(30)
    actions = batch.greedy_actions(scores={"xplayer": np.full((30, 10), -np.inf)})[:, 0]
    assert batch.legal("xplayer")[np.arange(30), actions].all()
    assert np.array_equal(actions, batch.random_actions(0)[:, 0])


@pytest.mark.parametrize("kind", [np.int8, np.int64, np.uint64])
def test_numpys_whole_numbers_are_seeds(kind: type):
    game = st.load("tictactoe")
    one, other = game.batch(50), game.batch(50)
    assert np.array_equal(one.random_actions(kind(7)), other.random_actions(7))
    assert np.array_equal(one.greedy_actions(kind(7)), other.greedy_actions(7))
    one.step_random(kind(7))
    other.step_random(7)
    one.advance_to_choice("xplayer", kind(8))
    other.advance_to_choice("xplayer", 8)
    assert np.array_equal(one.states, other.states)
    assert game.playouts(n=100, seed=kind(7)).goals == game.playouts(n=100, seed=7).goals


def test_observations_are_not_written_to_what_is_read_only():
    batch = st.load("tictactoe").batch(2)
    room = np.zeros((2, len(batch.encoding.propositions)), np.bool_)
    room.flags.writeable = False
    with pytest.raises(UsageError, match="writeable, contiguous array of bools"):
        batch.observations(out=room)
    assert not room.any()


def test_more_matches_than_memory_are_refused():
    with pytest.raises(
        LimitExceeded, match="1,000,000,000,000,000 matches of tictactoe do not fit into memory"
    ):
        st.load("tictactoe").batch(10**15)


@settings(max_examples=15)
@given(some.integers(-(2**70), 2**70), some.integers(1, 3))
def test_results_depend_on_the_seed_alone(seed: int, threads: int):
    game = st.load("tictactoe")
    one, other = game.batch(5), game.batch(5, threads=threads)
    one.step_random(seed)
    other.step(other.random_actions(seed))
    assert np.array_equal(one.states, other.states)


def test_chance_is_even():
    batch = st.load(COIN).batch(20_000)
    batch.step_random(1)
    assert abs((batch.rewards[:, 0] == 1).mean() - 0.5) < 0.02


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda batch: batch.game.batch(2, device="abacus"), "'abacus' is not a device"),
        (lambda batch: batch.game.batch(2, device=None), "the name of a device is needed"),
        (lambda batch: batch.game.batch(2, reward_range=("a", "b")), "rewards from a to b are no range"),
        (lambda batch: batch.step([[1, 0], [1]]), "actions are an array; rows of different lengths are none"),
        (lambda batch: batch.reset([[True], [True, False]]), r"\*which\* are an array; rows of different"),
        (lambda batch: batch.advance_to_choice("xplayer", "1"), "the seed must be a whole number; got '1'"),
        (lambda batch: batch.observations(out=[1]), "writeable, contiguous array of bools"),
        (lambda batch: batch.select([True]), r"or by one bool for each of 2, not by \(1,\)"),
        (lambda batch: batch.select([[0, 1]]), r"matches are chosen by a row of numbers, .* \(1, 2\)"),
        (lambda batch: batch.greedy_actions(scores={"xplayer": "best"}), "are an array of numbers"),
        (
            lambda batch: batch.greedy_actions(scores={"xplayer": np.full((2, 10), np.nan)}),
            r"the score of a legal action of xplayer is no number \(NaN\)",
        ),
        (lambda batch: batch.game.batch(2, threads=0), "the number of threads must be at least 1; got 0"),
        (lambda batch: batch.step({"xplayer": [1]}), r"the actions of xplayer are 2 indices, not \(1,\)"),
        (lambda batch: batch.step({"xplayer": [1.5, 2]}), "actions are whole numbers, not float64"),
        (lambda batch: batch.state(2), "there is no match 2; the matches are 0 to 1"),
        (lambda batch: batch.state(-1), "there is no match -1"),
        (lambda batch: batch.set_states([]), "2 states are needed, one for each match; got 0"),
        (lambda batch: batch.reset([1, 0]), r"\*which\* is one bool for each of 2 matches"),
        (lambda batch: batch.step([[1, 0]] * 2, where=[True]), r"\*where\* is one bool"),
        (lambda batch: batch.step([[1, 0]] * 2, illegal="ignore"), "illegal='ignore' is not known"),
        (lambda batch: batch.legal("white"), "no role white in tictactoe; its roles are xplayer, oplayer"),
    ],
)
def test_bad_input_is_refused_in_a_sentence(call, text: str):
    with pytest.raises(UsageError, match=text):
        call(st.load("tictactoe").batch(2))


@pytest.mark.parametrize("wrong", [-1, 1.5, "9", True])
def test_a_batch_has_a_whole_number_of_matches(wrong):
    with pytest.raises(UsageError, match=r"the number of matches must be (a whole number|at least 0); got"):
        st.load("tictactoe").batch(wrong)

"""OpenSpiel: its own simulation test, and its algorithms on rules that it has never seen."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from tests.support.environments import COIN, DICE, EVERY, NOBODY

import stratagem as st
from stratagem.errors import IllegalMove, UnsuitableGame, UsageError

pyspiel = pytest.importorskip("pyspiel", reason="the extra open-spiel is not installed")

STEPS = 60
"""Some puzzles have no end: their matches are cut."""


@pytest.mark.parametrize("name", EVERY)
def test_openspiels_simulations_find_nothing(name: str):
    game = st.adapters.open_spiel(st.load(name), max_game_length=STEPS)
    pyspiel.random_sim_test(game, num_sims=1, serialize=True, verbose=False)


@pytest.mark.parametrize("source", [COIN, DICE], ids=["coin", "dice"])
def test_chance_is_openspiels_chance(source: str):
    game = st.adapters.open_spiel(st.load(source))
    assert game.get_type().chance_mode == pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC
    pyspiel.random_sim_test(game, num_sims=5, serialize=True, verbose=False)


def test_players_choose_before_chance_where_both_move():
    game = st.adapters.open_spiel(st.load(COIN))
    state = game.new_initial_state()
    assert state.current_player() == 0
    state.apply_action(state.legal_actions()[0])
    assert state.is_chance_node()
    assert [chance for _, chance in state.chance_outcomes()] == [0.5, 0.5]
    action = state.legal_actions()[0]
    other = state.clone()
    state.apply_action(action)
    assert state.is_terminal() and state.returns() == [1.0]
    other.apply_action(other.legal_actions()[1])
    assert other.returns() == [-1.0]


def test_what_is_known_of_the_game_is_told():
    told = st.adapters.open_spiel(st.load("tictactoe"), max_game_length=9)
    kind = told.get_type()
    assert kind.dynamics == pyspiel.GameType.Dynamics.SEQUENTIAL
    assert kind.utility == pyspiel.GameType.Utility.ZERO_SUM
    assert (told.num_players(), told.num_distinct_actions(), told.utility_sum()) == (2, 10, 0.0)
    assert told.observation_tensor_shape() == [29]
    state = told.new_initial_state()
    state.apply_action(5)
    assert state.action_to_string(0, 5) == "(mark 2 2)"
    assert sum(state.observation_tensor(0)) == st.load("tictactoe").encoding.observation(state.state).sum()
    assert st.adapters.open_spiel(st.load("tictactoe"), reward_range=(0, 1)).utility_sum() == 1.0
    kind = st.adapters.open_spiel(st.load("rockpaperscissors")).get_type()
    assert kind.dynamics == pyspiel.GameType.Dynamics.SIMULTANEOUS


def test_alpha_beta_finds_what_ours_finds():
    minimax = pytest.importorskip("open_spiel.python.algorithms.minimax")
    game = st.load("hexapawn")
    value, _ = minimax.alpha_beta_search(st.adapters.open_spiel(game))
    assert value == game.encoding.reward(int(st.solve(game).values[game.roles[0]].low))


def test_mcts_of_openspiel_takes_a_win():
    mcts = pytest.importorskip("open_spiel.python.algorithms.mcts")
    game = st.adapters.open_spiel(st.load("tictactoe"))
    state = game.new_initial_state()
    for action in (1, 4, 2, 5):
        state.apply_action(action)
    random = np.random.RandomState(1)
    bot = mcts.MCTSBot(game, 1.4, 100, mcts.RandomRolloutEvaluator(1, random), random_state=random)
    assert bot.step(state) == 3


def test_cfr_learns_to_mix_in_rock_paper_scissors():
    cfr = pytest.importorskip("open_spiel.python.algorithms.cfr")
    exploitability = pytest.importorskip("open_spiel.python.algorithms.exploitability")
    game = pyspiel.convert_to_turn_based(st.adapters.open_spiel(st.load("rockpaperscissors")))
    solver = cfr.CFRSolver(game)
    for _ in range(3):
        solver.evaluate_and_update_policy()
    assert exploitability.nash_conv(game, solver.average_policy()) < 0.01


def test_cfr_runs_through_chance():
    cfr = pytest.importorskip("open_spiel.python.algorithms.cfr")
    exploitability = pytest.importorskip("open_spiel.python.algorithms.exploitability")
    game = st.adapters.open_spiel(st.load(DICE))
    solver = cfr.CFRSolver(game)
    for _ in range(60):
        solver.evaluate_and_update_policy()
    assert exploitability.nash_conv(game, solver.average_policy()) < 0.05


def test_a_match_that_is_too_long_ends_with_the_goals_as_they_stand():
    game = st.adapters.open_spiel(st.load("eightpuzzle"), max_game_length=3)
    state = game.new_initial_state()
    for _ in range(3):
        assert not state.is_terminal()
        state.apply_action(state.legal_actions()[0])
    assert state.is_terminal() and state.legal_actions() == []


def test_wrong_actions_are_refused_in_a_sentence():
    state = st.adapters.open_spiel(st.load("tictactoe")).new_initial_state()
    with pytest.raises(
        IllegalMove, match=r"action 0 noop is not legal for xplayer; legal: 1 \(mark 1 1\), 2 \(mark 1 2\)"
    ):
        state.apply_action(0)
    state = st.adapters.open_spiel(st.load("rockpaperscissors")).new_initial_state()
    with pytest.raises(UsageError, match="one action for each of left, right is needed; there are 1"):
        state.apply_actions([1])


def test_a_state_of_ours_is_not_copied():
    state = st.load("tictactoe").initial()
    assert copy.deepcopy(state) is state


def test_bad_options_are_refused_in_a_sentence():
    with pytest.raises(UsageError, match="no dynamics called alternating"):
        st.adapters.open_spiel(st.load("tictactoe"), dynamics="alternating")
    for length, text in ((0, "at least 1; got 0"), (2.5, "a whole number; got 2.5")):
        with pytest.raises(UsageError, match=f"the maximal length of a match must be {text}"):
            st.adapters.open_spiel(st.load("tictactoe"), max_game_length=length)
    with pytest.raises(UsageError, match="rewards from 1 to 0 are no range"):
        st.adapters.open_spiel(st.load("tictactoe"), reward_range=(1, 0))
    assert st.adapters.open_spiel(st.load("tictactoe"), reward_range=[0, 1]).min_utility() == 0
    game = st.adapters.open_spiel(st.load("rockpaperscissors"), dynamics="sequential")
    with pytest.raises(UnsuitableGame, match="choose at the same time"):
        game.new_initial_state().current_player()


def test_a_game_that_nobody_plays_is_refused():
    with pytest.raises(UnsuitableGame, match="nobody plays this game: its only role is random"):
        st.adapters.open_spiel(st.load(NOBODY))

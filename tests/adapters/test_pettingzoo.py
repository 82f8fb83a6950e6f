"""PettingZoo: its own tests, on games in turn and on games with simultaneous moves."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from tests.support.environments import COIN, DICE, EVERY, NOBODY

import stratagem as st
from stratagem.errors import IllegalMove, StratagemError, UnsuitableGame, UsageError

pytest.importorskip("pettingzoo", reason="the extra rl is not installed")
from pettingzoo.test import (
    api_test,
    parallel_api_test,
    parallel_seed_test,
    seed_test,
)

CYCLES = 20
AT_ONCE = {"biddingtictactoe", "prisonersdilemma", "rockpaperscissors", "tron"}


def checked(source: str) -> str:
    """Run PettingZoo's tests on a game; which kind of environment it is."""
    game = st.load(source)
    env = st.adapters.pettingzoo(game)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if type(env).__name__ == "GameAECEnv":
            api_test(env, num_cycles=CYCLES)
            seed_test(lambda: st.adapters.pettingzoo(game, kind="aec"), num_cycles=CYCLES)
            return "aec"
        parallel_api_test(env, num_cycles=CYCLES)
        parallel_seed_test(lambda: st.adapters.pettingzoo(game, kind="parallel"), num_cycles=CYCLES)
        return "parallel"


@pytest.mark.parametrize("name", EVERY)
def test_pettingzoos_tests_find_nothing(name: str):
    assert checked(name) == ("parallel" if name in AT_ONCE else "aec")


@pytest.mark.parametrize("source", [COIN, DICE], ids=["coin", "dice"])
def test_chance_is_no_agent(source: str):
    assert checked(source) == "aec"
    assert "random" not in st.adapters.pettingzoo(st.load(source)).possible_agents


def test_a_match_in_turn_goes_as_the_game_does():
    game = st.load("tictactoe")
    env = st.adapters.pettingzoo(game, render_mode="ansi")
    env.reset(seed=1)
    state, random = game.initial(), np.random.default_rng(1)
    for agent in env.agent_iter():
        seen, reward, terminated, _, _ = env.last()
        if terminated:
            assert reward == game.encoding.reward(state.goal(agent))
            env.step(None)
            continue
        assert state.to_move == (agent,)
        assert np.array_equal(seen["observation"], game.encoding.observation(state))
        assert np.array_equal(seen["action_mask"], game.encoding.mask(state, agent))
        assert env.render() == str(state)
        action = int(random.choice(np.flatnonzero(seen["action_mask"])))
        env.step(action)
        state = game.encoding.next(state, {agent: action})
    assert state.terminal


def test_simultaneous_moves_are_made_together():
    game = st.load("rockpaperscissors")
    env = st.adapters.pettingzoo(game, reward_range=(0, 1))
    seen, _ = env.reset(seed=1)
    first, second = env.agents
    moves = [game.encoding.actions[first][action] for action in np.flatnonzero(seen[first]["action_mask"])]
    assert len(moves) == 3
    total = []
    while env.agents:
        actions = {agent: int(mask["action_mask"].argmax()) for agent, mask in seen.items()}
        seen, rewards, terminated, _, _ = env.step(actions)
        total.append(rewards)
    assert total[-1] == {first: 0.5, second: 0.5} and all(terminated.values())


def test_an_illegal_action_loses_or_raises():
    env = st.adapters.pettingzoo(st.load("tictactoe"))
    env.reset(seed=1)
    env.step(5)
    env.step(5)
    assert env.terminations == {"xplayer": True, "oplayer": True}
    assert env.rewards == {"xplayer": 0.0, "oplayer": -1.0}
    env = st.adapters.pettingzoo(st.load("tictactoe"), illegal="raise")
    env.reset(seed=1)
    with pytest.raises(
        IllegalMove, match=r"action 0 noop is not legal for xplayer; legal: 1 \(mark 1 1\), 2"
    ):
        env.step(0)


def test_planes_are_observed_where_the_rules_suggest_a_board():
    env = st.adapters.pettingzoo(st.load("connectfour"), observation="planes")
    env.reset(seed=1)
    assert env.observe("red")["observation"].shape == env.observation_space("red")["observation"].shape


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"kind": "serial"}, "no kind of environment called serial"),
        ({"observation": "smell"}, "no observation called smell"),
        ({"render_mode": "human"}, "no render mode called human"),
        ({"illegal": "ignore"}, "illegal='ignore' is not known"),
        ({"reward_range": (1, 0)}, "rewards from 1 to 0 are no range"),
    ],
)
def test_bad_options_are_refused_in_a_sentence(options: dict, text: str):
    with pytest.raises(UsageError, match=text):
        st.adapters.pettingzoo(st.load("tictactoe"), **options)


def test_simultaneous_moves_do_not_go_in_turn():
    env = st.adapters.pettingzoo(st.load("rockpaperscissors"), kind="aec")
    with pytest.raises(
        UnsuitableGame, match='choose at the same time; make the environment with kind="parallel"'
    ):
        env.reset(seed=1)


def test_none_is_no_action_before_the_end():
    env = st.adapters.pettingzoo(st.load("tictactoe"))
    env.reset(seed=1)
    with pytest.raises(UsageError, match="None is not an action of xplayer"):
        env.step(None)


def begun(name: str):
    """An environment of a bundled game whose first match has begun."""
    env = st.adapters.pettingzoo(st.load(name))
    env.reset(seed=1)
    return env


def ended(name: str):
    """An environment whose match an illegal action has ended."""
    env = begun(name)
    env.step(0 if name == "tictactoe" else dict.fromkeys(env.agents, 99))
    return env


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: st.adapters.pettingzoo(st.load("tictactoe")).step(1), r"no match has begun; call reset\(\)"),
        (lambda: st.adapters.pettingzoo(st.load("tictactoe")).last(), r"no match has begun; call reset\(\)"),
        (lambda: st.adapters.pettingzoo(st.load("rockpaperscissors")).step({}), "no match has begun"),
        (lambda: begun("tictactoe").reset(seed="one"), "the seed must be a whole number; got 'one'"),
        (lambda: begun("tictactoe").reset(seed=-1), "the seed must be at least 0; got -1"),
        (lambda: begun("tictactoe").step(1.5), "actions are whole numbers, not float64"),
        (lambda: begun("tictactoe").step([1, 2]), r"one action is needed; this is an array of \(2,\)"),
        (lambda: begun("tictactoe").action_space("white"), "no agent white; the agents are xplayer, oplayer"),
        (lambda: ended("tictactoe").step(1), r"the match is over for oplayer; its last step is step\(None\)"),
        (lambda: begun("rockpaperscissors").step([0, 0]), "a dictionary of actions is needed"),
        (lambda: begun("rockpaperscissors").step({}), "left has 3 legal actions and was given none"),
        (lambda: begun("rockpaperscissors").step({"left": None, "right": 0}), "actions are whole numbers"),
        (lambda: ended("rockpaperscissors").step({"left": 0, "right": 0}), "the match is over; reset"),
        (
            lambda: ended("rockpaperscissors").observation_space("up"),
            "no agent up; the agents are left, right",
        ),
    ],
)
def test_wrong_calls_are_refused_in_a_sentence(call, text: str):
    with pytest.raises(StratagemError, match=text):
        call()


def test_nothing_is_stepped_once_all_agents_are_gone():
    env = ended("tictactoe")
    env.step(None)
    env.step(None)
    with pytest.raises(UsageError, match=r"the match is over; reset\(\) begins the next one"):
        env.step(None)
    assert ended("rockpaperscissors").step({}) == ({}, {}, {}, {}, {})


def test_a_game_that_nobody_plays_is_refused():
    with pytest.raises(UnsuitableGame, match="nobody plays this game: its only role is random"):
        st.adapters.pettingzoo(st.load(NOBODY))

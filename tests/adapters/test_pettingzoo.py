"""PettingZoo: its own tests, on games in turn and on games with simultaneous moves."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from tests.support.environments import COIN, DICE, EVERY

import stratagem as st
from stratagem.errors import IllegalMove, UnsuitableGame, UsageError

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
    with pytest.raises(IllegalMove, match="action 0 is not legal for xplayer"):
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

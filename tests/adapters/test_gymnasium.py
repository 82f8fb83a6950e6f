"""Gymnasium: its own checker, its autoreset modes, and what opponents do."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pytest
from tests.support.environments import COIN, EVERY, NOBODY

import stratagem as st
from stratagem.errors import IllegalMove, UnsuitableGame, UsageError

gym = pytest.importorskip("gymnasium", reason="the extra rl is not installed")
from gymnasium.utils.env_checker import check_env  # noqa: E402
from gymnasium.vector import AutoresetMode  # noqa: E402

MODES = list(AutoresetMode)


def legal_actions(info: dict, random: np.random.Generator) -> np.ndarray:
    """A random legal action in every match."""
    mask = info["action_mask"]
    return (random.random(mask.shape) * mask).argmax(axis=1)


@pytest.mark.parametrize("name", EVERY)
def test_gymnasiums_checker_finds_nothing(name: str):
    st.adapters.register()
    env = gym.make(f"stratagem/{name}-v0", render_mode="ansi")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_env(env.unwrapped)


def test_planes_are_observed_where_the_rules_suggest_a_board():
    env = st.adapters.gymnasium(st.load("connectfour"), observation="planes")
    seen, _ = env.reset(seed=1)
    assert seen.shape == st.load("connectfour").encoding.planes.shape
    assert env.observation_space.contains(seen)


@pytest.mark.parametrize("role", ["red", "yellow"])
def test_a_match_goes_from_choice_to_choice_and_ends_with_its_goal(role: str):
    game = st.load("connectfour")
    env = st.adapters.gymnasium(game, role, reward_range=(0, 1))
    random = np.random.default_rng(1)
    for seed in range(5):
        _, info = env.reset(seed=seed)
        over, rewards = False, []
        while not over:
            assert info["action_mask"].sum() > 1 and np.array_equal(info["action_mask"], env.action_masks())
            action = random.choice(np.flatnonzero(info["action_mask"]))
            _, reward, over, truncated, info = env.step(action)
            rewards.append(reward)
            assert not truncated
        state = env.unwrapped.matches.batch.state(0)
        assert state.terminal and rewards[-1] == state.goal(role) / 100 and not any(rewards[:-1])


def test_the_same_seed_gives_the_same_match():
    def match(seed: int) -> list:
        env = st.adapters.gymnasium(st.load("connectfour"), "yellow")
        seen, info = env.reset(seed=seed)
        rows = [seen]
        for _ in range(4):
            seen, *_, info = env.step(int(info["action_mask"].argmax()))
            rows.append(seen)
        return np.array(rows).tolist()

    assert match(3) == match(3)
    assert match(3) != match(4)


@pytest.mark.parametrize("mode", MODES)
def test_a_vector_environment_resets_as_its_mode_says(mode: AutoresetMode):
    game = st.load("tictactoe")
    env = st.adapters.gymnasium(game, num_envs=200, autoreset_mode=mode)
    random, start = np.random.default_rng(1), game.encoding.observation(game.initial())
    seen, info = env.reset(seed=1)
    assert env.observation_space.contains(seen) and env.metadata["autoreset_mode"] == mode
    done, ended = np.zeros(200, bool), 0
    for _ in range(14):
        seen, rewards, terminated, truncated, info = env.step(legal_actions(info, random))
        assert seen.shape == env.observation_space.shape and seen.dtype == env.observation_space.dtype
        assert not truncated.any()
        if mode == AutoresetMode.NEXT_STEP:
            assert (seen[done] == start).all() and not rewards[done].any() and not terminated[done].any()
            done = terminated
        elif mode == AutoresetMode.SAME_STEP:
            assert (seen[terminated] == start).all()
            assert [each is not None for each in info.get("final_obs", [None] * 200)] == terminated.tolist()
        else:
            assert (terminated | ~done).all() and not rewards[done].any()
            done = terminated
        ended += int(terminated.sum())
        assert (info["action_mask"].sum(axis=1) > 0)[~terminated | (mode == AutoresetMode.SAME_STEP)].all()
    assert ended > 200 if mode != AutoresetMode.DISABLED else done.all()
    if mode == AutoresetMode.DISABLED:
        which = np.arange(200) < 50
        seen, _ = env.reset(options={"reset_mask": which})
        assert (seen[:50] == start).all() and not (seen[50:] == start).all(axis=1).any()


def test_a_vector_environment_plays_as_single_ones_do():
    """The share of matches that random play wins: about 0.585 for the first player of tic-tac-toe."""
    env = st.adapters.gymnasium(st.load("tictactoe"), num_envs=2000, autoreset_mode="SameStep")
    random = np.random.default_rng(1)
    _, info = env.reset(seed=1)
    won = ended = 0
    for _ in range(20):
        _, rewards, terminated, _, info = env.step(legal_actions(info, random))
        won, ended = won + (rewards == 1).sum(), ended + terminated.sum()
    assert abs(won / ended - 0.585) < 0.03


def test_a_single_environment_truncates_long_episodes_too():
    env = st.adapters.gymnasium(st.load("eightpuzzle"), max_episode_steps=2)
    for _ in range(2):
        _, info = env.reset(seed=1)
        cut = []
        for _ in range(2):
            _, _, terminated, truncated, info = env.step(int(info["action_mask"].argmax()))
            cut.append((terminated, truncated))
        assert cut == [(False, False), (False, True)]


def test_an_episode_that_ends_at_the_last_step_is_not_truncated():
    env = st.adapters.gymnasium(st.load(COIN), max_episode_steps=1)
    env.reset(seed=1)
    assert env.step(1)[2:4] == (True, False)


def test_all_boards_are_rendered():
    env = st.adapters.gymnasium(st.load("tictactoe"), num_envs=2, render_mode="ansi")
    env.reset(seed=1)
    assert env.render() == (str(st.load("tictactoe").initial()),) * 2


def test_long_episodes_are_truncated_when_asked():
    env = st.adapters.gymnasium(st.load("eightpuzzle"), num_envs=8, max_episode_steps=3)
    random = np.random.default_rng(1)
    _, info = env.reset(seed=1)
    cut = []
    for _ in range(4):
        _, _, _, truncated, info = env.step(legal_actions(info, random))
        cut.append(truncated.all())
    assert cut == [False, False, True, False]


def test_make_vec_makes_the_native_environment_with_sizes():
    st.adapters.register()
    env = gym.make_vec("stratagem/connectfour-v0", num_envs=4, columns=5, role="yellow")
    assert type(env).__name__ == "GameVectorEnv" and env.single_action_space.n == 6
    env.reset(seed=1)


@pytest.mark.parametrize("illegal", ["lose", "raise"])
def test_an_illegal_action_loses_or_is_named(illegal: str):
    env = st.adapters.gymnasium(st.load("tictactoe"), illegal=illegal)
    env.reset(seed=1)
    env.step(5)
    if illegal == "raise":
        with pytest.raises(IllegalMove, match=r"match 0: action 5 \(mark 2 2\) is not legal for xplayer"):
            env.step(5)
        return
    _, reward, terminated, _, info = env.step(5)
    assert (reward, terminated, info["illegal_action"]) == (-1.0, True, True)
    _, info = env.reset()
    assert "illegal_action" not in info


def test_opponents_may_be_greedy_functions_or_different_for_each_role():
    game = st.load("tictactoethree")
    asked = []

    def first(batch: st.Batch, role: str, seed: int) -> np.ndarray:
        asked.append(role)
        return batch.legal(role).argmax(axis=1)

    second, third = game.roles[1:]
    env = st.adapters.gymnasium(game, num_envs=5, opponents={second: first, third: "greedy"})
    _, info = env.reset(seed=1)
    env.step(legal_actions(info, np.random.default_rng(1)))
    assert set(asked) == {second}


def test_opponents_are_named_in_any_letter_case_and_chance_is_none():
    env = st.adapters.gymnasium(st.load("tictactoe"), "XPLAYER", opponents={"OPLAYER": "greedy"})
    assert env.unwrapped.matches.opponents == {"oplayer": "greedy"}
    with pytest.raises(UsageError, match="the role random is moved by chance; leave it out of the opponents"):
        st.adapters.gymnasium(st.load(COIN), opponents={"random": "greedy"})


def test_a_greedy_opponent_punishes_what_random_play_allows():
    game, rates = st.load("tictactoe"), {}
    for opponent in ("random", "greedy"):
        env = st.adapters.gymnasium(game, num_envs=300, opponents=opponent, autoreset_mode="Disabled")
        random = np.random.default_rng(1)
        _, info = env.reset(seed=1)
        lost = 0
        for _ in range(5):
            _, rewards, *_, info = env.step(legal_actions(info, random))
            lost += int((rewards == -1).sum())
        rates[opponent] = lost / 300
    assert rates["greedy"] > rates["random"] + 0.15


def test_chance_and_simultaneous_moves_are_made_by_the_environment():
    env = st.adapters.gymnasium(st.load(COIN), num_envs=4000, autoreset_mode="SameStep")
    env.reset(seed=1)
    _, rewards, terminated, *_ = env.step(np.ones(4000, np.int64))
    assert terminated.all() and abs(rewards.mean()) < 0.06
    env = st.adapters.gymnasium(st.load("rockpaperscissors"), num_envs=300, autoreset_mode="Disabled")
    _, info = env.reset(seed=1)
    random, earned, terminated = np.random.default_rng(1), np.zeros(300), np.zeros(300, bool)
    while not terminated.all():
        _, rewards, terminated, _, info = env.step(legal_actions(info, random))
        earned += rewards
    assert abs(earned.mean()) < 0.15 and {-1, 1} <= set(earned.tolist())


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"role": "white"}, "no role white"),
        ({"opponents": "genius"}, "no opponent called genius; choose random or greedy"),
        ({"opponents": {"white": "random"}}, "no role white in tictactoe; its roles are xplayer, oplayer"),
        ({"observation": "smell"}, "no observation called smell"),
        ({"illegal": "ignore"}, "illegal='ignore' is not known"),
        ({"render_mode": "human"}, "no render mode called human"),
        ({"num_envs": 2, "autoreset_mode": "Never"}, "no autoreset mode called Never"),
        ({"autoreset_mode": "Never"}, "no autoreset mode called Never"),
        ({"num_envs": 2, "render_mode": "human"}, "no render mode called human"),
        ({"num_envs": 0}, "the number of environments must be at least 1; got 0"),
        ({"num_envs": "4"}, "the number of environments must be a whole number; got '4'"),
        ({"max_episode_steps": 0}, "the number of steps of an episode must be at least 1; got 0"),
        ({"num_envs": 2, "max_episode_steps": "3"}, "steps of an episode must be a whole number; got '3'"),
    ],
)
def test_bad_options_are_refused_in_a_sentence(options: dict, text: str):
    with pytest.raises(UsageError, match=text):
        st.adapters.gymnasium(st.load("tictactoe"), **options)


def test_bad_actions_and_masks_are_refused_in_a_sentence():
    env = st.adapters.gymnasium(st.load("tictactoe"), num_envs=2)
    env.reset(seed=[1, 2])
    with pytest.raises(UsageError, match="one action for each of 2 matches is needed"):
        env.step(np.array([1]))
    with pytest.raises(UsageError, match="reset_mask is an array of 2 bools"):
        env.reset(options={"reset_mask": np.array([1, 0])})
    with pytest.raises(UsageError, match="a dictionary of options is needed"):
        env.reset(options=[True, False])
    with pytest.raises(UsageError, match="one seed for each of 2 matches is needed, not 1"):
        env.reset(seed=[1])
    for seed, text in (([-1, 2], "at least 0; got -1"), ("one", "a whole number; got 'one'")):
        with pytest.raises(UsageError, match=f"the seed must be {text}"):
            env.reset(seed=seed)
    single = st.adapters.gymnasium(st.load("tictactoe"))
    with pytest.raises(UsageError, match="the seed must be at least 0; got -1"):
        single.reset(seed=-1)
    assert np.array_equal(single.reset(seed=np.int64(4))[0], single.reset(seed=4)[0])
    with pytest.raises(UsageError, match=r"one action is needed; this is an array of \(2,\)"):
        single.step([1, 2])
    rude = st.adapters.gymnasium(st.load("tictactoe"), num_envs=2, opponents=lambda batch, role, seed: [0])
    rude.reset(seed=1)
    with pytest.raises(UsageError, match="the opponent of oplayer gave actions of shape"):
        rude.step(np.array([1, 2]))


@pytest.mark.parametrize("num_envs", [None, 2])
def test_a_step_before_the_first_reset_is_refused(num_envs: int | None):
    env = st.adapters.gymnasium(st.load("tictactoe"), "oplayer", num_envs=num_envs)
    action = 1 if num_envs is None else np.ones(2, int)
    with pytest.raises(UsageError, match=r"no match has begun; call reset\(\) first"):
        env.step(action)
    if num_envs is not None:
        env.reset(options={"reset_mask": np.array([True, False])})
        with pytest.raises(UsageError, match=r"no match has begun; call reset\(\) first"):
            env.step(action)


def test_a_role_without_choices_is_refused():
    text = """(role you) (role other) (init a) (legal you noop) (legal other x) (legal other y)
    (<= (next b) (true a)) (<= terminal (true b)) (goal you 100) (goal other 0)"""
    env = st.adapters.gymnasium(st.load(text), "you")
    with pytest.raises(UnsuitableGame, match="you had no choice in 100 matches"):
        env.reset(seed=1)


def test_an_environment_can_be_pickled():
    env = st.adapters.gymnasium(st.load("tictactoe"), num_envs=3)
    env.reset(seed=1)
    other = pickle.loads(pickle.dumps(env))
    for _ in range(3):
        actions = env.action_masks().argmax(axis=1)
        assert np.array_equal(env.step(actions)[0], other.step(actions)[0])


def test_a_game_that_nobody_plays_is_refused():
    with pytest.raises(UnsuitableGame, match="nobody plays this game: its only role is random"):
        st.adapters.gymnasium(st.load(NOBODY))

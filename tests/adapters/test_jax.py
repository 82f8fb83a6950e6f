"""JAX: pure functions over a pytree that agree with the batch in every match at every step."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from tests.support.circuits import random_circuit
from tests.support.environments import COIN, DICE, LONG, NOBODY

import stratagem as st
from stratagem import sheets
from stratagem.errors import UnsuitableGame, UsageError

jax = pytest.importorskip("jax", reason="the extra jax is not installed")
from jax import numpy as jnp  # noqa: E402

MATCHES = 16


@cache
def tictactoe():
    """The environment of tic-tac-toe, compiled once."""
    return st.adapters.jax(st.load("tictactoe"))


def agree(env, batch: st.Batch, plies: int) -> None:
    """Random matches in both, compared as wholes."""
    keys = jax.random.split(jax.random.key(0), MATCHES)
    state, step = jax.jit(jax.vmap(env.init))(keys), jax.jit(jax.vmap(env.step))
    for ply in range(plies):
        over = batch.terminated
        assert np.array_equal(state.observation, batch.observations())
        assert np.array_equal(state.terminated, over)
        for number, role in enumerate(env.roles):
            mask = np.array(state.legal[:, number, : len(batch.encoding.actions[role])])
            assert np.array_equal(mask, batch.legal(role) & ~over[:, None])
        if ply:
            assert np.allclose(state.rewards, batch.rewards)
        actions = batch.random_actions(ply)
        batch.step_random(ply)
        state = step(state, jnp.asarray(actions))


SOME = ("tictactoe", "tron")
"""Compiling takes JAX seconds; the others are slow tests."""
NAMES = [
    pytest.param(name, marks=() if name in SOME else (pytest.mark.slow,))
    for name in sheets.names()
    if name not in LONG
]


@pytest.mark.parametrize("name", NAMES)
def test_jax_and_the_batch_play_the_same_matches(name: str):
    game = st.load(name)
    agree(st.adapters.jax(game), game.batch(MATCHES), 12)


@pytest.mark.parametrize("loops", [0, 2])
@pytest.mark.parametrize("seed", range(2))
def test_levels_and_loops_compute_what_the_gates_say(seed: int, loops: int):
    from stratagem.adapters.jax_circuit import PhaseFunction
    from stratagem.machines.compiled.interpreted import CircuitMachine
    from stratagem.native.phases.frame_layout import layout_of
    from stratagem.native.phases.phases import view_phase

    circuit = random_circuit(seed, roles=1, bases=20, moves=5, gates=60, loops=loops)
    layout, plain = layout_of(circuit), CircuitMachine(circuit)
    phase = PhaseFunction(view_phase(circuit, layout), written_out=0)
    truth = np.random.default_rng(seed).random((8, 20)) < 0.5
    padded = np.concatenate([truth, np.zeros((8, 1), np.bool_)], axis=1)
    given = jnp.asarray(padded[:, np.minimum(phase.inputs, 20)])
    rows = np.array(jax.jit(jax.vmap(phase))(given))
    place = {int(row): number for number, row in enumerate(phase.rows)}
    for one, found in zip(truth, rows, strict=True):
        data = sum(1 << number for number in np.flatnonzero(one).tolist())
        assert found[place[layout.terminal]] == plain.terminal(data)
        legal = [circuit.moves[0][move] for move in range(5) if found[place[layout.moves[0].first + move]]]
        assert legal == list(plain.legals(data, 0))


def test_the_current_player_moves_alone_and_the_others_are_filled_in():
    env = tictactoe()
    state = env.init(jax.random.key(0))
    assert (int(state.current_player), int(state.legal_action_mask.sum())) == (0, 9)
    state = env.step(state, 5)
    assert (int(state.current_player), int(state.legal_action_mask.sum())) == (1, 8)
    for action in (1, 4, 2, 6):
        state = env.step(state, action)
    assert bool(state.terminated) and state.rewards.tolist() == [1.0, -1.0]
    after = env.step(state, 3)
    assert after.rewards.tolist() == [0.0, 0.0] and not after.legal_action_mask.any()


@pytest.mark.parametrize("action", [5, 10, -3])
def test_an_illegal_action_ends_the_match_with_the_lowest_reward(action: int):
    env = tictactoe()
    state = env.step(env.step(env.init(), 5), action)
    assert bool(state.terminated) and state.rewards.tolist() == [0.0, -1.0]


def test_whole_matches_run_in_one_scan():
    env = tictactoe()

    def ply(state, key):
        logits = jnp.where(state.legal_action_mask, 0.0, -jnp.inf)
        state = env.step(state, jax.random.categorical(key, logits))
        return state, state.rewards

    def match(key):
        return jax.lax.scan(ply, env.init(key), jax.random.split(key, 9))

    state, rewards = jax.jit(jax.vmap(match))(jax.random.split(jax.random.key(1), 1000))
    assert bool(state.terminated.all())
    earned = np.array(rewards.sum(axis=1))
    assert np.allclose(earned.sum(axis=1), 0.0)
    assert abs((earned[:, 0] == 1).mean() - 0.585) < 0.06


@pytest.mark.parametrize("source", [COIN, DICE], ids=["coin", "dice"])
def test_chance_draws_with_the_key(source: str):
    env = st.adapters.jax(st.load(source))
    with pytest.raises(UsageError, match="chance moves in this game, so a step needs a key"):
        env.step(env.init(), 0)
    keys = jax.random.split(jax.random.key(2), 3000)
    start = jax.vmap(env.init)(keys)
    action = start.legal_action_mask.argmax(axis=1)
    after = jax.vmap(env.step)(start, action, keys)
    kinds, counts = np.unique(np.array(after.observation), axis=0, return_counts=True)
    assert counts.min() > 0.8 * counts.max() and len(kinds) == (2 if source == COIN else 3)


def test_planes_are_those_of_the_batch():
    game = st.load("tictactoe")
    env, batch = tictactoe(), game.batch(MATCHES)
    states = jax.vmap(env.init)(jnp.zeros(MATCHES))
    for ply in range(3):
        actions = batch.random_actions(ply)
        batch.step(actions)
        states = jax.vmap(env.step)(states, jnp.asarray(actions))
    assert np.array_equal(jax.jit(jax.vmap(env.planes))(states), batch.planes())
    plain = st.adapters.jax(st.load("rockpaperscissors"))
    with pytest.raises(UnsuitableGame, match="the rules of rockpaperscissors suggest no board"):
        plain.planes(plain.init())


def test_an_action_is_a_number_or_one_for_each_player():
    env = tictactoe()
    with pytest.raises(UsageError, match=r"an action is one number, or 2 of them, not \(3,\)"):
        env.step(env.init(), jnp.zeros(3, jnp.int32))
    assert env.step(env.init(), np.array([5, -1])).steps == 1


@pytest.mark.parametrize("action", [1.5, "5", None, True, jnp.float32(5), jnp.bool_(True)])
def test_an_action_is_a_whole_number(action):
    with pytest.raises(UsageError, match="actions are whole numbers, not"):
        tictactoe().step(tictactoe().init(), action)


@pytest.mark.parametrize("action", [2**32 + 5, np.int64(2**32 + 5), jnp.uint32(2**32 - 1)])
def test_a_number_that_is_too_large_is_not_cut_to_a_legal_one(action):
    state = tictactoe().step(tictactoe().init(), action)
    assert bool(state.terminated) and state.rewards.tolist() == [-1.0, 0.0]


def test_what_is_no_state_and_no_key_is_refused_in_a_sentence():
    env = tictactoe()
    with pytest.raises(
        UsageError, match="a state of this environment is needed; this is of the type NoneType"
    ):
        env.step(None, 1)
    batch = jax.vmap(env.init)(jnp.zeros(4))
    with pytest.raises(
        UsageError, match=r"no state of one match of tictactoe: .*\(4, 29\), not \(29,\); jax.vmap"
    ):
        env.step(batch, 1)
    chance = st.adapters.jax(st.load(COIN))
    for key in (3, jax.random.split(jax.random.key(1), 2)):
        with pytest.raises(UsageError, match=r"this is not a key of JAX; jax.random.key\(seed\) makes one"):
            chance.step(chance.init(), 0, key)
    assert chance.step(chance.init(), 0, jax.random.PRNGKey(1)).steps == 1


def test_jax_takes_the_arrays_of_a_batch_without_a_copy():
    seen = st.load("tictactoe").batch(64).observations()
    taken = jax.dlpack.from_dlpack(seen)
    assert np.array_equal(taken, seen)
    assert taken.unsafe_buffer_pointer() == seen.ctypes.data


def test_a_game_that_nobody_plays_is_refused():
    with pytest.raises(UnsuitableGame, match="nobody plays this game: its only role is random"):
        st.adapters.jax(st.load(NOBODY))

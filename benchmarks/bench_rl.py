"""Steps per second of connect four as an environment, on one core: ours beside pgx, OpenSpiel and PettingZoo.

    pip install 'stratagem[rl,open-spiel,jax]' pgx pygame

pgx installs a package called tests, which hides ours: give it an environment of its own.

All play random legal moves and begin a new match where one is over. What is not installed is left out. A step of a
Gymnasium environment is the learner's move and the opponent's; everywhere else it is one move. Aims: 20 million
steps with masks and rewards, 10 million with boolean observations too, 5 million in the vector environment.
"""

from __future__ import annotations

import importlib.util
import os
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

import stratagem as st
from benchmarks.measure import Work, rates, table, verdict

MATCHES = 16_384
"""Of a batch and of the vector environment."""
ROUNDS = 5
OTHERS = 1024
"""Matches at once in JAX."""
FEW = 64
"""Matches at once in OpenSpiel's vector environment."""


def batch_work(game: st.GdlGame, *, observed: bool) -> Work:
    """Steps of a batch, with masks of both roles, rewards, ends, new matches and, if asked for, observations."""
    batch = game.batch(MATCHES, threads=1)
    room = np.empty((MATCHES, len(game.encoding.propositions)), np.bool_)

    def work(seed: int) -> float:
        for step in range(20):
            batch.step(batch.random_actions(20 * seed + step))
            _, _ = batch.rewards, batch.masks
            batch.reset_finished()
            if observed:
                batch.observations(out=room)
        return 20 * MATCHES

    return work


def signed(game: st.GdlGame) -> None:
    """The signature: of random matches the first player wins 55.6 %."""
    batch = game.batch(MATCHES, threads=1, reward_range=(0, 1))
    earned = np.zeros(2)
    for step in range(42):
        batch.step(batch.random_actions(step), where=~batch.terminated)
        earned += (batch.rewards == 1).sum(axis=0)
    assert batch.terminated.all() and abs(earned[0] / MATCHES - 0.556) < 0.02, "this is not connect four"


def vector_work(game: st.GdlGame) -> Work:
    """Steps of the Gymnasium vector environment against a random opponent."""
    env: Any = st.adapters.gymnasium(game, num_envs=MATCHES, threads=1)
    env.reset(seed=1)

    def work(seed: int) -> float:
        for step in range(20):
            actions = env.matches.batch.random_actions(20 * seed + step)[:, env.matches.number]
            env.step(np.maximum(actions, 0))
        return 20 * MATCHES

    return work


def jax_work(init: Callable[..., Any], step: Callable[..., Any], matches: int = OTHERS) -> Work:
    """Random moves in a scan, new matches where one is over: the same for our environment and pgx's."""
    import jax
    from jax import numpy as jnp

    def ply(states: Any, key: Any) -> Any:
        keys = jax.random.split(key, matches)
        logits = jnp.log(states.legal_action_mask.astype(jnp.float32))
        actions = jax.vmap(jax.random.categorical)(keys, logits)
        after = jax.vmap(step)(states, actions, keys)
        over = after.terminated
        fresh = jax.vmap(init)(keys)
        return jax.tree.map(
            lambda new, old: jnp.where(over.reshape(-1, *[1] * (old.ndim - 1)), new, old), fresh, after
        ), after.rewards

    start = jax.vmap(init)(jax.random.split(jax.random.key(0), matches))
    run = jax.jit(lambda seed: jax.lax.scan(ply, start, jax.random.split(jax.random.key(seed), 20)))
    jax.block_until_ready(run(0))

    def work(seed: int) -> float:
        jax.block_until_ready(run(seed))
        return 20 * matches

    return work


def open_spiel_work() -> Work:
    """OpenSpiel's vector environment over its own connect four, which is written in C++."""
    from open_spiel.python import rl_environment
    from open_spiel.python.rl_agent import StepOutput
    from open_spiel.python.vector_env import SyncVectorEnv

    env = SyncVectorEnv([rl_environment.Environment("connect_four") for _ in range(FEW)])
    random = np.random.default_rng(1)
    held = [env.reset()]

    def work(_: int) -> float:
        for _step in range(20):
            outputs = []
            for each in held[0]:
                legal = each.observations["legal_actions"][each.current_player()]
                outputs.append(StepOutput(action=int(random.choice(legal)), probs=None))
            held[0], *_rest = env.step(outputs, reset_if_done=True)
        return 20 * FEW

    return work


def zoo_work(env: Any) -> Work:
    """An AEC environment of PettingZoo, one match at a time."""

    def work(seed: int) -> float:
        steps = 0
        for match in range(3):
            env.reset(seed=100 * seed + match)
            for agent in env.agent_iter():
                seen, _, terminated, truncated, _ = env.last()
                if terminated or truncated:
                    env.step(None)
                else:
                    env.step(env.action_space(agent).sample(seen["action_mask"]))
                    steps += 1
        return steps

    return work


def works(game: st.GdlGame) -> dict[str, Work]:
    """Everything that can be measured here."""
    found = {
        "batch": batch_work(game, observed=False),
        "batch with observations": batch_work(game, observed=True),
    }
    if importlib.util.find_spec("gymnasium"):
        found["Gymnasium VectorEnv"] = vector_work(game)
    if importlib.util.find_spec("jax"):
        env = st.adapters.jax(game)
        found["our JAX environment"] = jax_work(env.init, env.step)
    if importlib.util.find_spec("pgx"):
        import pgx

        theirs = pgx.make("connect_four")
        found["pgx"] = jax_work(theirs.init, theirs.step)
    if importlib.util.find_spec("open_spiel"):
        found["OpenSpiel SyncVectorEnv"] = open_spiel_work()
    if importlib.util.find_spec("pettingzoo"):
        found["our PettingZoo environment"] = zoo_work(st.adapters.pettingzoo(game))
        if importlib.util.find_spec("pygame"):
            from pettingzoo.classic import connect_four_v3

            found["PettingZoo connect_four_v3"] = zoo_work(connect_four_v3.env())
    return found


def main() -> None:
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})  # XLA's threads, too
    warnings.simplefilter("ignore")
    game = st.load("connectfour")
    game.compiled.compile(wait=True)
    signed(game)
    found = rates(works(game), rounds=ROUNDS, clock=time.perf_counter)
    table("connect four, one core", found, "steps", "pgx" if "pgx" in found else "batch")
    verdict("batch, million steps", found["batch"] / 1e6, 20)
    verdict("batch with observations, million steps", found["batch with observations"] / 1e6, 10)
    if "Gymnasium VectorEnv" in found:
        verdict("Gymnasium VectorEnv, million steps", found["Gymnasium VectorEnv"] / 1e6, 5)


if __name__ == "__main__":
    main()

"""A small network learns tic-tac-toe by playing itself, until nobody can beat it. Needs JAX: pip install 'stratagem[jax]'

Q-learning in its two-player form: an action is worth what the match pays, or else the negative of the best that
the other can do next.
"""

from __future__ import annotations

import jax
import numpy as np
from jax import numpy as jnp

import stratagem as st

LANES, UNITS, RATE = 1024, 128, 2e-3


def new_network(sizes: list[int], key):
    keys = jax.random.split(key, len(sizes))
    return [
        (jax.random.normal(k, (m, n)) * np.sqrt(2 / m), jnp.zeros(n))
        for k, m, n in zip(keys, sizes, sizes[1:], strict=False)
    ]


@jax.jit
def values(network, seen):
    """What every action is worth to the one who moves."""
    for weights, bias in network[:-1]:
        seen = jax.nn.relu(seen @ weights + bias)
    weights, bias = network[-1]
    return jnp.tanh(seen @ weights + bias)


@jax.jit
def learned(network, moments, seen, actions, targets, step, rate):
    """One step of Adam towards *targets*."""

    def loss(network):
        given = jnp.take_along_axis(values(network, seen), actions[:, None], axis=1)[:, 0]
        return jnp.mean((given - targets) ** 2)

    slope = jax.grad(loss)(network)
    first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, moments[0], slope)
    second = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g**2, moments[1], slope)
    scale = rate * jnp.sqrt(1 - 0.999**step) / (1 - 0.9**step)
    network = jax.tree.map(lambda w, m, v: w - scale * m / (jnp.sqrt(v) + 1e-8), network, first, second)
    return network, (first, second)


def look(batch):
    """What is seen, which actions are legal for the one who moves, and who that is."""
    mover = np.where(batch.choosing("oplayer"), 1, 0)
    mask = np.where(mover[:, None], batch.legal("oplayer"), batch.legal("xplayer"))
    return batch.observations().astype(np.float32), mask, mover


def train(game, steps: int, seed: int = 0):
    batch, random = game.batch(LANES), np.random.default_rng(seed)
    sizes = [len(game.encoding.propositions), UNITS, UNITS, len(game.encoding.actions["xplayer"])]
    network = new_network(sizes, jax.random.key(seed))
    moments = (jax.tree.map(jnp.zeros_like, network), jax.tree.map(jnp.zeros_like, network))
    seen, mask, mover = look(batch)
    for step in range(1, steps + 1):
        scores = np.where(mask, values(network, seen), -np.inf)
        chance = random.random(mask.shape) * mask
        actions = np.where(random.random(LANES) < 0.4, chance.argmax(axis=1), scores.argmax(axis=1))
        joint = np.full((LANES, 2), -1)
        joint[np.arange(LANES), mover] = actions
        batch.step(joint)
        earned, over, before = batch.rewards[np.arange(LANES), mover], batch.reset_finished(), seen
        seen, mask, mover = look(batch)
        best = np.where(mask, values(network, seen), -np.inf).max(axis=1)
        targets, rate = np.where(over, earned, -best), RATE * (1 - step / steps)
        network, moments = learned(network, moments, before, actions, targets, step, rate)
    return network


def losses(game, network) -> int:
    """How many matches are lost against every possible opponent, on either side."""
    lost = 0
    for number, role in enumerate(game.roles):
        states = [game.initial()]
        while states:
            batch = game.batch(len(states))
            batch.set_states(states)
            seen, mask, mover = look(batch)
            best = np.where(mask, values(network, seen), -np.inf).argmax(axis=1)
            after = []
            for state, mine, action in zip(states, mover == number, best, strict=True):
                other = game.roles[1 - number]
                moves = [game.encoding.actions[role][action]] if mine else state.legals(other)
                after += [state.play(move) for move in moves]
            lost += sum(state.terminal and state.goal(role) == 0 for state in after)
            states = list({state for state in after if not state.terminal})
    return lost


def main(steps: int = 3000) -> None:
    game = st.load("tictactoe")
    network = train(game, steps)
    print(f"after {steps * LANES:,} moves: {losses(game, network)} ways to lose are left")


if __name__ == "__main__":
    main()

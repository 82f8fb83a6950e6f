"""From a rule sheet to a training loop in ten lines: policy gradients (REINFORCE) with a linear policy. Needs the extra `rl`."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import stratagem as st


def main(steps: int = 400, matches: int = 1024) -> None:
    env = st.adapters.gymnasium(
        st.load(Path(__file__).with_name("takeaway.kif")), num_envs=matches, autoreset_mode="SameStep"
    )
    seen, info = env.reset(seed=1)
    random, weights, won = np.random.default_rng(1), np.zeros((seen.shape[1], env.single_action_space.n)), []
    slope = np.zeros((matches, *weights.shape))
    for _ in range(steps):
        chances = np.exp(seen @ weights) * info["action_mask"]
        chances /= chances.sum(axis=1, keepdims=True)
        actions = (chances.cumsum(axis=1) > random.random((matches, 1))).argmax(axis=1)
        slope += seen[:, :, None] * (np.eye(weights.shape[1])[actions] - chances)[:, None, :]
        seen, rewards, terminated, _, info = env.step(actions)
        weights += 10 * (slope * rewards[:, None, None]).mean(axis=0)
        slope[terminated] = 0
        won.append((rewards[terminated] == 1).mean() if terminated.any() else np.nan)
    print(f"matches won against random play: {won_share(won[:20])} at first, {won_share(won[-20:])} at last")


def won_share(shares: list[float]) -> str:
    return f"{np.nanmean(shares):.0%}"


if __name__ == "__main__":
    main()

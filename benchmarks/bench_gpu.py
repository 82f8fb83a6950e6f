"""Playouts and batches on a GPU: how many a second, how long its driver assembles, and whether they are the CPU's.

``python -m benchmarks gpu`` needs an NVIDIA GPU. Every game is first compared with the CPU for one seed. A rate of playouts is
of matches that fill the GPU eight times, from the dealing of the matches to the report. A step of a batch is made with
random legal actions, the masks of all roles, rewards, ends and new matches where one is over. pgx's games are measured
in the same run where JAX with a GPU and pgx are installed.
"""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Callable

import numpy as np

import stratagem as st
from benchmarks.bench_rl import jax_work
from stratagem.errors import DeviceUnavailable
from stratagem.native.gpu.cuda import LOCAL_BYTES, REGISTERS, Device, system_devices
from stratagem.native.playouts.playouts import LIMIT
from stratagem.native.playouts.schedule import QUOTA

GAMES = ("tictactoe", "connectfour", "breakthrough", "checkers", "reversi", "gomoku")
COMPARED = 1 << 18
FILLED = 8
"""How many times the matches of a measurement fill the GPU."""
BATCHES = {"tictactoe": 1 << 24, "connectfour": 1 << 24, "breakthrough": 1 << 22, "reversi": 1 << 22}
"""Matches at once, by game."""
SAME = 10_000
"""Matches of a batch that is compared with the CPU's."""
STEPS = 20
PGX = {"tic_tac_toe": 1 << 20, "connect_four": 1 << 20, "othello": 1 << 17}


def playouts(device: Device) -> None:
    print(
        f"{'game':14} {'gates':>7} {'equal':>6} {'matches/s':>12} {'states/s':>12} {'assembled':>10}  registers"
    )
    for name in GAMES:
        game = st.load(name)
        own = game.compiled.playouts
        variant = own.kernels.variant(game.circuit.initial, False)
        own.play(matches=1)
        begin = time.perf_counter()
        kernel = own.gpu.kernel(device, variant, LIMIT)
        assembled = time.perf_counter() - begin
        cpu, gpu = (game.playouts(n=COMPARED, seed=1, device=where) for where in ("cpu", "cuda:0"))
        equal = (cpu.outcomes, cpu.plies, cpu.longest) == (gpu.outcomes, gpu.plies, gpu.longest)
        report = game.playouts(n=FILLED * kernel.words_at_once * QUOTA, seed=2, device="cuda:0")
        print(
            f"{name:14} {game.circuit.gate_count:7,} {equal!s:>6} {report.matches_per_second:12.3g}"
            f" {report.states_per_second:12.3g} {assembled:8.1f} s"
            f"  {kernel.module.attribute(REGISTERS)}, {kernel.module.attribute(LOCAL_BYTES)} bytes local",
            flush=True,
        )


def same(game: st.GdlGame) -> bool:
    """Whether a batch on the GPU answers as the CPU's does, through matches to their end and beyond."""
    cpu, gpu = (game.batch(SAME, device=device) for device in ("cpu", "cuda:0"))
    for step in range(30):
        actions = cpu.random_actions(step)
        if not np.array_equal(actions, gpu.random_actions(step)):
            return False
        cpu.step(actions)
        gpu.step(gpu.random_actions(step))
        pairs = [(cpu.states, gpu.states), (cpu.rewards, gpu.rewards), (cpu.goals, gpu.goals)]
        pairs += [(cpu.legal(role), gpu.legal(role)) for role in game.roles]
        if not all(np.array_equal(one, np.asarray(other)) for one, other in pairs):
            return False
        cpu.reset_finished()
        gpu.reset_finished()
    return True


def rate(work: Callable[[], object], done: Callable[[], object], count: int) -> float:
    """How many of *count* are done a second: the best of three."""
    work()
    done()
    best = 0.0
    for _ in range(3):
        begin = time.perf_counter()
        work()
        done()
        best = max(best, count / (time.perf_counter() - begin))
    return best


def batches(device: Device) -> None:
    print(f"\n{'batch':14} {'matches':>12} {'equal':>6} {'steps/s':>12} {'with observations':>18}")
    for name, count in BATCHES.items():
        game = st.load(name)
        equal = same(game)
        batch = game.batch(count, device="cuda:0")
        seeds = iter(range(1 << 30))

        def steps(batch: st.Batch = batch, seeds: object = seeds, observed: bool = False) -> None:
            for _ in range(STEPS):
                batch.step(batch.random_actions(next(seeds)))  # type: ignore[call-overload]
                _, _ = batch.rewards, batch.masks
                if observed:
                    batch.observations()
                batch.reset_finished()

        plain = rate(steps, device.finish, STEPS * count)
        seen = rate(lambda: steps(observed=True), device.finish, STEPS * count)
        print(f"{name:14} {count:12,} {equal!s:>6} {plain:12.3g} {seen:18.3g}", flush=True)


def parts(device: Device) -> None:
    """What each call to a batch of connect four takes, in picoseconds for a match."""
    game, count = st.load("connectfour"), BATCHES["connectfour"]
    batch = game.batch(count, device="cuda:0")
    for step in range(12):
        batch.step_random(step)
    over = batch.terminated
    calls: dict[str, Callable[[], object]] = {
        "random_actions": lambda: batch.random_actions(1),
        "step_random": lambda: batch.step_random(1),
        "legal": lambda: batch.legal("red"),
        "rewards": lambda: batch.rewards,
        "terminated": lambda: batch.terminated,
        "reset": lambda: batch.reset(over),
        "observations": batch.observations,
    }
    for name, call in calls.items():
        print(f"  {name:14} {1e12 / rate(call, device.finish, count):6.1f} ps", flush=True)


def others() -> None:
    """pgx's games on the same GPU: random legal moves, new matches where one is over."""
    if importlib.util.find_spec("pgx") is None or importlib.util.find_spec("jax") is None:
        print("\npgx is not installed")
        return
    import pgx

    print(f"\n{'pgx':14} {'matches':>12} {'':6} {'steps/s':>12}")
    for name, count in PGX.items():
        env = pgx.make(name)
        work = jax_work(env.init, env.step, count)
        found = rate(lambda: work(1), lambda: None, STEPS * count)  # noqa: B023
        print(f"{name:14} {count:12,} {'':6} {found:12.3g}", flush=True)


def main() -> None:
    try:
        device = system_devices()[0]
    except DeviceUnavailable as missing:
        print(f"not measured: {missing}")
        return
    print(f"{device.name}; GPU against CPU on {COMPARED:,} matches of one seed")
    playouts(device)
    batches(device)
    parts(device)
    others()


if __name__ == "__main__":
    main()

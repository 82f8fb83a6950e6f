"""Playouts and batches on a GPU: how many a second, how long its driver assembles, and whether they are the CPU's.

``python -m benchmarks gpu`` needs an NVIDIA GPU. Every game is first compared with the CPU for one seed. A rate of playouts is
the best of three, of matches that fill the GPU 32 times, from the dealing of the matches to the report; "PTX" is what making
the text takes, "assembled" what the driver needs for it. A step of a batch is made with random legal actions, the masks of all roles,
rewards, ends and new matches where one is over. The games of pgx and Ludax are measured in the same run where they and JAX
with a GPU are installed. ``python -m benchmarks.bench_gpu SHEET ...`` compares playouts and batches of rule sheets with the CPU's.
"""

from __future__ import annotations

import importlib.util
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

import stratagem as st
from benchmarks.bench_rl import jax_work
from stratagem.errors import DeviceUnavailable, StratagemError
from stratagem.native.gpu.cuda import LOCAL_BYTES, REGISTERS, Device, Module, system_devices
from stratagem.native.playouts.playouts import LIMIT
from stratagem.native.playouts.schedule import QUOTA

GAMES = ("tictactoe", "connectfour", "breakthrough", "checkers", "reversi", "gomoku")
COMPARED = 1 << 18
FILLED = 32
"""How many times the matches of a measurement fill the GPU."""
BATCHES = {"tictactoe": 1 << 24, "connectfour": 1 << 24, "breakthrough": 1 << 22, "reversi": 1 << 22}
"""Matches at once, by game."""
SAME = 10_000
"""Matches of a batch that is compared with the CPU's."""
STEPS = 20
PGX = {"tic_tac_toe": 1 << 20, "connect_four": 1 << 20, "othello": 1 << 17}
LUDAX = {"tic_tac_toe": 1 << 20, "connect_four": 1 << 20, "reversi": 1 << 17}
PLAYED = 4096
STEPPED = 700
"""Matches of a sheet that are compared: played, and stepped in a batch."""
MEASURED = 1 << 25


def playouts(device: Device) -> None:
    print(
        f"{'game':14} {'gates':>7} {'equal':>6} {'matches/s':>12} {'states/s':>12} {'PTX':>7} {'assembled':>10}  registers"
    )
    for name in GAMES:
        game = st.load(name)
        own = game.compiled.playouts
        variant = own.kernels.variant(game.circuit.initial, False)
        own.play(matches=1)
        with timed_assembler() as assembled:
            begin = time.perf_counter()
            kernel = own.gpu.kernel(device, variant, LIMIT)
            text = time.perf_counter() - begin - sum(assembled)
        matches = FILLED * kernel.words_at_once * QUOTA
        reports = [game.playouts(n=matches, seed=seed, device="cuda:0") for seed in range(3)]
        report = max(reports, key=lambda report: report.matches_per_second)
        print(
            f"{name:14} {game.circuit.gate_count:7,} {same_playouts(game, COMPARED)!s:>6} {report.matches_per_second:12.3g}"
            f" {report.states_per_second:12.3g} {text:5.1f} s {sum(assembled):8.1f} s"
            f"  {kernel.module.attribute(REGISTERS)}, {kernel.module.attribute(LOCAL_BYTES)} bytes local",
            flush=True,
        )


@contextmanager
def timed_assembler() -> Iterator[list[float]]:
    """The seconds that each kernel takes to be assembled by the driver."""
    found: list[float] = []
    plain = Module.__init__

    def timed(module: Module, *given: object) -> None:
        begin = time.perf_counter()
        plain(module, *given)  # type: ignore[arg-type]
        found.append(time.perf_counter() - begin)

    Module.__init__ = timed  # type: ignore[method-assign]
    yield found
    Module.__init__ = plain  # type: ignore[method-assign]


def same_playouts(game: st.GdlGame, matches: int) -> bool:
    """Whether the GPU plays the CPU's matches."""
    cpu, gpu = (game.playouts(n=matches, seed=1, device=where) for where in ("cpu", "cuda:0"))
    return (cpu.outcomes, cpu.plies, cpu.longest) == (gpu.outcomes, gpu.plies, gpu.longest)


def same(game: st.GdlGame, matches: int = SAME) -> bool:
    """Whether a batch on the GPU answers as the CPU's does, through matches to their end and beyond."""
    cpu, gpu = (game.batch(matches, device=device) for device in ("cpu", "cuda:0"))
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
    """The games of other systems on the same GPU: random legal moves, new matches where one is over."""
    for system, games, make in (("pgx", PGX, pgx_game), ("ludax", LUDAX, ludax_game)):
        if importlib.util.find_spec(system) is None or importlib.util.find_spec("jax") is None:
            print(f"\n{system} is not installed")
            continue
        print(f"\n{system:14} {'matches':>12} {'':6} {'steps/s':>12}")
        for name, count in games.items():
            env = make(name)
            work = jax_work(env.init, env.step, count)
            found = rate(lambda: work(1), lambda: None, STEPS * count)  # noqa: B023
            print(f"{name:14} {count:12,} {'':6} {found:12.3g}", flush=True)


def pgx_game(name: str) -> Any:
    import pgx

    return pgx.make(name)


def ludax_game(name: str) -> Any:
    from ludax import LudaxEnvironment, games

    return LudaxEnvironment(game_str=getattr(games, name))


def compare(path: str) -> str:
    """What became of comparing one rule sheet: a file or a bundled name."""
    try:
        game = st.load(Path(path) if "." in path else path, background=False)
        with timed_assembler() as assembled:
            equal = (same_playouts(game, PLAYED), same(game, STEPPED))
    except StratagemError as refusal:
        return f"{path}: not compared: {str(refusal).splitlines()[0]}"
    found = "equal" if all(equal) else f"WRONG: playouts {equal[0]}, batch {equal[1]}"
    rate = game.playouts(n=MEASURED, seed=1, device="cuda:0").matches_per_second
    return f"{path}: {found}, {game.circuit.gate_count} gates, at most {max(assembled):.1f} s to assemble; {rate:.3g} matches/s"


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
    for sheet in sys.argv[1:]:
        print(compare(sheet), flush=True)
    if len(sys.argv) == 1:
        main()

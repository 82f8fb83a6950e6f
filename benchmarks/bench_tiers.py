"""What the tiers cost and bring: time per gate and 256 states, time to compile, fused against walked, widths.

The signature is that all of them play the same matches.
"""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

from benchmarks.measure import rates
from stratagem.circuit.circuit import Circuit
from stratagem.loading import load
from stratagem.native.compiled import CompiledGame
from stratagem.native.emit.playout import PlayoutPlan
from stratagem.native.phases.phase_tables import TIERS, PhaseTable, PhaseTables
from stratagem.native.playouts import kernels as made
from stratagem.native.playouts.kernels import FusedKernel, KernelSet, WalkKernel
from stratagem.native.playouts.playouts import Playouts

PHASED = ("breakthrough", "checkers", "reversi")
CALLS = 20
PLAYED = (
    ("tictactoe", 2_000_000),
    ("connectfour", 1_000_000),
    ("breakthrough", 100_000),
    ("checkers", 20_000),
)


def circuit_of(game: str) -> Circuit:
    circuit = load(game, machine="native").circuit
    assert circuit is not None
    return circuit


def phases(game: str) -> None:
    """Every tier of `view` and `next` on one frame."""
    circuit = circuit_of(game)
    print(f"{game}: {circuit.gate_count:,} gates")
    for tier in TIERS:
        begin = time.process_time()
        phases = PhaseTables(circuit)
        code = phases.walk_up_to(tier)
        code.wait()
        spent = time.process_time() - begin
        if code.tier != tier:
            continue
        frame = code.frame()
        gates = sum(phases.prepared(name).phase.gate_count for name in ("view", "next"))

        def work(seed: int, code: PhaseTable = code, gates: int = gates, frame=frame) -> float:  # type: ignore[no-untyped-def]
            for _ in range(CALLS):
                code.run("view", frame)
                code.run("next", frame)
            return CALLS * gates * code.words / 4

        rate = rates({tier: work}, rounds=40)[tier]
        print(
            f"  {tier:12} {1e9 / rate:6.2f} ns per gate and 256 states; "
            f"ready after {spent:.2f} s of processor time, {1e6 * spent / circuit.gate_count:.0f} us per gate"
        )


def widths(game: str, matches: int) -> None:
    """Fused on 256 and on 512 bits, and walked."""
    circuit = circuit_of(game)
    phases = PhaseTables(circuit)
    family = KernelSet(phases)
    works = {}
    found = set()
    for words in (4, 8):
        plan = PlayoutPlan(family.tokens, 0, True, family.expected())
        begin = time.process_time()
        kernel = FusedKernel(circuit, plan, words)
        print(f"  {game}: fused on {64 * words} bits made in {time.process_time() - begin:.2f} s")
        works[f"fused, {64 * words} bits"] = kernel
    walk = phases.walk
    walk.wait()
    works["walked"] = WalkKernel(walk, family.tokens.period)  # type: ignore[assignment]
    measured = {}
    for name, kernel in works.items():
        playouts = CompiledGame(circuit).playouts
        with patch.object(made.KernelSet, "fastest", lambda *_, kernel=kernel, **__: kernel):
            found.add(str(playouts.play(matches=5000, seed=1).outcomes))
            measured |= rates({name: partial(played, playouts, matches)})
    assert len(found) == 1, "the kernels play different matches"
    for name, rate in measured.items():
        print(f"    {name:16} {rate / 1e6:9.2f} million matches per second")


def played(playouts: Playouts, matches: int, seed: int) -> float:
    return playouts.play(matches=matches, seed=seed, threads=1).matches


def main() -> None:
    with TemporaryDirectory() as empty, patch.dict("os.environ", {"STRATAGEM_CACHE": str(Path(empty))}):
        for game in PHASED:
            phases(game)
        for game, matches in PLAYED:
            widths(game, matches)


if __name__ == "__main__":
    main()

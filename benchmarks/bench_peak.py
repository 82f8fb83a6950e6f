"""How much of the core's arithmetic the playouts use: gates times matches against the peak rate of vector logic.

A kernel also loads, stores, draws random numbers and chooses moves; only the gates of the game's circuit are counted
here. Aim: 40 per cent on connect four.
"""

from __future__ import annotations

from benchmarks.measure import rates, verdict
from stratagem.loading import load
from stratagem.native.compiled import CompiledGame
from stratagem.native.jit.peak import peak_by_width
from stratagem.native.playouts.playouts import Playouts

GAMES = (("tictactoe", 10_000_000, 0.0), ("connectfour", 3_000_000, 0.4), ("breakthrough", 300_000, 0.0))


def main() -> None:
    print("share of the core's peak rate of vector logic")
    peaks = peak_by_width()
    for bits, rate in peaks.items():
        print(f"  peak logic on {bits} bits: {rate / 1e12:.2f} trillion bit operations per second")
    for game, matches, aim in GAMES:
        circuit = load(game, machine="native").circuit
        assert circuit is not None
        playouts = CompiledGame(circuit).playouts

        def work(seed: int, playouts: Playouts = playouts, matches: int = matches) -> float:
            return playouts.play(matches=matches, seed=seed, threads=1).plies

        states = rates({game: work})[game]
        share = circuit.gate_count * states / max(peaks.values())
        print(f"  {game}: {circuit.gate_count} gates x {states / 1e9:.2f} billion states per second")
        verdict("share of the peak", share, aim)


if __name__ == "__main__":
    main()

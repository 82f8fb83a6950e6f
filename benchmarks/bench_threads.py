"""Two threads against one, by the wall clock; needs a machine with two cores that are otherwise idle.

The signature is that both find the same outcomes. Aim: 1.8 times. On a busy machine the wall clock says nothing; what
two threads cost in processor time still says what two free cores would bring.
"""

from __future__ import annotations

import os
import time

from benchmarks.measure import rates, table, verdict
from stratagem.loading import load
from stratagem.native.compiled import CompiledGame

MATCHES = 20_000_000


def main() -> None:
    circuit = load("connectfour", machine="native").circuit
    assert circuit is not None
    playouts = CompiledGame(circuit).playouts
    assert (
        playouts.play(matches=300_000, threads=1).outcomes
        == playouts.play(matches=300_000, threads=2).outcomes
    )

    def work(threads: int):  # type: ignore[no-untyped-def]
        return lambda seed: float(playouts.play(matches=MATCHES, seed=seed, threads=threads).matches)

    found = rates({"one thread": work(1), "two threads": work(2)}, rounds=7, clock=time.perf_counter)
    table(f"connectfour on {os.cpu_count()} cores", found, "matches", "one thread")
    verdict("ratio", found["two threads"] / found["one thread"], 1.8)
    spent = rates({"one": work(1), "two": work(2)}, rounds=7, clock=time.process_time)
    print(f"  by processor time two free cores would give {2 * spent['two'] / spent['one']:.2f} times one")


if __name__ == "__main__":
    main()

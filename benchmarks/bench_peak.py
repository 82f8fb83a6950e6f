"""How much of the core's arithmetic the playouts use: gates times matches against the peak rate of vector logic.

The peak is measured on registers alone: twelve independent chains of AND, OR and XOR on the widest vectors that are
fastest. A kernel also loads, stores, draws random numbers and chooses moves; only the gates of the game's circuit
are counted here. Aim: 40 per cent on connect four.
"""

from __future__ import annotations

import ctypes

from benchmarks.measure import rates, verdict
from stratagem.load import load
from stratagem.native.blocks import aligned_rows
from stratagem.native.jit import Loaded, compile_object, host_shape
from stratagem.native.playouts import Playouts
from stratagem.native.text import Text

CHAINS = 12
DEPTH = 16
REPEATS = 200_000


def logic(words: int) -> str:
    """A loop over nothing but logic on *words* words at a time; chain i reads chain i + 1, so nothing folds."""
    text = Text(host_shape(words))
    text.label("entry")
    start = [text.load("%rows", chain) for chain in range(CHAINS)]
    text.go("loop")
    text.label("loop")
    names = [f"%out{chain}" for chain in range(CHAINS)]
    left = text.phi("i64", ("%times", "entry"), ("%fewer", "loop"))
    values = [
        text.phi(text.row, (old, "entry"), (new, "loop")) for old, new in zip(start, names, strict=True)
    ]
    joins = (text.both, text.differ, text.either)
    for step in range(DEPTH):
        values = [joins[(step + at) % 3](values[at], values[(at + 1) % CHAINS]) for at in range(CHAINS)]
    for name, value in zip(names, values, strict=True):
        text.named(name, value)
    text.line(f"%fewer = sub i64 {left}, 1")
    text.branch(text.let("icmp eq i64 %fewer, 0"), "done", "loop")
    text.label("done")
    for chain, name in enumerate(names):
        text.store(name, "%rows", chain)
    text.line("ret void")
    return "define void @logic(ptr %rows, i64 %times) {\n" + "\n".join(text.lines) + "\n}\n"


def peak() -> float:
    """Bit operations per second of one core, the better of 256 and 512 bits."""
    works = {}
    keep = []
    for words in (4, 8):
        loaded = Loaded(compile_object(logic(words), 2), ["logic"])
        rows = aligned_rows(CHAINS, words)
        rows[:] = range(1, words + 1)
        run = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64)(loaded["logic"])
        keep += [loaded, rows]

        def work(seed: int, run=run, rows=rows, words=words) -> float:  # type: ignore[no-untyped-def]
            run(rows.ctypes.data, REPEATS)
            return CHAINS * DEPTH * REPEATS * 64 * words

        works[f"{64 * words} bits"] = work
    found = rates(works)
    for name, rate in found.items():
        print(f"  peak logic with {name}: {rate / 1e12:.2f} trillion bit operations per second")
    return max(found.values())


def main() -> None:
    print("share of the core's peak rate of vector logic")
    top = peak()
    for game, matches, aim in (
        ("tictactoe", 10_000_000, 0.0),
        ("connectfour", 3_000_000, 0.4),
        ("breakthrough", 300_000, 0.0),
    ):
        circuit = load(game, machine="native").circuit
        assert circuit is not None
        playouts = Playouts(circuit)

        def work(seed: int, playouts: Playouts = playouts, matches: int = matches) -> float:
            return playouts.play(matches=matches, seed=seed, threads=1).plies

        states = rates({game: work})[game]
        share = circuit.gate_count * states / top
        print(f"  {game}: {circuit.gate_count} gates x {states / 1e9:.2f} billion states per second")
        verdict("share of the peak", share, aim)


if __name__ == "__main__":
    main()

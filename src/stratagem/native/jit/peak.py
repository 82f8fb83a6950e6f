"""The peak of vector logic: how many bits a core of this machine can combine per second at the very most.

Measured on registers alone: independent chains of AND, OR and XOR, on 256 and on 512 bits; the better one counts.
"""

from __future__ import annotations

import ctypes
import time
from functools import partial

from stratagem.native.emit.text import Text, VectorShape
from stratagem.native.jit.llvm import LoadedCode, host_shape
from stratagem.native.jit.object_cache import compiled
from stratagem.native.playouts.block import aligned_rows

CHAINS = 12
DEPTH = 16
REPEATS = 30_000
ROUNDS = 25


def peak_by_width() -> dict[int, float]:
    """Bit operations per second of one core, for each width in bits."""
    rates = {}
    for words in (4, 8):
        shape = host_shape(words)
        what = f"peak of {CHAINS} chains, {DEPTH} deep, for {shape}"
        code = compiled(what, 2, partial(_logic, shape))
        loaded = LoadedCode(code, ["logic"])
        run = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64)(loaded["logic"])
        rows = aligned_rows(CHAINS, words)
        rows[:] = range(1, words + 1)
        best = float("inf")
        for _ in range(ROUNDS):
            begin = time.thread_time()
            run(rows.ctypes.data, REPEATS)
            best = min(best, time.thread_time() - begin)
        rates[64 * words] = CHAINS * DEPTH * REPEATS * 64 * words / max(best, 1e-9)
    return rates


def _logic(shape: VectorShape) -> str:
    """A loop over nothing but logic; chain i reads chain i + 1, so that nothing can be left out."""
    text = Text(shape)
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

"""The vector width: how many words at a time are fastest on this machine, measured once and kept on disk.

Wider is not always faster: some processors run 512-bit instructions as two halves, and then only the number of
instructions to fetch is smaller while twice as much data passes through the first-level cache. Whether this one does is
measured, too. Results do not depend on either.
"""

from __future__ import annotations

import ctypes
import json
import random
import time
from functools import cache, partial
from typing import TYPE_CHECKING

from stratagem.cache import entry_name, user_cache
from stratagem.native.jit import compile_queue as background
from stratagem.native.jit.object_cache import compiled
from stratagem.native.jit.peak import peak_by_width

if TYPE_CHECKING:
    from stratagem.native.emit.text import VectorShape

WIDTHS = (4, 8)
GATES = 4000
REPEATS = 300
IN_HALVES = 1.5
"""Where 512 bits at a time have less than so many times the peak rate of 256, they run as two halves."""


@cache
def vector_words() -> int:
    """Words per vector: 4 (256 bits) or 8 (512 bits).

    Until this machine has been measured, which happens in the background, the widest that it has.
    """
    from stratagem.native.jit.llvm import host

    if not host().ternary:
        return 4
    remembered = _remembered().get("words")
    return int(remembered) if remembered in WIDTHS else max(WIDTHS)


@cache
def runs_in_halves() -> bool:
    """Whether this machine runs instructions of 512 bits as two halves; no, until it has been measured."""
    from stratagem.native.jit.llvm import host

    return host().ternary and _remembered().get("halves") is True


def _remembered() -> dict[str, object]:
    """What was measured on this machine; where nothing was, it will be, in the background."""
    found = _read()
    if not found:
        background.later(remember)
    return found


def _read() -> dict[str, object]:
    """The entry for this machine; nothing where there is none, or a damaged or older one."""
    try:
        found = json.loads(user_cache().part("widths").read(_name()) or b"{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) and isinstance(found.get("halves"), bool) else {}


def remember() -> None:
    """Measure, and write down what was found, unless that has been done by now."""
    if _read():
        return
    rates = measure()
    best = max(rates, key=lambda words: rates[words])
    peak = peak_by_width()
    found = {
        "words": best,
        "gates_per_second": {str(key): rate for key, rate in rates.items()},
        "halves": peak[512] < IN_HALVES * peak[256],
    }
    user_cache().part("widths").write(_name(), json.dumps(found).encode())


def _name() -> str:
    """The name of the entry for this machine; another processor has another."""
    from stratagem.native.jit.llvm import host

    return entry_name("width", repr(host()))


def measure() -> dict[int, float]:
    """Gates times lanes per second for each width, on random logic that reads and writes rows as a kernel does.

    As much code as a kernel of medium size, so that fetching it counts too.
    """
    from stratagem.native.jit.llvm import LoadedCode, host_shape
    from stratagem.native.playouts.block import aligned_rows

    rates = {}
    for words in WIDTHS:
        shape = host_shape(words)
        sample = partial(_sample, shape)
        loaded = LoadedCode(compiled(f"sample {GATES} {shape}", 2, sample), ["sample"])
        run = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64)(loaded["sample"])
        rows = aligned_rows(256, words)
        best = float("inf")
        for _ in range(5):
            begin = time.perf_counter()
            run(rows.ctypes.data, REPEATS)
            best = min(best, time.perf_counter() - begin)
        rates[words] = GATES * REPEATS * 64 * words / best
    return rates


def _sample(shape: VectorShape) -> str:
    """A loop over random gates between 128 rows that are read and 128 that are written."""
    from stratagem.native.emit.segment import Segment
    from stratagem.native.emit.text import Text, declarations

    text = Text(shape)
    text.label("entry")
    with text.repeat("%times"):
        segment = Segment(text)
        source = random.Random(1)
        literals = [segment.row("%rows", row) for row in range(128)]
        while len(segment.network) < 128 + GATES:
            near = literals[-40:] if source.random() < 0.7 else literals
            a, b = (source.choice(near) ^ source.randrange(2) for _ in range(2))
            literals.append(source.choice((segment.network.conjunction, segment.network.disjunction))(a, b))
        for row, literal in enumerate(literals[-128:]):
            segment.output(literal, "%rows", 128 + row)
        segment.emit()
    text.line("ret void")
    body = "\n".join(text.lines)
    return f"{declarations(shape)}define void @sample(ptr %rows, i64 %times) {{\n{body}\n}}\n"

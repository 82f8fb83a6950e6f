"""One circuit as code in tiers: interpreted at once, compiled in the background, exchanged when ready.

    interpreted   no compile time; about a nanosecond per gate and 256 states
    compiled      pieces of 500 gates at LLVM's level 0; some 50 microseconds per gate, five times as fast
    optimised     the same at level 2, for circuits small enough that it takes a moment

All tiers give the same rows, so they may be exchanged at any time; a run that has begun goes on with the better one at
the next call of a phase. Code that an earlier run compiled is loaded at once.
"""

from __future__ import annotations

import ctypes
import threading
import weakref
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from stratagem.circuit.circuit import Circuit
from stratagem.errors import LimitExceeded
from stratagem.native.emit.chunks import cut, emit_pieces
from stratagem.native.emit.interpreter import INTERPRETER, emit_interpreter
from stratagem.native.jit import compile_queue as background
from stratagem.native.jit.llvm import Loaded, host, host_shape
from stratagem.native.jit.object_cache import circuit_fingerprint, compiled, stored
from stratagem.native.phases.frame_layout import Layout, layout_of
from stratagem.native.phases.gate_program import Run, program_of
from stratagem.native.phases.phases import Phase, final_phase, next_phase, view_phase
from stratagem.native.playouts.block import aligned_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

Tier: TypeAlias = Literal["interpreted", "compiled", "optimised"]
TIERS: tuple[Tier, ...] = ("interpreted", "compiled", "optimised")
PhaseName: TypeAlias = Literal["view", "next", "final"]
PHASES: tuple[PhaseName, ...] = ("view", "next", "final")
LEVELS = {"compiled": 0, "optimised": 2}
OPTIMISED_GATES = 6000
"""Circuits up to this size are also compiled at level 2."""
MODULE_PIECES = 8
"""Pieces per module: LLVM is locked for no longer than it takes to compile that many."""
STRIDE = 16
"""Words per row: wide enough to hide the interpreter's loads and to fetch compiled code once for two columns."""


@dataclass(frozen=True, slots=True)
class _Table:
    """A phase ready to run: its table, and what must be kept alive for it."""

    words: NDArray[np.int64]
    keep: tuple[object, ...]


class Code:
    """The phases of one circuit. May be used from many threads; each needs its own frame."""

    def __init__(self, circuit: Circuit, *, tier: Tier = "optimised", wait: bool = False) -> None:
        """*tier* is the best one to reach; with *wait* the constructor returns when it is reached."""
        self.circuit = circuit
        self.layout: Layout = layout_of(circuit)
        self.shape = host_shape(8 if host().ternary else 4, STRIDE)
        self.tables = np.zeros(len(PHASES), np.int64)
        """Addresses of the tables of view, next and final: what kernels read at every ply."""
        self._fingerprint = circuit_fingerprint(circuit)
        self._phases = _phases(circuit, self.layout)
        self._cuts = {name: cut(phase, self.layout.scratch + 1) for name, phase in self._phases.items()}
        self._goal: Tier = (
            "compiled" if tier == "optimised" and circuit.gate_count > OPTIMISED_GATES else tier
        )
        self._reached: dict[PhaseName, Tier] = {}
        self._kept: list[_Table] = []
        self._ready = threading.Event()
        self.rows = max(division.top for division in self._cuts.values())
        """How many rows a frame has."""
        self._start()
        if wait:
            self._ready.wait()

    @property
    def tier(self) -> Tier:
        """The tier that all phases have reached."""
        return min(self._reached.values(), key=TIERS.index)

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until the best tier is reached; whether it is."""
        return self._ready.wait(seconds)

    def frame(self) -> NDArray[np.uint64]:
        """A new frame: memory for one row of matches."""
        return aligned_rows(self.rows, self.shape.stride)

    def run(self, phase: PhaseName, frame: NDArray[np.uint64]) -> None:
        """Run a phase on a frame."""
        runtime().run_phase(frame.ctypes.data, int(self.tables[PHASES.index(phase)]))

    def _start(self) -> None:
        """Load what is on disk; interpret the rest, and have it compiled."""
        missing = []
        for name in self._phases:
            code = [self._stored(name, self._goal, numbers) for numbers in self._modules(name)]
            if self._goal == "interpreted" or any(part is None for part in code):
                self._interpret(name)
                missing.append(name)
            else:
                self._exchange(name, self._goal, [part for part in code if part is not None])
        todo = [] if self._goal == "interpreted" else TIERS[1 : TIERS.index(self._goal) + 1]
        steps = [(name, tier) for tier in todo for name in missing]
        if steps:
            _compile_later(weakref.ref(self), steps, [])
        else:
            self._ready.set()

    def _modules(self, name: PhaseName) -> list[range]:
        """The numbers of the pieces of a phase, module by module."""
        pieces = len(self._cuts[name].pieces)
        return [range(at, min(at + MODULE_PIECES, pieces)) for at in range(0, pieces, MODULE_PIECES)]

    def _key(self, name: PhaseName, numbers: range) -> str:
        return f"{name} {numbers} of {self._fingerprint} for {self.shape}"

    def _stored(self, name: PhaseName, tier: Tier, numbers: range) -> bytes | None:
        return None if tier == "interpreted" else stored(self._key(name, numbers), LEVELS[tier])

    def _compiled(self, name: PhaseName, tier: Tier, numbers: range) -> bytes:
        division = self._cuts[name]
        return compiled(
            self._key(name, numbers), LEVELS[tier], lambda: emit_pieces(division, numbers, self.shape, name)
        )

    def _interpret(self, name: PhaseName) -> None:
        program = program_of(self._phases[name], self.layout.scratch)
        self.rows = max(self.rows, program.rows)
        keep = [_packed(run, 8 * self.shape.stride) for run in program.runs]
        shared = runtime()
        steps = [
            (shared.loaded["interpret_loop" if run.loop else "interpret"], code.ctypes.data)
            for run, code in zip(program.runs, keep, strict=True)
        ]
        self._put(name, "interpreted", steps, (*keep, shared))

    def _exchange(self, name: PhaseName, tier: Tier, code: list[bytes]) -> None:
        """Let machine code take over a phase."""
        modules = self._modules(name)
        loaded = [
            Loaded(part, [f"{name}{number}" for number in numbers])
            for part, numbers in zip(code, modules, strict=True)
        ]
        steps = [(part[function], 0) for part in loaded for function in part.addresses]
        self._put(name, tier, steps, tuple(loaded))

    def _put(
        self, name: PhaseName, tier: Tier, steps: list[tuple[int, int]], keep: tuple[object, ...]
    ) -> None:
        words = np.array([len(steps), *(word for step in steps for word in step)], np.int64)
        # Older tables stay: another thread may be running them.
        self._kept.append(_Table(words, keep))
        self.tables[PHASES.index(name)] = words.ctypes.data
        if name == "view" and "final" not in self._phases:
            self.tables[PHASES.index("final")] = words.ctypes.data
        self._reached[name] = tier


def _phases(circuit: Circuit, layout: Layout) -> dict[PhaseName, Phase]:
    """View and next; and final, unless it is most of the view anyway."""
    phases: dict[PhaseName, Phase] = {
        "view": view_phase(circuit, layout),
        "next": next_phase(circuit, layout),
    }
    final = final_phase(circuit, layout)
    if 2 * final.gate_count < phases["view"].gate_count:
        phases["final"] = final
    return phases


def _packed(run: Run, row_bytes: int) -> NDArray[np.int64]:
    """Instructions as the interpreter reads them: a count, then quadruples with rows as distances in bytes."""
    code = np.array(run.code, np.int64).reshape(-1, 4)
    code[:, 1:] *= row_bytes
    code[:, 0] *= 3 * row_bytes
    if code.size and code.max() >= 1 << 32:
        raise LimitExceeded("the circuit's frame does not fit four gigabytes", hint="use machine='reasoner'")
    return np.concatenate([[len(code)], np.ascontiguousarray(code.astype(np.uint32)).view(np.int64).ravel()])


def _compile_later(owner: weakref.ref[Code], steps: list[tuple[PhaseName, Tier]], done: list[bytes]) -> None:
    """Compile one module in the background and pass on the rest; stop when nobody wants the code any more."""

    def work() -> None:
        code = owner()
        if code is None:
            return
        name, tier = steps[0]
        modules = code._modules(name)
        going_on = False
        try:
            done.append(code._compiled(name, tier, modules[len(done)]))
            if len(done) < len(modules):
                _compile_later(owner, steps, done)
                going_on = True
                return
            code._exchange(name, tier, done)
            if len(steps) > 1:
                _compile_later(owner, steps[1:], [])
                going_on = True
        finally:
            # Also where something failed: the tier reached so far serves on, and nobody waits for ever.
            if not going_on:
                code._ready.set()

    background.later(work)


class Runtime:
    """The interpreter and what runs tables: the same for all games."""

    def __init__(self) -> None:
        shape = host_shape(STRIDE)
        code = compiled(f"interpreter for {shape}", 2, lambda: emit_interpreter(shape))
        self.loaded = Loaded(code, INTERPRETER)
        self.run_phase = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(self.loaded["run_phase"])


@cache
def runtime() -> Runtime:
    """The one runtime of this process."""
    return Runtime()

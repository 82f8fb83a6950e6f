"""The phases that expand needs, for narrow and for wide rows, in tiers: interpreted at once, compiled when ready.

    legal   state -> what is legal
    next    state and moves -> the next state
    final   state -> whether it is over, the goals

The pieces are those of `code`, which runs playouts; here every phase exists for rows of one word, for single states,
and for rows of eight. A table is exchanged by one store; older ones are kept, a thread may be running them.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import numpy as np

from stratagem.circuit.circuit import Circuit
from stratagem.errors import LimitExceeded
from stratagem.native.emit.chunks import Cut, cut, emit_pieces
from stratagem.native.emit.interpreter import emit_interpreter
from stratagem.native.jit import compile_queue as background
from stratagem.native.jit.llvm import Loaded, host_shape
from stratagem.native.jit.object_cache import circuit_fingerprint, compiled, stored
from stratagem.native.phases.frame_layout import layout_of
from stratagem.native.phases.gate_program import Program, Run, program_of
from stratagem.native.phases.phases import Phase, final_phase, legal_phase, next_phase

if TYPE_CHECKING:
    from numpy.typing import NDArray

PhaseName: TypeAlias = Literal["legal", "next", "final"]
PHASES: tuple[PhaseName, ...] = ("legal", "next", "final")
NARROW: Final = 1
WIDE: Final = 8
LEVEL: Final = 2
MOST_COMPILED: Final = 100_000
"""Gates of all phases together; compiling more would take the better part of a minute."""
PIECE_GATES: Final = 300
"""Each piece is compiled by itself: the program cannot end while LLVM is at work on one."""


class Lanes:
    """The tables of one circuit's phases. May be run from many threads, each with its own frame."""

    def __init__(self, circuit: Circuit) -> None:
        self.circuit = circuit
        self.layout = layout_of(circuit)
        self.tables: dict[int, NDArray[np.int64]] = {
            stride: np.zeros(len(PHASES), np.int64) for stride in (NARROW, WIDE)
        }
        """For each width the addresses of the tables of legal, next and final."""
        scratch = self.layout.scratch
        self.phases: dict[PhaseName, Phase] = {
            "legal": legal_phase(circuit, self.layout),
            "next": next_phase(circuit, self.layout),
            "final": final_phase(circuit, self.layout),
        }
        programs = {name: program_of(phase, scratch) for name, phase in self.phases.items()}
        self.cuts: dict[PhaseName, Cut] = {}
        if self.gate_count <= MOST_COMPILED:
            self.cuts = {name: cut(phase, scratch + 1, PIECE_GATES) for name, phase in self.phases.items()}
        self.rows = max(
            *(program.rows for program in programs.values()), *(each.top for each in self.cuts.values())
        )
        """How many rows a frame has."""
        self._kept: list[object] = []
        self._ready: dict[int, threading.Event] = {}
        self._fingerprint = circuit_fingerprint(circuit)
        for stride in self.tables:
            for name, program in programs.items():
                self._interpret(name, stride, program)

    @property
    def gate_count(self) -> int:
        """The gates of all phases together."""
        return sum(phase.gate_count for phase in self.phases.values())

    def compile(self, strides: Sequence[int] = (NARROW, WIDE), *, wait: bool = False) -> None:
        """Exchange interpreted phases for machine code, in the background; with *wait*, return when it is done.

        Code that was compiled before comes from disk, at once. A circuit of more than MOST_COMPILED gates stays
        interpreted.
        """
        if not self.cuts:
            return
        for stride in strides:
            ready = self._ready.get(stride)
            if ready is None:
                ready = self._ready[stride] = threading.Event()
                todo = [name for name in PHASES if not self._from_disk(name, stride)]
                if todo:
                    _compile_later(weakref.ref(self), stride, todo, [])
                else:
                    ready.set()
        if wait:
            for stride in strides:
                self._ready[stride].wait()

    def compiled(self, stride: int) -> bool:
        """Whether all phases are machine code."""
        ready = self._ready.get(stride)
        return ready is not None and ready.is_set()

    def _from_disk(self, name: PhaseName, stride: int) -> bool:
        parts = [stored(self._key(name, stride, number), LEVEL) for number in self._numbers(name)]
        found = [part for part in parts if part is not None]
        if len(found) < len(parts):
            return False
        self._exchange(name, stride, found)
        return True

    def _numbers(self, name: PhaseName) -> range:
        return range(len(self.cuts[name].pieces))

    def _key(self, name: PhaseName, stride: int, number: int) -> str:
        return f"lanes {name} {number} of {self._fingerprint} for {host_shape(stride)}"

    def _compiled(self, name: PhaseName, stride: int, number: int) -> bytes:
        return compiled(
            self._key(name, stride, number),
            LEVEL,
            lambda: emit_pieces(self.cuts[name], range(number, number + 1), host_shape(stride), name),
        )

    def _exchange(self, name: PhaseName, stride: int, code: list[bytes]) -> None:
        loaded = [Loaded(part, [f"{name}{number}"]) for number, part in enumerate(code)]
        steps = [(part[f"{name}{number}"], 0) for number, part in enumerate(loaded)]
        self._put(name, stride, steps, tuple(loaded))

    def _interpret(self, name: PhaseName, stride: int, program: Program) -> None:
        shared = interpreter(stride)
        programs = [packed(run, 8 * stride) for run in program.runs]
        steps = [
            (shared["interpret_loop" if run.loop else "interpret"], code.ctypes.data)
            for run, code in zip(program.runs, programs, strict=True)
        ]
        self._put(name, stride, steps, (*programs, shared))

    def _put(
        self, name: PhaseName, stride: int, steps: list[tuple[int, int]], keep: tuple[object, ...]
    ) -> None:
        words = np.array([len(steps), *(word for step in steps for word in step)], np.int64)
        self._kept.append((words, keep))
        self.tables[stride][PHASES.index(name)] = words.ctypes.data


def _compile_later(owner: weakref.ref[Lanes], stride: int, names: list[PhaseName], done: list[bytes]) -> None:
    """Compile one piece in the background and pass on the rest; stop when nobody wants the code any more."""

    def work() -> None:
        lanes = owner()
        if lanes is None:
            return
        name, rest = names[0], names[1:]
        going_on = False
        try:
            done.append(lanes._compiled(name, stride, len(done)))
            if len(done) < len(lanes._numbers(name)):
                _compile_later(owner, stride, names, done)
                going_on = True
            else:
                lanes._exchange(name, stride, done)
                if rest:
                    _compile_later(owner, stride, rest, [])
                    going_on = True
        finally:
            # Also after a failure: whoever waits goes on with what there is.
            if not going_on:
                lanes._ready[stride].set()

    background.later(work)


@cache
def interpreter(stride: int) -> Loaded:
    """The interpreter for rows of *stride* words."""
    shape = host_shape(stride)
    code = compiled(f"interpreter for {shape}", 2, lambda: emit_interpreter(shape))
    return Loaded(code, ("interpret", "interpret_loop"))


def packed(run: Run, row_bytes: int) -> NDArray[np.int64]:
    """Instructions as the interpreter reads them: a count, then quadruples with rows as distances in bytes."""
    code = np.array(run.code, np.int64).reshape(-1, 4)
    code[:, 0] *= 3 * row_bytes
    code[:, 1:] *= row_bytes
    if code.size and code.max() >= 1 << 32:
        raise LimitExceeded("the circuit's frame does not fit four gigabytes", hint="use machine='reasoner'")
    quadruples = np.ascontiguousarray(code.astype(np.uint32)).view(np.int64).ravel()
    return np.concatenate([np.array([len(code)], np.int64), quadruples])

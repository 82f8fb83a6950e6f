"""The phases that expand needs, for narrow and for wide rows, in tiers: interpreted at once, compiled when ready.

    legal   state -> what is legal
    next    state and moves -> the next state
    final   state -> whether it is over, the goals

The pieces are those of `code`, which runs playouts; here every phase exists for rows of one word, for single states,
and for rows of eight. A table is exchanged by one store; older ones are kept, a thread may be running them.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import numpy as np

from stratagem.circuit.circuit import Circuit
from stratagem.errors import LimitExceeded
from stratagem.native.emit_chunks import Cut, cut
from stratagem.native.emit_runtime import emit_interpreter
from stratagem.native.jit import Loaded, host_shape
from stratagem.native.layout import layout_of
from stratagem.native.objects import compiled
from stratagem.native.phases import Phase, final_phase, legal_phase, next_phase
from stratagem.native.program import Program, Run, program_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

PhaseName: TypeAlias = Literal["legal", "next", "final"]
PHASES: tuple[PhaseName, ...] = ("legal", "next", "final")
NARROW: Final = 1
WIDE: Final = 8
LEVEL: Final = 2
COMPILED_GATES: Final = 6000
"""Larger circuits stay interpreted unless they are asked for: LLVM would take many seconds."""
MODULE_PIECES: Final = 1
"""Pieces per module: the program cannot end while LLVM compiles one."""


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
        self.cuts: dict[PhaseName, Cut] = {
            name: cut(phase, scratch + 1) for name, phase in self.phases.items()
        }
        self.rows = max(
            *(program.rows for program in programs.values()), *(each.top for each in self.cuts.values())
        )
        """How many rows a frame has."""
        self._kept: list[object] = []
        for stride in self.tables:
            for name, program in programs.items():
                self._interpret(name, stride, program)

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

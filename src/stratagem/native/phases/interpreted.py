"""Running phases: the gate interpreter for rows of some width, and a phase table on a frame."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from stratagem.errors import LimitExceeded
from stratagem.native.emit.interpreter import INTERPRETER, emit_interpreter
from stratagem.native.jit.llvm import LoadedCode, host_shape
from stratagem.native.jit.object_cache import compiled
from stratagem.native.phases.gate_program import GateRun

if TYPE_CHECKING:
    from numpy.typing import NDArray


def instructions(run: GateRun, row_bytes: int) -> NDArray[np.int64]:
    """Instructions as the interpreter reads them: a count, then quadruples with rows as distances in bytes."""
    code = np.array(run.code, np.int64).reshape(-1, 4)
    code[:, 0] *= 3 * row_bytes
    code[:, 1:] *= row_bytes
    if code.size and code.max() >= 1 << 32:
        raise LimitExceeded("the circuit's frame does not fit four gigabytes", hint="use machine='reasoner'")
    quadruples = np.ascontiguousarray(code.astype(np.uint32)).view(np.int64).ravel()
    return np.concatenate([np.array([len(code)], np.int64), quadruples])


@cache
def interpreter(words: int) -> LoadedCode:
    """The interpreter for rows of *words* words, and `run_phase`: the same for all games."""
    shape = host_shape(words)
    code = compiled(f"interpreter for {shape}", 2, lambda: emit_interpreter(shape))
    return LoadedCode(code, INTERPRETER)


def run_phase(frame: int, table: int) -> None:
    """Run the phase of a *table* on a *frame*, both given as addresses."""
    ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(interpreter(1)["run_phase"])(frame, table)

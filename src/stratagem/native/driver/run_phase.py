"""The primitive `run` for drivers that run as Python: the phase itself is machine code all the same."""

from __future__ import annotations

import ctypes

from stratagem.kernels.checked_memory import Words


def run(table: int, frame: Words) -> None:
    """Run a phase (`emit.interpreter.run_phase`) on a frame."""
    from stratagem.native.driver.build import driver

    start = frame.memory.ctypes.data + 8 * frame.start
    ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_void_p)(driver()["run"])(table, start)

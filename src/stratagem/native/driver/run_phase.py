"""The primitive `run` for drivers that run as Python: the phase itself is machine code all the same."""

from __future__ import annotations

from stratagem.kernels.checked_memory import Words
from stratagem.native.phases.phase_tables import run_phase


def run(table: int, frame: Words) -> None:
    """Run a phase on a frame."""
    run_phase(frame.memory.ctypes.data + 8 * frame.start, table)

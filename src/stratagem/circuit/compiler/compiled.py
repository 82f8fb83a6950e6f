"""What comes out of the compiler: a circuit, and how it was come by."""

from __future__ import annotations

from dataclasses import dataclass

from stratagem.circuit.circuit import Circuit


@dataclass(frozen=True, slots=True, eq=False)
class Compiled:
    """A circuit with the *figures* of its making and the *seconds* of each stage."""

    circuit: Circuit
    figures: tuple[tuple[str, int], ...]
    """``rules`` and ``literals`` of the ground program, ``gates_before`` any simplification."""
    seconds: tuple[tuple[str, float], ...]

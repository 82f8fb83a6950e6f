"""The kernels of the matches that MCTS plays: with threats where the rules have winning lines and few gates, else plain ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from weakref import WeakKeyDictionary

from stratagem.engine.playout_policy.threats import with_threats
from stratagem.engine.playout_policy.winning_lines import Completions, winning_lines
from stratagem.native.phases.phase_tables import PhaseTables
from stratagem.native.playouts.kernels import AT_ONCE_GATES, KernelSet

if TYPE_CHECKING:
    from stratagem.circuit.circuit import Circuit
    from stratagem.native.compiled import CompiledGame
    from stratagem.native.logic.turn_cycle import Tokens

MOST_GROWTH: Final = 4
"""So many times the gates of the plain circuit, at most: beyond that better matches would be too few."""

_made: WeakKeyDictionary[CompiledGame, KernelSet] = WeakKeyDictionary()
"""So that every search of a game in this process shares them, as searches share the plain ones."""


def match_kernels(compiled: CompiledGame) -> KernelSet:
    """The kernels for the matches of a search. Which they are follows from the rules alone, so that results do."""
    kernels = _made.get(compiled)
    if kernels is None:
        kernels = compiled.playouts.kernels
        knowing = _with_threats(compiled.circuit, kernels.tokens)
        if knowing is not None:
            kernels = KernelSet(PhaseTables(knowing))
        kernels = _made.setdefault(compiled, kernels)
    return kernels


def _with_threats(circuit: Circuit, tokens: Tokens) -> Circuit | None:
    """*circuit* with threats; None where fewer than two roles have lines, or where matches would cost too much.

    Both circuits must be small enough for a fused kernel that is made at once.
    """
    if circuit.loops or circuit.gate_count > AT_ONCE_GATES:
        return None
    lines = {
        role: winning_lines(circuit, role) for role, name in enumerate(circuit.roles) if name != "random"
    }
    lines = {role: own for role, own in lines.items() if own}
    if len(lines) < 2:
        return None
    knowing = with_threats(circuit, tokens, Completions.of(circuit, lines))
    most = min(AT_ONCE_GATES, MOST_GROWTH * circuit.gate_count)
    return knowing if circuit.gate_count < knowing.gate_count <= most else None

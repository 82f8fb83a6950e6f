"""The pipeline from checked rules to the circuit, stage by stage."""

from __future__ import annotations

from stratagem.circuit.binary import binary
from stratagem.circuit.build import build
from stratagem.circuit.circuit import Circuit
from stratagem.circuit.constants import bounds
from stratagem.circuit.factor import factoring
from stratagem.circuit.rewrite import fold
from stratagem.circuit.share import share
from stratagem.gdl.rules import RuleSheet


def circuit_of(sheet: RuleSheet) -> Circuit:
    """The circuit of the game that *sheet* describes."""
    from stratagem.ground.clingo_grounder import ground_here
    from stratagem.ground.normal import normal_form
    from stratagem.ground.split import split_all

    program = ground_here(split_all(normal_form(sheet)), sheet.roles)
    network = build(program)
    return binary(share(fold(network, bounds(network), join=factoring(network))))

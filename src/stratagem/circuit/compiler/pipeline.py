"""The stages from prepared rules to a circuit, in this process and without limits."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from stratagem.circuit.circuit import CompiledRules
from stratagem.circuit.compiler.budget import Stage
from stratagem.circuit.construction.build import build
from stratagem.circuit.simplify.binary import binary
from stratagem.circuit.simplify.constants import bounds
from stratagem.circuit.simplify.counts import count_in_binary
from stratagem.circuit.simplify.factor import factoring
from stratagem.circuit.simplify.rewrite import fold
from stratagem.circuit.simplify.share import share
from stratagem.ground.clingo_grounder import ground_here
from stratagem.ground.program import GroundProgram
from stratagem.ground.rewrite.prepare import Prepared


def compile_here(prepared: Prepared, prepare_seconds: float, stage: Stage) -> CompiledRules:
    """The circuit of *prepared* rules; *prepare_seconds* is what preparing them took."""
    seconds = {"prepare": prepare_seconds}

    @contextmanager
    def timed(name: str) -> Iterator[None]:
        start = time.perf_counter()
        with stage(name):
            yield
        seconds[name] = time.perf_counter() - start

    with timed("libraries"):
        import numpy  # noqa: F401  (so that the last stage is not charged for it)
    with timed("ground"):
        program = ground_here(prepared.rules, prepared.roles)
    figures = _figures(program)
    with timed("build"):
        network = build(program)
        del program
    with timed("simplify"):
        known = bounds(network)
        network = count_in_binary(fold(network, known, join=factoring(network)))
    with timed("share"):
        network = share(network)
    with timed("lay out"):
        circuit = binary(network)
    return CompiledRules(circuit, tuple(figures.items()), tuple(seconds.items()))


def _figures(program: GroundProgram) -> dict[str, int]:
    """The size of the ground program; every rule an AND and every head an OR of two-operand gates."""
    heads = {head for head, _ in program.rules}
    lengths = [len(body) for _, body in program.rules]
    ands = sum(lengths) - len(lengths) + lengths.count(0)
    ors = len(lengths) - len(heads)
    return {"rules": len(lengths), "literals": sum(lengths), "gates_before": ands + ors}

"""How machines are made from checked rules or circuits; what is heavy is imported when it is first needed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stratagem.circuit.compiler.budget import Left, Stage, quietly, unlimited
from stratagem.errors import GroundingError
from stratagem.machines.background import CircuitJob, SwappingMachine, compile_in_background

if TYPE_CHECKING:
    from stratagem.circuit.circuit import Circuit
    from stratagem.gdl.rules import RuleSheet
    from stratagem.machines.joins.machine import JoinsMachine
    from stratagem.machines.machine import Machine, MachineName


def compiled_circuit(sheet: RuleSheet, stage: Stage = quietly, left: Left = unlimited) -> Circuit:
    """The circuit of *sheet*, from the cache where it is there."""
    from stratagem.circuit.compiler.compile import circuit_of
    from stratagem.circuit.compiler.store import user_store

    return circuit_of(sheet, store=user_store(), stage=stage, left=left)


def quick_circuit(sheet: RuleSheet) -> Circuit | None:
    """The circuit of *sheet* where it takes a moment only, from the cache or because the rules are small; else None."""
    from stratagem.circuit.compiler.compile import circuit_at_once
    from stratagem.circuit.compiler.store import user_store

    return circuit_at_once(sheet, store=user_store())


def swapping(sheet: RuleSheet) -> Machine:
    """Joins now, native code when the circuit is there; the circuit at once where joins cannot take the rules."""
    job = CircuitJob(lambda left: compiled_circuit(sheet, quietly, left))
    try:
        first = joins(sheet)
    except GroundingError:
        return native(compiled_circuit(sheet))
    machine = SwappingMachine(first, job, native)
    compile_in_background(job)
    return machine


def slower(sheet: RuleSheet) -> Machine:
    """For rules that cannot be compiled: joins, and the reasoner where these cannot take the rules either."""
    try:
        return joins(sheet)
    except GroundingError:
        return reasoner(sheet)


def slower_name(sheet: RuleSheet) -> MachineName:
    """Which of the two that is."""
    return "joins" if slower(sheet).name == "joins" else "reasoner"


def reason_of(refused: GroundingError) -> str:
    """Why rules could not be compiled; that they play all the same goes without saying."""
    from stratagem.circuit.compiler.child_process import PLAYS_ANYWAY

    return refused.message if refused.hint == PLAYS_ANYWAY else str(refused)


def joins(sheet: RuleSheet) -> JoinsMachine:
    from stratagem.machines.joins.machine import JoinsMachine

    return JoinsMachine(sheet)


def native(circuit: Circuit) -> Machine:
    from stratagem.machines.compiled.native import NativeMachine

    return NativeMachine(circuit)


def interpreted(circuit: Circuit) -> Machine:
    from stratagem.machines.compiled.interpreted import CircuitMachine

    return CircuitMachine(circuit)


def reasoner(sheet: RuleSheet) -> Machine:
    from stratagem.machines.reasoner.machine import ReasonerMachine

    return ReasonerMachine(sheet)

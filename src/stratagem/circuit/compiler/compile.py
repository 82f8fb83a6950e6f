"""The compiler from checked rules to the circuit, within a budget.

Small sheets are compiled in this process. Any other is compiled in a child process, under limits on time and memory, so
that a hostile sheet can neither hang nor exhaust the program. What was compiled once comes from the store, and what
could not be compiled within the same budget is refused at once.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from stratagem.cache import Cache
from stratagem.circuit.circuit import Circuit, CompiledRules
from stratagem.circuit.compiler.budget import (
    BUDGET,
    CompileBudget,
    Left,
    Stage,
    out_of_time,
    quietly,
    unlimited,
)
from stratagem.circuit.compiler.store import Refusal, name_of, read_refusal, write_refusal
from stratagem.errors import BrokenFile
from stratagem.gdl.rules import Rule, RuleSheet
from stratagem.gdl.text.printer import literal_to_kif, spell

if TYPE_CHECKING:
    from stratagem.ground.rewrite.prepare import Prepared

INSTANCES_PER_SECOND: Final = 2_000
"""Ground rules that a slow machine compiles in a second."""


def circuit_of(
    sheet: RuleSheet,
    *,
    budget: CompileBudget = BUDGET,
    store: Cache | None = None,
    stage: Stage = quietly,
    left: Left = unlimited,
) -> Circuit:
    """The circuit of the game that *sheet* describes; raises `GroundingError` past the *budget*."""
    return compile_sheet(sheet, budget=budget, store=store, stage=stage, left=left).circuit


def circuit_at_once(
    sheet: RuleSheet, *, budget: CompileBudget = BUDGET, store: Cache | None = None, stage: Stage = quietly
) -> Circuit | None:
    """The circuit of *sheet* where it is in the *store* or so small that this process makes it in a moment, else None.

    Raises `GroundingError` where it is known that there is none within the *budget*.
    """
    text = canonical_text(sheet)
    found = _known(text, budget, store, stage)
    if found is None:
        prepared, spent = _prepared(sheet, text, budget, stage)
        if prepared is None or prepared.instances > budget.instances_here:
            return None
        from stratagem.circuit.compiler.pipeline import compile_here

        found = compile_here(prepared, spent, stage)
        _keep(found, text, store, stage)
    return found.circuit


def compile_sheet(
    sheet: RuleSheet,
    *,
    budget: CompileBudget = BUDGET,
    store: Cache | None = None,
    stage: Stage = quietly,
    left: Left = unlimited,
) -> CompiledRules:
    """The circuit of *sheet* with the figures of its making, from the *store* if it has been there before.

    `OutOfTime` is raised when no time is *left*. That is not kept in the store: it says nothing about the sheet.
    """
    text = canonical_text(sheet)
    found = _known(text, budget, store, stage)
    if found is not None:
        return found
    compiled = _compile(sheet, text, budget, stage, left)
    if isinstance(compiled, Refusal):
        if store is not None:
            write_refusal(store, text, compiled, budget)
        raise compiled.error()
    _keep(compiled, text, store, stage)
    return compiled


def _known(text: str, budget: CompileBudget, store: Cache | None, stage: Stage) -> CompiledRules | None:
    """What the *store* has for the rules in *text*; a refusal is raised."""
    if store is None:
        return None
    with stage("look up"):
        found = _read_circuit(store, text)
    if found is None:
        refused = read_refusal(store, text, budget)
        if refused is not None:
            raise refused.error()
    return found


def _keep(compiled: CompiledRules, text: str, store: Cache | None, stage: Stage) -> None:
    if store is not None:
        from stratagem.circuit.pack import pack

        with stage("keep"):
            store.write(name_of(text), pack(compiled))


def _read_circuit(store: Cache, text: str) -> CompiledRules | None:
    from stratagem.circuit.pack import unpack

    content = store.read(name_of(text))
    if content is None:
        return None
    try:
        return unpack(content)
    except BrokenFile:
        return None


def _prepared(
    sheet: RuleSheet, text: str, budget: CompileBudget, stage: Stage
) -> tuple[Prepared | None, float]:
    """The rules ready to be ground, and the seconds that took; None where the text is too long for this process."""
    if len(text) > budget.characters_here:
        return None, 0.0
    from stratagem.ground.rewrite.prepare import prepare

    with stage("prepare"):
        start = time.perf_counter()
        prepared = prepare(sheet)
    return prepared, time.perf_counter() - start


def _compile(
    sheet: RuleSheet, text: str, budget: CompileBudget, stage: Stage, left: Left
) -> CompiledRules | Refusal:
    prepared, spent = _prepared(sheet, text, budget, stage)
    if prepared is not None:
        from stratagem.gdl.domains import HUGE

        # Work in this process cannot be interrupted: what may take longer than the time left goes to a child.
        if prepared.instances <= min(budget.instances_here, INSTANCES_PER_SECOND * left()):
            from stratagem.circuit.compiler.pipeline import compile_here

            return compile_here(prepared, spent, stage)
        if prepared.instances >= HUGE:
            # Terms that grow: they stop soon or never.
            budget = replace(budget, seconds=min(budget.seconds, budget.seconds_growing))
    from stratagem.circuit.compiler.child_process import compile_in_child

    if left() <= 0:
        raise out_of_time()
    with stage("compile in a child process"):
        return compile_in_child(text, budget, left)


def canonical_text(sheet: RuleSheet) -> str:
    """The rules in KIF, one to a line, in lower case: equal for sheets that differ in layout only."""
    return "".join(_line(rule) for rule in sheet.rules)


def _line(rule: Rule) -> str:
    if not rule.body:
        return spell(rule.head) + "\n"
    return f"(<= {spell(rule.head)} {' '.join(map(literal_to_kif, rule.body))})\n"

"""The pipeline from checked rules to the circuit, stage by stage, within a budget.

Small sheets are compiled here and now. For any other a child process does it, under limits on time and memory, so
that a hostile sheet can neither hang nor exhaust the program. What was compiled once comes from the store, and what
could not be compiled within the same budget is refused at once.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from typing import Final, TypeAlias

from stratagem.circuit.circuit import Circuit
from stratagem.circuit.compiler.compiled import Compiled
from stratagem.circuit.compiler.refusal import Refusal, remember, remembered
from stratagem.circuit.compiler.store import Store, key_of
from stratagem.errors import BrokenFile
from stratagem.gdl.rules import Rule, RuleSheet
from stratagem.gdl.text.printer import literal_to_kif, spell
from stratagem.ground.budget import BUDGET, Budget, Left, out_of_time, unlimited

INSTANCES_PER_SECOND: Final = 2_000
"""Ground rules that a slow machine compiles in a second."""
Stage: TypeAlias = Callable[[str], AbstractContextManager[None]]


@contextmanager
def quietly(name: str) -> Iterator[None]:
    """The stage that says nothing."""
    yield


def circuit_of(
    sheet: RuleSheet,
    *,
    budget: Budget = BUDGET,
    store: Store | None = None,
    stage: Stage = quietly,
    left: Left = unlimited,
) -> Circuit:
    """The circuit of the game that *sheet* describes; raises `GroundingError` past the *budget*."""
    return compile_sheet(sheet, budget=budget, store=store, stage=stage, left=left).circuit


def compile_sheet(
    sheet: RuleSheet,
    *,
    budget: Budget = BUDGET,
    store: Store | None = None,
    stage: Stage = quietly,
    left: Left = unlimited,
) -> Compiled:
    """The circuit of *sheet* with the figures of its making, from the *store* if it has been there before.

    `OutOfTime` is raised when no time is *left*. That is not kept in the store: it says nothing about the sheet.
    """
    text = canonical_text(sheet)
    key = key_of(text)
    if store is not None:
        with stage("look up"):
            found = _kept(store, key)
        if found is not None:
            return found
        refused = remembered(store, key, budget)
        if refused is not None:
            raise refused.error()
    compiled = _compile(sheet, text, budget, stage, left)
    if isinstance(compiled, Refusal):
        if store is not None:
            remember(store, key, compiled, budget)
        raise compiled.error()
    if store is not None:
        from stratagem.circuit.pack import pack

        with stage("keep"):
            store.write(key, pack(compiled))
    return compiled


def _kept(store: Store, key: str) -> Compiled | None:
    from stratagem.circuit.pack import unpack

    content = store.read(key)
    if content is None:
        return None
    try:
        return unpack(content)
    except BrokenFile:
        return None


def _compile(sheet: RuleSheet, text: str, budget: Budget, stage: Stage, left: Left) -> Compiled | Refusal:
    if len(text) <= budget.characters_here:
        from stratagem.ground.rewrite.domains import HUGE
        from stratagem.ground.rewrite.prepare import prepare

        with stage("prepare"):
            start = time.perf_counter()
            prepared = prepare(sheet)
            spent = time.perf_counter() - start
        # Work in this process cannot be interrupted: what may take longer than the time left goes to a child.
        if prepared.instances <= min(budget.instances_here, INSTANCES_PER_SECOND * left()):
            from stratagem.circuit.compiler.pipeline import compile_here

            return compile_here(prepared, spent, stage)
        if prepared.instances >= HUGE:
            # Terms that grow: they stop soon or never.
            budget = replace(budget, seconds=min(budget.seconds, budget.seconds_growing))
    from stratagem.circuit.compiler.parent import compile_in_child

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

"""Analysis of a rule sheet for the editor: findings with their places, relations, circuit figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from time import perf_counter
from typing import Any, Final

from stratagem.gdl.dependencies import graph
from stratagem.gdl.findings import arranged
from stratagem.gdl.parse import examine
from stratagem.gdl.rules import RuleSheet
from stratagem.gdl.terms import Relation, functor
from stratagem.gdl.text.syntax import Source
from stratagem.web.app.address import Sheet
from stratagem.web.tasks.loaded import game_of
from stratagem.web.workers.worker_process import Heard

FINDINGS_SHOWN: Final = 200
KEYWORDS: Final = {
    "role": "who plays",
    "init": "true at the start",
    "next": "true after the moves",
    "legal": "legal moves",
    "goal": "values of terminal states",
    "terminal": "when it ends",
    "base": "what can be true",
    "input": "what can be done",
    "sees": "what is seen",
}


@dataclass(frozen=True, slots=True)
class RelationView:
    """One relation of a sheet: how it is defined and what it depends on."""

    name: str
    arity: int
    rules: int
    facts: int
    line: int
    kind: str


@dataclass(frozen=True, slots=True)
class Checked:
    """What a check found, errors first, warnings of one kind together. *sound* sheets can be played."""

    sound: bool
    findings: tuple[Mapping[str, Any], ...]
    errors: int
    warnings: int
    roles: tuple[str, ...]
    relations: tuple[RelationView, ...]
    rules: int
    milliseconds: float


def check(text: str, syntax: str, sizes: tuple[tuple[str, int], ...], *, tell: Heard) -> Checked:
    """Every finding of a sheet, errors first, and its relations as far as it can be read."""
    start = perf_counter()
    sheet, findings = examine(Source(text, "rules", syntax, sizes))
    ordered = [found for kind in arranged(findings) for found in kind]
    errors = sum(found.is_error for found in findings)
    return Checked(
        sound=sheet is not None,
        findings=tuple(found.as_json() for found in ordered[:FINDINGS_SHOWN]),
        errors=errors,
        warnings=len(findings) - errors,
        roles=() if sheet is None else sheet.roles,
        relations=() if sheet is None else relations_of(sheet),
        rules=0 if sheet is None else len(sheet.rules),
        milliseconds=1000 * (perf_counter() - start),
    )


def relations_of(sheet: RuleSheet) -> tuple[RelationView, ...]:
    """The relations in the order of their first definition."""
    facts: Counter[Relation] = Counter()
    rules: Counter[Relation] = Counter()
    lines: dict[Relation, int] = {}
    for rule in sheet.rules:
        relation = functor(rule.head)
        (rules if rule.body else facts)[relation] += 1
        lines.setdefault(relation, rule.line)
    edges = graph(sheet.rules)
    on_state, on_move = _reaching(edges, ("true", 1)), _reaching(edges, ("does", 2))

    def kind(relation: Relation) -> str:
        if relation[0] in KEYWORDS:
            return KEYWORDS[relation[0]]
        if relation in on_move:
            return "depends on the moves"
        return "depends on the position" if relation in on_state else "never changes"

    return tuple(
        RelationView(name, arity, rules[name, arity], facts[name, arity], line, kind((name, arity)))
        for (name, arity), line in lines.items()
    )


def _reaching(edges: Mapping[Relation, list[Relation]], goal: Relation) -> set[Relation]:
    """The relations that depend on *goal*."""
    users: dict[Relation, list[Relation]] = {}
    for relation, used in edges.items():
        for each in used:
            users.setdefault(each, []).append(relation)
    found: set[Relation] = set()
    waiting = [goal]
    while waiting:
        for relation in users.get(waiting.pop(), ()):
            if relation not in found:
                found.add(relation)
                waiting.append(relation)
    return found


def circuit_figures(sheet: Sheet, *, tell: Heard) -> tuple[tuple[str, int | float | str], ...]:
    """The size of the circuit and the times of its compilation."""
    import numpy as np

    from stratagem.circuit.circuit import AND

    start = perf_counter()
    tell("Grounding and compiling the rules …")
    circuit = game_of(sheet).circuit
    ands = int(np.count_nonzero(circuit.operations == AND))
    return (
        ("gates", circuit.gate_count),
        ("of them AND", ands),
        ("of them OR", circuit.gate_count - ands),
        ("facts that can change", len(circuit.bases)),
        ("facts that always hold", len(circuit.constants)),
        ("moves of all roles", sum(map(len, circuit.moves))),
        ("loops", len(circuit.loops)),
        ("seconds", round(perf_counter() - start, 2)),
    )

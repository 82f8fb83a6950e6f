"""Preparation for grounding: normal form, demand, split bodies, and a bound on the ground rules."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from stratagem.gdl.domains import HUGE, Unbounded
from stratagem.gdl.rules import RuleSheet
from stratagem.ground.relaxed import reachable_rows
from stratagem.ground.rewrite.demand import demanded
from stratagem.ground.rewrite.diagram import with_diagrams
from stratagem.ground.rewrite.group import SAVING, grouped
from stratagem.ground.rewrite.independent import without_free_arguments
from stratagem.ground.rewrite.narrow import narrowed
from stratagem.ground.rewrite.normal import NormalRule, normal_form
from stratagem.ground.rewrite.rows import RowEstimates, RowTables
from stratagem.ground.rewrite.size_estimates import SizeEstimates
from stratagem.ground.rewrite.split import split_all

LOOK_CLOSER = 1e9
"""Where a program has more ground rules than this by estimate, the estimate is made again from rows."""
TOO_MANY = 20_000_000
"""Where there are more than this by the better estimate, too, the rules are narrowed."""
LESS = 0.95
"""Pieces of narrowed rules are put together where that costs less than this share: every rule counts there."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """Rules ready to be ground, and *instances*, a bound on the ground rules they can have."""

    roles: tuple[str, ...]
    rules: tuple[NormalRule, ...]
    instances: float


def prepare(sheet: RuleSheet, *, thorough: bool = False) -> Prepared:
    """The rules of *sheet* in normal form, guarded by demand and split.

    Where that would be too many ground rules by estimate and there is time to be *thorough*, seconds, it is done again with what
    can be known of the rows of relations.
    """
    rules = normal_form(sheet)
    try:
        estimates = SizeEstimates(rules)
        ready = demanded(rules, estimates)
        ready = split_all(ready, SizeEstimates(ready))
        sizes = SizeEstimates(ready)
        if thorough and sum(map(sizes.rows, ready)) > LOOK_CLOSER:
            ready = _tightened(rules, estimates, ready)
            sizes = SizeEstimates(ready)
        instances = sum(map(sizes.instances, ready))
    except Unbounded:
        ready = split_all(rules)
        instances = HUGE
    return Prepared(sheet.roles, ready, instances)


def _tightened(
    rules: tuple[NormalRule, ...], estimates: SizeEstimates, ready: tuple[NormalRule, ...]
) -> tuple[NormalRule, ...]:
    """The smallest of some programs for *rules*, from what is known of rows; *ready* where it is not too large after all."""
    tables = reachable_rows(rules, estimates)
    try:
        size = sum(map(RowEstimates(ready, tables).rows, ready))
        for on_demand in (False, True):
            if size <= TOO_MANY:
                break
            program = tightened(rules, tables, on_demand=on_demand)
            smaller = sum(map(RowEstimates(program, tables).rows, program))
            if smaller < size:
                ready, size = program, smaller
    except Unbounded:
        pass
    return ready


def tightened(
    rules: Iterable[NormalRule], tables: RowTables, *, on_demand: bool = False, saving: float = SAVING
) -> tuple[NormalRule, ...]:
    """*rules* for what can be reached and is asked for, over the arguments they look at, split, and grouped where *saving*."""
    rules = with_diagrams(rules, RowEstimates(rules, tables))
    rules = narrowed(rules, RowEstimates(rules, tables))
    rules = without_free_arguments(rules, RowEstimates(rules, tables))
    if on_demand:
        rules = demanded(rules, RowEstimates(rules, tables))
    rules = split_all(rules, RowEstimates(rules, tables), worth_it=LESS)
    return grouped(rules, RowEstimates(rules, tables), saving=saving)

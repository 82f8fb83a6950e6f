"""Preparation for grounding: normal form, demand, split bodies, and a bound on the ground rules."""

from __future__ import annotations

from dataclasses import dataclass

from stratagem.gdl.domains import HUGE, Unbounded
from stratagem.gdl.rules import RuleSheet
from stratagem.ground.rewrite.demand import demanded
from stratagem.ground.rewrite.normal import NormalRule, normal_form
from stratagem.ground.rewrite.size_estimates import SizeEstimates
from stratagem.ground.rewrite.split import split_all


@dataclass(frozen=True, slots=True)
class Prepared:
    """Rules ready to be ground, and *instances*, a bound on the ground rules they can have."""

    roles: tuple[str, ...]
    rules: tuple[NormalRule, ...]
    instances: float


def prepare(sheet: RuleSheet) -> Prepared:
    """The rules of *sheet* in normal form, guarded by demand and split."""
    rules = normal_form(sheet)
    try:
        rules = demanded(rules, SizeEstimates(rules))
        rules = split_all(rules, SizeEstimates(rules))
        domains = SizeEstimates(rules)
        instances = sum(domains.instances(rule) for rule in rules)
    except Unbounded:
        rules = split_all(rules)
        instances = HUGE
    return Prepared(sheet.roles, rules, instances)

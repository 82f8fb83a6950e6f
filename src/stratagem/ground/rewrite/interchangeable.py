"""Interchangeable variables: b1, b2, b3, all different, of which the rule says the same things.

If any solution stays one when two variables change places, only one order of their values need be tried, so
``distinct`` between all of them becomes b1 < b2, b2 < b3. With k variables that is k! times fewer
instances, and as the comparisons now form a chain, splitting makes them a count: n values cost k * n^2
instances, not n^k.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise

from stratagem.gdl.terms import Term, Variable, variables
from stratagem.gdl.unification import rename
from stratagem.ground.rewrite.normal import Comparison, NormalRule


def order_interchangeable(rule: NormalRule) -> NormalRule:
    """*rule* with its interchangeable variables in one order."""
    told_apart = set(variables(rule.head))
    candidates = sorted(
        {
            side
            for comparison in rule.comparisons
            if isinstance(comparison.left, Variable) and isinstance(comparison.right, Variable)
            for side in (comparison.left, comparison.right)
            if isinstance(side, Variable) and side not in told_apart
        }
    )
    if len(candidates) < 2:
        return rule
    literals = _literals(rule, {})
    groups: list[list[Variable]] = []
    for variable in candidates:
        for group in groups:
            if _literals(rule, {variable: group[0], group[0]: variable}) == literals:
                group.append(variable)
                break
        else:
            groups.append([variable])
    for group in groups:
        rule = _chain(rule, group)
    return rule


def _literals(rule: NormalRule, names: Mapping[Variable, Term]) -> frozenset[object]:
    """The body under other names; the sides of an inequality have no order."""
    found: set[object] = {("positive", rename(term, names)) for term in rule.positive}
    found |= {("negative", rename(term, names)) for term in rule.negative}
    for comparison in rule.comparisons:
        sides = (rename(comparison.left, names), rename(comparison.right, names))
        found.add((comparison.operator, frozenset(sides) if comparison.operator == "!=" else sides))
    return frozenset(found)


def _chain(rule: NormalRule, group: list[Variable]) -> NormalRule:
    """The group's mutual inequalities replaced by an ascending chain, where there are inequalities at all."""
    members = set(group)
    inner = [
        comparison
        for comparison in rule.comparisons
        if comparison.operator == "!=" and comparison.left in members and comparison.right in members
    ]
    if len(group) < 2 or not inner:
        return rule
    outer = tuple(comparison for comparison in rule.comparisons if comparison not in inner)
    chain = tuple(Comparison(one, "<", other) for one, other in pairwise(group))
    return replace(rule, comparisons=outer + chain)

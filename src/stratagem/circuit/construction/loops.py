"""Loop variables: atoms that depend on themselves, defined together and reduced where they need no loop."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TypeVar

from stratagem.circuit.construction.gates import FALSE, Gates

Key = TypeVar("Key", bound=Hashable)


def define_loop(
    gates: Gates,
    component: Sequence[Key],
    literals: dict[Key, int],
    definitions: Callable[[Iterable[Key]], dict[Key, int]],
) -> None:
    """Enters into *literals* what the members of *component* are at their least fixed point.

    *definitions* gives the literals of members as *literals* stand. Each member first becomes a loop variable. One
    whose value is no gate of its own (a constant, an input, another variable) is replaced by that value: a
    variable that is only itself can never become true.
    """
    variables = {key: gates.variable() for key in component}
    literals.update(variables)
    while True:
        values = definitions(variables)
        simple = {
            variables[key]: found for key, found in values.items() if gates.operands[found >> 1] is None
        }
        if not simple:
            break
        for key in component:
            literals[key] = _settle(literals[key], simple)
        variables = {key: variable for key, variable in variables.items() if variable not in simple}
    for key, found in values.items():
        gates.define(variables[key], found)


def _settle(literal: int, replaced: dict[int, int]) -> int:
    """Where the replacements lead from *literal*; round in a circle leads to false."""
    seen = set()
    while literal in replaced:
        if literal in seen:
            return FALSE
        seen.add(literal)
        literal = replaced[literal]
    return literal

"""The ground program: a game's rules without variables, as numbers.

An atom is a positive number; a body lists atoms, negated where an atom must not hold (the convention of
clingo's intermediate format). An atom without rules that is no input is false; a rule without body is a fact.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from stratagem.gdl.terms import Term

GroundRule: TypeAlias = tuple[int, tuple[int, ...]]
"""A head and a body; the rules of one head are alternatives."""

ALWAYS = 0
"""Stands for an atom that is a fact where an output names one."""


@dataclass(frozen=True, slots=True, eq=False)
class GroundProgram:
    """Rules over atoms; which atoms are the state and the moves, and which give the outputs."""

    roles: tuple[str, ...]
    rules: tuple[GroundRule, ...]
    initial: frozenset[Term]
    true: Mapping[Term, int]
    """The atom of every fact that a state might hold."""
    does: Mapping[tuple[str, Term], int]
    next: Mapping[Term, int]
    legal: Mapping[tuple[str, Term], int]
    goal: Mapping[tuple[str, Term], int]
    terminal: int | None
    """None where no rule can ever make the state terminal; ALWAYS where it always is."""

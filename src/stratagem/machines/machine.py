"""The machine: what computes a GDL game, behind `GdlGame`. Reasoner, circuit and native code all fit here."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, Protocol

from stratagem.gdl.terms import Term


class Machine(Protocol):
    """States are opaque hashable *data*; roles are numbered in the order of the game.

    Several threads may ask at once; each gets the answer it would get alone.
    """

    @property
    def name(self) -> str:
        """``reasoner``, ``circuit`` or ``native``."""

    def initial(self) -> Hashable: ...

    def legals(self, data: Any, role: int) -> tuple[Term, ...]:
        """In canonical order."""

    def next(self, data: Any, joint: tuple[Term, ...]) -> Hashable: ...

    def terminal(self, data: Any) -> bool: ...

    def goal(self, data: Any, role: int) -> int | None:
        """The value if the rules give exactly one, else None."""

    def facts(self, data: Any) -> frozenset[Term]:
        """What is true, without the word `true`."""

    def from_facts(self, facts: frozenset[Term]) -> Hashable:
        """The data of the state in which exactly *facts* are true."""

"""The machine: what computes a GDL game, behind `GdlGame`. Reasoner, joins, circuit and native code all fit here."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeAlias

from stratagem.gdl.terms import Term
from stratagem.gdl.text.syntax import Source

MachineName: TypeAlias = Literal["reasoner", "joins", "circuit", "native"]
MACHINES: tuple[MachineName, ...] = ("native", "circuit", "joins", "reasoner")


class Machine(Protocol):
    """States are opaque hashable *data*; roles are numbered in the order of the game.

    Several threads may ask at once; each gets the answer it would get alone.
    """

    @property
    def name(self) -> str:
        """``reasoner``, ``joins``, ``circuit`` or ``native``."""

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


@dataclass(frozen=True, slots=True)
class Identity:
    """*source* is the text with the sizes chosen; two games are the same if their rules are."""

    name: str
    source: Source

    @property
    def rules(self) -> str:
        """A fingerprint of the text of the rules and the sizes chosen."""
        sizes = " ".join(f"{name}={value}" for name, value in self.source.settings)
        return hashlib.sha256(f"{self.source.syntax}\n{sizes}\n{self.source.text}".encode()).hexdigest()

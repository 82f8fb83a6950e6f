"""An AND-OR graph of rules: what could hold if every negation were true, as a least fixed point in linear time."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Final

from stratagem.gdl.rules import Atom, Literal, Or
from stratagem.gdl.terms import Term

ALWAYS: Final = "always"
"""The vertex of tests and negations."""


class AndOr:
    """Vertices that hold as soon as enough of the vertices they wait for do (Dowling and Gallier, 1984).

    *vertex* gives the vertex of a sentence in a condition.
    """

    def __init__(self, vertex: Callable[[Term], Hashable]) -> None:
        self.vertex = vertex
        self.true: set[Hashable] = set()
        self.missing: dict[Hashable, int] = {}
        self.waiting: dict[Hashable, list[Hashable]] = {}

    def holds(self, vertex: Hashable) -> None:
        pending = [vertex]
        while pending:
            held = pending.pop()
            if held in self.true:
                continue
            self.true.add(held)
            for user in self.waiting.pop(held, ()):
                self.missing[user] -= 1
                if self.missing[user] <= 0:
                    pending.append(user)

    def one_of(self, vertex: Hashable, alternatives: Iterable[Hashable]) -> None:
        self.missing[vertex] = 1
        self._wait(vertex, alternatives)

    def all_of(self, vertex: Hashable, conditions: Iterable[Hashable]) -> None:
        needed = [condition for condition in dict.fromkeys(conditions) if condition not in self.true]
        self.missing[vertex] = len(needed)
        self._wait(vertex, needed)
        if not needed:
            self.holds(vertex)

    def _wait(self, vertex: Hashable, others: Iterable[Hashable]) -> None:
        for other in others:
            if other in self.true:
                self.holds(vertex)
            else:
                self.waiting.setdefault(other, []).append(vertex)

    def condition(self, literal: Literal) -> Hashable:
        """The vertex of one condition; tests and negations always might hold."""
        match literal:
            case Atom(term):
                return self.vertex(term)
            case Or(several):
                vertex = _Alternatives(literal)
                self.one_of(vertex, [self.condition(inner) for inner in several])
                return vertex
            case _:
                self.holds(ALWAYS)
                return ALWAYS


class _Alternatives:
    """The vertex of one ``or``, equal to no other."""

    def __init__(self, literal: Or) -> None:
        self.literal = literal

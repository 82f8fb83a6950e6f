"""Gates under construction: n-ary ANDs with complement edges, each built once.

A literal is ``2 * node + complement`` as in `Circuit`; OR is AND with all edges complemented. `conjunction`
folds constants, drops what is implied (absorption) and finds contradictions one level deep. It also knows that
of the moves of a role exactly one is made (choices.py), and that it is legal, with all that follows.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TypeVar

from stratagem.circuit.simplify.choices import Choices

Key = TypeVar("Key", bound=Hashable)

FALSE = 0
TRUE = 1
LOOK_INTO = 24
"""Operands with more operands than this are not looked into for absorption."""


class Gates:
    """Nodes 0..inputs are the constant and the inputs; every later one is an AND or a loop variable."""

    def __init__(self, inputs: int) -> None:
        self.operands: list[tuple[int, ...] | None] = [None] * (inputs + 1)
        self.variables: dict[int, int] = {}
        self.ascending = True
        """Whether every gate has a higher number than its operands: so as long as there are no loops."""
        self.implied: dict[int, frozenset[int]] = {}
        self._consequences: dict[int, frozenset[int]] = {}
        self._known: dict[tuple[int, ...], int] = {}
        self._choices = Choices()

    def copy(self) -> Gates:
        """The same gates, to be added to; what was known about their inputs is left out."""
        copied = Gates(0)
        copied.ascending = False
        copied.operands = list(self.operands)
        copied.variables = dict(self.variables)
        copied._known = {
            operands: node for node, operands in enumerate(copied.operands) if operands is not None
        }
        return copied

    def exactly_one(self, nodes: Sequence[int]) -> None:
        """From now on use that exactly one of the input *nodes* holds at any time."""
        self._choices.add(nodes)

    def imply(self, literal: int, consequence: int) -> None:
        """From now on use that *consequence*, and what it is the AND of, holds wherever *literal* does."""
        known = self._consequences.get(consequence)
        if known is None:
            found: set[int] = set()
            waiting = [consequence]
            while waiting:
                part = waiting.pop()
                if part > TRUE and part not in found:
                    found.add(part)
                    inner = self.operands[part >> 1]
                    if inner is not None and part & 1 == 0:
                        waiting.extend(inner)
            known = self._consequences[consequence] = frozenset(found)
        self.implied[literal] = known

    def variable(self) -> int:
        """A new loop variable, as a literal; `define` says later what it is."""
        self.ascending = False
        self.operands.append(None)
        node = len(self.operands) - 1
        self.variables[node] = FALSE
        return 2 * node

    def define(self, variable: int, literal: int) -> None:
        self.variables[variable >> 1] = literal

    def disjunction(self, literals: Iterable[int]) -> int:
        return self.conjunction([literal ^ 1 for literal in literals]) ^ 1

    def conjunction(self, literals: Iterable[int]) -> int:
        """The literal of the AND of *literals*."""
        parts = set(literals)
        parts.discard(TRUE)
        needed = self._choices.settle(parts)
        if needed is None:
            return FALSE
        for moves in needed:
            parts.add(self.disjunction(moves))
            parts.discard(TRUE)
        if FALSE in parts or (len(parts) > 1 and not self._absorb(parts)) or FALSE in parts:
            return FALSE
        if not parts:
            return TRUE
        if len(parts) == 1:
            return parts.pop()
        return self.node(tuple(sorted(parts)))

    def node(self, key: tuple[int, ...]) -> int:
        """The literal of the AND of exactly the literals *key*: two or more, ascending, not simplified."""
        node = self._known.get(key)
        if node is None:
            node = len(self.operands)
            self.operands.append(key)
            self._known[key] = node
            self._choices.note(2 * node, key)
        return 2 * node

    def _absorb(self, parts: set[int]) -> bool:
        """Drops and shortens operands that the other operands decide; False where they contradict."""
        operands, implied = self.operands, self.implied
        follows: set[int] = set()
        alternatives = []
        for literal in parts:
            if literal ^ 1 in parts:
                return False
            inner = operands[literal >> 1]
            if inner is None:
                if literal in implied:
                    follows |= implied[literal]
            elif len(inner) <= LOOK_INTO:
                if literal & 1:
                    alternatives.append(literal)
                else:
                    follows.update(inner)
        if follows:
            parts -= follows
            for literal in parts:
                if literal ^ 1 in follows:
                    return False
            for literal in follows:
                if literal ^ 1 in follows:
                    return False
            follows |= parts
            known = follows
        else:
            known = parts
        for literal in alternatives:
            if literal not in parts:
                continue
            inner = operands[literal >> 1] or ()
            rest = []
            for part in inner:
                if part ^ 1 in known:
                    parts.discard(literal)
                    break
                if part not in known:
                    rest.append(part)
            if literal not in parts:
                continue
            if len(rest) < len(inner):
                parts.discard(literal)
                shorter = self.conjunction(rest) ^ 1
                if shorter == FALSE or shorter ^ 1 in parts:
                    return False
                if shorter != TRUE:
                    parts.add(shorter)
        return True


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

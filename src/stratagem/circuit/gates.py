"""Gates under construction: n-ary ANDs with complement edges, each built once.

A literal is ``2 * node + complement`` as in `Circuit`; OR is AND with all edges complemented. `conjunction`
folds constants, drops what is implied (absorption) and finds contradictions one level deep, and it knows that
every role makes exactly one move: two moves of one role are a contradiction, and "none of these fifty of
sixty moves" becomes "one of the other ten".
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

FALSE = 0
TRUE = 1
LOOK_INTO = 24
"""Operands with more operands than this are not looked into for absorption."""


class Gates:
    """Nodes 0..inputs are the constant and the inputs; every later one is an AND or a loop variable."""

    def __init__(self, inputs: int, choices: Iterable[Sequence[int]] = ()) -> None:
        """*choices*: groups of input nodes of which exactly one holds at any time."""
        self.operands: list[tuple[int, ...] | None] = [None] * (inputs + 1)
        self.variables: dict[int, int] = {}
        self._known: dict[tuple[int, ...], int] = {}
        self._choice: dict[int, int] = {}
        self._members: list[tuple[int, ...]] = []
        for group in choices:
            for node in group:
                self._choice[2 * node] = len(self._members)
            self._members.append(tuple(2 * node for node in group))

    def variable(self) -> int:
        """A new loop variable, as a literal; `define` says later what it is."""
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
        if len(parts) > 1:
            if self._choice and not self._settle_choices(parts):
                return FALSE
            if not self._absorb(parts):
                return FALSE
        if FALSE in parts:
            return FALSE
        if not parts:
            return TRUE
        if len(parts) == 1:
            literal = parts.pop()
            return self._only(literal)
        key = tuple(sorted(parts))
        node = self._known.get(key)
        if node is None:
            for literal in key:
                if literal & 1 == 0 and literal + 1 in parts:
                    return FALSE
            node = len(self.operands)
            self.operands.append(key)
            self._known[key] = node
        return 2 * node

    def _only(self, literal: int) -> int:
        """*literal*, or true or false where a role has a single move."""
        group = self._choice.get(literal & ~1)
        if group is not None and len(self._members[group]) == 1:
            return TRUE ^ (literal & 1)
        return literal

    def _settle_choices(self, parts: set[int]) -> bool:
        """Uses that exactly one member of a choice holds; False where the parts contradict that."""
        chosen: dict[int, int] = {}
        refused: dict[int, list[int]] = {}
        choice = self._choice
        for literal in parts:
            group = choice.get(literal & ~1)
            if group is None:
                continue
            if literal & 1:
                refused.setdefault(group, []).append(literal)
            elif group in chosen:
                return False
            else:
                chosen[group] = literal
        for group, literals in refused.items():
            if group in chosen:
                if chosen[group] + 1 in parts:
                    return False
                parts.difference_update(literals)
                continue
            members = self._members[group]
            if 2 * len(literals) > len(members):
                parts.difference_update(literals)
                gone = set(literals)
                parts.add(self.disjunction([member for member in members if member + 1 not in gone]))
                parts.discard(TRUE)
        for group, literal in chosen.items():
            if len(self._members[group]) == 1:
                parts.discard(literal)
        return True

    def _absorb(self, parts: set[int]) -> bool:
        """Drops and shortens operands that the other operands decide; False where they contradict."""
        operands = self.operands
        shorter: list[tuple[int, list[int]]] = []
        for literal in sorted(parts):
            inner = operands[literal >> 1]
            if inner is None or len(inner) > LOOK_INTO:
                continue
            if literal & 1 == 0:
                for part in inner:
                    if part ^ 1 in parts:
                        return False
                parts.difference_update(inner)
            elif any(part ^ 1 in parts for part in inner):
                parts.discard(literal)
            elif any(part in parts for part in inner):
                shorter.append((literal, [part for part in inner if part not in parts]))
        for literal, rest in shorter:
            if literal in parts:
                parts.discard(literal)
                replaced = self.conjunction(rest) ^ 1
                if replaced == FALSE or replaced ^ 1 in parts:
                    return False
                if replaced != TRUE:
                    parts.add(replaced)
        return True

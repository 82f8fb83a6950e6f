"""Patterns for pattern databases: which propositions to keep, found in the rules.

Proved groups (of the facts (cell ? ? 5) exactly one holds) are variables with a few values; what is in no group is a
variable of two. A pattern is a set of variables that is closed, as `abstraction` asks: with a tile comes the gap, since
the tile moves where the gap is. Of several ways to cut the facts into groups, tiles by place or places by tile,
the one with the smaller closures wins. Variables are packed into patterns up to a number of entries; what several
patterns share, the gap, is context. Where it is proved that no move changes two patterns outside the context, every
pattern counts its own moves only, and the sum of all is a lower bound (Korf and Felner, 2002); else the greatest is.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

from stratagem.engine.heuristics.abstraction import supports

if TYPE_CHECKING:
    from stratagem.circuit.circuit import Circuit
    from stratagem.gdl.rules import RuleSheet
    from stratagem.ground.program import GroundProgram
    from stratagem.ground.solving.mutex_groups import MutexGroups


@dataclass(frozen=True, slots=True)
class StateVariable:
    """Propositions (numbers in `Circuit.bases`) of which exactly one holds; or one that holds or not."""

    members: tuple[int, ...]

    @property
    def values(self) -> int:
        return max(2, len(self.members))


@dataclass(frozen=True, slots=True)
class Pattern:
    """A closed set of variables; *counted*: the propositions whose changes cost a move, all moves where empty."""

    variables: tuple[StateVariable, ...]
    counted: tuple[int, ...] = ()

    @property
    def entries(self) -> int:
        return prod(variable.values for variable in self.variables)

    @property
    def members(self) -> tuple[int, ...]:
        return tuple(sorted(place for variable in self.variables for place in variable.members))


@dataclass(frozen=True, slots=True)
class Patterns:
    """Patterns whose bounds may be added up (*additive*) or of which the greatest counts."""

    patterns: tuple[Pattern, ...]
    additive: bool


class PatternFinder:
    """The variables of one game of one role, and patterns of them of any size."""

    def __init__(self, sheet: RuleSheet, circuit: Circuit) -> None:
        from stratagem.ground.solving.mutex_groups import mutex_groups
        from stratagem.ground.solving.predecessors import ground_sheet

        self.circuit = circuit
        self.program: GroundProgram = ground_sheet(sheet)
        self.groups: MutexGroups = mutex_groups(self.program)
        self._supports = supports(circuit)
        self.variables = self._variables()
        self._owner = {place: variable for variable in self.variables for place in variable.members}

    def _closure(self, mask: int) -> int:
        """The least closed set of propositions around *mask*."""
        seen, todo = 0, mask
        while todo:
            place = (todo & -todo).bit_length() - 1
            seen |= 1 << place
            todo = (todo | self._supports[place]) & ~seen
        return seen

    def _variables(self) -> tuple[StateVariable, ...]:
        places = {term: place for place, term in enumerate(self.circuit.bases)}
        candidates: list[tuple[int, tuple[int, ...]]] = []
        for group in self.groups.exactly():
            if group.isdisjoint(self.circuit.constants):
                members = tuple(sorted(places[fact] for fact in group if fact in places))
                if len(members) > 1:
                    closed = self._closure(sum(1 << place for place in members)).bit_count()
                    candidates.append((closed, members))
        taken: set[int] = set()
        chosen: list[StateVariable] = []
        for _, members in sorted(candidates, key=lambda each: (each[0], -len(each[1]), each[1])):
            if taken.isdisjoint(members):
                taken.update(members)
                chosen.append(StateVariable(members))
        loose = [StateVariable((place,)) for place in range(len(self.circuit.bases)) if place not in taken]
        return tuple(sorted(chosen + loose, key=lambda variable: variable.members))

    def closed(self, variable: StateVariable) -> frozenset[StateVariable]:
        """The variables that must be kept where *variable* is."""
        found, mask = frozenset({variable}), 0
        while True:
            grown = self._closure(sum(1 << place for one in found for place in one.members))
            if grown == mask:
                return found
            mask = grown
            found = frozenset(owner for place, owner in self._owner.items() if mask >> place & 1)

    def patterns(self, entries: int) -> Patterns:
        """Patterns of at most so many *entries* each; none where every closed set is larger."""
        packed: list[frozenset[StateVariable]] = []
        current: frozenset[StateVariable] = frozenset()
        for variable in self.variables:
            wanted = self.closed(variable)
            if wanted <= current or _entries(wanted) > entries:
                continue
            if _entries(current | wanted) > entries:
                packed.append(current)
                current = frozenset()
            current |= wanted
        if current:
            packed.append(current)
        packed = [one for one in packed if not any(one < other for other in packed)]
        return self._priced(packed)

    def _priced(self, packed: list[frozenset[StateVariable]]) -> Patterns:
        plain = tuple(Pattern(_ordered(one)) for one in packed)
        if len(packed) < 2:
            return Patterns(plain, False)
        own = [one - frozenset().union(*(other for other in packed if other is not one)) for one in packed]
        counted = [tuple(sorted(place for variable in one for place in variable.members)) for one in own]
        if not all(counted) or not self.apart(counted):
            return Patterns(plain, False)
        return Patterns(
            tuple(Pattern(pattern.variables, own) for pattern, own in zip(plain, counted, strict=True)), True
        )

    def apart(self, parts: list[tuple[int, ...]]) -> bool:
        """Whether it is proved that no move changes two of *parts*, sets of propositions."""
        from stratagem.ground.solving.mutex_groups import change_apart

        bases = self.circuit.bases
        return change_apart(self.program, self.groups, [[bases[place] for place in part] for part in parts])


def _entries(variables: frozenset[StateVariable]) -> int:
    return prod(variable.values for variable in variables)


def _ordered(variables: frozenset[StateVariable]) -> tuple[StateVariable, ...]:
    return tuple(sorted(variables, key=lambda variable: variable.members))

"""Projection of a game onto some of its propositions: the circuit of what may happen if the others are unknown.

Every signal gets two: whether it *may* hold and whether it *must*, given the propositions that are kept (Kleene's
three values as two bits). A negation reads the other of the two, so that the abstract circuit is the old one twice, and
once where nothing forgotten is read. Only *closed* sets are kept: the next values of what is kept read nothing that is
forgotten, so that an abstract state has one child for each move. Moves that may be legal are legal, and a state
that may be an end worth enough is a goal: every way to the goal remains one, and distances can only shrink.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from stratagem.circuit.circuit import AND, FALSE, OR, TRUE, Circuit
from stratagem.errors import UnsuitableGame


def reads_of(circuit: Circuit, literals: Sequence[int]) -> list[int]:
    """For every literal the propositions that it reads, as a bit mask."""
    if circuit.loops:
        raise UnsuitableGame(
            "rules with loops through the state cannot be abstracted", hint="use breadth-first"
        )
    first = circuit.first_gate
    reads = [0] * (first + circuit.gate_count)
    for place in range(len(circuit.bases)):
        reads[1 + place] = 1 << place
    left, right = circuit.left.tolist(), circuit.right.tolist()
    for gate in range(circuit.gate_count):
        reads[first + gate] = reads[left[gate] >> 1] | reads[right[gate] >> 1]
    return [reads[literal >> 1] for literal in literals]


def supports(circuit: Circuit) -> list[int]:
    """For every proposition the ones that its next value reads, itself if it does, as a bit mask."""
    return reads_of(circuit, circuit.next.tolist())


def project(circuit: Circuit, kept: Sequence[int], *, threshold: int = 100) -> Circuit:
    """The game of one role in which only the propositions *kept*, a closed set, are known.

    Its states never end; the goal is 100 where the state may be an end worth *threshold* or more, else 0.
    """
    return _Projection(circuit, kept).circuit(threshold)


class _Projection:
    def __init__(self, circuit: Circuit, kept: Sequence[int]) -> None:
        self.old, self.kept = circuit, kept
        moves = sum(map(len, circuit.moves))
        self.first = 1 + len(kept) + moves
        self.operations: list[int] = []
        self.operands: list[tuple[int, int]] = []
        self.made: dict[tuple[int, int, int], int] = {}
        nodes = circuit.first_gate + circuit.gate_count
        self.may = [FALSE] * nodes
        self.must = [FALSE] * nodes
        for place in range(len(circuit.bases)):
            self.may[1 + place] = TRUE
        for number, place in enumerate(kept):
            self.may[1 + place] = self.must[1 + place] = 2 * (1 + number)
        for move in range(moves):
            node = circuit.first_move + move
            self.may[node] = self.must[node] = 2 * (1 + len(kept) + move)
        self._gates()

    def _gates(self) -> None:
        old = self.old
        wanted = self._wanted()
        left, right, operations = old.left.tolist(), old.right.tolist(), old.operations.tolist()
        for gate in range(old.gate_count):
            node = old.first_gate + gate
            if wanted[node]:
                one, other, operation = left[gate], right[gate], operations[gate]
                self.may[node] = self.gate(operation, self.possible(one), self.possible(other))
                self.must[node] = self.gate(operation, self.certain(one), self.certain(other))

    def _wanted(self) -> list[bool]:
        old = self.old
        outputs = [int(old.next[place]) for place in self.kept] + old.legal[0].tolist() + [old.terminal]
        outputs += [literal for _, literal in old.goals[0]]
        wanted = [False] * (old.first_gate + old.gate_count)
        for literal in outputs:
            wanted[literal >> 1] = True
        left, right = old.left.tolist(), old.right.tolist()
        for gate in reversed(range(old.gate_count)):
            if wanted[old.first_gate + gate]:
                wanted[left[gate] >> 1] = wanted[right[gate] >> 1] = True
        return wanted

    def possible(self, literal: int) -> int:
        return self.must[literal >> 1] ^ 1 if literal & 1 else self.may[literal >> 1]

    def certain(self, literal: int) -> int:
        return self.may[literal >> 1] ^ 1 if literal & 1 else self.must[literal >> 1]

    def gate(self, operation: int, one: int, other: int) -> int:
        """A literal for the gate, without a gate where a constant or an equal decides."""
        one, other = min(one, other), max(one, other)
        rules, passes = (FALSE, TRUE) if operation == AND else (TRUE, FALSE)
        if rules in (one, other) or one == other ^ 1:
            return rules
        if one in (passes, other):
            return other
        if other == passes:
            return one
        key = (operation, one, other)
        if key not in self.made:
            self.made[key] = 2 * (self.first + len(self.operations))
            self.operations.append(operation)
            self.operands.append((one, other))
        return self.made[key]

    def any_of(self, literals: Iterable[int]) -> int:
        found = FALSE
        for literal in literals:
            found = self.gate(OR, found, literal)
        return found

    def circuit(self, threshold: int) -> Circuit:
        old = self.old
        for place in self.kept:
            if self.possible(int(old.next[place])) != self.certain(int(old.next[place])):
                raise UnsuitableGame(f"{old.bases[place]} depends on facts that the abstraction omits")
        over = self.certain(old.terminal)
        worth = self.any_of(self.possible(literal) for value, literal in old.goals[0] if value >= threshold)
        goal = self.gate(AND, self.possible(old.terminal), worth)
        legal = [self.gate(AND, self.possible(literal), over ^ 1) for literal in old.legal[0].tolist()]
        after = [self.certain(int(old.next[place])) for place in self.kept]
        return Circuit(
            old.roles,
            tuple(old.bases[place] for place in self.kept),
            old.moves,
            frozenset(),
            np.array(self.operations, np.int8),
            np.array([one for one, _ in self.operands], np.int32),
            np.array([other for _, other in self.operands], np.int32),
            (),
            old.initial[list(self.kept)],
            np.array(after, np.int32),
            (np.array(legal, np.int32),),
            FALSE,
            (((0, goal ^ 1), (100, goal)),),
        )

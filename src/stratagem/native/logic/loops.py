"""Loops cut open: with the values of a few gates known, the cyclic part of a circuit has no cycle left.

A loop is a range of gates that read each other in a circle; its value is the least fixed point. Its *variables* are gates
without which the range is acyclic: a feedback vertex set, found by eliminating vertices while the graph does not grow
(Levy and Low, 1988). Whoever knows the rows of all variables has an ordinary circuit (`gates.copy_gates`), and whoever
computes the variables from each other again and again until none changes has the fixed point.

A loop rises with its *inputs*, the literals from outside in the polarity in which they are read, because the gates of the range
are read positively there. So where no input has fallen since the last evaluation, iteration may go on from the values found
then: they lie below the new fixed point, and each step from below stays below it. Cost: a few microseconds per gate.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from graphlib import TopologicalSorter
from typing import Protocol

from stratagem.circuit.circuit import AND, FALSE, Circuit


class GateLists(Protocol):
    """The gates of a circuit or of a phase: the first of them is node *first_gate*."""

    @property
    def first_gate(self) -> int: ...
    @property
    def operations(self) -> Sequence[int]: ...
    @property
    def left(self) -> Sequence[int]: ...
    @property
    def right(self) -> Sequence[int]: ...


@dataclass(frozen=True, slots=True)
class CircuitGates:
    """The gates of a circuit as lists."""

    first_gate: int
    operations: Sequence[int]
    left: Sequence[int]
    right: Sequence[int]


def gates_of(circuit: Circuit) -> CircuitGates:
    """The gates of *circuit* as lists."""
    arrays = circuit.operations, circuit.left, circuit.right
    return CircuitGates(circuit.first_gate, *(array.tolist() for array in arrays))


@dataclass(frozen=True, slots=True)
class CutLoop:
    """The gates *first* to *end* (exclusive), which read each other."""

    first: int
    end: int
    variables: tuple[int, ...]
    """Gates whose values cut every cycle. In the order of a sweep: those that can become true first come first."""
    inputs: tuple[int, ...]
    """The literals of other nodes that the loop reads."""
    at_rest: frozenset[int]
    """The variables that hold where no input does."""


@dataclass(frozen=True, slots=True)
class Loop(CutLoop):
    """A loop of a circuit."""

    below: tuple[int, ...]
    """The numbers of all loops that the inputs depend on, ascending."""
    reads_moves: bool
    """Whether the inputs depend on what the roles do."""


def cut_loops(circuit: Circuit) -> tuple[Loop, ...]:
    """The loops of *circuit*, each after those that it depends on."""
    if not circuit.loops:
        return ()
    offset = circuit.first_gate
    gates = gates_of(circuit)
    behind = _loops_behind(circuit, gates.left, gates.right)
    moves = 1 << len(circuit.loops)
    found = []
    for number, (first, end) in enumerate(circuit.loops):
        depends = behind[offset + first]
        below = tuple(other for other in range(number) if depends >> other & 1)
        loop = cut_loop(gates, first, end)
        known = loop.variables, loop.inputs, loop.at_rest
        found.append(Loop(first, end, *known, below, bool(depends & moves)))
    return tuple(found)


def cut_loop(gates: GateLists, first: int, end: int) -> CutLoop:
    """The loop that the gates *first* to *end* (exclusive) are."""
    loop = _LoopGates(gates, first, end)
    variables = loop.in_sweep_order(_feedback_vertices(loop))
    at_rest = frozenset(loop.levels(frozenset(variables), 0)) & set(variables)
    return CutLoop(first, end, variables, loop.inputs, at_rest)


def other_gates(gates: GateLists, loop: CutLoop) -> list[int]:
    """The gates of *loop* beside its variables, operands before their readers."""
    inside = set(range(loop.first, loop.end)).difference(loop.variables)
    graph = {
        gate: [
            source
            for literal in (gates.left[gate], gates.right[gate])
            if (source := (literal >> 1) - gates.first_gate) in inside
        ]
        for gate in sorted(inside)
    }
    return list(TopologicalSorter(graph).static_order())


def _loops_behind(circuit: Circuit, left: Sequence[int], right: Sequence[int]) -> list[int]:
    """For every node the loops that it depends on, as a set of bits; one bit more says whether it depends on moves."""
    offset, first_move = circuit.first_gate, circuit.first_move
    behind = [0] * first_move + [1 << len(circuit.loops)] * (offset - first_move)
    inside = dict(circuit.loops)
    gate, number = 0, 0
    while gate < circuit.gate_count:
        end = inside.get(gate, gate)
        if end == gate:
            behind.append(behind[left[gate] >> 1] | behind[right[gate] >> 1])
            gate += 1
            continue
        own = 1 << number
        for reader in range(gate, end):
            for source in (left[reader] >> 1, right[reader] >> 1):
                if source < offset + gate:
                    own |= behind[source]
        behind += [own] * (end - gate)
        gate, number = end, number + 1
    return behind


class _LoopGates:
    """One range of gates as a graph."""

    def __init__(self, lists: GateLists, first: int, end: int) -> None:
        offset, left, right = lists.first_gate, lists.left, lists.right
        self.gates = range(first, end)
        self.conjunctive = {gate: lists.operations[gate] == AND for gate in self.gates}
        self.operands: dict[int, list[int]] = {}
        """The gates of the range that a gate reads."""
        self.outer: dict[int, list[int]] = {}
        """The other literals that it reads."""
        self.readers: dict[int, list[int]] = {gate: [] for gate in self.gates}
        for gate in self.gates:
            literals = (left[gate], right[gate])
            own = [literal for literal in literals if first <= (literal >> 1) - offset < end]
            self.operands[gate] = [(literal >> 1) - offset for literal in own]
            self.outer[gate] = [literal for literal in literals if literal not in own]
            for source in self.operands[gate]:
                self.readers[source].append(gate)
        read = {literal for outer in self.outer.values() for literal in outer}
        self.inputs = tuple(sorted(literal for literal in read if literal > 1))

    def levels(self, variables: frozenset[int], inputs: int) -> dict[int, int]:
        """The gates that hold where all inputs are *inputs* (0 or 1), each with the number of variables on the way to it."""
        missing = {}
        now: list[int] = []
        for gate in self.gates:
            known = [inputs if literal > 1 else literal for literal in self.outer[gate]]
            one = self.conjunctive[gate]
            missing[gate] = len(self.operands[gate]) + known.count(FALSE) if one else 1
            if missing[gate] == 0 or (not one and 1 in known):
                missing[gate] = 0
                now.append(gate)
        level, levels = 0, dict.fromkeys(now, 0)
        later: list[int] = []
        while now:
            for reader in self.readers[now.pop()]:
                missing[reader] -= 1
                if missing[reader] == 0 and reader not in levels:
                    levels[reader] = level + (reader in variables)
                    (later if reader in variables else now).append(reader)
            if not now:
                now, later, level = later, [], level + 1
        return levels

    def in_sweep_order(self, variables: frozenset[int]) -> tuple[int, ...]:
        """*variables*, those first to which the shortest ways lead; neighbours of one distance by what they read."""
        levels = self.levels(variables, 1)
        least = {gate: min(self._cone_inputs(gate, variables), default=0) for gate in variables}
        return tuple(
            sorted(variables, key=lambda gate: (levels.get(gate, len(self.gates)), least[gate], gate))
        )

    def _cone_inputs(self, gate: int, variables: frozenset[int]) -> set[int]:
        """The inputs that *gate* reads not through another variable."""
        found: set[int] = set()
        work, seen = [gate], {gate}
        while work:
            reader = work.pop()
            found.update(literal for literal in self.outer[reader] if literal > 1)
            for source in self.operands[reader]:
                if source not in seen and source not in variables:
                    seen.add(source)
                    work.append(source)
        return found


def _feedback_vertices(gates: _LoopGates) -> frozenset[int]:
    """What is left when vertices that are on no cycle of their own are eliminated, while the edges do not become more.

    To eliminate a vertex is to lead its operands to its readers. Those with one reader go first: a gate that is read
    in many places is worth a row, the parts of its sum are not.
    """
    before = {gate: set(gates.operands[gate]) for gate in gates.gates}
    after = {gate: set(gates.readers[gate]) for gate in gates.gates}
    tests: list[Callable[[int, int], bool]] = [
        lambda _operands, readers: readers <= 1,
        lambda operands, _readers: operands <= 1,
        lambda operands, readers: operands * readers <= operands + readers,
    ]
    for test in tests:
        work = deque(before)
        waiting = set(work)
        while work:
            gate = work.popleft()
            waiting.discard(gate)
            if gate in before[gate] or not test(len(before[gate]), len(after[gate])):
                continue
            operands, readers = before.pop(gate), after.pop(gate)
            for operand in operands:
                after[operand].discard(gate)
                after[operand] |= readers
            for reader in readers:
                before[reader].discard(gate)
                before[reader] |= operands
            again = sorted((operands | readers) - waiting)
            work += again
            waiting.update(again)
    return frozenset(before)

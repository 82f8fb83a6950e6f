"""Circuits run on Python's own long integers: a row is one integer, and every bit of it is another state.

No code is compiled and nothing heavy is imported: the reference of playouts runs on it, and the tests take it as the
definition of the faster tiers. Cost: about 60 ns per gate for up to a few hundred states at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from stratagem.circuit.circuit import AND, Circuit
from stratagem.native.logic.gates import needed_gates


class IntegerPhase:
    """The gates behind some literals of a circuit, ready to run."""

    __slots__ = ("_gates", "_inputs", "_nodes", "_outputs", "_runs")

    def __init__(self, circuit: Circuit, wanted: Iterable[int]) -> None:
        self._outputs = [int(literal) for literal in wanted]
        gates = needed_gates(circuit, self._outputs)
        operations, left, right = circuit.operations.tolist(), circuit.left.tolist(), circuit.right.tolist()
        offset = circuit.first_gate
        self._inputs = offset - 1
        self._nodes = offset + circuit.gate_count
        self._gates = [
            (
                offset + gate,
                operations[gate] == AND,
                left[gate] >> 1,
                left[gate] & 1,
                right[gate] >> 1,
                right[gate] & 1,
            )
            for gate in gates
        ]
        self._runs = _runs(gates, circuit.loops)

    def __call__(self, inputs: Sequence[int], full: int) -> list[int]:
        """The rows of the literals; *inputs* are the rows of bases and moves, *full* has every state's bit set."""
        values = [0] * self._nodes
        values[1 : 1 + len(inputs)] = inputs
        for first, last, repeated in self._runs:
            self._run(values, first, last, full)
            while repeated and self._run(values, first, last, full):
                pass
        return [values[literal >> 1] ^ (full if literal & 1 else 0) for literal in self._outputs]

    def _run(self, values: list[int], first: int, last: int, full: int) -> bool:
        changed = False
        for target, conjunctive, a, a_flip, b, b_flip in self._gates[first:last]:
            one = values[a] ^ full if a_flip else values[a]
            other = values[b] ^ full if b_flip else values[b]
            value = one & other if conjunctive else one | other
            if value != values[target]:
                values[target] = value
                changed = True
        return changed


def _runs(gates: Sequence[int], loops: Sequence[tuple[int, int]]) -> list[tuple[int, int, bool]]:
    """Ranges of positions in *gates*, and whether a range is a loop."""
    from bisect import bisect_left

    runs = []
    at = 0
    for first, last in loops:
        begin, end = bisect_left(gates, first), bisect_left(gates, last)
        if begin < end:
            runs += [(at, begin, False), (begin, end, True)]
            at = end
    runs.append((at, len(gates), False))
    return [run for run in runs if run[0] < run[1]]


class IntegerCircuit:
    """A circuit's three questions: what is legal, is it over and what is it worth, what comes next."""

    def __init__(self, circuit: Circuit) -> None:
        self.circuit = circuit
        self._no_moves = [0] * sum(map(len, circuit.moves))
        self._legal = IntegerPhase(circuit, [literal for own in circuit.legal for literal in own.tolist()])
        goals = [literal for own in circuit.goals for _, literal in own]
        self._final = IntegerPhase(circuit, [circuit.terminal, *goals])
        self._next = IntegerPhase(circuit, circuit.next.tolist())

    def legal(self, bases: Sequence[int], full: int) -> list[list[int]]:
        """For each role a row per move."""
        rows = self._legal([*bases, *self._no_moves], full)
        result = []
        for moves in self.circuit.moves:
            result.append(rows[: len(moves)])
            rows = rows[len(moves) :]
        return result

    def final(self, bases: Sequence[int], full: int) -> tuple[int, list[list[int]]]:
        """The row of the terminal states; for each role and value a row: this value and no other."""
        terminal, *rows = self._final([*bases, *self._no_moves], full)
        result = []
        for goals in self.circuit.goals:
            result.append(only_one_set(rows[: len(goals)]))
            rows = rows[len(goals) :]
        return terminal, result

    def next(self, bases: Sequence[int], does: Sequence[Sequence[int]], full: int) -> list[int]:
        """The rows of the successors; in every state each role does one move."""
        return self._next([*bases, *(row for own in does for row in own)], full)


def only_one_set(rows: Sequence[int]) -> list[int]:
    """Each row where none of the others is set."""
    one = several = 0
    for row in rows:
        several |= one & row
        one |= row
    return [row & ~several for row in rows]

"""Loops cut open: the variables cut every cycle, and iteration may go on from the values of before."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.circuits import Builder, connect_four, random_circuit, term

from stratagem.circuit.circuit import AND, OR, Circuit
from stratagem.circuit.interpret import evaluate
from stratagem.errors import UnsuitableGame
from stratagem.loading import load
from stratagem.native.emit.fixed_points import FixedPoints
from stratagem.native.emit.text import VectorShape
from stratagem.native.logic import network as networks
from stratagem.native.logic.gates import copy_gates
from stratagem.native.logic.loops import cut_loops, gates_of, other_gates
from stratagem.native.logic.network import LogicNetwork

SEEDS = st.integers(0, 10**6)


def hex_circuit(size: int) -> Circuit:
    return load("hex", size=size).circuit


def inputs_of(circuit: Circuit, source: random.Random) -> list[bool]:
    return [source.random() < 0.5 for _ in range(circuit.first_gate - 1)]


def evaluated(network: LogicNetwork, literals: list[int], values: dict[int, bool]) -> list[bool]:
    """The values of *literals*, given those of the inputs."""
    known = {0: False} | values
    for node, kind in enumerate(network.kinds):
        if node not in known:
            a = known[network.left[node] >> 1] ^ bool(network.left[node] & 1)
            b = known[network.right[node] >> 1] ^ bool(network.right[node] & 1)
            known[node] = (a and b) if kind == networks.AND else (a or b)
    return [known[literal >> 1] ^ bool(literal & 1) for literal in literals]


class Cut:
    """A circuit whose loops are cut, as a network whose inputs are its own and then the variables."""

    def __init__(self, circuit: Circuit, wanted: list[int]) -> None:
        self.circuit, self.loops = circuit, cut_loops(circuit)
        self.network = LogicNetwork()
        self.inputs = [self.network.input() for _ in range(circuit.first_gate - 1)]
        self.variables = {gate: self.network.input() for loop in self.loops for gate in loop.variables}
        bases = self.inputs[: len(circuit.bases)]
        moves = self.inputs[len(circuit.bases) :]
        self.wanted = copy_gates(self.network, circuit, bases, moves, wanted, self.variables)
        self.bodies = {gate: self._body(bases, moves, gate) for gate in self.variables}
        """Each variable as a function of all of them."""

    def _body(self, bases: list[int], moves: list[int], gate: int) -> int:
        reads = [int(self.circuit.left[gate]), int(self.circuit.right[gate])]
        a, b = copy_gates(self.network, self.circuit, bases, moves, reads, self.variables)
        join = self.network.conjunction if self.circuit.operations[gate] == AND else self.network.disjunction
        return join(a, b)

    def values(self, inputs: list[bool], variables: dict[int, bool], literals: list[int]) -> list[bool]:
        known = {literal >> 1: value for literal, value in zip(self.inputs, inputs, strict=True)}
        known |= {self.variables[gate] >> 1: value for gate, value in variables.items()}
        return evaluated(self.network, literals, known)


@given(SEEDS, st.integers(1, 3))
def test_with_its_variables_known_a_circuit_is_straight_line_code(seed, loops):
    circuit = random_circuit(seed, loops=loops, gates=20 + seed % 40)
    gates = [2 * (circuit.first_gate + gate) for gate in range(circuit.gate_count)]
    cut, source = Cut(circuit, gates), random.Random(seed)
    for _ in range(8):
        inputs = inputs_of(circuit, source)
        truth = evaluate(circuit, inputs)[circuit.first_gate :]
        assert cut.values(inputs, {gate: truth[gate] for gate in cut.variables}, cut.wanted) == truth


@given(SEEDS, st.integers(1, 3))
def test_iteration_goes_on_from_the_values_of_before_where_no_input_has_fallen(seed, loops):
    circuit = random_circuit(seed, loops=loops, gates=20 + seed % 40)
    gates = [2 * (circuit.first_gate + gate) for gate in range(circuit.gate_count)]
    cut, source = Cut(circuit, gates), random.Random(seed)
    before = inputs_of(circuit, source)
    for _ in range(8):
        after = [value ^ (source.random() < 0.2) for value in before]
        old, new = evaluate(circuit, before), evaluate(circuit, after)
        known = {gate: new[circuit.first_gate + gate] for gate in cut.variables}
        for loop in cut.loops:
            fallen = any(
                (old[literal >> 1] ^ literal & 1) > (new[literal >> 1] ^ literal & 1)
                for literal in loop.inputs
            )
            now = {gate: not fallen and old[circuit.first_gate + gate] for gate in loop.variables}
            for _ in range(len(loop.variables) + 1):
                bodies = [cut.bodies[gate] for gate in loop.variables]
                found = cut.values(after, known | now, bodies)
                assert all(was <= value for was, value in zip(now.values(), found, strict=True)), "it rises"
                now = dict(zip(loop.variables, found, strict=True))
            assert now == {gate: known[gate] for gate in loop.variables}
        before = after


@given(SEEDS, st.integers(1, 3))
def test_the_other_gates_of_a_loop_come_after_what_they_read(seed, loops):
    circuit = random_circuit(seed, loops=loops, gates=20 + seed % 40)
    gates = gates_of(circuit)
    for loop in cut_loops(circuit):
        order = other_gates(gates, loop)
        inside = range(loop.first, loop.end)
        assert sorted([*order, *loop.variables]) == list(inside)
        known = set(loop.variables)
        for gate in order:
            reads = {(literal >> 1) - gates.first_gate for literal in (gates.left[gate], gates.right[gate])}
            assert reads & set(inside) <= known
            known.add(gate)


@given(SEEDS)
def test_what_is_true_at_rest_is_what_holds_without_any_input(seed):
    circuit = random_circuit(seed, loops=2)
    offset, operations = circuit.first_gate, circuit.operations.tolist()
    reads = list(zip(circuit.left.tolist(), circuit.right.tolist(), strict=True))
    for loop in cut_loops(circuit):
        inside = range(loop.first, loop.end)
        values = dict.fromkeys(inside, False)

        def value(literal: int, values: dict[int, bool] = values) -> bool:
            return literal == 1 or values.get((literal >> 1) - offset, False)

        for _ in inside:
            for gate in inside:
                a, b = map(value, reads[gate])
                values[gate] = (a and b) if operations[gate] == AND else (a or b)
        assert loop.at_rest == {gate for gate in loop.variables if values[gate]}


@given(SEEDS)
def test_a_loop_tells_which_loops_it_depends_on_and_whether_it_reads_moves(seed):
    circuit = random_circuit(seed, loops=2, gates=30)
    offset = circuit.first_gate
    for number, loop in enumerate(cut_loops(circuit)):
        behind, work = set(), [literal >> 1 for literal in loop.inputs]
        while work:
            node = work.pop()
            if node not in behind:
                behind.add(node)
                for first, end in circuit.loops:
                    if offset + first <= node < offset + end:
                        work += range(offset + first, offset + end)
                if node >= offset:
                    work += [int(circuit.left[node - offset]) >> 1, int(circuit.right[node - offset]) >> 1]
        assert loop.reads_moves == any(circuit.first_move <= node < offset for node in behind)
        found = [
            other
            for other, (first, end) in enumerate(circuit.loops)
            if other != number and behind & set(range(offset + first, offset + end))
        ]
        assert list(loop.below) == found


@pytest.mark.parametrize("size", [3, 5, 9])
def test_the_variables_of_hex_are_about_one_per_cell_and_swept_from_the_edge(size):
    circuit = hex_circuit(size)
    assert len(circuit.loops) == 2
    for number, loop in enumerate(cut_loops(circuit)):
        assert loop.below == () and not loop.reads_moves and not loop.at_rest
        assert len(loop.inputs) == size * size, "one player's stones"
        assert len(loop.variables) <= size * size
        cells = [cell for gate in loop.variables for cell in _cells_read(circuit, gate)]
        away = [cell[number] for cell in cells if cell[1 - number] > 1]
        assert len(away) >= size * (size - 3), "at the rim some cells have no row of their own"
        assert away == sorted(away), "the sweep goes away from the edge where the chains of a player begin"


def _cells_read(circuit: Circuit, gate: int) -> list[tuple[int, int]]:
    """The places on the board of the stones that a gate reads itself."""
    nodes = [int(circuit.left[gate]) >> 1, int(circuit.right[gate]) >> 1]
    facts = [str(circuit.bases[node - 1]).split() for node in nodes if node < circuit.first_move]
    return [(int(row), int(column)) for _, row, column, _ in facts]


def test_a_circuit_without_loops_has_none_to_cut():
    assert cut_loops(connect_four()) == ()


def test_a_loop_that_is_not_cut_is_refused():
    circuit = hex_circuit(3)
    with pytest.raises(UnsuitableGame, match="no straight-line code"):
        copy_gates(LogicNetwork(), circuit, [0] * len(circuit.bases), [0] * 20, [circuit.terminal])


def test_a_ring_of_thousands_of_gates_is_cut_by_one_variable_and_written_down():
    """ANDs and ORs in turn: each gate is a level deeper than the one before."""
    places = 1500
    opened, marked = [[term(name, place) for place in range(places)] for name in ("open", "mark")]
    build = Builder(("r",), [*opened, *marked], [[term("m")]])
    for place in range(places):
        before = build.first_gate + (2 * place - 1) % (2 * places)
        build.gates.append((OR, build.base[marked[place]], 2 * before))
        build.gates.append((AND, build.base[opened[place]], 2 * (build.first_gate + 2 * place)))
    reached = 2 * (build.first_gate + 7)
    stay = {fact: build.base[fact] for fact in build.bases}
    circuit = build.circuit(set(opened), stay, [{term("m"): 1}], reached, [[(100, 1)]], ((0, 2 * places),))
    (loop,) = cut_loops(circuit)
    assert len(loop.variables) == 1
    points = FixedPoints(circuit, len(circuit.bases), VectorShape(8, True))
    assert points.functions().count("define") == 2

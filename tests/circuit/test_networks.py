"""From ground programs to circuits: loops, constants, sharing, and random networks that keep their meaning."""

from __future__ import annotations

import random
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as some
from tests.support.small_sheets import sheet_of, small_sheets

from stratagem.circuit.circuit import Circuit
from stratagem.circuit.compiler.compile import circuit_of
from stratagem.circuit.construction.build import build
from stratagem.circuit.interpret import depth_of, evaluate, read
from stratagem.circuit.simplify.binary import binary
from stratagem.circuit.simplify.constants import bounds
from stratagem.circuit.simplify.factor import factoring
from stratagem.circuit.simplify.rewrite import fold, rewrite
from stratagem.circuit.simplify.share import share
from stratagem.gdl.graphs import numbered_components
from stratagem.ground.clingo_grounder import ground_here
from stratagem.ground.rewrite.prepare import prepare
from stratagem.machines.compiled.interpreted import CircuitMachine

ISLANDS = """(role r) (legal r a) (<= (legal r (cut ?x ?y)) (true (way ?x ?y)))
(init (way 1 2)) (init (way 2 3)) (init (way 3 1)) (init (way 3 4)) (init (sun)) (init (count 0))
(<= (next (way ?x ?y)) (true (way ?x ?y)) (not (does r (cut ?x ?y)))) (next sun)
(<= (next (count 1)) (true (count 0))) (<= (next (count 2)) (true (count 2)))
(<= (from ?x ?y) (true (way ?x ?y))) (<= (from ?x ?z) (from ?x ?y) (from ?y ?z))
(<= (legal r (wait ?x)) (true (count ?x)) (true (count 2)))
(<= terminal (not (from 1 4))) (<= (goal r 100) (from 1 1)) (<= (goal r 0) (not (from 1 1)))"""


def network_of(text: str):
    sheet = sheet_of(text)
    return build(ground_here(prepare(sheet).rules, sheet.roles))


def values_of(circuit: Circuit, facts: set[str], moves: set[str] = frozenset()) -> list[bool]:
    inputs = [str(base) in facts for base in circuit.bases]
    return evaluate(circuit, inputs + [str(move) in moves for several in circuit.moves for move in several])


def test_what_depends_on_itself_becomes_a_loop_to_its_least_fixed_point():
    circuit = circuit_of(sheet_of(ISLANDS))
    assert circuit.loops
    ways = {"(way 1 2)", "(way 2 3)", "(way 3 1)", "(way 3 4)"}
    assert not read(values_of(circuit, ways), circuit.terminal)
    assert read(values_of(circuit, {"(way 1 2)", "(way 2 1)", "(way 3 4)", "(way 4 3)"}), circuit.terminal)


def test_only_gates_on_a_cycle_are_inside_a_loop():
    circuit = circuit_of(sheet_of(ISLANDS))
    offset = circuit.first_gate
    for first, last in circuit.loops:
        inside = range(first, last)

        def operands(gate: int, inside: range = inside) -> list[int]:
            both = (int(circuit.left[gate]) >> 1, int(circuit.right[gate]) >> 1)
            return [node - offset for node in both if node - offset in inside]

        (component,) = (group for group in numbered_components(inside, operands, circuit.gate_count))
        assert sorted(component) == list(inside)


def test_inside_a_loop_gates_are_read_plainly_and_outside_in_order():
    circuit = circuit_of(sheet_of(ISLANDS))
    where = {gate: loop for loop in circuit.loops for gate in range(*loop)}
    for gate in range(circuit.gate_count):
        for literal in (int(circuit.left[gate]), int(circuit.right[gate])):
            other = (literal >> 1) - circuit.first_gate
            if gate in where and other in range(*where[gate]):
                assert literal & 1 == 0
            else:
                assert other < gate


def test_facts_that_never_change_are_constants_and_what_never_comes_true_is_gone():
    circuit = circuit_of(sheet_of(ISLANDS))
    assert set(map(str, circuit.constants)) == {"sun"}
    assert "(count 2)" not in map(str, circuit.bases)
    assert {str(move) for move in circuit.moves[0]}.isdisjoint({"(wait 2)", "(wait 1)", "(wait 0)"})
    machine = CircuitMachine(circuit)
    assert "sun" in map(str, machine.facts(machine.initial()))


def test_a_fact_that_only_the_second_turn_changes_is_no_constant():
    text = """(role r) (legal r a) (goal r 0) (init p) (init (t 0)) (<= (next (t 1)) (true (t 0)))
    (<= (next p) (not (true (t 1)))) (<= terminal (true never))"""
    assert not circuit_of(sheet_of(text)).constants


def test_a_move_that_is_the_only_one_at_first_is_no_constant():
    text = """(role r) (legal r a) (<= (legal r b) (true late)) (goal r 0) (init early)
    (<= (next late) (does r a)) (<= (next early) (does r a)) (<= terminal (true never))"""
    circuit = circuit_of(sheet_of(text))
    assert [str(base) for base in circuit.bases] == ["early", "late"]


def test_balanced_trees_are_shallow():
    cells = " ".join(f"(init (c {number}))" for number in range(64))
    moves = " ".join(f"(legal r (take {number}))" for number in range(64))
    body = " ".join(f"(true (c {number}))" for number in range(64))
    text = f"(role r) {cells} {moves} (goal r 0) (<= terminal {body})"
    text += " (<= (next (c ?x)) (true (c ?x)) (not (does r (take ?x))))"
    circuit = circuit_of(sheet_of(text))
    assert depth_of(circuit) == 6


def test_common_parts_are_built_once():
    lines = ["(role r) (legal r a) (goal r 0) (init (c 0))"]
    lines += [
        f"(<= (next (c {n})) (true (c 1)) (true (c 2)) (true (c 3)) (true (c {n})))" for n in range(4, 9)
    ]
    lines += ["(<= (next (c ?x)) (true (c ?x)) (small ?x)) (small 0)"]
    lines += [f"(init (c {n})) (<= (next (d {n})) (not (true (d {n}))))" for n in range(1, 9)]
    network = network_of(" ".join(lines) + "(<= terminal (true (d 1)))")
    plain, shared = binary(network), binary(share(network))
    assert shared.gate_count <= plain.gate_count


def gates_only(circuit: Circuit) -> list[tuple[int, int, int]]:
    return list(zip(circuit.operations.tolist(), circuit.left.tolist(), circuit.right.tolist(), strict=True))


def test_the_same_rules_always_give_the_same_circuit():
    assert gates_only(circuit_of(sheet_of(ISLANDS))) == gates_only(circuit_of(sheet_of(ISLANDS)))


def same_outputs(one: Circuit, other: Circuit, seed: int) -> None:
    """Both circuits on random reachable states with random legal moves."""
    chance = random.Random(seed)
    left, right = CircuitMachine(one), CircuitMachine(other)
    state = left.initial()
    for _ in range(6):
        facts = left.facts(state)
        again = right.from_facts(facts)
        assert left.terminal(state) == right.terminal(again)
        joint = []
        for role in range(len(one.roles)):
            assert left.goal(state, role) == right.goal(again, role)
            moves = left.legals(state, role)
            assert moves == right.legals(again, role)
            joint.append(chance.choice(moves))
        state = left.next(state, tuple(joint))
        assert left.facts(state) == right.facts(right.next(again, tuple(joint)))


@settings(max_examples=30)
@given(small_sheets(), some.integers(0, 99))
def test_every_stage_keeps_the_meaning_of_random_networks(text, seed):
    network = network_of(text)
    plain = binary(network)
    same_outputs(plain, binary(rewrite(network)), seed)
    same_outputs(plain, binary(rewrite(network, join=factoring(network))), seed)
    same_outputs(plain, binary(share(network)), seed)
    folded = fold(network, bounds(network), join=factoring(network))
    same_outputs(binary(folded), plain, seed)
    same_outputs(binary(share(folded)), plain, seed)


def test_networks_are_values():
    network = network_of(ISLANDS)
    before = list(network.gates.operands)
    share(network)
    fold(network, bounds(network))
    assert network.gates.operands == before
    assert replace(network) == network

"""The parts that the kernels are made of: networks, counting, selection, mapping, tokens."""

from __future__ import annotations

import dataclasses
import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.circuits import Builder, breakthrough, connect_four, random_circuit, term, tic_tac_toe

from stratagem import load
from stratagem.circuit.circuit import AND as AND_GATE
from stratagem.circuit.circuit import OR as OR_GATE
from stratagem.circuit.circuit import Circuit
from stratagem.native.logic.lut_mapping import TABLES, cover
from stratagem.native.logic.network import AND, INPUT, OR, LogicNetwork
from stratagem.native.logic.turn_cycle import find_tokens
from stratagem.native.logic.uniform_choice import count, digits, less_one, select


def values_of(network: LogicNetwork, inputs: dict[int, int], full: int) -> list[int]:
    """Every node's row, gate by gate."""
    rows = []
    for node, kind in enumerate(network.kinds):
        if kind == INPUT:
            rows.append(inputs.get(node, 0))
            continue
        a = rows[network.left[node] >> 1] ^ (full if network.left[node] & 1 else 0)
        b = rows[network.right[node] >> 1] ^ (full if network.right[node] & 1 else 0)
        rows.append(a & b if kind == AND else a | b if kind == OR else a ^ b)
    return rows


def literal_row(rows: list[int], literal: int, full: int) -> int:
    return rows[literal >> 1] ^ (full if literal & 1 else 0)


def every_assignment(inputs: int) -> tuple[list[int], int]:
    """Rows in which lane k holds assignment k of that many inputs."""
    lanes = 1 << inputs
    return [sum(1 << lane for lane in range(lanes) if lane >> place & 1) for place in range(inputs)], (
        1 << lanes
    ) - 1


@pytest.mark.parametrize("moves", [1, 2, 3, 5, 8, 11])
def test_the_tree_counts_every_set_of_legal_moves(moves):
    rows, full = every_assignment(moves)
    network = LogicNetwork()
    legal = [network.input() for _ in range(moves)]
    total = count(network, legal).total
    lowered = less_one(network, total, moves)
    values = values_of(network, {literal >> 1: row for literal, row in zip(legal, rows, strict=True)}, full)
    for lane in range(1 << moves):
        expected = lane.bit_count()
        found = sum((literal_row(values, digit, full) >> lane & 1) << at for at, digit in enumerate(total))
        one_less = sum(
            (literal_row(values, digit, full) >> lane & 1) << at for at, digit in enumerate(lowered)
        )
        assert found == expected
        if expected:
            assert one_less == expected - 1


@pytest.mark.parametrize("moves", [2, 3, 5, 8, 9])
def test_select_finds_the_legal_move_of_every_rank(moves):
    rows, full = every_assignment(moves)
    for rank in range(moves):
        network = LogicNetwork()
        legal = [network.input() for _ in range(moves)]
        wanted = [int(bool(rank >> place & 1)) for place in range(digits(moves - 1))]
        chosen = select(network, count(network, legal), legal, wanted)
        values = values_of(
            network, {literal >> 1: row for literal, row in zip(legal, rows, strict=True)}, full
        )
        for lane in range(1 << moves):
            able = [move for move in range(moves) if lane >> move & 1]
            if rank < len(able):
                picked = [
                    move for move in range(moves) if literal_row(values, chosen[move], full) >> lane & 1
                ]
                assert picked == [able[rank]]


def random_network(data: st.DataObject) -> tuple[LogicNetwork, list[int], list[int]]:
    network = LogicNetwork()
    literals = [network.input() for _ in range(data.draw(st.integers(1, 6)))]
    inputs = list(literals)
    for _ in range(data.draw(st.integers(1, 30))):
        pair = [data.draw(st.sampled_from(literals)) ^ data.draw(st.integers(0, 1)) for _ in range(2)]
        join = data.draw(st.sampled_from([network.conjunction, network.disjunction, network.exclusive]))
        literals.append(join(*pair))
    return network, inputs, literals


@given(st.data())
@settings(max_examples=150)
def test_three_input_instructions_compute_what_the_gates_compute(data):
    network, inputs, literals = random_network(data)
    wanted = [data.draw(st.sampled_from(literals)) for _ in range(3)]
    rows, full = every_assignment(len(inputs))
    gates = values_of(network, {literal >> 1: row for literal, row in zip(inputs, rows, strict=True)}, full)
    mapped = {literal >> 1: row for literal, row in zip(inputs, rows, strict=True)}
    for _, lookup in sorted(cover(network, wanted).items()):
        assert len(lookup.leaves) <= 3
        result = 0
        for lane in range(full.bit_length()):
            index = sum((mapped[leaf] >> lane & 1) << (2 - place) for place, leaf in enumerate(lookup.leaves))
            if len(lookup.leaves) < 3:
                # Absent operands must not matter.
                spare = range(1 << (3 - len(lookup.leaves)))
                assert len({lookup.table >> (index + extra) & 1 for extra in spare}) == 1
            result |= (lookup.table >> index & 1) << lane
        mapped[lookup.node] = result
    for literal in wanted:
        if literal > 1:
            assert mapped[literal >> 1] == gates[literal >> 1]


def test_mapping_halves_a_sum_of_products():
    network = LogicNetwork()
    pairs = [(network.input(), network.input()) for _ in range(16)]
    total = 0
    for a, b in pairs:
        total = network.disjunction(total, network.conjunction(a, b))
    gates = sum(kind != INPUT for kind in network.kinds)
    assert gates == 31
    assert len(cover(network, [total])) == 16


def test_truth_tables_use_the_bit_order_of_the_instruction():
    for index, bits in enumerate(itertools.product((0, 1), repeat=3)):
        assert [table >> index & 1 for table in TABLES] == list(bits)


@pytest.mark.parametrize("game", [tic_tac_toe, connect_four, breakthrough])
def test_whose_turn_it_is_is_a_token_of_period_two(game):
    circuit = game()
    tokens = find_tokens(circuit)
    names = {str(circuit.bases[base]) for base in tokens.courses}
    assert tokens.period == 2
    assert all(name.startswith("(control") for name in names)
    assert len(names) == 2
    assert tokens.phase(circuit.initial) == 0
    turned = circuit.initial.copy()
    for base in tokens.courses:
        turned[base] = not turned[base]
    assert tokens.phase(turned) == 1
    nobody = circuit.initial.copy()
    nobody[list(tokens.courses)] = False
    assert tokens.phase(nobody) is None


def with_followers(circuit: Circuit) -> Circuit:
    """Bases that follow one another, the first two turn about and about, and one that is always true."""
    after = circuit.next.copy()
    after[0], after[1], after[2] = 2 * 2, 2 * 1 + 1, 1
    return dataclasses.replace(circuit, next=after)


def with_counter(circuit: Circuit) -> Circuit:
    """The first two bases count to four in gates of their own, as in a game where a turn has two parts."""
    low, high = 2 * 1, 2 * 2
    first = 2 * (circuit.first_gate + circuit.gate_count)
    after = circuit.next.copy()
    after[0], after[1] = low ^ 1, first + 4
    return dataclasses.replace(
        circuit,
        operations=np.append(circuit.operations, np.array([AND_GATE, AND_GATE, OR_GATE], np.int8)),
        left=np.append(circuit.left, np.array([low, low ^ 1, first], np.int32)),
        right=np.append(circuit.right, np.array([high ^ 1, high, first + 2], np.int32)),
        next=after,
    )


def test_a_turn_of_two_parts_is_a_cycle_of_four_steps():
    circuit = load("pentago").circuit
    tokens = find_tokens(circuit)
    assert {str(circuit.bases[base]) for base in tokens.courses} == {
        "turning",
        "(control white)",
        "(control black)",
    }
    assert tokens.period == 4


@given(st.integers(0, 10_000))
@settings(max_examples=40)
def test_a_counter_in_gates_of_its_own_is_found_in_any_circuit(seed):
    circuit = with_counter(random_circuit(seed, bases=6, gates=12, loops=seed % 3))
    tokens = find_tokens(circuit)
    assert tokens.period == 4
    assert {0, 1} <= tokens.courses.keys()


def test_a_long_count_beside_the_turns_costs_little_and_hides_nothing():
    """A register of 200 propositions with feedback, which returns to no state for very long, beside a ring of three."""
    length, ring = 200, 3
    facts = [term("p", number) for number in range(length + ring)]
    build = Builder(("r",), facts, [[term("m")]])
    bits = list(build.base.values())
    low, high = bits[0], bits[length // 3]
    mixed = build.any(build.all(low, high ^ 1), build.all(low ^ 1, high))
    after = {fact: bits[place + 1] for place, fact in enumerate(facts[: length - 1])} | {
        facts[length - 1]: mixed
    }
    after |= {fact: bits[length + (place - 1) % ring] for place, fact in enumerate(facts[length:])}
    circuit = build.circuit({facts[5], facts[length]}, after, [{term("m"): 1}], 0, [[(100, 1)]])
    tokens = find_tokens(circuit)
    assert tokens.period == ring
    assert sorted(tokens.courses) == [length, length + 1, length + 2]


@given(st.integers(0, 10_000), st.sampled_from([with_followers, with_counter]), st.booleans())
@settings(max_examples=100)
def test_tokens_keep_their_course_in_random_play(seed, changed, elsewhere):
    from stratagem.native.playouts.bigint_circuit import IntegerCircuit

    circuit = changed(random_circuit(seed, bases=6, gates=12))
    tokens = find_tokens(circuit)
    machine = IntegerCircuit(circuit)
    source = np.random.default_rng(seed)
    state = [int(bit) for bit in circuit.initial]
    if elsewhere:  # where nothing but the tokens is as it could be in play
        state = [
            state[base] if base in tokens.courses else int(source.integers(2)) for base in range(len(state))
        ]
    for ply in range(8):
        assert all(course[ply % tokens.period] == state[base] for base, course in tokens.courses.items())
        legal = machine.legal(state, 1)
        does = []
        for own in legal:
            able = [move for move, row in enumerate(own) if row]
            pick = able[source.integers(len(able))]
            does.append([int(move == pick) for move in range(len(own))])
        state = machine.next(state, does, 1)

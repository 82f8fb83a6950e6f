"""The order of gates: the same outputs on the same inputs, whatever the gates are."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.circuits import breakthrough, connect_four, random_circuit

from stratagem.circuit.circuit import AND, OR
from stratagem.native.emit.chunks import cut
from stratagem.native.phases.arrange import EAGER, arranged
from stratagem.native.phases.frame_layout import layout_of
from stratagem.native.phases.phases import Phase, next_phase, view_phase

FULL = (1 << 64) - 1


def outputs(phase: Phase, inputs: list[int]) -> dict[int, int]:
    """What a phase without loops leaves in each row, with 64 lanes in an int."""
    values = [0, *inputs]

    def value(literal: int) -> int:
        return values[literal >> 1] ^ (FULL if literal & 1 else 0)

    for operation, left, right in zip(phase.operations, phase.left, phase.right, strict=True):
        a, b = value(left), value(right)
        values.append(a & b if operation == AND else a | b)
    return {row: value(literal) for row, literal in phase.outputs}


def assert_same(phase: Phase, seed: int) -> Phase:
    source = random.Random(seed)
    inputs = [source.getrandbits(64) for _ in phase.inputs]
    other = arranged(phase)
    assert outputs(other, inputs) == outputs(phase, inputs)
    assert other.gate_count <= phase.gate_count
    return other


@given(st.integers(0, 10**6), st.integers(1, 9), st.integers(1, 120))
@settings(max_examples=60)
def test_random_gates_compute_what_they_computed(seed, bases, gates):
    circuit = random_circuit(seed, roles=2, bases=bases, moves=5, gates=gates)
    layout = layout_of(circuit)
    for make in (view_phase, next_phase):
        assert_same(make(circuit, layout), seed)


@pytest.mark.parametrize("game", [connect_four, breakthrough])
def test_games_compute_what_they_computed(game):
    circuit = game()
    layout = layout_of(circuit)
    for make in (view_phase, next_phase):
        assert_same(make(circuit, layout), 1)


@given(st.integers(0, 10**6), st.integers(EAGER, 3 * EAGER))
@settings(max_examples=20)
def test_a_wide_gate_takes_its_operands_as_they_become_known(seed, count):
    """Every operand is an output, too, as legal moves are; some are inputs, and some occur twice or complemented."""
    source = random.Random(seed)
    inputs = 12
    operations, left, right = [], [], []
    for _ in range(count):
        operations.append(AND)
        left.append(2 * source.randrange(1, 1 + inputs) + source.randrange(2))
        right.append(2 * source.randrange(1, 1 + inputs) + source.randrange(2))
    operands = [2 * (1 + inputs + gate) + source.randrange(2) for gate in range(count)]
    operands += [2 * source.randrange(1, 1 + inputs) for _ in range(3)] + operands[:2]
    outputs_of = [(gate, 2 * (1 + inputs + gate)) for gate in range(count)]
    while len(operands) > 1:
        a, b = operands.pop(0), operands.pop(0)
        operations.append(OR)
        left.append(a)
        right.append(b)
        operands.append(2 * (inputs + len(left)))
    phase = Phase(list(range(inputs)), operations, left, right, [], [*outputs_of, (count, operands[0])])
    other = assert_same(phase, seed)
    # Nothing but the sum so far passes from piece to piece.
    assert cut(other, 10**6, 32).top - 10**6 <= 2


def test_a_phase_with_loops_stays_as_it_is():
    circuit = random_circuit(3, roles=2, bases=4, moves=3, gates=30, loops=1)
    phase = view_phase(circuit, layout_of(circuit))
    assert phase.loops
    assert arranged(phase) is phase


def test_a_value_that_is_an_output_is_read_from_its_row():
    """No scratch row for what lies in the frame anyway."""
    gates = 40
    left = [2 * (1 + gate % 7) for gate in range(gates)]
    right = [2 * (1 + (gate // 7 + 3) % 7) + 1 for gate in range(gates)]
    first, last = 2 * (1 + 7), 2 * (7 + gates)
    rows = [(100 + gate, 2 * (1 + 7 + gate)) for gate in range(gates)]
    phase = Phase(
        list(range(7)), [AND] * (gates + 1), [*left, first], [*right, last], [], [*rows, (50, last + 2)]
    )
    pieces = cut(phase, 1000, 8)
    assert pieces.top == 1000
    assert pieces.rows == {0: 100, gates - 1: 100 + gates - 1}

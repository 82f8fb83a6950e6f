"""One match in every lane: each from its own state, with its own result, as the reference plays it."""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import partial

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.support.circuits import (
    breakthrough,
    connect_four,
    dead_end,
    random_circuit,
    tic_tac_toe,
    with_turns,
)
from tests.support.recursive_sheets import LASTING, recursive_sheet

from stratagem.circuit.circuit import Circuit
from stratagem.loading import load
from stratagem.native.compiled import CompiledGame
from stratagem.native.logic.turn_cycle import NONE, Tokens, find_tokens
from stratagem.native.packing import truth_of
from stratagem.native.phases import phase_tables
from stratagem.native.phases.phase_tables import PhaseTable, PhaseTables
from stratagem.native.playouts import block as blocks
from stratagem.native.playouts.bigint_circuit import IntegerCircuit
from stratagem.native.playouts.lane_block import BEGIN, LIVE, RESULTS, SEED_HIGH, SEED_LOW, played_row
from stratagem.native.playouts.lane_kernels import LaneKernel, lane_kernel
from stratagem.native.playouts.reference import LaneResult, play_lanes

Bits = Sequence[bool]


def on_kernel(
    circuit: Circuit,
    kernel: LaneKernel,
    roots: Sequence[Bits],
    seed: int,
    limit: int,
) -> list[LaneResult]:
    """The matches of a kernel, read bit by bit."""
    block, root, room = kernel.block(), kernel.root(), kernel.room()
    room[:] = np.uint64(0x5555555555555555)  # what an earlier call left there does not matter
    block[SEED_LOW], block[SEED_HIGH] = blocks.generators(seed, np.arange(kernel.words, dtype=np.uint64))
    for lane, state in enumerate(roots):
        step = kernel.tokens.phase(state)
        bit = np.uint64(1 << lane % 64)
        if step is not None:
            block[BEGIN + step, lane // 64] |= bit
        for base, holds in enumerate(state):
            if holds:
                root[base, lane // 64] |= bit
    kernel.play(room, root, block, limit)

    def held(row: int, lane: int) -> bool:
        return bool(int(block[row, lane // 64]) >> lane % 64 & 1)

    results = []
    for lane in range(len(roots)):
        row, vector, ended = RESULTS, [], False
        for goals in circuit.goals:
            values = [value for place, (value, _) in enumerate(goals) if held(row + place, lane)]
            assert len(values) <= 1
            vector.append(values[0] if values else None)
            row += len(goals)
            ended = ended or bool(values)
        row, moves = played_row(circuit), set()
        for role, own in enumerate(circuit.moves):
            moves |= {(role, move) for move in range(len(own)) if kernel.recorded and held(row + move, lane)}
            row += len(own)
        assert not (ended and held(LIVE, lane))
        results.append(LaneResult(tuple(vector) if ended else None, frozenset(moves)))
    return results


def expected(
    circuit: Circuit, roots: Sequence[Bits], seed: int, limit: int, tokens: Tokens, words: int, recorded: bool
) -> list[LaneResult]:
    seeds = blocks.generators(seed, np.arange(words, dtype=np.uint64))
    found = play_lanes(circuit, roots, seeds, tokens, limit)
    # A kernel keeps no row for an end without any goal: it reads like a match that was given up.
    return [
        LaneResult(
            None if one.goals is None or all(goal is None for goal in one.goals) else one.goals,
            one.moves if recorded else frozenset(),
        )
        for one in found
    ]


def hex_of(size: int) -> Circuit:
    return load("hex", size=size).circuit


def some_states(circuit: Circuit, count: int, seed: int) -> list[Bits]:
    """States of random matches, none of them terminal: the initial one first."""
    source, machine = random.Random(seed), IntegerCircuit(circuit)
    states, state = [circuit.initial.tolist()], [int(bit) for bit in circuit.initial]
    while len(states) < count:
        legal = machine.legal(state, 1)
        if all(any(own) for own in legal):
            does = [[0] * len(own) for own in legal]
            for own, rows in zip(does, legal, strict=True):
                own[source.choice([move for move, row in enumerate(rows) if row])] = 1
            state = machine.next(state, does, 1)
            if not machine.final(state, 1)[0]:
                states.append([bool(bit) for bit in state])
                continue
        state = [int(bit) for bit in circuit.initial]
        states.append(states[0])
    return states


SHAPES = st.fixed_dictionaries(
    {
        "roles": st.integers(1, 3),
        "bases": st.integers(1, 9),
        "moves": st.sampled_from([1, 2, 3, 5, 9, 30]),
        "gates": st.integers(3, 60),
    }
)


@given(st.integers(0, 10**6), SHAPES, st.sampled_from([1, 2, 7, 16]), st.booleans())
@settings(max_examples=20)
def test_the_fused_kernel_gives_every_lane_the_result_of_the_reference(seed, sizes, limit, recorded):
    circuit = random_circuit(seed, **sizes)
    assume(not IntegerCircuit(circuit).final(circuit.initial.tolist(), 1)[0])  # a kernel is never asked to
    tokens = find_tokens(circuit)
    kernel = LaneKernel(circuit, tokens=tokens, recorded=recorded, words=4)
    roots = some_states(circuit, 70, seed)
    assert on_kernel(circuit, kernel, roots, seed, limit) == expected(
        circuit, roots, seed, limit, tokens, 4, recorded
    )


@given(st.integers(0, 10**6), SHAPES, st.integers(1, 4), st.integers(0, 2), st.sampled_from([1, 2, 7, 16]))
@settings(max_examples=40)
def test_the_fused_kernel_finds_the_fixed_points_of_loops_in_every_lane(seed, sizes, loops, period, limit):
    sizes["bases"] += period
    circuit = with_turns(random_circuit(seed, loops=loops, loops_of_moves=0, **sizes), period)
    assume(not IntegerCircuit(circuit).final(circuit.initial.tolist(), 1)[0])
    tokens = find_tokens(circuit)
    kernel = LaneKernel(circuit, tokens=tokens, recorded=True, words=4)
    roots = some_states(circuit, 70, seed)
    assert on_kernel(circuit, kernel, roots, seed, limit) == expected(
        circuit, roots, seed, limit, tokens, 4, True
    )


@pytest.mark.parametrize("seed", LASTING)
def test_rules_with_recursion_are_played_alike_fused_and_walked(seed):
    """Inputs of loops go away again, loops feed loops, and legal moves, next states, ends and goals read them."""
    circuit = load(recursive_sheet(seed)).circuit
    roots = some_states(circuit, 100, seed)
    fused = LaneKernel(circuit, tokens=find_tokens(circuit), recorded=True)
    walked = LaneKernel(circuit, phases=PhaseTables(circuit).walk_up_to("interpreted"), recorded=True)
    for kernel in (fused, walked):
        found = on_kernel(circuit, kernel, roots, seed, 40)
        assert found == expected(circuit, roots, seed, 40, kernel.tokens, kernel.words, True)


@given(
    st.integers(0, 10**6),
    SHAPES,
    st.integers(0, 2),
    st.sampled_from([1, 2, 16]),
    st.sampled_from(["interpreted", "compiled"]),
)
@settings(max_examples=15)
def test_the_walked_kernel_gives_every_lane_the_result_of_the_reference(seed, sizes, loops, limit, tier):
    circuit = random_circuit(seed, loops=loops, **sizes)
    assume(not IntegerCircuit(circuit).final(circuit.initial.tolist(), 1)[0])
    table = PhaseTables(circuit).walk_up_to(tier)
    table.wait()
    kernel = LaneKernel(circuit, phases=table, recorded=True)
    roots = some_states(circuit, 70, seed)
    assert on_kernel(circuit, kernel, roots, seed, limit) == expected(
        circuit, roots, seed, limit, NONE, kernel.words, True
    )


@given(
    st.integers(0, 10**6),
    SHAPES,
    st.integers(2, 4),
    st.sampled_from([1, 2, 7, 16]),
    st.booleans(),
    st.booleans(),
    st.sampled_from(["interpreted", "compiled"]),
)
@settings(max_examples=30)
def test_phases_of_every_step_give_every_lane_the_result_of_the_reference(
    seed, sizes, period, limit, recorded, deferred, tier
):
    sizes["bases"] += period
    circuit = with_turns(random_circuit(seed, **sizes), period)
    assume(not IntegerCircuit(circuit).final(circuit.initial.tolist(), 1)[0])
    tokens = find_tokens(circuit)
    assert tokens.period % period == 0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(phase_tables, "DEFERRED_GATES", -(10**6) if deferred else 10**6)
        table = PhaseTables(circuit, piece_gates=1 + seed % 20).walk_up_to(tier, tokens)
    table.wait()
    assert table.deferred == deferred
    kernel = LaneKernel(circuit, tokens=tokens, phases=table, recorded=recorded)
    roots = some_states(circuit, 540, seed)  # more than play at once where columns are few
    assert on_kernel(circuit, kernel, roots, seed, limit) == expected(
        circuit, roots, seed, limit, tokens, kernel.words, recorded
    )


def walked_phases(circuit: Circuit, way: str) -> PhaseTable | None:
    """Nothing for a fused kernel; there are no phases for the steps of a circuit with loops."""
    if way == "fused":
        return None
    tokens = find_tokens(circuit) if way == "step by step" and not circuit.loops else None
    return PhaseTables(circuit).walk_up_to("interpreted", tokens)


WAYS = pytest.mark.parametrize("way", ["fused", "walked", "step by step"])


@pytest.mark.parametrize(
    "game",
    [tic_tac_toe, connect_four, lambda: breakthrough(5, 5), *(partial(hex_of, size) for size in (2, 3, 5))],
)
@WAYS
def test_real_games_from_many_states_at_once(game, way):
    circuit = game()
    phases = walked_phases(circuit, way)
    kernel = LaneKernel(circuit, tokens=find_tokens(circuit), phases=phases, recorded=True)
    roots = some_states(circuit, 100, 4)
    found = on_kernel(circuit, kernel, roots, 9, 1000)
    assert found == expected(circuit, roots, 9, 1000, kernel.tokens, kernel.words, True)
    assert all(one.goals is not None for one in found)


@pytest.mark.parametrize("stuck", [0, 1])
@WAYS
def test_a_role_without_a_legal_move_makes_none_and_draws_nothing(stuck, way):
    circuit = dead_end(stuck)
    phases = walked_phases(circuit, way)
    kernel = LaneKernel(circuit, tokens=find_tokens(circuit), phases=phases, recorded=True)
    begin, dead, odd = ((turn, not turn, hit, False, False) for turn, hit in ((1, 0), (1, 1), (0, 0)))
    roots = [[bool(bit) for bit in state] for _ in range(20) for state in (begin, dead, odd)]
    found = on_kernel(circuit, kernel, roots, 3, 60)
    assert found == expected(circuit, roots, 3, 60, kernel.tokens, kernel.words, True)


def test_lanes_agree_with_the_counts_of_playouts():
    game = CompiledGame(connect_four())
    kernel = lane_kernel(game.playouts.kernels)
    start = truth_of(game.initial, len(game.circuit.bases)).tolist()
    wins = sum(
        one.goals[0] == 100
        for seed in range(4)
        for one in on_kernel(game.circuit, kernel, [start] * kernel.lanes, seed, 100)
        if one.goals
    )
    matches = 4 * kernel.lanes
    report = game.playouts.play(matches=20_000, threads=1)
    assert wins / matches == pytest.approx(report.goals[0] / 100, abs=0.05)

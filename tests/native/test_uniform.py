"""Every legal joint move is equally likely, and outcomes have the distribution that full enumeration gives."""

from __future__ import annotations

import itertools
from collections import Counter
from fractions import Fraction
from functools import cache

import pytest
from tests.support.circuits import ballot, line_game, tic_tac_toe

from stratagem.circuit.circuit import Circuit
from stratagem.native.compiled import CompiledGame
from stratagem.native.playouts.bigint_circuit import IntegerCircuit


def chi_square(counts: dict[tuple[int, ...], int], expected: dict[tuple[int, ...], float]) -> float:
    """The statistic over the expected keys; a key that is not expected is infinitely wrong."""
    if set(counts) - set(expected):
        return float("inf")
    return sum((counts.get(key, 0) - mean) ** 2 / mean for key, mean in expected.items())


def far_out(freedom: int) -> float:
    """What a chi-square of so many degrees exceeds once in some ten million times (Wilson and Hilferty, 1931)."""
    return freedom * (1 - 2 / (9 * freedom) + 5.3 * (2 / (9 * freedom)) ** 0.5) ** 3


@pytest.mark.parametrize(
    "choices",
    [
        [[True] * 3],
        [[True] * 7],
        [[False, True, True, False, True]],
        [[True] * 2, [True] * 3],
        [[True] * 5, [False, True], [True, False, True, True, False, True]],
        [[True] * 30],
        [[True] * 3, [True] * 26],
    ],
)
@pytest.mark.parametrize("walked", [False, True])
def test_every_legal_joint_move_is_equally_likely(choices, walked):
    circuit = ballot(choices)
    matches = 400_000
    playouts = CompiledGame(circuit).playouts
    if walked:
        playouts.kernels.fused = False
    counts = playouts.play(matches=matches, seed=11).outcomes
    able = [[number for number, allowed in enumerate(own) if allowed] for own in choices]
    joints = list(itertools.product(*able))
    expected = {joint: matches / len(joints) for joint in joints}
    assert chi_square(counts, expected) < far_out(max(1, len(joints) - 1))


def exact_outcomes(circuit: Circuit) -> dict[tuple[int | None, ...], Fraction]:
    """The distribution of goal vectors under uniformly random play, by full enumeration."""
    machine = IntegerCircuit(circuit)

    @cache
    def outcomes(state: tuple[int, ...]) -> dict[tuple[int | None, ...], Fraction]:
        terminal, goals = machine.final(state, 1)
        if terminal:
            vector = tuple(
                next((value for (value, _), row in zip(pairs, rows, strict=True) if row), None)
                for pairs, rows in zip(circuit.goals, goals, strict=True)
            )
            return {vector: Fraction(1)}
        legal = [[move for move, row in enumerate(own) if row] for own in machine.legal(state, 1)]
        joints = list(itertools.product(*legal))
        total: Counter[tuple[int | None, ...]] = Counter()
        for joint in joints:
            does = [
                [int(move == chosen) for move in range(len(moves))]
                for moves, chosen in zip(circuit.moves, joint, strict=True)
            ]
            for vector, chance in outcomes(tuple(machine.next(state, does, 1))).items():
                total[vector] += chance / len(joints)
        return dict(total)

    return outcomes(tuple(int(bit) for bit in circuit.initial))


@pytest.mark.parametrize(
    "circuit",
    [tic_tac_toe(), line_game(4, 3, 3, drop=True), line_game(3, 3, 3, drop=True)],
    ids=["tic-tac-toe", "connect-3 on 4x3", "connect-3 on 3x3"],
)
@pytest.mark.parametrize("by_move", [False, True])
def test_outcomes_have_the_exact_distribution(circuit, by_move):
    exact = exact_outcomes(circuit)
    assert sum(exact.values()) == 1
    matches = 1_000_000
    report = CompiledGame(circuit).playouts.play(matches=matches, seed=5, by_move=by_move)
    expected = {vector: float(chance) * matches for vector, chance in exact.items()}
    assert report.matches == sum(report.outcomes.values()) == matches
    assert chi_square(dict(report.outcomes), expected) < far_out(len(expected) - 1)


def test_tic_tac_toe_is_won_as_often_as_counted_by_hand():
    exact = exact_outcomes(tic_tac_toe())
    assert exact[(100, 0)] == Fraction(737, 1260)
    assert exact[(50, 50)] == Fraction(8, 63)

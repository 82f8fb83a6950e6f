"""Batches: every match goes on as it would alone."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from tests.support.circuits import random_circuit

from stratagem.errors import IllegalMove, UsageError
from stratagem.loading import load
from stratagem.machines.compiled.interpreted import CircuitMachine
from stratagem.native.batch import BLOCK, SHARE, Batch
from stratagem.native.compiled import CompiledGame


def number(state: np.ndarray) -> int:
    return int.from_bytes(state.tobytes(), "little")


def follow(batch: Batch, plies: int) -> None:
    """Random moves in *batch*, with every match checked against the circuit read gate by gate."""
    circuit = batch.circuit
    plain = CircuitMachine(circuit)
    roles = range(len(circuit.roles))
    for ply in range(plies):
        states = [number(state) for state in batch.states]
        moves = batch.random_moves(ply)
        legal = [batch.legal(role) for role in circuit.roles]
        goals, terminal = batch.goals, batch.terminal
        expected = []
        for at, data in enumerate(states):
            assert terminal[at] == plain.terminal(data)
            for role in roles:
                goal = plain.goal(data, role)
                assert goals[at, role] == (-1 if goal is None else goal)
                own = plain.legals(data, role)
                assert [circuit.moves[role][move] for move in np.flatnonzero(legal[role][at])] == list(own)
                if terminal[at]:
                    assert moves[at, role] == -1
                else:
                    assert circuit.moves[role][moves[at, role]] in own
            joint = tuple(circuit.moves[role][moves[at, role]] for role in roles)
            expected.append(data if terminal[at] else plain.next(data, joint))
        batch.step(moves)
        assert [number(state) for state in batch.states] == expected


@pytest.mark.parametrize("name", ["tictactoe", "tron", "tictactoethree", "eightpuzzle", "hexapawn"])
def test_every_match_of_a_batch_goes_its_own_way(name: str) -> None:
    follow(CompiledGame(load(name).circuit).batch(40), 6)


@settings(max_examples=20)
@given(some.integers(0, 10**6), some.integers(1, 3), some.sampled_from([1, 64, 130]), some.integers(0, 2))
def test_any_circuit_runs_in_a_batch(seed: int, roles: int, bases: int, loops: int) -> None:
    follow(
        CompiledGame(random_circuit(seed, roles=roles, bases=bases, moves=3, gates=60, loops=loops)).batch(5),
        3,
    )


@pytest.mark.parametrize("count", [0, 1, 63, 64, 65, BLOCK, BLOCK + 1, 3 * BLOCK - 7])
def test_batches_of_any_size_hold_exactly_their_matches(count: int) -> None:
    batch = CompiledGame(load("tictactoe").circuit).batch(count)
    batch.step_random(1)
    assert len(batch) == len(batch.states) == len(batch.terminal) == count
    assert batch.legal("oplayer").sum() == 8 * count
    assert not batch.reset(np.zeros(count, np.bool_)).any()


def test_random_matches_of_connect_four_end_as_they_should() -> None:
    """55.6 % wins of the first player, 44.1 % of the second (measured on a hundred million matches)."""
    batch = CompiledGame(load("connectfour").circuit).batch(20_000)
    plies = 0
    while not batch.terminal.all():
        batch.step_random(plies)
        plies += 1
    assert plies <= 42
    first, second = (batch.goals == 100).mean(axis=0)
    assert abs(first - 0.556) < 0.015
    assert abs(second - 0.441) < 0.015


def test_random_moves_are_uniform_and_the_same_for_a_seed() -> None:
    batch = CompiledGame(load("tictactoe").circuit).batch(90_000)
    moves = batch.random_moves(7)
    assert np.array_equal(moves, batch.random_moves(7))
    assert not np.array_equal(moves, batch.random_moves(8))
    counts = np.bincount(moves[:, 0], minlength=10)
    noop = [str(move) for move in batch.circuit.moves[0]].index("noop")
    assert counts[noop] == 0
    marks = np.delete(counts, noop)
    # chi-square with 8 degrees of freedom: 26.1 is exceeded once in a thousand seeds
    assert ((marks - 10_000.0) ** 2 / 10_000).sum() < 26.1


def test_threads_change_nothing() -> None:
    circuit = load("tictactoe").circuit
    size = 2 * SHARE * BLOCK + 5
    one, two = CompiledGame(circuit).batch(size, threads=1), CompiledGame(circuit).batch(size, threads=2)
    for ply in range(7):
        one.step_random(ply)
        two.step_random(ply)
    assert np.array_equal(one.states, two.states)
    moves = two.random_moves(9)
    wrong = np.flatnonzero(~two.terminal)[-1]
    moves[wrong, 1] = 77
    with pytest.raises(IllegalMove, match=f"match {wrong}: "):
        two.step(moves)


def test_an_illegal_move_is_refused_before_anything_changes() -> None:
    batch = CompiledGame(load("tictactoe").circuit).batch(5)
    names = [[str(move) for move in own] for own in batch.circuit.moves]
    mark, noop = names[0].index("(mark 2 2)"), names[1].index("noop")
    batch.step(np.tile(np.array([[mark, noop]]), (5, 1)))
    before = batch.states
    moves = batch.random_moves(1)
    moves[3] = names[0].index("noop"), names[1].index("(mark 2 2)")
    with pytest.raises(
        IllegalMove, match=r"match 3: \(mark 2 2\) is not legal for oplayer; legal: \(mark 1 1\)"
    ):
        batch.step(moves)
    assert np.array_equal(batch.states, before)
    with pytest.raises(UsageError, match="5 by 2 indices"):
        batch.step([[0, 0]])


def test_a_match_with_the_move_minus_one_stands_still() -> None:
    batch = CompiledGame(load("tictactoe").circuit).batch(3)
    moves = batch.random_moves(1)
    moves[1] = -1
    before = batch.states
    batch.step(moves)
    assert [np.array_equal(*pair) for pair in zip(before, batch.states, strict=True)] == [False, True, False]


def test_finished_matches_begin_anew_and_the_others_go_on() -> None:
    batch = CompiledGame(load("tictactoe").circuit).batch(700)
    start = batch.states[0]
    for ply in range(6):
        batch.step_random(ply)
    over, states = batch.terminal, batch.states
    assert 0 < over.sum() < 700
    assert np.array_equal(batch.reset(), over)
    assert not batch.terminal.any()
    assert (batch.states[over] == start).all()
    assert np.array_equal(batch.states[~over], states[~over])


def test_copies_and_selections_are_matches_of_their_own() -> None:
    batch = CompiledGame(load("tictactoe").circuit).batch(600)
    for ply in range(6):
        batch.step_random(ply)
    states = batch.states
    copy = batch.copy()
    picked = batch.select([599, 3, 3])
    over = batch.select(batch.terminal)
    batch.reset(np.ones(600, np.bool_))
    assert np.array_equal(copy.states, states)
    assert np.array_equal(picked.states, states[[599, 3, 3]])
    assert over.terminal.all()
    batch.put(copy.states)
    assert np.array_equal(batch.terminal, copy.terminal)


def test_a_batch_can_share_the_code_of_an_expander() -> None:
    compiled = CompiledGame(load("tictactoe").circuit, background=False)
    batch = compiled.batch(100)
    children = compiled.expand(batch.states[:1])
    batch.put(np.ascontiguousarray(np.resize(children.states, (100, compiled.words))))
    assert np.array_equal(batch.terminal[: len(children)], children.terminal)


def test_a_million_connect_four_matches_stay_under_64_megabytes() -> None:
    batch = CompiledGame(load("connectfour").circuit).batch(1_000_000)
    assert batch.blocks.nbytes < 12e6
    moves = batch.random_moves(1)
    assert batch.blocks.nbytes + moves.nbytes + batch.states.nbytes + batch.legal_masks.nbytes < 64e6


def test_a_role_that_is_not_there_is_named() -> None:
    with pytest.raises(UsageError, match="no role white; the roles are xplayer, oplayer"):
        CompiledGame(load("tictactoe").circuit).batch(1).legal("white")


def test_two_roles_choose_independently() -> None:
    batch = CompiledGame(load("rockpaperscissors").circuit).batch(27_000)
    pairs = batch.random_moves(5)
    counts = [int((pairs == pair).all(axis=1).sum()) for pair in itertools.product(range(3), repeat=2)]
    # chi-square with 8 degrees of freedom
    assert sum((count - 3000) ** 2 / 3000 for count in counts) < 26.1


@pytest.mark.parametrize("wrong", [-1, 1.5, "9", True])
def test_a_batch_has_a_whole_number_of_matches(wrong) -> None:
    with pytest.raises(UsageError, match="the number of matches must be a whole number from 0 up"):
        load("tictactoe").batch(wrong)

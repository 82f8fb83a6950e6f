"""Batches: every match goes on as it would alone."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from tests.support.circuits import ballot, random_circuit

from stratagem.errors import UsageError
from stratagem.loading import load
from stratagem.machines.compiled.interpreted import CircuitMachine
from stratagem.native.batch import BLOCK, SHARE, CpuBatch
from stratagem.native.compiled import CompiledGame


def number(state: np.ndarray) -> int:
    return int.from_bytes(state.tobytes(), "little")


def step(batch: CpuBatch, actions: np.ndarray, *, strict: bool = True) -> int:
    return batch.step(actions, np.ones(len(batch), np.bool_), strict=strict)


def reset(batch: CpuBatch) -> np.ndarray:
    """Begin the finished matches anew; which they were."""
    over = batch.terminated()
    batch.reset(over)
    return over


def follow(batch: CpuBatch, plies: int) -> None:
    """Random moves in *batch*, with every match checked against the circuit read gate by gate."""
    circuit = batch.circuit
    plain = CircuitMachine(circuit)
    roles = range(len(circuit.roles))
    for ply in range(plies):
        states = [number(state) for state in batch.states()]
        moves = batch.random_actions(ply)
        legal = [batch.legal(role) for role in roles]
        truth = batch.observations(np.empty((len(batch), len(circuit.bases)), np.bool_))
        choices = [batch.choices(role) for role in roles]
        goals, terminal = batch.goals(), batch.terminated()
        expected = []
        for at, data in enumerate(states):
            assert terminal[at] == plain.terminal(data)
            assert number(np.packbits(truth[at], bitorder="little")) == data
            for role in roles:
                goal = plain.goal(data, role)
                assert goals[at, role] == (-1 if goal is None else goal)
                own = plain.legals(data, role)
                assert [circuit.moves[role][move] for move in np.flatnonzero(legal[role][at])] == list(own)
                assert choices[role][at] == (len(own) > 1 and not terminal[at])
                if terminal[at]:
                    assert moves[at, role] == -1
                else:
                    assert circuit.moves[role][moves[at, role]] in own
            joint = tuple(circuit.moves[role][moves[at, role]] for role in roles)
            expected.append(data if terminal[at] else plain.next(data, joint))
        again, worth = batch.copy(), np.arange(sum(map(len, circuit.goals)) + 1, dtype=np.float32)
        assert step(batch, moves) == -1
        assert [number(state) for state in batch.states()] == expected
        again.step_random(ply)
        assert np.array_equal(again.states(), batch.states())
        assert np.array_equal(again.rewards(worth), batch.rewards(worth))
        rewards, goals = batch.rewards(worth), batch.goals()
        values = [[value for value, _ in own] for own in circuit.goals]
        for at, data in enumerate(expected):
            for role in roles:
                first = sum(map(len, values[:role]))
                goal = goals[at, role]
                earned = first + values[role].index(goal) if goal >= 0 else len(worth) - 1
                assert rewards[at, role] == (earned if plain.terminal(data) and not terminal[at] else 0)


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
    assert len(batch) == len(batch.states()) == len(batch.terminated()) == count
    assert batch.legal(1).sum() == 8 * count
    before = batch.states()
    batch.reset(np.zeros(count, np.bool_))
    assert np.array_equal(batch.states(), before)


def test_random_matches_of_connect_four_end_as_they_should() -> None:
    """55.6 % wins of the first player, 44.1 % of the second (measured on a hundred million matches)."""
    batch = CompiledGame(load("connectfour").circuit).batch(20_000)
    plies = 0
    while not batch.terminated().all():
        batch.step_random(plies)
        plies += 1
    assert plies <= 42
    first, second = (batch.goals() == 100).mean(axis=0)
    assert abs(first - 0.556) < 0.015
    assert abs(second - 0.441) < 0.015


def test_random_moves_are_uniform_and_the_same_for_a_seed() -> None:
    batch = CompiledGame(load("tictactoe").circuit).batch(90_000)
    moves = batch.random_actions(7)
    assert np.array_equal(moves, batch.random_actions(7))
    assert not np.array_equal(moves, batch.random_actions(8))
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
    assert np.array_equal(one.states(), two.states())
    moves = two.random_actions(9)
    wrong = np.flatnonzero(~two.terminated())[-1]
    moves[wrong, 1] = 77
    assert step(two, moves) == wrong
    assert np.array_equal(one.states(), two.states())


def test_an_illegal_move_stops_the_step_or_its_match_alone() -> None:
    batch = CompiledGame(load("tictactoe").circuit).batch(5)
    names = [[str(move) for move in own] for own in batch.circuit.moves]
    mark, noop = names[0].index("(mark 2 2)"), names[1].index("noop")
    step(batch, np.tile(np.array([[mark, noop]], np.int32), (5, 1)))
    before = batch.states()
    moves = batch.random_actions(1)
    moves[3] = names[0].index("noop"), mark
    assert step(batch, moves) == 3
    assert np.array_equal(batch.states(), before)
    assert step(batch, moves, strict=False) == 3
    assert batch.refused().tolist() == [False, False, False, True, False]
    assert (batch.states() == before).all(axis=1).tolist() == batch.refused().tolist()
    batch.step_random(1)
    assert not batch.refused().any()


@pytest.mark.parametrize("action", [-2, 10, 2**31 - 1, -(2**31)])
def test_an_action_that_is_no_move_is_illegal(action: int) -> None:
    batch = CompiledGame(load("tictactoe").circuit).batch(70)
    moves = np.full((70, 2), -1, np.int32)
    moves[:, 0] = 1
    moves[66, 0] = action
    assert step(batch, moves) == 66


def test_minus_one_is_the_only_move_and_illegal_where_there_are_several() -> None:
    batch = CompiledGame(load("tictactoe").circuit).batch(3)
    moves = np.array([[1, -1], [-1, -1], [2, 0]], np.int32)
    assert step(batch, moves, strict=False) == 1
    assert batch.refused().tolist() == [False, True, False]


def test_matches_that_are_not_asked_for_stand_still() -> None:
    batch = CompiledGame(load("tictactoe").circuit).batch(3)
    before, which = batch.states(), np.array([True, False, True])
    batch.step(batch.random_actions(1), which, strict=True)
    assert ((batch.states() != before).any(axis=1) == which).all()


def test_finished_matches_begin_anew_and_the_others_go_on() -> None:
    batch = CompiledGame(load("tictactoe").circuit).batch(700)
    start = batch.states()[0]
    for ply in range(6):
        batch.step_random(ply)
    over, states = batch.terminated(), batch.states()
    assert 0 < over.sum() < 700
    assert np.array_equal(reset(batch), over)
    assert not batch.terminated().any()
    assert (batch.states()[over] == start).all()
    assert np.array_equal(batch.states()[~over], states[~over])


def test_copies_are_matches_of_their_own() -> None:
    batch = CompiledGame(load("tictactoe").circuit).batch(600)
    for ply in range(6):
        batch.step_random(ply)
    states, copy = batch.states(), batch.copy()
    batch.reset(np.ones(600, np.bool_))
    assert np.array_equal(copy.states(), states)
    batch.load(copy.states())
    assert np.array_equal(batch.terminated(), copy.terminated())


def test_a_batch_can_share_the_code_of_an_expander() -> None:
    compiled = CompiledGame(load("tictactoe").circuit, background=False)
    batch = compiled.batch(100)
    children = compiled.expand(batch.states()[:1])
    batch.load(np.ascontiguousarray(np.resize(children.states, (100, compiled.words))))
    assert np.array_equal(batch.terminated()[: len(children)], children.terminal)


def test_a_million_connect_four_matches_stay_under_64_megabytes() -> None:
    batch = CompiledGame(load("connectfour").circuit).batch(1_000_000)
    assert batch.blocks.nbytes < 14e6
    moves = batch.random_actions(1)
    assert 2 * batch.blocks.nbytes + moves.nbytes + batch.states().nbytes + batch.legal(0).nbytes < 64e6


@pytest.mark.parametrize("role", [0, 1])
def test_random_moves_are_made_until_a_role_has_a_choice(role: int) -> None:
    batch = CompiledGame(load("connectfour").circuit).batch(700)
    worth = np.arange(1 + sum(map(len, batch.circuit.goals)), dtype=np.float32)
    for ply in range(30):
        over = batch.terminated()
        batch.step_random(ply)
        before, by_step = batch.states(), batch.terminated() & ~over
        kept = batch.choices(role) | batch.terminated()
        assert batch.advance_to_choice(role, ply, 50) == -1
        assert (batch.choices(role) | batch.terminated()).all()
        assert np.array_equal(batch.states()[kept], before[kept])
        earned = (batch.rewards(worth) != 0).any(axis=1)
        assert np.array_equal(earned, (batch.terminated() & ~over))
        assert (earned | ~by_step).all()
    assert batch.terminated().any()


def test_a_role_that_waits_too_long_is_reported() -> None:
    batch = CompiledGame(load("tictactoe").circuit).batch(600)
    assert batch.advance_to_choice(1, 0, 0) == 0
    assert batch.advance_to_choice(1, 0, 1) == -1


def test_a_role_of_few_moves_after_one_of_many_chooses_among_its_own() -> None:
    follow(CompiledGame(ballot([[True] * 150, [True, False, True]])).batch(100), 1)


def test_two_roles_choose_independently() -> None:
    batch = CompiledGame(load("rockpaperscissors").circuit).batch(27_000)
    pairs = batch.random_actions(5)
    counts = [int((pairs == pair).all(axis=1).sum()) for pair in itertools.product(range(3), repeat=2)]
    # chi-square with 8 degrees of freedom
    assert sum((count - 3000) ** 2 / 3000 for count in counts) < 26.1


@pytest.mark.parametrize("wrong", [-1, 1.5, "9", True])
def test_a_batch_has_a_whole_number_of_matches(wrong) -> None:
    with pytest.raises(UsageError, match="the number of matches must be "):
        load("tictactoe").batch(wrong)

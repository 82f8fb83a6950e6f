"""The drivers run as Python on checked memory: every access within bounds, scratch memory poisoned.

The same source, translated, is the machine code; so the two must agree, and nothing may read what was not written.
"""

from __future__ import annotations

import numpy as np
import pytest
from tests.support.checked_driver import checked_expand
from tests.support.circuits import random_circuit, tic_tac_toe

from stratagem.circuit.circuit import Circuit
from stratagem.kernels import Array, float32, int16, int32, uint64
from stratagem.native.compiled import Children, CompiledGame
from stratagem.native.driver import batch as drive_batch
from stratagem.native.driver import batch_views as drive_views
from stratagem.native.driver import expand as drive_expand

CIRCUITS = {
    "tic-tac-toe": tic_tac_toe,
    "three roles": lambda: random_circuit(3, roles=3, bases=70, moves=2, gates=60),
    "loops": lambda: random_circuit(5, roles=1, bases=64, moves=66, gates=60, loops=2),
}


@pytest.fixture(params=CIRCUITS)
def circuit(request: pytest.FixtureRequest) -> Circuit:
    return CIRCUITS[request.param]()


def same(one: Children, other: Children) -> bool:
    parts = ("states", "parents", "moves", "terminal", "goals")
    return all(np.array_equal(getattr(one, part), getattr(other, part)) for part in parts)


def test_expand_reads_and_writes_only_what_is_its_own(circuit: Circuit) -> None:
    game = CompiledGame(circuit, background=False)
    states = game.initial[None]
    for _ in range(2):
        expected = game.expand(states)
        consumed, children = checked_expand(game, states, len(expected))
        assert consumed == len(states)
        assert same(children, expected)
        consumed, _ = checked_expand(game, states, max(1, len(expected) - 1))
        assert consumed < len(states)
        states = np.ascontiguousarray(np.unique(expected.states, axis=0)[:3])


@pytest.mark.parametrize(("bases", "moves"), [(70, 200), (1100, 300), (5, 2100)])
def test_many_children_of_few_parents_stay_within_their_bounds(bases: int, moves: int) -> None:
    game = CompiledGame(random_circuit(4, roles=1, bases=bases, moves=moves, gates=80), background=False)
    source = np.random.default_rng(1)
    states = source.integers(0, 1 << 64, (4, game.words), dtype=np.uint64)
    states[:, -1] &= np.uint64((1 << (bases - 1) % 64 + 1) - 1)
    expected = game.expand(states)
    assert len(expected) > 256 and len(set(expected.parents.tolist())) > 1
    assert np.array_equal(game.advance(states[expected.parents], expected.moves), expected.states)
    for at in range(0, len(expected), 97):
        parent = int.from_bytes(states[expected.parents[at]].tobytes(), "little")
        child = game.single.advance(parent, expected.moves[at].tolist())
        assert child == int.from_bytes(expected.states[at].tobytes(), "little")
    _, children = checked_expand(game, states, len(expected))
    assert same(children, expected)


def test_wide_rows_are_used_within_their_bounds() -> None:
    game = CompiledGame(tic_tac_toe(), background=False)
    states = game.initial[None]
    for _ in range(3):
        states = np.unique(game.expand(states).states, axis=0)
    expected = game.expand(np.ascontiguousarray(states[:140]))
    _, children = checked_expand(game, np.ascontiguousarray(states[:140]), len(expected))
    assert same(children, expected)


def test_evaluate_and_advance_read_and_write_only_what_is_their_own(circuit: Circuit) -> None:
    game = CompiledGame(circuit, background=False)
    roles = len(circuit.roles)
    children = game.expand(game.initial[None])
    states = np.ascontiguousarray(children.states[:70])
    count = len(states)
    legal = np.zeros(count * roles * game.mask_words, np.uint64)
    terminal, goals = np.zeros(count, np.bool_), np.zeros(count * roles, np.int16)
    drive_expand.evaluate(
        game.header.game,
        Array(uint64, states.reshape(-1)),
        count,
        Array(uint64, legal),
        Array(bool, terminal),
        Array(int16, goals),
    )
    expected = game.evaluate(states)
    assert np.array_equal(legal, expected.legal.reshape(-1))
    assert np.array_equal(terminal, expected.terminal)
    assert np.array_equal(goals, expected.goals.reshape(-1))
    moves = np.ascontiguousarray(children.moves[:70])
    after = np.zeros_like(states)
    drive_expand.advance(
        game.header.game,
        Array(uint64, states.reshape(-1)),
        count,
        Array(int32, moves.reshape(-1)),
        Array(uint64, after.reshape(-1)),
    )
    assert np.array_equal(after, game.advance(states, moves))


def test_a_batch_reads_and_writes_only_what_is_its_own(circuit: Circuit) -> None:
    compiled = CompiledGame(circuit)
    native, checked = compiled.batch(70), compiled.batch(70)
    game, roles = compiled.header.game, len(circuit.roles)
    blocks, after = (Array(uint64, room.reshape(-1)) for room in (checked.blocks, checked._after))
    which = np.ones(70, np.bool_)
    for ply in range(2):
        moves = np.zeros((70, roles), np.int32)
        drive_batch.batch_choose(game, blocks, 0, 1, 70, ply, Array(int32, moves.reshape(-1)))
        assert np.array_equal(moves, native.random_actions(ply))
        moves[3] = -1
        actions = Array(int32, moves.reshape(-1))
        wrong = drive_batch.batch_step(game, blocks, 0, 1, 70, after, actions, Array(bool, which), False)
        assert native.step(moves, which, strict=False) == wrong
        assert np.array_equal(native.blocks, checked._after)
        checked.blocks[:] = checked._after
        drive_batch.batch_random(game, blocks, 0, 1, 70, 0, 1, ply, actions)
        native.advance_to_choice(0, ply, 1)
        assert np.array_equal(native.blocks, checked.blocks)
    which = np.arange(70, dtype=np.uint8) % 3 == 0
    start = Array(uint64, native._start.reshape(-1))
    drive_batch.batch_reset(game, blocks, 0, 1, 70, Array(bool, which), start)
    native.reset(which)
    assert np.array_equal(native.blocks, checked.blocks)
    states = native.states()
    drive_batch.batch_load(game, blocks, 0, 1, 70, Array(uint64, states.reshape(-1)))
    native.load(states)
    assert np.array_equal(native.blocks, checked.blocks)


def test_the_lanes_after_the_last_match_of_a_batch_are_zero(circuit: Circuit) -> None:
    """They held what memory happened to hold, which the poison of the test above hid where it was used again."""
    compiled = CompiledGame(circuit)
    batch, bases = compiled.batch(70), len(circuit.bases)
    blocks, states = Array(uint64, batch.blocks.reshape(-1)), batch.states()
    drive_batch.batch_load(compiled.header.game, blocks, 0, 1, 70, Array(uint64, states.reshape(-1)))
    rows = batch.blocks.reshape(-1, 8)[:bases]
    assert not rows[:, 2:].any()
    assert not (rows[:, 1] >> np.uint64(6)).any()


def test_the_rows_of_a_batch_without_moves_end_with_its_memory() -> None:
    compiled = CompiledGame(random_circuit(1, roles=1, bases=1, moves=0, gates=4))
    batch = compiled.batch(100)
    found = np.zeros((100, 1), np.uint64)
    blocks = Array(uint64, batch.blocks.reshape(-1))
    drive_views.batch_pack(compiled.header.game, blocks, 0, 1, 100, Array(uint64, found.reshape(-1)))
    assert np.array_equal(found, batch.states())


def test_the_views_of_a_batch_read_and_write_only_what_is_their_own(circuit: Circuit) -> None:
    compiled = CompiledGame(circuit)
    batch, game, roles = compiled.batch(70), compiled.header.game, len(circuit.roles)
    batch.step_random(1)
    blocks = Array(uint64, batch.blocks.reshape(-1))
    worth = np.linspace(-1, 1, sum(map(len, circuit.goals)) + 1, dtype=np.float32)

    def same(kernel, kind: type, expected: np.ndarray, *arguments: object) -> None:
        found = np.zeros(expected.size, expected.dtype)
        kernel(game, blocks, 0, 1, 70, *arguments, Array(kind, found))
        assert np.array_equal(found, expected.reshape(-1))

    same(drive_views.batch_pack, uint64, batch.states())
    truth = batch.observations(np.zeros((70, len(circuit.bases)), np.bool_))
    same(drive_views.batch_observe, bool, truth)
    for role in range(roles):
        same(drive_views.batch_legal, bool, batch.legal(role), role)
        same(drive_views.batch_choices, bool, batch.choices(role), role)
    same(drive_views.batch_terminated, bool, batch.terminated())
    same(drive_views.batch_refused, bool, batch.refused())
    same(drive_views.batch_goals, int16, batch.goals())
    same(drive_views.batch_rewards, float32, batch.rewards(worth), Array(float32, worth))

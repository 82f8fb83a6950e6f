"""Expansion in step with the tokens: the same children as those of the whole circuit, whatever the states."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.support.checked_driver import checked_expand
from tests.support.circuits import connect_four, random_circuit, with_turns

from stratagem.circuit.circuit import Circuit
from stratagem.kernels import Array, uint64
from stratagem.native.compiled import CompiledGame
from stratagem.native.driver import expand as drive_expand
from stratagem.native.driver import expansion_steps
from stratagem.native.logic.turn_cycle import find_tokens


def stepped_game(circuit: Circuit) -> CompiledGame:
    """A game that has phases for every step, however small it is; or none where their rows do not fit."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(expansion_steps, "LEAST_GATES", 0)
        patch.setattr(expansion_steps, "MOST_LEFT", 10.0)
        game = CompiledGame(circuit, background=False)
        game.compile(wait=True)
    return game


def some_states(game: CompiledGame, count: int, seed: int) -> np.ndarray:
    """*count* states of random bits, whose turn it is among them."""
    source, bases = np.random.default_rng(seed), len(game.circuit.bases)
    states = source.integers(0, 1 << 64, (count, game.words), dtype=np.uint64)
    if bases % 64 or not bases:
        states[:, -1] &= np.uint64((1 << bases % 64) - 1)
    return states


def put_at_step(game: CompiledGame, states: np.ndarray, step: int) -> np.ndarray:
    """The same states at a step of the cycle."""
    found = states.copy()
    for base, value in find_tokens(game.circuit).at(step).items():
        bit = np.uint64(1 << base % 64)
        found[:, base // 64] &= ~bit
        if value:
            found[:, base // 64] |= bit
    return found


def assert_same(one: object, other: object) -> None:
    for part in type(one).__slots__:  # type: ignore[attr-defined]
        assert np.array_equal(getattr(one, part), getattr(other, part)), part


SHAPES = st.fixed_dictionaries(
    {
        "roles": st.integers(1, 3),
        "bases": st.sampled_from([3, 9, 62, 130]),
        "moves": st.sampled_from([1, 2, 5, 30]),
        "gates": st.integers(3, 60),
    }
)


@given(
    st.integers(0, 10**6),
    SHAPES,
    st.integers(2, 4),
    st.sampled_from([1, 2, 40, 130, 600]),
    st.sampled_from(["at one step", "mixed", "any"]),
)
@settings(max_examples=40)
def test_children_and_views_are_those_of_the_whole_circuit(seed, sizes, period, count, kind):
    sizes["bases"] += period
    circuit = with_turns(random_circuit(seed, **sizes), period)
    stepped, whole = stepped_game(circuit), CompiledGame(circuit, background=False)
    assume(stepped.header.game.steps)
    states = some_states(whole, count, seed)
    if kind == "at one step":
        states = put_at_step(whole, states, seed % period)
    elif kind == "mixed":
        states = np.concatenate(
            [put_at_step(whole, part, step) for step, part in enumerate(np.array_split(states, period))]
        )
    assert_same(stepped.expand(states), whole.expand(states))
    assert_same(stepped.evaluate(states), whole.evaluate(states))


def test_the_phases_of_the_steps_are_run_where_all_states_are_at_one_step() -> None:
    game = stepped_game(connect_four())
    tokens = find_tokens(game.circuit)
    assert game.header.game.steps == tokens.period == 2
    children = game.expand(game.initial[None]).states

    def step_of(states: np.ndarray) -> int:
        return drive_expand.step_of_all(game.header.game, Array(uint64, states.reshape(-1)), len(states))

    assert step_of(game.initial[None]) == 0
    assert step_of(children) == 1
    assert step_of(np.concatenate([game.initial[None], children])) == drive_expand.NO_STEP
    assert step_of(np.zeros((1, game.words), np.uint64)) == drive_expand.NO_STEP


def test_the_driver_in_step_stays_within_its_bounds() -> None:
    game = stepped_game(connect_four())
    states = game.initial[None]
    for _ in range(3):
        expected = CompiledGame(game.circuit, background=False).expand(states)
        consumed, children = checked_expand(game, states, len(expected))
        assert consumed == len(states)
        assert_same(children, expected)
        states = np.ascontiguousarray(np.unique(children.states, axis=0)[:3])


@pytest.mark.parametrize("kind", ["loops", "small", "no cycle"])
def test_circuits_for_which_it_is_not_worth_while_keep_their_phases(kind: str) -> None:
    circuit = connect_four()
    if kind == "loops":
        circuit = with_turns(random_circuit(5, roles=1, bases=9, moves=5, gates=60, loops=2), 2)
        assert find_tokens(circuit).courses
        game = stepped_game(circuit)
    elif kind == "small":
        game = CompiledGame(circuit, background=False)
        game.compile(wait=True)
    elif kind == "no cycle":
        circuit = random_circuit(0, roles=1, bases=3, moves=3, gates=30)
        assert not find_tokens(circuit).courses
        game = stepped_game(circuit)
    assert game.header.game.steps == 0


@pytest.mark.parametrize(
    ("most_gates", "most_left", "steps"), [(10**6, 10.0, 2), (10, 10.0, 0), (10**6, 0.1, 0)]
)
def test_too_many_gates_or_too_few_saved_are_not_worth_while(
    most_gates: int, most_left: float, steps: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(expansion_steps, "LEAST_GATES", 0)
        patch.setattr(expansion_steps, "MOST_GATES", most_gates)
        patch.setattr(expansion_steps, "MOST_LEFT", most_left)
        game = CompiledGame(connect_four(), background=False)
        game.compile(wait=True)
    assert game.header.game.steps == steps

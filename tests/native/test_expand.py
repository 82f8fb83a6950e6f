"""expand, evaluate and advance: the same children, move by move, as one state at a time."""

from __future__ import annotations

import itertools
from concurrent.futures import ThreadPoolExecutor
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from tests.support.circuits import Builder, connect_four, random_circuit, term

from stratagem.circuit.circuit import Circuit
from stratagem.errors import UsageError
from stratagem.loading import load
from stratagem.machines.compiled.interpreted import CircuitMachine
from stratagem.machines.reasoner.machine import ReasonerMachine
from stratagem.native.compiled import Children, CompiledGame

GAMES = ["tictactoe", "tictactoethree", "biddingtictactoe", "tron", "hexapawn", "eightpuzzle", "nim"]


def number(state: np.ndarray) -> int:
    return int.from_bytes(state.tobytes(), "little")


def mask_moves(circuit: Circuit, role: int, mask: np.ndarray) -> tuple[object, ...]:
    bits = number(mask)
    assert bits >> len(circuit.moves[role]) == 0
    return tuple(move for at, move in enumerate(circuit.moves[role]) if bits >> at & 1)


def check_children(game: CompiledGame, states: np.ndarray, children: Children, *, most: int = 10**9) -> None:
    """Every child against the circuit read gate by gate; *most* of them completely."""
    circuit = game.circuit
    plain = CircuitMachine(circuit)
    roles = range(len(circuit.roles))
    at = 0
    for parent, state in enumerate(states):
        data = number(state)
        for joint in itertools.product(*(plain.legals(data, role) for role in roles)):
            assert children.parents[at] == parent
            assert tuple(circuit.moves[role][children.moves[at, role]] for role in roles) == joint
            if at < most:
                after = plain.next(data, joint)
                assert number(children.states[at]) == after
                assert children.terminal[at] == plain.terminal(after)
                for role in roles:
                    goal = plain.goal(after, role)
                    assert children.goals[at, role] == (-1 if goal is None else goal)
            at += 1
    assert at == len(children)


def check_evaluation(game: CompiledGame, states: np.ndarray) -> None:
    circuit = game.circuit
    plain = CircuitMachine(circuit)
    evaluation = game.evaluate(states)
    for at, state in enumerate(states):
        data = number(state)
        assert evaluation.terminal[at] == plain.terminal(data)
        for role in range(len(circuit.roles)):
            assert mask_moves(circuit, role, evaluation.legal[at, role]) == plain.legals(data, role)
            goal = plain.goal(data, role)
            assert evaluation.goals[at, role] == (-1 if goal is None else goal)


@cache
def game_of(name: str) -> CompiledGame:
    return CompiledGame(load(name).circuit, background=False)


def layer_of(game: CompiledGame, plies: int, most: int) -> np.ndarray:
    """Some distinct states after so many plies that are not over."""
    layer = game.initial[None]
    source = np.random.default_rng(plies)
    for _ in range(plies):
        children = game.expand(layer)
        fresh = np.unique(children.states[~children.terminal], axis=0)
        if not len(fresh):
            break
        layer = fresh[source.permutation(len(fresh))[:most]]
    return layer


@pytest.mark.parametrize("name", GAMES)
def test_children_are_what_single_moves_lead_to_in_order(name: str) -> None:
    game = game_of(name)
    for plies in range(5):
        states = layer_of(game, plies, 12)
        check_children(game, states, game.expand(states), most=150)
        check_evaluation(game, states)


def test_games_whose_circuits_have_loops_expand_too() -> None:
    game = game_of("hex")
    assert game.circuit.loops
    states = layer_of(game, 3, 3)
    check_children(game, states, game.expand(states), most=40)


@pytest.mark.parametrize("name", ["tictactoe", "tron", "connectfour"])
def test_the_reasoner_gives_the_same_legal_moves_ends_and_goals(name: str) -> None:
    game = game_of(name)
    reasoner = ReasonerMachine(load(name).sheet)
    circuit = game.circuit
    states = layer_of(game, 4, 8)
    evaluation = game.evaluate(states)
    for at, state in enumerate(states):
        data = reasoner.from_facts(game.unpack(state))
        assert evaluation.terminal[at] == reasoner.terminal(data)
        for role in range(len(circuit.roles)):
            assert mask_moves(circuit, role, evaluation.legal[at, role]) == reasoner.legals(data, role)
            goal = reasoner.goal(data, role)
            assert evaluation.goals[at, role] == (-1 if goal is None else goal)


def same(one: Children, other: Children) -> bool:
    parts = ("states", "parents", "moves", "terminal", "goals")
    return all(np.array_equal(getattr(one, part), getattr(other, part)) for part in parts)


@pytest.mark.parametrize("name", ["connectfour", "hexapawn"])
def test_compiled_code_and_interpreter_give_the_same_children_for_any_number_of_states(name: str) -> None:
    plain = game_of(name)
    compiled = CompiledGame(plain.circuit, background=False)
    compiled.compile(wait=True)
    assert compiled.phases.narrow.tier == compiled.phases.wide.tier == "optimised"
    assert plain.phases.wide.tier == "interpreted"
    states = layer_of(plain, 5, 1200)
    for count in {1, 2, 63, 64, 65, 128, 129, 512, 513, len(states)}:
        some_states = np.ascontiguousarray(states[:count])
        assert same(plain.expand(some_states), compiled.expand(some_states))
        one, other = plain.evaluate(some_states), compiled.evaluate(some_states)
        assert np.array_equal(one.legal, other.legal)
        assert np.array_equal(one.terminal, other.terminal)
        assert np.array_equal(one.goals, other.goals)


@pytest.mark.parametrize("room", [1, 7, 8, 50, 300, 5000])
def test_children_are_the_same_whatever_room_there_is(room: int) -> None:
    game = game_of("connectfour")
    states = layer_of(game, 4, 300)
    assert same(game.expand(states, room=room), game.expand(states))


def test_a_parent_that_does_not_fit_is_left_for_the_next_call() -> None:
    game = game_of("connectfour")
    states = layer_of(game, 1, 7)
    children = np.zeros((20, game.words), np.uint64)
    parents, terminal = np.full(20, -1, np.int32), np.zeros(20, np.bool_)
    moves, goals = np.zeros((20, 2), np.int32), np.zeros((20, 2), np.int16)
    consumed = np.zeros(1, np.int64)

    def call(capacity: int) -> int:
        arrays = (children, parents, moves, terminal, goals)
        return game._expand(
            game.header.address,
            states.ctypes.data,
            len(states),
            *(a.ctypes.data for a in arrays),
            capacity,
            consumed.ctypes.data,
        )

    assert (call(20), consumed[0]) == (14, 2)
    assert parents.tolist() == [0] * 7 + [1] * 7 + [-1] * 6
    assert (call(6), consumed[0]) == (-7, 0)


def test_states_can_be_expanded_from_many_threads_at_once() -> None:
    game = CompiledGame(connect_four(), background=False)
    states = layer_of(game, 5, 2000)
    expected = game.expand(states)
    with ThreadPoolExecutor(4) as pool:
        game.compile()
        for children in pool.map(lambda _: game.expand(states), range(24)):
            assert same(children, expected)


def test_a_role_without_legal_moves_leaves_its_parent_without_children() -> None:
    stuck, go, alone = term("stuck"), term("go"), term("alone")
    build = Builder(("one", "two"), [alone, stuck], [[go], [go]])
    circuit = build.circuit(
        {alone},
        {stuck: 0, alone: 1},
        [{go: 1}, {go: build.base[stuck] ^ 1}],
        0,
        [[(0, 1)], [(50, 1), (70, 1)]],
    )
    game = CompiledGame(circuit, background=False)
    states = np.stack([game.pack([stuck]), game.pack([alone]), game.pack([stuck, alone])])
    children = game.expand(states)
    assert children.parents.tolist() == [1]
    assert children.goals.tolist() == [[0, -1]]
    assert game.evaluate(states).legal[:, :, 0].tolist() == [[1, 0], [1, 1], [1, 0]]


def test_a_game_without_facts_has_one_state() -> None:
    go, stay = term("go"), term("stay")
    build = Builder(("one",), [], [[go, stay]])
    circuit = build.circuit(set(), {}, [{go: 1, stay: 1}], 0, [[(30, 1)]])
    game = CompiledGame(circuit, background=False)
    for count in (1, 3, 200):
        states = np.repeat(game.initial[None], count, axis=0)
        children = game.expand(states)
        assert len(children) == 2 * count
        assert not children.states.any()
        assert (children.goals == 30).all()
        assert not game.advance(states, np.zeros((count, 1), np.int32)).any()


def test_moves_that_are_not_legal_follow_the_circuit_all_the_same() -> None:
    game = game_of("tictactoe")
    circuit = game.circuit
    plain = CircuitMachine(circuit)
    states = layer_of(game, 2, 5)
    pairs = list(itertools.product(range(10), repeat=2))
    many = np.repeat(states, len(pairs), axis=0)
    moves = np.array(pairs * len(states), np.int32)
    for state, pair, child in zip(many, moves, game.advance(many, moves), strict=True):
        joint = tuple(circuit.moves[role][move] for role, move in enumerate(pair))
        assert number(child) == plain.next(number(state), joint)


def test_facts_and_packed_states_are_the_same_thing() -> None:
    game = game_of("tictactoe")
    for state in layer_of(game, 3, 20):
        assert np.array_equal(game.pack(game.unpack(state)), state)
    with pytest.raises(UsageError, match=r"\(cell 9 9 x\) can never hold"):
        game.pack([term("cell", 9, 9, "x")])


def test_arrays_of_the_wrong_shape_are_refused_in_words() -> None:
    game = game_of("connectfour")
    with pytest.raises(UsageError, match=r"2 words each.*one state is"):
        game.expand(game.initial)
    with pytest.raises(UsageError, match="one index for each of 1 states and 2 roles"):
        game.advance(game.initial[None], np.array([[0, 99]], np.int32))
    assert len(game.expand(game.initial[None][:0])) == 0


@settings(max_examples=40)
@given(
    some.integers(0, 10**6),
    some.integers(1, 3),
    some.sampled_from([1, 6, 63, 64, 65, 130]),
    some.sampled_from([1, 3, 70]),
    some.integers(0, 2),
)
def test_any_circuit_is_expanded_as_it_is_read(
    seed: int, roles: int, bases: int, moves: int, loops: int
) -> None:
    moves = min(moves, 4) if roles > 1 else moves
    circuit = random_circuit(seed, roles=roles, bases=bases, moves=moves, gates=60, loops=loops)
    game = CompiledGame(circuit, background=False)
    source = np.random.default_rng(seed)
    bits = source.integers(0, 2, (3, 64 * game.words)).astype(np.uint8)
    bits[:, bases:] = 0
    states = np.packbits(bits, axis=1, bitorder="little").view(np.uint64)
    check_children(game, states, game.expand(states, room=5))
    check_evaluation(game, states)
    if seed % 8 == 0:
        before = game.expand(states)
        game.compile(wait=True)
        assert same(before, game.expand(states))

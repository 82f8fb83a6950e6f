"""The native machine against the reasoner, the field's traces, and itself before and after native code takes over."""

from __future__ import annotations

import pickle
import random
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from tests.support.circuits import random_circuit, term
from tests.support.traces import DIFFERENT_ON_PURPOSE, agree, sheet_names, sheet_path, trace

from stratagem.errors import GroundingError, IllegalMove, RulesError, UsageError
from stratagem.loading import load
from stratagem.machines.compiled import native as native_machine
from stratagem.machines.compiled.interpreted import CircuitMachine
from stratagem.machines.compiled.native import NativeMachine
from stratagem.machines.machine import Machine
from stratagem.machines.reasoner.machine import ReasonerMachine

GAMES = [
    "tictactoe", "tictactoethree", "connectfour", "breakthrough", "biddingtictactoe", "tron", "hexapawn",
    "eightpuzzle", "nim", "kalah", "missionaries", "prisonersdilemma", "lightsout", "dotsandboxes",
]  # fmt: skip
SAMPLE = [
    "ticTacToe",
    "connectFour",
    "eightPuzzle",
    "hanoi",
    "nim1",
    "buttons",
    "tictactoe_3player",
    "racetrackcorridor",
]


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Native code from the first state on."""
    monkeypatch.setattr(native_machine, "PATIENCE", 0)
    monkeypatch.setattr(native_machine, "PREPARATION", 0)


def walk(machine: Machine, reference: Machine, roles: int, plies: int, seed: int) -> int:
    """A random match on both machines at once; how many states were compared."""
    source = random.Random(seed)
    data, other = machine.initial(), reference.initial()
    for ply in range(plies):
        facts = machine.facts(data)
        assert facts == reference.facts(other)
        assert machine.from_facts(facts) == data
        assert machine.terminal(data) == reference.terminal(other)
        legals = [machine.legals(data, role) for role in range(roles)]
        assert legals == [reference.legals(other, role) for role in range(roles)]
        goals = [machine.goal(data, role) for role in range(roles)]
        assert goals == [reference.goal(other, role) for role in range(roles)]
        if machine.terminal(data) or not all(legals):
            return ply + 1
        joint = tuple(source.choice(own) for own in legals)
        data, other = machine.next(data, joint), reference.next(other, joint)
    return plies


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("name", GAMES)
def test_the_native_machine_says_what_the_reasoner_says(name: str) -> None:
    game = load(name)
    assert walk(NativeMachine(game.circuit), ReasonerMachine(game.sheet), len(game.roles), 12, 1) > 2


@pytest.mark.usefixtures("at_once")
def test_a_game_with_loops_in_its_circuit_says_what_the_reasoner_says() -> None:
    game = load("hex", size=4)
    assert game.circuit.loops
    assert walk(NativeMachine(game.circuit), ReasonerMachine(game.sheet), 2, 4, 3) == 4


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("name", SAMPLE)
def test_it_agrees_with_the_reference_on_sheets_of_the_corpus(name: str) -> None:
    _, states = trace(name)
    assert agree(load(sheet_path(name), machine="native"), states, most=20) > 0


@pytest.mark.slow
@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("name", sheet_names("games"))
def test_it_agrees_with_the_reference_on_every_state(name: str) -> None:
    _, states = trace(name)
    try:
        game = load(sheet_path(name), machine="native")
    except GroundingError as refused:
        pytest.skip(f"the rules could not be ground: {refused}")
    assert agree(game, states) > 0


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("name", sheet_names("edge"))
def test_the_reference_s_edge_cases_come_out_the_same_or_are_refused(name: str) -> None:
    if name in DIFFERENT_ON_PURPOSE:
        pytest.skip("different from the reference on purpose")
    _, states = trace(name, "edge")
    try:
        game = load(sheet_path(name, "edge"), machine="native")
    except (RulesError, GroundingError) as refused:
        pytest.skip(f"refused: {refused}")
    assert agree(game, states) > 0


@settings(max_examples=30)
@given(some.integers(0, 10**6), some.integers(1, 3), some.sampled_from([1, 7, 65]), some.integers(0, 2))
def test_any_circuit_is_played_as_it_is_read(seed: int, roles: int, bases: int, loops: int) -> None:
    circuit = random_circuit(seed, roles=roles, bases=bases, moves=4, gates=50, loops=loops)
    machine = NativeMachine(circuit)
    machine._patience = 0
    walk(machine, CircuitMachine(circuit), roles, 6, seed)
    assert machine._single is not None


def test_native_code_takes_over_in_the_middle_of_a_match() -> None:
    circuit = load("connectfour").circuit
    machine = NativeMachine(circuit)
    source = random.Random(4)
    plain = CircuitMachine(circuit)
    data = machine.initial()
    assert len(machine.legals(data, 0)) == 7
    assert machine._single is None
    machine._patience = 100 * circuit.gate_count
    for match in range(40):
        data = machine.initial()
        while not machine.terminal(data):
            joint = tuple(source.choice(machine.legals(data, role)) for role in range(2))
            after = machine.next(data, joint)
            if match % 10 == 0:
                assert after == plain.next(data, joint)
            data = after
    assert machine._single is not None


@pytest.mark.parametrize("patience", [0, 1 << 60])
def test_a_move_that_is_never_legal_is_refused(patience: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native_machine, "PATIENCE", patience)
    monkeypatch.setattr(native_machine, "PREPARATION", 0)
    machine = NativeMachine(load("tictactoe").circuit)
    with pytest.raises(IllegalMove, match=r"\(mark 9 9\) is never a legal move of xplayer"):
        machine.next(machine.initial(), (term("mark", 9, 9), term("noop")))


@pytest.mark.parametrize("patience", [0, 1 << 60])
def test_a_move_that_is_not_legal_now_follows_the_rules(
    patience: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(native_machine, "PATIENCE", patience)
    monkeypatch.setattr(native_machine, "PREPARATION", 0)
    game = load("tictactoe")
    machine, reasoner = NativeMachine(game.circuit), ReasonerMachine(game.sheet)
    joint = (term("noop"), term("mark", 1, 1))
    after = machine.facts(machine.next(machine.initial(), joint))
    assert after == reasoner.facts(reasoner.next(reasoner.initial(), joint))


def test_facts_that_can_never_hold_are_refused() -> None:
    machine = NativeMachine(load("tictactoe").circuit)
    with pytest.raises(UsageError, match=r"\(cell 4 4 x\) can never hold in this game"):
        machine.from_facts(frozenset([term("cell", 4, 4, "x")]))
    with pytest.raises(UsageError, match="a number of 29 bits"):
        machine.terminal(1 << 29)


def test_states_are_equal_across_machines_and_processes() -> None:
    native, reasoner = load("tictactoe", machine="native"), load("tictactoe", machine="reasoner")
    one = native.initial().play("(mark 2 2)")
    other = reasoner.initial().play("(mark 2 2)")
    assert one == other
    assert hash(one) == hash(other)
    assert pickle.loads(pickle.dumps(one)) == one


@pytest.mark.usefixtures("at_once")
def test_many_threads_may_ask_one_machine() -> None:
    circuit = load("connectfour").circuit
    machine, plain = NativeMachine(circuit), CircuitMachine(circuit)

    def match(seed: int) -> list[int]:
        source = random.Random(seed)
        data = machine.initial()
        states = [data]
        while not machine.terminal(data):
            data = machine.next(data, tuple(source.choice(machine.legals(data, role)) for role in range(2)))
            states.append(data)
        return states

    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(match, range(16)))
    assert together == [match(seed) for seed in range(16)]
    assert all(plain.terminal(states[-1]) for states in together)


def test_old_states_are_forgotten_and_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native_machine, "REMEMBERED", 3)
    machine = NativeMachine(load("tictactoe").circuit)
    data = machine.initial()
    seen = [data]
    for cell in range(1, 4):
        moves = (term("mark", 1, cell), term("noop")) if cell % 2 else (term("noop"), term("mark", 1, cell))
        data = machine.next(data, moves)
        seen.append(data)
    for _ in range(2):
        assert [len(machine.legals(state, 0)) for state in seen] == [9, 1, 7, 1]
    assert len(machine._views) == 3

"""Counts against known numbers, and against a sweep in plain Python."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from tests.support.circuits import Builder, random_circuit, term
from tests.support.count import lines, perft, states_by_depth
from tests.support.data import oracles

from stratagem.circuit.circuit import Circuit
from stratagem.engine.space.count import count_states
from stratagem.engine.space.counts import Counts
from stratagem.errors import LimitExceeded, UsageError
from stratagem.limit import MEMORY, Limit
from stratagem.loading import load
from stratagem.native.compiled import CompiledGame


def known(name: str) -> dict:
    return json.loads((oracles() / "oracles.json").read_text(encoding="utf-8"))[name]


def count_lines(circuit: Circuit, *, depth: int | None = None, memory: int = 1 << 30) -> Counts:
    return count_states(CompiledGame(circuit), by="lines", limit=Limit(depth=depth, memory=memory))


def states_of(counted: Counts) -> list[int]:
    return [level.states for level in counted.levels]


def matches_by_length(counted: Counts) -> dict[int, int]:
    return {ply: level.matches for ply, level in enumerate(counted.levels) if level.matches}


def distances(circuit: Circuit, depth: int | None = None) -> list[int]:
    return list(count_states(CompiledGame(circuit), limit=Limit(depth=depth, memory=1 << 30)))


def test_tic_tac_toe_is_counted_to_the_last_match() -> None:
    counted = count_lines(load("tictactoe").circuit)
    table = known("tic_tac_toe")
    assert counted.complete
    assert list(counted) == table["tree_nodes_by_ply"]
    assert states_of(counted) == table["states_by_ply"]
    assert counted.total == table["tree_nodes"]
    assert counted.matches == table["complete_games"]
    assert matches_by_length(counted) == {int(key): n for key, n in table["games_by_length"].items()}
    assert sum(level.terminal for level in counted.levels) == table["terminal_states"]
    assert sum(distances(load("tictactoe").circuit)) == table["states"]


def test_connect_four_has_the_known_numbers_of_states_and_lines() -> None:
    table = known("connect_four_7x6")["by_ply"]
    counted = count_lines(load("connectfour").circuit, depth=8)
    assert states_of(counted) == table["states"][:9]
    assert list(counted) == table["perft"][:9]
    assert [level.terminal for level in counted.levels] == table["won_states"][:9]
    assert not counted.complete


@pytest.mark.slow
def test_connect_four_has_the_known_numbers_to_the_eleventh_ply() -> None:
    table = known("connect_four_7x6")["by_ply"]
    counted = count_lines(load("connectfour").circuit, depth=11, memory=4 << 30)
    assert states_of(counted) == table["states"][:12]
    assert list(counted) == table["perft"][:12]


@pytest.mark.parametrize(("columns", "rows"), [(4, 4), (4, 5)])
def test_small_connect_fours_are_counted_completely(columns: int, rows: int) -> None:
    table = known("connect_four_small_totals")["values"][f"{columns}x{rows}"]
    counted = count_lines(load("connectfour", columns=columns, rows=rows).circuit)
    assert counted.complete
    assert sum(states_of(counted)) == table["states"]
    assert (counted.total, counted.matches) == (table["tree_nodes"], table["games"])


def test_breakthrough_and_reversi_have_the_known_perft() -> None:
    breakthrough = count_lines(load("breakthrough").circuit, depth=4)
    assert list(breakthrough.perft) == known("breakthrough")["perft_8x8"][:5]
    reversi = count_lines(load("reversi").circuit, depth=6)
    assert list(reversi.perft) == known("othello")["perft_8x8"][:7]


@pytest.mark.parametrize("name", ["tron", "missionaries", "prisonersdilemma", "rockpaperscissors"])
def test_a_sweep_in_plain_python_finds_the_same(name: str) -> None:
    game = load(name)
    depth = 3
    counted = count_lines(game.circuit, depth=depth)
    plain = lines(game, deepest=depth)
    assert tuple(counted) == plain.nodes[: len(counted)]
    assert matches_by_length(counted) == plain.matches
    assert list(counted.perft) == perft(game, depth)[: len(counted)]
    assert distances(game.circuit, depth) == states_by_depth(game, deepest=depth)


def test_numbers_of_more_than_128_bits_stay_exact() -> None:
    """One state that leads to itself by 70 moves: 70^n lines after n plies."""
    fact = term("on")
    moves = [[term("m", number) for number in range(70)]]
    build = Builder(("one",), [fact], moves)
    circuit = build.circuit({fact}, {fact: 1}, [dict.fromkeys(moves[0], 1)], 0, [[(100, 1)]])
    counted = count_lines(circuit, depth=60)
    assert tuple(counted) == tuple(70**ply for ply in range(61))
    assert states_of(counted) == [1] * 61
    assert distances(circuit) == [1]


def test_what_fits_into_little_memory_is_counted_and_the_rest_is_said_to_be_missing() -> None:
    full = count_lines(load("connectfour").circuit, depth=7)
    counted = count_lines(load("connectfour").circuit, memory=4 << 20)
    assert counted.stopped == MEMORY
    assert not counted.complete
    assert tuple(counted)[:8] == tuple(full)[: len(counted)]


def test_plies_and_lines_have_the_same_states() -> None:
    game = load("tictactoe")
    assert list(count_states(game, by="ply")) == states_of(count_states(game, by="lines"))


def test_what_cannot_be_counted_by_is_named() -> None:
    with pytest.raises(
        UsageError, match="states are not counted by size; choose one of distance, ply, lines"
    ):
        count_states(load("tictactoe"), by="size")  # type: ignore[arg-type]


@settings(max_examples=25)
@given(some.integers(0, 10**6), some.integers(1, 3), some.integers(0, 1))
def test_random_games_have_as_many_lines_as_a_sweep_finds(seed: int, roles: int, loops: int) -> None:
    from stratagem.machines.compiled.interpreted import CircuitMachine

    circuit = random_circuit(seed, roles=roles, bases=7, moves=2, gates=40, loops=loops)
    machine = CircuitMachine(circuit)

    class Plain:
        roles = tuple(range(len(circuit.roles)))
        initial, legals, next = machine.initial, machine.legals, machine.next
        terminal, goal = machine.terminal, machine.goal

    counted = count_lines(circuit, depth=5)
    plain = lines(Plain(), deepest=5)
    assert tuple(counted) == plain.nodes
    assert matches_by_length(counted) == plain.matches
    assert distances(circuit, 5) == states_by_depth(Plain(), deepest=5)


def test_a_position_with_billions_of_joint_moves_is_refused_in_a_sentence() -> None:
    roles = [f"r{number}" for number in range(6)]
    rules = [*(f"(role {role})" for role in roles), *(f"(number {number})" for number in range(40))]
    rules += ["(init (a 1)) (<= (legal ?r (go ?n)) (role ?r) (number ?n)) (<= (next (a 2)) (does r0 (go 1)))"]
    rules += ["(<= (next (a 1)) (true (a 2))) (<= terminal (true (a 3))) (<= (goal ?r 50) (role ?r))"]
    game = load(" ".join(rules))
    with pytest.raises(LimitExceeded, match="4,096,000,000 joint moves in one position"):
        count_states(game, limit=Limit(depth=2))

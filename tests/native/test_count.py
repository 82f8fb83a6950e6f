"""Counts against known numbers, and against a sweep in plain Python."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from tests.support.circuits import Builder, random_circuit, term
from tests.support.count import lines, perft, states_by_depth
from tests.support.data import oracles

from stratagem.engine.space.perft import count_lines, count_states
from stratagem.errors import LimitExceeded
from stratagem.loading import load


def known(name: str) -> dict:
    return json.loads((oracles() / "oracles.json").read_text(encoding="utf-8"))[name]


def test_tic_tac_toe_is_counted_to_the_last_match() -> None:
    counted = count_lines(load("tictactoe").circuit)
    table = known("tic_tac_toe")
    assert counted.complete
    assert list(counted.nodes_by_ply) == table["tree_nodes_by_ply"]
    assert list(counted.states_by_ply) == table["states_by_ply"]
    assert counted.tree_nodes == table["tree_nodes"]
    assert counted.matches == table["complete_games"]
    assert counted.matches_by_length == {int(key): n for key, n in table["games_by_length"].items()}
    assert sum(layer.terminal for layer in counted.layers) == table["terminal_states"]
    assert sum(count_states(load("tictactoe").circuit)) == table["states"]


def test_connect_four_has_the_known_numbers_of_states_and_lines() -> None:
    table = known("connect_four_7x6")["by_ply"]
    counted = count_lines(load("connectfour").circuit, depth=8)
    assert list(counted.states_by_ply) == table["states"][:9]
    assert list(counted.nodes_by_ply) == table["perft"][:9]
    assert [layer.terminal for layer in counted.layers] == table["won_states"][:9]
    assert not counted.complete


@pytest.mark.slow
def test_connect_four_has_the_known_numbers_to_the_eleventh_ply() -> None:
    table = known("connect_four_7x6")["by_ply"]
    counted = count_lines(load("connectfour").circuit, depth=11, memory=4 << 30)
    assert list(counted.states_by_ply) == table["states"][:12]
    assert list(counted.nodes_by_ply) == table["perft"][:12]


@pytest.mark.parametrize(("columns", "rows"), [(4, 4), (4, 5)])
def test_small_connect_fours_are_counted_completely(columns: int, rows: int) -> None:
    table = known("connect_four_small_totals")["values"][f"{columns}x{rows}"]
    counted = count_lines(load("connectfour", columns=columns, rows=rows).circuit)
    assert counted.complete
    assert sum(counted.states_by_ply) == table["states"]
    assert (counted.tree_nodes, counted.matches) == (table["tree_nodes"], table["games"])


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
    assert counted.nodes_by_ply == plain.nodes[: len(counted.layers)]
    assert counted.matches_by_length == plain.matches
    assert list(counted.perft) == perft(game, depth)[: len(counted.layers)]
    assert list(count_states(game.circuit, depth=depth)) == states_by_depth(game, deepest=depth)


def test_numbers_of_more_than_128_bits_stay_exact() -> None:
    """One state that leads to itself by 70 moves: 70^n lines after n plies."""
    fact = term("on")
    moves = [[term("m", number) for number in range(70)]]
    build = Builder(("one",), [fact], moves)
    circuit = build.circuit({fact}, {fact: 1}, [dict.fromkeys(moves[0], 1)], 0, [[(100, 1)]])
    counted = count_lines(circuit, depth=60)
    assert counted.nodes_by_ply == tuple(70**ply for ply in range(61))
    assert counted.states_by_ply == (1,) * 61
    assert count_states(circuit) == (1,)


def test_too_little_memory_is_said_in_one_sentence() -> None:
    with pytest.raises(LimitExceeded, match="do not fit the memory limit of 4 MiB; give a smaller depth"):
        count_lines(load("connectfour").circuit, memory=4 << 20)


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
    assert counted.nodes_by_ply == plain.nodes
    assert counted.matches_by_length == plain.matches
    assert list(count_states(circuit, depth=5)) == states_by_depth(Plain(), deepest=5)

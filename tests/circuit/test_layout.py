"""Groups of exclusive propositions: guessed, then proved, and nothing unproved used."""

from __future__ import annotations

import numpy as np
from tests.support.small_sheets import sheet_of

from stratagem.circuit.circuit import Circuit
from stratagem.circuit.compiler.compile import circuit_of
from stratagem.circuit.exclusion.groups import Group, choose, guesses, layout_of
from stratagem.circuit.exclusion.samples import sample_states
from stratagem.gdl.parse import parse
from stratagem.sheets import source

LATE = """(role r) (legal r a) (legal r b) (goal r 0) (init (t 0)) (init (c 1 x)) (<= terminal (true never))
(succ 0 1) (succ 1 2) (succ 2 3) (<= (next (t ?n)) (true (t ?m)) (succ ?m ?n)) (<= (next (c 1 x)) (true (c 1 x)) (does r a))
(<= (next (c 1 y)) (true (t 2)))"""


def circuit(name: str) -> Circuit:
    return circuit_of(parse(source(name)))


def test_a_tic_tac_toe_cell_holds_exactly_one_mark():
    game = circuit("tictactoe")
    layout = layout_of(game)
    names = {
        tuple(str(game.bases[member]) for member in group.members) for group in layout.groups if group.exactly
    }
    assert ("(cell 1 1 b)", "(cell 1 1 o)", "(cell 1 1 x)") in names
    assert layout.width == 19  # nine cells of two bits, and one for the turn


def test_every_tile_of_the_eight_puzzle_is_in_one_place():
    game = circuit("eightpuzzle")
    layout = layout_of(game)
    assert layout.width < len(game.bases) // 2


def test_no_sampled_state_breaks_a_proved_group():
    for name in ("breakthrough", "hanoi", "connectfour"):
        game = circuit(name)
        states = sample_states(game, steps=60, seed=5)
        for group in layout_of(game).groups:
            count = states[:, group.members].sum(axis=1)
            assert count.max() <= 1
            assert not group.exactly or count.min() == 1


def test_a_group_that_breaks_late_is_guessed_but_not_proved():
    game = circuit_of(sheet_of(LATE))
    early = sample_states(game, steps=1)
    pair = tuple(place for place, base in enumerate(game.bases) if str(base).startswith("(c 1"))
    assert pair in set(guesses(game.bases, early))
    assert all(group.members != pair for group in layout_of(game, steps=1).groups)


def test_groups_have_no_common_members_and_the_thriftiest_comes_first():
    thrifty, greedy = Group((0, 1, 2, 3), True), Group((3, 4), False)
    assert choose([greedy, thrifty]) == (thrifty,)
    assert thrifty.width == 2
    assert greedy.width == 2
    assert Group((0, 1), True).width == 1


def test_without_effort_nothing_is_proved_and_nothing_is_grouped():
    game = circuit("tictactoe")
    layout = layout_of(game, conflicts=0)
    assert layout.groups == ()
    assert layout.width == len(game.bases)


def test_layouts_are_the_same_every_time():
    game = circuit("connectfour")
    assert layout_of(game) == layout_of(game)


def test_sampled_states_are_states_of_the_game():
    game = circuit("tictactoe")
    states = sample_states(game, steps=12)
    blank = [place for place, base in enumerate(game.bases) if str(base).endswith(" b)")]
    assert states.dtype == np.bool_
    assert set(states[:, blank].sum(axis=1).tolist()) == set(range(10))

"""Mutex groups of circuits: guessed, then proved, and nothing unproved used."""

from __future__ import annotations

import random

import pytest
from tests.support.small_sheets import sheet_of

from stratagem import load
from stratagem.circuit.circuit import Circuit
from stratagem.circuit.compiler.compile import circuit_of
from stratagem.circuit.mutex_groups import MutexGroup, disjoint, groups_of, program_of, width_of
from stratagem.gdl.parse import parse
from stratagem.ground.solving.mutex_groups import mutex_groups
from stratagem.ground.solving.predecessors import ground_sheet
from stratagem.sheets import source

LATE = """(role r) (legal r a) (legal r b) (goal r 0) (init (t 0)) (init (c 1 x)) (<= terminal (true never))
(succ 0 1) (succ 1 2) (succ 2 3) (<= (next (t ?n)) (true (t ?m)) (succ ?m ?n)) (<= (next (c 1 x)) (true (c 1 x)) (does r a))
(<= (next (c 1 y)) (true (t 2)))"""

LIGHTS = """(role r) (init (light a)) (init (door 1)) (<= (legal r swap) (true (door ?n))) (legal r {move})
(<= (next (light a)) (true (light b)) (does r swap)) (<= (next (light b)) (true (light a)) (does r swap))
(<= (next (light ?x)) (true (light ?x)) (does r {move})) (<= (next (door ?n)) (true (door ?n)))
(<= (next (light {extra})) (true (light ?x)) {when}) (goal r 0) (<= terminal (true (door 9)))"""


def circuit(name: str) -> Circuit:
    return circuit_of(parse(source(name)))


def names(game: Circuit, groups: tuple[MutexGroup, ...]) -> set[tuple[str, ...]]:
    return {tuple(str(game.bases[member]) for member in group.members) for group in groups if group.exactly}


def test_a_tic_tac_toe_cell_holds_exactly_one_mark():
    game = circuit("tictactoe")
    groups = groups_of(game)
    assert ("(cell 1 1 b)", "(cell 1 1 o)", "(cell 1 1 x)") in names(game, groups)
    assert width_of(game, groups) == 19  # nine cells of two bits, and one for the turn


def test_every_tile_of_the_eight_puzzle_is_in_one_place():
    game = circuit("eightpuzzle")
    assert width_of(game, groups_of(game)) < len(game.bases) // 2


@pytest.mark.parametrize("name", ["breakthrough", "hanoi", "connectfour"])
def test_no_state_of_a_random_match_breaks_a_proved_group(name: str):
    game = load(name)
    made = circuit(name)
    groups = [({made.bases[member] for member in group.members}, group.exactly) for group in groups_of(made)]
    chance = random.Random(5)
    state = game.initial()
    while not state.terminal:
        facts = state.facts()
        for group, exactly in groups:
            count = len(facts & group)
            assert count <= 1
            assert not exactly or count == 1
        state = state.next([chance.choice(state.legals(role)) for role in game.roles])


def test_a_group_that_breaks_late_is_guessed_but_not_proved():
    game = circuit_of(sheet_of(LATE))
    pair = tuple(place for place, base in enumerate(game.bases) if str(base).startswith("(c 1"))
    assert all(group.members != pair for group in groups_of(game))


def light(game: Circuit) -> MutexGroup | None:
    """The group of the lights, if it is one."""
    lights = tuple(place for place, base in enumerate(game.bases) if str(base).startswith("(light"))
    return next((group for group in groups_of(game) if group.members == lights), None)


def test_what_only_changes_places_stays_exactly_one():
    game = circuit_of(sheet_of(LIGHTS.format(move="stay", extra="a", when="(does r nothing)")))
    found = light(game)
    assert found is not None and found.exactly


def test_a_group_that_a_move_can_break_is_dropped_and_an_illegal_move_breaks_nothing():
    breaking = LIGHTS.format(move="stay", extra="a", when="(does r stay)")
    assert light(circuit_of(sheet_of(breaking))) is None
    found = light(circuit_of(sheet_of(LIGHTS.format(move="stay", extra="a", when="(does r spoil)"))))
    assert found is not None


def test_recursion_through_the_state_is_read_as_its_least_fixed_point():
    circle = LIGHTS.format(move="stay", extra="a", when="(on ?x)")
    circle += "(<= (on ?x) (true (light ?x)) (off ?x)) (<= (off ?x) (true (light ?x)) (on ?x))"
    assert light(circuit_of(sheet_of(circle))) is not None


@pytest.mark.parametrize("name", ["tictactoe", "eightpuzzle", "hanoi"])
def test_gates_and_ground_rules_have_the_same_groups(name: str):
    of_rules = mutex_groups(ground_sheet(parse(source(name))))
    of_gates = mutex_groups(program_of(circuit(name)))
    assert set(of_gates.exactly()) == set(of_rules.exactly())


def test_groups_have_no_common_members_and_the_thriftiest_comes_first():
    thrifty, greedy = MutexGroup((0, 1, 2, 3), True), MutexGroup((3, 4), False)
    assert disjoint([greedy, thrifty]) == (thrifty,)
    assert thrifty.width == 2
    assert greedy.width == 2
    assert MutexGroup((0, 1), True).width == 1


def test_without_effort_nothing_is_proved_and_nothing_is_grouped():
    game = circuit("checkers")
    assert groups_of(game, conflicts=1) == ()
    assert width_of(game, ()) == len(game.bases)


def test_groups_are_the_same_every_time():
    game = circuit("connectfour")
    assert groups_of(game) == groups_of(game)

"""Whole spaces, backward induction and proofs by search: against known results and against the taught algorithms."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import numpy as np
import pytest
from tests.support.data import oracles

from stratagem.engine.proof.bounds import value_of
from stratagem.engine.proof.prover import Prover
from stratagem.engine.puzzle.breadth_first import breadth_first
from stratagem.engine.solve import solve
from stratagem.engine.space.explore import Space, SpaceTooLarge, explore
from stratagem.engine.space.retrograde import UNKNOWN, is_zero_sum, movers, solve_max_n, solve_zero_sum
from stratagem.errors import UnsuitableGame
from stratagem.limit import Limit
from stratagem.loading import load
from stratagem.result import Interval
from stratagem.search.adversarial.minimax import minimax


def known() -> dict[str, Any]:
    data: dict[str, Any] = json.loads((oracles() / "oracles.json").read_text())
    return data


def space_of(name: str, **sizes: int) -> Space:
    return explore(load(name, settings=sizes).compiled)


def test_the_spaces_of_well_known_games_have_their_sizes() -> None:
    data = known()
    assert list(space_of("tictactoe").layers) == data["tic_tac_toe"]["states_by_ply"]
    assert (
        list(space_of("eightpuzzle").layers) == data["sliding_3x3_blank_in_corner"]["by_depth"]
        or len(space_of("eightpuzzle")) == 181_440
    )
    assert len(space_of("connectfour", columns=4, rows=4)) == 161_029
    assert list(space_of("pancakes", pancakes=6).layers) == data["pancake"]["6"]["by_depth"]


def test_a_space_that_is_too_large_says_how_far_it_came() -> None:
    with pytest.raises(SpaceTooLarge) as refused:
        explore(load("connectfour").compiled, most=10_000)
    assert refused.value.states > 10_000


VALUES = [
    ("tictactoe", {}, 50),
    ("miseretictactoe", {}, 50),
    ("connectfour", {"columns": 4, "rows": 4}, 50),
    ("hexapawn", {}, 0),
    ("hexapawn", {"columns": 4, "rows": 4}, 100),
    ("hexapawn", {"columns": 3, "rows": 4}, 0),
    ("reversi", {"size": 4}, 0),
    ("breakthrough", {"columns": 2, "rows": 6}, 100),
    ("breakthrough", {"columns": 3, "rows": 4}, 0),
    ("nim", {}, 0),
    ("kalah", {"pits": 2, "seeds": 2}, 0),
    ("kalah", {"pits": 3, "seeds": 2}, 100),
    ("dotsandboxes", {"columns": 2, "rows": 2}, 100),
]


@pytest.mark.parametrize(("name", "sizes", "value"), VALUES)
def test_solved_games_have_their_values_by_induction_and_by_proof(
    name: str, sizes: dict[str, int], value: int
) -> None:
    game = load(name, settings=sizes)
    space = explore(game.compiled)
    values = solve_zero_sum(space)
    assert values.low[0] == values.high[0] == value
    prover = Prover(game.compiled, memory=64 << 20)
    bounds = value_of(prover, game.compiled.initial)
    assert bounds.low == bounds.high == value
    assert bounds.distance == values.distance[0]


@pytest.mark.parametrize(
    ("name", "sizes"),
    [
        ("tictactoe", {}),
        ("hexapawn", {"columns": 3, "rows": 4}),
        ("connectfour", {"columns": 4, "rows": 3, "line": 3}),
        ("nim", {}),
    ],
)
def test_every_position_of_a_walk_has_minimax_s_value(name: str, sizes: dict[str, int]) -> None:
    game = load(name, settings=sizes)
    space = explore(game.compiled)
    values = solve_zero_sum(space)
    prover = Prover(game.compiled, memory=16 << 20)
    random = Random(7)
    for _ in range(6):
        state = game.initial()
        while not state.terminal:
            packed = game.compiled.pack(state.facts())
            (number,) = space.known.find(packed[None])
            if len(state.facts()) and random.random() < 0.5:
                bounds = value_of(prover, packed)
                assert bounds.low == bounds.high == values.low[number]
                if values.distance[number] <= 6:
                    assert minimax(game, start=state).value == values.low[number]
            (mover,) = [role for role in game.roles if state.legals(role) != ("noop",)]
            state = state.play(random.choice(state.legals(mover)))


CIRCLE = """
(role a) (role b)
(init (at start)) (init (control a))
(<= (legal a (go ?x)) (true (control a)) (true (at ?y)) (way ?y ?x))
(<= (legal b (go ?x)) (true (control b)) (true (at ?y)) (way ?y ?x))
(<= (legal a noop) (true (control b)))
(<= (legal b noop) (true (control a)))
(way start left) (way start right) (way left start) (way right win) (way right start) (way left lose)
(<= (next (at ?x)) (does ?r (go ?x)))
(<= (next (control b)) (true (control a)))
(<= (next (control a)) (true (control b)))
(<= terminal (true (at win)))
(<= terminal (true (at lose)))
(<= (goal a 100) (true (at win)))
(<= (goal a 0) (not (true (at win))))
(<= (goal b 100) (true (at lose)))
(<= (goal b 0) (not (true (at lose))))
"""


def test_endless_play_is_bounds_that_never_meet() -> None:
    """In the circle a never goes left and b never lets a win: nobody can force an end."""
    game = load(CIRCLE)
    space = explore(game.compiled)
    values = solve_zero_sum(space)
    assert values.low[0] < values.high[0]
    assert values.distance[0] == UNKNOWN
    found = solve(game)
    assert not found.proved
    assert found.values == {"a": Interval(0, 100), "b": Interval(0, 100)}


def test_three_players_take_what_is_best_for_themselves() -> None:
    game = load("tictactoethree", size=3, line=3)
    space = explore(game.compiled)
    assert not is_zero_sum(space)
    goals, distance = solve_max_n(space)
    mover = movers(space)
    random = np.random.default_rng(1)
    for state in random.choice(np.flatnonzero(~space.terminal), 200):
        children = space.children[space.offsets[state] : space.offsets[state + 1]]
        if mover[state] >= 0:
            assert goals[state, mover[state]] == goals[children, mover[state]].max()
        assert distance[state] > 0


def test_simultaneous_moves_have_no_mover_and_get_bounds() -> None:
    game = load("rockpaperscissors")
    with pytest.raises(UnsuitableGame, match="several roles have a choice"):
        movers(explore(game.compiled))
    found = solve(game)
    assert not found.proved
    assert found.values["left"] == Interval(0, 100)


PUZZLES = [
    ("buttonsandlights", {}, 6),
    ("eightpuzzle", {}, 30),
    ("hanoi", {"discs": 4}, 15),
    ("missionaries", {}, 11),
    ("wolfgoatcabbage", {}, 7),
    ("waterjugs", {}, 6),
]


@pytest.mark.parametrize(("name", "sizes", "shortest"), PUZZLES)
def test_puzzles_are_solved_by_the_shortest_way(name: str, sizes: dict[str, int], shortest: int) -> None:
    game = load(name, settings=sizes)
    way = breadth_first(game.compiled)
    assert way.proved
    assert way.value == 100
    assert len(way.moves) == shortest
    state = game.initial()
    for joint in way.moves:
        state = state.next([game.circuit.moves[role][move] for role, move in enumerate(joint)])
    assert state.terminal
    assert state.goal(game.roles[0]) == 100


def test_a_puzzle_without_solution_is_proved_to_have_none() -> None:
    way = breadth_first(load("missionaries", pairs=4, boat=2).compiled)
    assert way.value != 100


def test_a_solve_that_is_stopped_has_honest_bounds() -> None:
    found = solve(load("connectfour"), limit=Limit(seconds=0.5))
    assert not found.proved
    low, high = found.values["red"].low, found.values["red"].high
    assert low <= 50 <= 100 == high
    found = solve(load("fifteenpuzzle"), limit=Limit(seconds=0.3))
    assert not found.proved
    assert found.values["robot"].high == 100
    assert "no terminal state worth 100 is closer than" in found.note


def test_a_solve_can_be_stopped_from_outside() -> None:
    asked = 0

    def stop() -> bool:
        nonlocal asked
        asked += 1
        return asked > 3

    assert not solve(load("connectfour"), limit=Limit(seconds=600, stop=stop)).proved


PLAYED = [
    ("connectfour", {"columns": 4, "rows": 4}),
    ("hexapawn", {}),
    ("breakthrough", {"columns": 3, "rows": 4}),
]


def test_the_line_is_played_to_its_end() -> None:
    for name, sizes in (
        ("connectfour", {"columns": 4, "rows": 4}),
        ("hexapawn", {}),
        ("breakthrough", {"columns": 3, "rows": 4}),
    ):
        game = load(name, settings=sizes)
        for method in ("space", "prove"):
            found = solve(game, method=method)
            state = game.initial()
            for joint in found.line:
                state = state.next(joint)
            assert state.terminal
            assert len(found.line) == found.distance
            assert state.goal(game.roles[0]) == found.estimates[game.roles[0]]

"""Searches for any solution of a puzzle: they find one that can be played, and say nothing where there is none."""

from __future__ import annotations

import pytest

from stratagem.engine.puzzle.bidirectional import bidirectional
from stratagem.engine.puzzle.breadth_first import PathResult, breadth_first
from stratagem.engine.puzzle.restarting_dfs import restarting_depth_first
from stratagem.gdl_game import GdlGame
from stratagem.limit import UNLIMITED, Limit
from stratagem.loading import load


def meet(game: GdlGame, limit: Limit = UNLIMITED) -> PathResult:
    return bidirectional(game, undoing=True, limit=limit)


def worth(game: GdlGame, found: PathResult) -> int | None:
    """What the end is worth that the moves found lead to; every one of them must be legal."""
    state = game.initial()
    for (number,) in found.moves:
        move = game.circuit.moves[0][number]
        assert not state.terminal
        assert move in state.legals(game.roles[0])
        state = state.next((move,))
    assert state.terminal
    return state.goal(game.roles[0])


@pytest.mark.parametrize("name", ["pegsolitaire", "pegtriangle", "knightstour", "queens", "sudoku"])
def test_restarting_depth_first_finds_a_solution_where_every_move_uses_something_up(name):
    game = load(name)
    found = restarting_depth_first(game.compiled)
    assert found.value == worth(game, found) == 100
    assert found.states > 0


def test_depth_first_that_has_seen_everything_says_that_there_is_no_solution():
    assert restarting_depth_first(load("queens", size=3).compiled).value is None


def test_depth_first_is_stopped():
    limit = Limit(stop=lambda: True)
    assert restarting_depth_first(load("pegsolitaire").compiled, limit=limit).value is None


@pytest.mark.parametrize(
    ("name", "sizes"),
    [
        ("eightpuzzle", {}),
        ("hanoi", {"discs": 5}),
        ("lightsout", {"columns": 3, "rows": 3}),
        ("pocketcube", {}),
        ("pancakes", {"pancakes": 6}),
        ("waterjugs", {}),
    ],
)
def test_searches_that_meet_find_a_path_that_can_be_played(name, sizes):
    game = load(name, **sizes)
    found = meet(game)
    if name == "waterjugs":  # water that was poured away does not come back: there may be no such path
        assert found.value is None or worth(game, found) == 100
        return
    assert found.value == worth(game, found) == 100
    assert not found.proved


def test_they_meet_after_as_many_moves_as_the_shortest_path_has():
    game = load("eightpuzzle")
    assert len(meet(game).moves) == len(breadth_first(game.compiled).moves) == 30


def test_layers_that_do_not_meet_within_bounds_are_given_up():
    game = load("fifteenpuzzle")
    assert meet(game, Limit(nodes=10_000)).value is None
    assert meet(game, Limit(memory=1 << 16)).value is None
    assert meet(game, Limit(stop=lambda: True)).value is None

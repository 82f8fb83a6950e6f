"""Searches for any way through a puzzle: they find one that can be walked, and say nothing where there is none."""

from __future__ import annotations

import pytest

from stratagem.engine.puzzle.bidirectional_undoable import meet
from stratagem.engine.puzzle.breadth_first import breadth_first
from stratagem.engine.puzzle.restarting_dfs import dive
from stratagem.gdl_game import GdlGame
from stratagem.loading import load


def worth(game: GdlGame, moves: tuple[int, ...]) -> int | None:
    """What the end is worth that *moves* lead to; every one of them must be legal."""
    state = game.initial()
    for number in moves:
        move = game.circuit.moves[0][number]
        assert not state.terminal
        assert move in state.legals(game.roles[0])
        state = state.next((move,))
    assert state.terminal
    return state.goal(game.roles[0])


@pytest.mark.parametrize("name", ["pegsolitaire", "pegtriangle", "knightstour", "queens", "sudoku"])
def test_a_dive_comes_up_with_a_way_where_every_move_uses_something_up(name):
    game = load(name)
    moves = dive(game.expander)
    assert moves is not None
    assert worth(game, moves) == 100


def test_a_dive_that_has_seen_everything_says_that_there_is_no_way():
    assert dive(load("queens", size=3).expander) is None


def test_a_dive_is_stopped():
    assert dive(load("pegsolitaire").expander, stop=lambda: True) is None


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
def test_searches_that_meet_find_a_way_that_can_be_walked(name, sizes):
    game = load(name, **sizes)
    moves = meet(game)
    if name == "waterjugs":  # water that was poured away does not come back: there may be no such way
        assert moves is None or worth(game, moves) == 100
        return
    assert moves is not None
    assert worth(game, moves) == 100


def test_they_meet_after_as_many_moves_as_the_shortest_way_has():
    game = load("eightpuzzle")
    moves = meet(game)
    assert moves is not None
    assert len(moves) == len(breadth_first(game.expander).moves) == 30


def test_layers_that_do_not_meet_within_bounds_are_given_up():
    game = load("fifteenpuzzle")
    assert meet(game, most=10_000) is None
    assert meet(game, memory=1 << 16) is None
    assert meet(game, stop=lambda: True) is None

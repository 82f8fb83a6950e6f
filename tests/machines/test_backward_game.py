"""GDL puzzles solved from the goal."""

from __future__ import annotations

import pytest

from stratagem.load import load
from stratagem.machines.backward_game import BackwardGame
from stratagem.search.backward import backward
from stratagem.search.bidirectional import bidirectional
from stratagem.search.breadth_first import breadth_first
from stratagem.search.puzzle import HasPredecessors, Puzzle

PUZZLES = ["buttonsandlights", "hanoi", "missionaries", "slidingpuzzle", "waterjugs", "wolfgoatcabbage"]


@pytest.mark.parametrize("name", PUZZLES)
def test_searches_from_the_goal_find_as_short_a_solution_as_the_search_from_the_start(name):
    game = load(name)
    shortest = breadth_first(game)
    assert shortest.solution is not None
    reverse = BackwardGame(game)
    assert isinstance(reverse, HasPredecessors)
    for search in (backward, bidirectional):
        found = search(reverse)
        state = game.initial()
        for move in found.solution:
            state = state.play(move)
        assert state.terminal
        assert state.goal(game.roles[0]) == 100
        assert len(found.solution) == len(shortest.solution)


def test_meeting_in_the_middle_saves_work_on_rules_too():
    game = BackwardGame(load("slidingpuzzle"))
    assert bidirectional(game).counters.nodes < breadth_first(game).counters.nodes


def test_a_lower_aim_has_more_ends():
    game = load("buttonsandlights", limit=3)
    assert backward(BackwardGame(game)).solution is None
    modest = BackwardGame(game, role="robot", threshold=0)
    assert len(backward(Puzzle(modest, threshold=0)).solution) == 3
